package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// place reads where a session works: its folder, further ones, and the editor's
// MCP servers.
func (s *server) place(r *wire.Request) (p sessionParams, o engine.OpenOptions, fault *wire.Error) {
	if fault = decode(r, &p); fault != nil {
		return p, o, fault
	}
	if p.Cwd == nil {
		return p, o, invalid("%s: cwd is missing", r.Method)
	}
	for i, dir := range append([]string{*p.Cwd}, p.AdditionalDirectories...) {
		name := "cwd"
		if i > 0 {
			name = fmt.Sprintf("additionalDirectories[%d]", i-1)
		}
		if !filepath.IsAbs(dir) {
			return p, o, invalid("%s: %s must be an absolute path, not %q", r.Method, name, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return p, o, invalid("%s: %s: %s is no folder here", r.Method, name, dir)
		}
	}
	o = s.agent.Open
	o.Cwd, o.Roots, o.Written = *p.Cwd, p.AdditionalDirectories, true
	o.MCPServers = slices.Clone(o.MCPServers)
	for i, raw := range p.MCPServers {
		server, err := mcpServer(raw)
		if err != nil && server.Type == "sse" { // not offered, and no reason to have no session
			p.notices = append(p.notices, err.Error())
			continue
		}
		if err != nil {
			return p, o, failure(wire.InvalidParams, codeMCP, fmt.Errorf("%s: mcpServers[%d]: %w", r.Method, i, err))
		}
		o.MCPServers = append(o.MCPServers, server)
	}
	return p, o, nil
}

func (s *server) newSession(ctx context.Context, r *wire.Request) error {
	p, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	l.ready(r, l.result(true), notices, p.notices)
	return nil
}

// loadSession opens a stored session and tells all that was said in it.
func (s *server) loadSession(ctx context.Context, r *wire.Request) error {
	return s.reopen(ctx, r, true)
}

// resumeSession opens a stored session and tells nothing of it.
func (s *server) resumeSession(ctx context.Context, r *wire.Request) error {
	return s.reopen(ctx, r, false)
}

func (s *server) reopen(ctx context.Context, r *wire.Request, replay bool) error {
	p, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	if l := s.session(p.SessionID); l != nil {
		if l.current() != nil {
			return busy()
		}
		if o.InMemory { // there is no other way to it
			if replay {
				if err := l.replay(ctx); err != nil {
					return err
				}
			}
			r.Reply(l.result(false), l.notification(l.commands()))
			return nil
		}
		if s.remove(l) {
			l.close(ctx)
		}
	}
	path, err := s.find(o, p.SessionID)
	if err != nil {
		return err
	}
	o.Path = path
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	ready := false
	defer func() {
		if !ready {
			l.abandon(ctx)
		}
	}()
	l.restoreMode(ctx)
	if replay {
		if err := l.replay(ctx); err != nil {
			return err
		}
	}
	l.ready(r, l.result(false), notices, p.notices)
	ready = true
	return nil
}

// abandon closes a session that isn't ready. Whoever has spoken to it already
// gets an answer from the teller.
func (l *live) abandon(ctx context.Context) {
	if l.server.remove(l) {
		go l.tell()
		l.close(context.WithoutCancel(ctx))
	}
}

// forkSession opens a copy of a session.
func (s *server) forkSession(ctx context.Context, r *wire.Request) error {
	p, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	path, err := s.find(o, p.SessionID)
	if err != nil {
		return err
	}
	o.Path, o.Fork = path, true
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	l.ready(r, l.result(true), notices, p.notices)
	return nil
}

// open opens an engine session. Nothing is told of it yet, and nothing foreign
// has run.
func (s *server) open(ctx context.Context, o engine.OpenOptions) (*live, []string, error) {
	client := s.capabilities()
	l := &live{server: s, client: client, asking: map[string]*asked{}, told: make(chan struct{}), known: make(chan struct{})}
	o.Dialogs = bool(client.Elicitation.Form)
	if client.FS.ReadTextFile || client.FS.WriteTextFile || client.Terminal {
		o.Workspace = func(local *workspace.Local) workspace.Workspace {
			l.editor = newEditor(l, local)
			return l.editor
		}
	}
	opened, notices, err := s.agent.Engine.Open(ctx, o)
	if files := s.agent.Engine.Untrusted(o.Cwd); len(files) > 0 && !o.Approve {
		notices = append(notices, "not read until you trust this folder: "+strings.Join(files, ", ")+" (the chat asks; --approve does it for one run)")
	}
	if err != nil {
		return nil, nil, openFailed(err, len(s.authMethods(client)) > 0)
	}
	l.session = opened
	if s.options.Opened != nil {
		s.options.Opened(opened)
	}
	v, sub, err := opened.Attach(ctx, engine.Client{Name: "acp", Shows: shows(client)})
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close(ctx))
	}
	l.id, l.sub, l.now, l.named = v.SessionID, sub, settings{v.Mode, v.Thinking, v.Model}, v.Name != "" || len(v.Messages) > 0
	l.ctx, l.end = context.WithCancel(s.ctx)
	l.projection = newProjection(client, l.read, isFolder)
	if !s.add(l) {
		return nil, nil, errors.Join(wire.ErrGone, opened.Close(ctx))
	}
	return l, notices, nil
}

