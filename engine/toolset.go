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
// of its extensions, those that the program around it lends, and those of MCP
// servers. It is safe for concurrent use; what a request offers and what a call
// finds is the set of that moment.
type toolset struct {
	*tool.Registry // the session's own

	mu       sync.RWMutex
	extended []tool.Tool // of extensions, names distinct
	host     []tool.Tool
	served   []tool.Tool
	active   map[string]bool // what extensions left of them all; nil: every one

	// A sub-agent has what its caller was given, as far as it wants it.
	caller *toolset
	wants  func(tool.Tool) bool
}

// Tools are the ones that may be offered now: all but for those that extensions
// have switched off.
func (t *toolset) Tools() []tool.Tool {
	return slices.DeleteFunc(t.all(), func(one tool.Tool) bool { return !t.isActive(one.Spec().Name) })
}

// all are the session's own, those that extensions put in their place or add,
// then the host's, then those of MCP servers. Of one name the host's counts,
// then the extension's.
func (t *toolset) all() []tool.Tool {
	extended, served := t.shared()
	t.mu.RLock()
	defer t.mu.RUnlock()
	named := func(tools []tool.Tool, name string) int {
		return slices.IndexFunc(tools, func(o tool.Tool) bool { return o.Spec().Name == name })
	}
	extended = slices.DeleteFunc(extended, func(e tool.Tool) bool { return named(t.host, e.Spec().Name) >= 0 })
	all := t.Registry.Tools()
	for _, e := range extended {
		if i := named(all, e.Spec().Name); i >= 0 {
			all[i] = e
		} else {
			all = append(all, e)
		}
	}
	taken := append(all[:len(all):len(all)], t.host...)
	for _, s := range served {
		if named(taken, s.Spec().Name) < 0 {
			taken = append(taken, s)
		}
	}
	return taken
}

func (t *toolset) isActive(name string) bool {
	if t.caller != nil && !t.caller.isActive(name) {
		return false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.active == nil || t.active[name]
}

// activate leaves the model the named tools alone.
func (t *toolset) activate(names []string) error {
	active := map[string]bool{}
	all := t.all()
	for _, name := range names {
		found, err := tool.Find(all, name)
		if err != nil {
			return err
		}
		active[found.Spec().Name] = true
	}
	t.mu.Lock()
	t.active = active
	t.mu.Unlock()
	return nil
}

// shared are the tools of extensions and of MCP servers.
func (t *toolset) shared() (extended, served []tool.Tool) {
	if t.caller != nil {
		extended, served = t.caller.shared()
		unwanted := func(s tool.Tool) bool { return !t.wants(s) }
		return slices.DeleteFunc(extended, unwanted), slices.DeleteFunc(served, unwanted)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.extended), slices.Clone(t.served)
}

// change carries fn out and reports whether the model sees other tools then.
func (t *toolset) change(fn func()) (changed bool) {
	before := t.visible()
	t.mu.Lock()
	fn()
	t.mu.Unlock()
	return !slices.EqualFunc(before, t.visible(), func(a, b tool.Spec) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	})
}

// serve replaces the tools of MCP servers. It reports whether the model sees
// others now.
func (t *toolset) serve(tools []tool.Tool) (changed bool) {
	return t.change(func() { t.served = tools })
}

// extend replaces the tools of extensions, in the same way.
func (t *toolset) extend(tools []tool.Tool) (changed bool) {
	return t.change(func() { t.extended = tools })
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

// own are the session's own tools that are switched on.
func (t *toolset) own() []tool.Tool {
	return slices.DeleteFunc(t.Registry.Tools(), func(one tool.Tool) bool { return !t.isActive(one.Spec().Name) })
}
