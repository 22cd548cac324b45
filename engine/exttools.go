package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// extensionTool is a tool of an extension, as the session calls it.
type extensionTool struct {
	tool.Tool
	part *ext.Part
	spec tool.Spec
}

// Spec is the tool's, read once.
func (t extensionTool) Spec() tool.Spec { return t.spec }

// Run keeps the extension there until the call is over. What the tool asks of
// the session that would wait for the call is carried out after it.
func (t extensionTool) Run(ctx context.Context, c tool.Call) (r tool.Result, err error) {
	leave, ok := t.part.Enter()
	if !ok {
		return tool.Result{}, fmt.Errorf("the extension %s was reloaded; call the tool again", t.part.Name)
	}
	defer leave()
	ctx, done := ext.Step(ctx)
	defer done()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the extension %s panicked: %v", t.part.Name, p)
		}
	}()
	return t.Tool.Run(ctx, c)
}

// Describe implements tool.Describer.
func (t extensionTool) Describe(ctx context.Context, c tool.Call) (tool.Description, error) {
	if d, ok := t.Tool.(tool.Describer); ok {
		return d.Describe(ctx, c)
	}
	spec := t.spec
	d := tool.Description{Title: spec.Name, Kind: spec.Kind}
	if spec.Label != "" {
		d.Title = spec.Label
	}
	if d.Kind == "" {
		d.Kind = tool.Other
	}
	return d, nil
}

// Preview implements tool.Previewer.
func (t extensionTool) Preview(ctx context.Context, c tool.Call) (string, error) {
	if p, ok := t.Tool.(tool.Previewer); ok {
		return p.Preview(ctx, c)
	}
	return "", nil
}

// NeedsApproval implements ext.NeedsApproval.
func (t extensionTool) NeedsApproval() bool { return needsApproval(t.Tool) }

// needsApproval reports whether each call of a tool is to be put to the user.
func needsApproval(t tool.Tool) bool {
	n, ok := t.(ext.NeedsApproval)
	return ok && n.NeedsApproval()
}

// collectTools are the tools of all extensions, each with the names that it may
// have: the first extension of two, and a tool of the session's own only for
// an extension that the user has chosen. told says what was left out or replaced.
func (s *Session) collectTools(list []*extension) (tools []tool.Tool, told []string) {
	if s.opts.NoTools {
		return nil, nil
	}
	owner := map[string]string{}
	for _, e := range list {
		for _, t := range e.registered.Tools {
			t, err := checked(t, e.part)
			if err != nil {
				told = append(told, fmt.Sprintf("The extension %s registers a tool that can't be offered: %v", e.name(), err))
				continue
			}
			name := t.Spec().Name
			if !s.offers(name) {
				continue
			}
			own := slices.ContainsFunc(s.tools.Registry.Tools(), func(o tool.Tool) bool { return o.Spec().Name == name })
			switch by, taken := owner[name]; {
			case taken:
				told = append(told, fmt.Sprintf("The tool %s of the extension %s isn't offered: %s has one of that name.", name, e.name(), by))
				continue
			case own && e.project:
				told = append(told, fmt.Sprintf("The tool %s of the project's extension %s isn't offered: Hoopoe has one of that name, which only your own extensions may replace.", name, e.name()))
				continue
			case own:
				told = append(told, fmt.Sprintf("The tool %s is that of the extension %s now.", name, e.name()))
			}
			owner[name] = e.name()
			tools = append(tools, t)
		}
	}
	return tools, told
}

// offers reports whether the options' list of tools lets an extension's be
// offered.
func (s *Session) offers(name string) bool {
	names := s.opts.toolNames()
	return names == nil || slices.Contains(names, name)
}

// toolNames is the list of tools that the options have, or the agent's file; nil
// without one.
func (o OpenOptions) toolNames() []string {
	if len(o.Tools) > 0 || o.Agent == nil || o.Agent.Tools == nil {
		return o.Tools
	}
	names := []string{}
	for _, t := range o.Agent.Tools {
		names = append(names, t.Name)
	}
	return names
}

// expects reports, of a name that no tool has yet, whether it may be an
// extension's, and remembers it.
func (s *Session) expects(name string) bool {
	if len(s.opts.With) == 0 && !s.hasEntries() {
		return false
	}
	s.awaited = append(s.awaited, name)
	return true
}

// hasEntries reports whether there is any extension that is a file.
func (s *Session) hasEntries() bool {
	return s.hasFiles() && slices.ContainsFunc(s.extensionPlaces(), func(p extensionPlace) bool {
		found, err := s.engine.options.Modules.Entries(p.path)
		return err == nil && len(found) > 0
	})
}

// checked refuses a tool that no model could call.
func checked(t tool.Tool, part *ext.Part) (_ tool.Tool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	spec, err := t.Spec().Compile()
	if err != nil {
		return nil, err
	}
	set, err := tool.NewRegistry(extensionTool{t, part, spec})
	if err != nil {
		return nil, err
	}
	return set.Tools()[0], nil
}
