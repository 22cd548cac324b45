package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// ExtensionCommand is a slash command of an extension.
// Its Run carries it out and waits for it; it may ask the user, and replace the
// document. Its Complete is never nil and answers in a second at most.
type ExtensionCommand struct {
	ext.Command
	Extension, Path string
	Project         bool // the project's, not the user's
}

// completeTime bounds how long an extension may think about what may follow.
const completeTime = time.Second

// ExtensionCommands lists the commands of the session's extensions; of several
// with one name the first counts.
func (s *Session) ExtensionCommands() []ExtensionCommand {
	var list []ExtensionCommand
	for _, r := range s.extensions.registrations() {
		for _, c := range r.said.Commands {
			if c.Run == nil || slices.ContainsFunc(list, func(o ExtensionCommand) bool { return o.Name == c.Name }) {
				continue
			}
			e := r.by
			complete := c.Complete
			c.Complete = func(ctx context.Context, prefix string) (values []ext.Completion) {
				if complete == nil {
					return nil
				}
				ctx, cancel := context.WithTimeout(ctx, completeTime)
				defer cancel()
				_ = s.host.Call(ctx, e.part, "complete", func(ctx context.Context) error { values = complete(ctx, prefix); return nil })
				if ctx.Err() != nil {
					return nil
				}
				return values
			}
			name, run := "command "+c.Name, c.Run
			c.Run = func(ctx context.Context, args string) error {
				return e.carryOut(ctx, s, name, func(ctx context.Context) error { return run(ctx, args) })
			}
			list = append(list, ExtensionCommand{Command: c, Extension: e.name(), Path: e.file.path, Project: e.project})
		}
	}
	return list
}

// registration is what one extension has registered.
type registration struct {
	by   *extension
	said ext.Registrations
}

func (x *extensions) registrations() []registration {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []registration
	for _, e := range x.list {
		list = append(list, registration{e, e.registered})
	}
	return list
}

// carryOut runs what the user has asked of an extension: a command, a key. It
// has no deadline, and what it asks of the session is done at once.
func (e *extension) carryOut(ctx context.Context, s *Session, what string, fn func(context.Context) error) (err error) {
	leave, ok := e.part.Enter()
	if !ok {
		return fmt.Errorf("the extension %s was reloaded; try again", e.name())
	}
	defer leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panicked: %v", p)
			}
		}()
		done <- fn(ctx)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil && ctx.Err() == nil {
		s.host.Failed(e.name(), what, err)
	}
	return err
}

// Shortcut is a key of an extension's.
type Shortcut struct{ Key, Description, Extension string }

// Shortcuts lists the keys of the session's extensions; of several for one key
// the first counts.
func (s *Session) Shortcuts() []Shortcut {
	var list []Shortcut
	for _, r := range s.extensions.registrations() {
		for _, k := range r.said.Shortcuts {
			if k.Run != nil && !slices.ContainsFunc(list, func(o Shortcut) bool { return strings.EqualFold(o.Key, k.Key) }) {
				list = append(list, Shortcut{k.Key, k.Description, r.by.name()})
			}
		}
	}
	return list
}

// RunShortcut does what an extension's key stands for, and waits for it.
func (s *Session) RunShortcut(ctx context.Context, key string) error {
	for _, r := range s.extensions.registrations() {
		for _, k := range r.said.Shortcuts {
			if k.Run != nil && strings.EqualFold(k.Key, key) {
				return r.by.carryOut(ctx, s, "shortcut "+k.Key, k.Run)
			}
		}
	}
	return fmt.Errorf("no extension has the key %s", key)
}

// renderTime bounds how long an extension may draw one message.
const renderTime = time.Second

// RenderMessage has an extension draw a message of its own type: lines of text
// none of which is wider than width. ok is false when no extension draws it. It
// may take up to a second: not for a program's event loop.
func (s *Session) RenderMessage(ctx context.Context, m message.Message, width int, expanded bool) (lines []string, ok bool) {
	for _, r := range s.extensions.registrations() {
		if !slices.Contains(r.said.Renders, m.CustomType) || r.by.part.Instance.Render == nil {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(ctx, renderTime, errors.New("drawing took too long"))
		defer cancel()
		drawn := make(chan []string, 1)
		err := s.host.Call(ctx, r.by.part, "render", func(ctx context.Context) error {
			l, err := r.by.part.Instance.Render(ctx, ext.Render{Message: m, Width: width, Expanded: expanded})
			if err == nil {
				drawn <- l
			}
			return err
		})
		if err != nil {
			return nil, false
		}
		return <-drawn, true
	}
	return nil, false
}

// Renders reports whether an extension draws messages of a type.
func (s *Session) Renders(customType string) bool {
	return slices.ContainsFunc(s.extensions.registrations(), func(r registration) bool {
		return slices.Contains(r.said.Renders, customType)
	})
}

// listCommands are the commands that extensions hear of: those of files, of
// servers and their own.
func (s *Session) listCommands() []ext.CommandInfo {
	var list []ext.CommandInfo
	for _, c := range s.ExtensionCommands() {
		list = append(list, ext.CommandInfo{Name: c.Name, Description: c.Description, Source: "extension", Path: c.Path})
	}
	for _, t := range s.Templates() {
		list = append(list, ext.CommandInfo{Name: t.Name, Description: t.Description, Source: "prompt", Path: t.Path})
	}
	for _, k := range s.Skills() {
		if !k.ModelOnly {
			list = append(list, ext.CommandInfo{Name: "skill:" + k.Name, Description: k.Description, Source: "skill", Path: k.Path})
		}
	}
	for _, p := range s.ServerPrompts() {
		list = append(list, ext.CommandInfo{Name: p.Command, Description: p.Description, Source: "mcp"})
	}
	return list
}

// setActiveTools leaves the model the named tools alone.
func (s *Session) setActiveTools(ctx context.Context, names []string) error {
	if err := s.tools.activate(names); err != nil {
		return err
	}
	s.env.forget()
	return s.set(ctx, func() error { s.toolsChanged(); return nil })
}
