package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Registry is an ordered set of tools, found by name or alias. It is safe for
// concurrent use; what it returns is the caller's own.
type Registry struct {
	mu    sync.RWMutex
	tools []Tool
}

// NewRegistry returns a registry of tools, in this order. A tool that Add
// refuses is an error.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{}
	for _, t := range tools {
		if err := r.Add(t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// validName reports whether every provider accepts a tool's name.
func validName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// Add appends t. A name that is taken, also by an alias, or that providers
// refuse, is an error.
func (r *Registry) Add(t Tool) error {
	name := t.Spec().Name
	if !validName(name) {
		return fmt.Errorf("tool name %q: use 1 to 64 letters, digits, _ or -", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := find(r.tools, name); ok {
		return fmt.Errorf("tool name %q is taken by %s", name, old.Spec().Name)
	}
	r.tools = append(r.tools, t)
	return nil
}

// Replace puts t in the place of the tool of its name, or adds it.
func (r *Registry) Replace(t Tool) error {
	r.mu.Lock()
	for i, old := range r.tools {
		if old.Spec().Name == t.Spec().Name {
			r.tools[i] = t
			r.mu.Unlock()
			return nil
		}
	}
	r.mu.Unlock()
	return r.Add(t)
}

// Remove takes out the tool of that name and reports whether there was one.
func (r *Registry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.tools)
	r.tools = slices.DeleteFunc(r.tools, func(t Tool) bool { return t.Spec().Name == name })
	return len(r.tools) < n
}

// Tools returns all tools in order.
func (r *Registry) Tools() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.tools)
}

// Find returns the tool that a model means by name: see Find.
func (r *Registry) Find(name string) (Tool, error) { return Find(r.Tools(), name) }

// Select returns the named tools in the registry's order. The error lists
// every unknown name with its nearest ones.
func (r *Registry) Select(names []string) ([]Tool, error) {
	all := r.Tools()
	wanted := map[string]bool{}
	var errs []error
	for _, name := range names {
		t, err := Find(all, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		wanted[t.Spec().Name] = true
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return slices.DeleteFunc(all, func(t Tool) bool { return !wanted[t.Spec().Name] }), nil
}

// Find returns the tool called name among tools: its name, else an alias, else
// its name or alias in another case. The error names the nearest ones.
func Find(tools []Tool, name string) (Tool, error) {
	if t, ok := find(tools, name); ok {
		return t, nil
	}
	var names []string
	for _, t := range tools {
		s := t.Spec()
		for _, n := range append([]string{s.Name}, s.Aliases...) {
			if strings.EqualFold(n, name) {
				return t, nil
			}
		}
		if !s.Hidden {
			names = append(names, s.Name)
		}
	}
	if near := Nearest(name, names, 3); len(near) > 0 {
		return nil, fmt.Errorf("unknown tool %q; did you mean %s?", name, strings.Join(near, ", "))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("unknown tool %q; there are no tools", name)
	}
	return nil, fmt.Errorf("unknown tool %q; there are: %s", name, strings.Join(names, ", "))
}

func find(tools []Tool, name string) (Tool, bool) {
	for _, t := range tools {
		if t.Spec().Name == name {
			return t, true
		}
	}
	for _, t := range tools {
		if slices.Contains(t.Spec().Aliases, name) {
			return t, true
		}
	}
	return nil, false
}
