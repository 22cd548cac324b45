package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// toolset are the tools of a session: its own, which the options chose, those
// that the program around it lends, and those of MCP servers. It is safe for
// concurrent use; what a request offers and what a call finds is the set of that
// moment.
type toolset struct {
	*tool.Registry // the session's own

	mu     sync.RWMutex
	host   []tool.Tool
	served []tool.Tool

	// A sub-agent is served what its caller is, as far as it wants it.
	caller *toolset
	wants  func(tool.Tool) bool
}

// Tools are the session's own, then the host's, then those of MCP servers but
// for names that the host has taken.
func (t *toolset) Tools() []tool.Tool {
	served := t.shared()
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := append(t.Registry.Tools(), t.host...)
	for _, s := range served {
		name := s.Spec().Name
		if !slices.ContainsFunc(t.host, func(h tool.Tool) bool { return h.Spec().Name == name }) {
			all = append(all, s)
		}
	}
	return all
}

// shared are the tools of MCP servers.
func (t *toolset) shared() []tool.Tool {
	if t.caller != nil {
		return slices.DeleteFunc(t.caller.shared(), func(s tool.Tool) bool { return !t.wants(s) })
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.served)
}

// serve replaces the tools of MCP servers. It reports whether the model sees
// others now.
func (t *toolset) serve(tools []tool.Tool) (changed bool) {
	before := t.visible()
	t.mu.Lock()
	t.served = tools
	t.mu.Unlock()
	return !slices.EqualFunc(before, t.visible(), func(a, b tool.Spec) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	})
}

// Find returns the tool that a model means by name.
func (t *toolset) Find(name string) (tool.Tool, error) { return tool.Find(t.Tools(), name) }

// lend replaces the host's tools.
func (t *toolset) lend(tools []tool.Tool) error {
	set, err := tool.NewRegistry(tools...)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, lent := range set.Tools() {
		if own, err := t.Registry.Find(lent.Spec().Name); err == nil {
			return &ToolConflictError{Name: lent.Spec().Name, with: own.Spec().Name}
		}
	}
	t.host = set.Tools()
	return nil
}

// visible are the specs of the tools that the model sees.
func (t *toolset) visible() []tool.Spec {
	var specs []tool.Spec
	for _, one := range t.Tools() {
		if spec := one.Spec(); !spec.Hidden {
			specs = append(specs, spec)
		}
	}
	return specs
}

// ToolConflictError says that a host's tool has the name of a tool that the
// session has of its own.
type ToolConflictError struct {
	Name string
	with string
}

func (e *ToolConflictError) Error() string {
	return fmt.Sprintf("tool name %q is taken by the session's own tool %s: choose another", e.Name, e.with)
}

// SetHostTools replaces the tools that the program around the session lends to
// the model; none takes them away. They count from the next model call on, also
// inside a turn, whatever the options say about tools, and stay when the
// document is replaced. A call that runs is finished. After a
// *ToolConflictError, or a name that isn't one, nothing has changed.
func (s *Session) SetHostTools(ctx context.Context, tools []tool.Tool) error {
	if err := s.tools.lend(tools); err != nil {
		return err
	}
	// Providers cache tools in front of the system prompt: what is to be gained
	// by keeping its old text is lost already.
	s.env.forget()
	return s.set(ctx, func() error { s.toolsChanged(); return nil })
}

// toolsChanged tells which tools the model sees now.
func (s *Session) toolsChanged() {
	names := []string{}
	for _, spec := range s.tools.visible() {
		names = append(names, spec.Name)
	}
	s.publish(event.ToolsChanged{Names: names})
}