// read is a file's text as the projection sees it: as the editor has it, if it
// was asked for it.
func (l *live) read(path string) (text string, there bool) {
	if l.editor != nil {
		if text, ok := l.editor.seen(path); ok {
			return text, true
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxWhole {
		return "", err == nil
	}
	data, err := os.ReadFile(path)
	return string(data), err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (l *live) result(id bool) sessionResult {
	now := l.settings()
	r := sessionResult{Modes: now.modes(), ConfigOptions: l.options()}
	if id {
		r.SessionID = l.id
	}
	return r
}

// settleTime is how long a new session is not spoken of after the answer that
// names it, unless the editor speaks of it before: clients that read both at
// once take care of the answer last, and drop updates of a session that they
// don't know.
const settleTime = 100 * time.Millisecond

// ready answers the request that made the session; only then it is told of, and
// foreign code of it runs.
//
// Notices are about what was found, and refused about what was asked for: that
// is told in the next turn where there is no other place for it.
func (l *live) ready(r *wire.Request, result sessionResult, notices, refused []string) {
	if !l.client.Session.Notices {
		l.warnings = refused
	}
	notices = append(notices, refused...)
	for _, text := range notices {
		l.server.options.Notify(text)
	}
	r.Reply(result)
	go func() {
		settled := time.NewTimer(settleTime)
		defer settled.Stop()
		select {
		case <-l.known:
		case <-settled.C:
		case <-l.ctx.Done():
		}
		l.introduce(notices)
		go func() { _ = l.session.Start(l.ctx) }()
		go l.findModels()
		l.tell()
	}()
}

// findModels looks for the model servers of this machine, which takes its time,
// and tells of them.
func (l *live) findModels() {
	e := l.server.agent.Engine
	before := len(e.Known())
	if e.Models(); len(e.Known()) != before {
		l.sub.Post(shown{configUpdate{"config_option_update", l.options()}})
	}
}

// introduce tells what an editor wants to know of a session from the beginning.
func (l *live) introduce(notices []string) {
	l.update(l.commands())
	if v, err := l.session.View(l.ctx); err == nil {
		for _, u := range usageOf(v.Usage) {
			l.update(u)
		}
	}
	for _, text := range notices {
		for _, u := range l.projection.notice(event.Notice{Level: "warning", Text: text}) {
			l.update(u)
		}
	}
}

// commands are the slash commands that the session has.
func (l *live) commands() commandsUpdate {
	u := commandsUpdate{"available_commands_update", []availableCommand{}}
	for _, c := range l.server.agent.Commands.For(l.ctx, l.session).Catalog(abilities) {
		a := availableCommand{Name: c.Name, Description: c.Summary}
		if c.Args != "" {
			a.Input = &commandInput{c.Args}
		}
		u.AvailableCommands = append(u.AvailableCommands, a)
	}
	return u
}

func (s *server) closeSession(ctx context.Context, l *live, _ *wire.Request) (any, error) {
	if s.remove(l) {
		l.close(context.WithoutCancel(ctx))
	}
	return nil, nil
}

// titleRunes is how much of the first message calls a session that has no name.
const titleRunes = 120

func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.Join(strings.Fields(line), " "))
	if len(runes) > titleRunes {
		return string(runes[:titleRunes-1]) + "…"
	}
	return string(runes)
}
