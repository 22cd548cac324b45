package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// What goes into the model's context of all servers together before a search
// tool takes its place.
const (
	DefaultVisible = 40   // tools
	DefaultTokens  = 8000 // of their names, descriptions and schemas, by estimate
)

const (
	maxDescription = 2 << 10  // bytes
	maxSchema      = 32 << 10 // bytes
	maxActive      = 40       // tools that searches have put into the context
	bytesPerToken  = 4
)

// anyObject stands in for a schema that can't be used.
const anyObject = `{"type":"object"}`

// newTool makes a tool of what a server says about it.
func newTool(r *remote, t *sdk.Tool) remoteTool {
	title := t.Title
	kind := tool.Other
	if a := t.Annotations; a != nil {
		if title == "" {
			title = a.Title
		}
		if a.ReadOnlyHint {
			kind = tool.Read
		}
	}
	if title == "" {
		title = t.Name
	}
	about := strings.TrimSpace(clip(clean(t.Description), maxDescription))
	if about == "" {
		about = "The tool " + field(title) + " of the MCP server " + label(r.conf.Name) + "."
	}
	parameters, note := schema(t.InputSchema)
	spec := tool.Spec{
		Name: toolName(r.part, t.Name), Label: field(title), Description: about + note,
		Kind: kind, Parameters: parameters,
	}
	if compiled, err := spec.Compile(); err == nil {
		spec = compiled // else the server judges the arguments alone
	}
	return remoteTool{
		spec: spec, server: r, name: t.Name,
		pinned: slices.ContainsFunc(r.conf.Pinned, func(p string) bool { return p == "*" || p == t.Name || p == spec.Name }),
	}
}

// clean is for text that the model reads: no control characters, and none of
// the tag characters, which nobody sees but a model.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 0xe0000 && c <= 0xe007f {
			return -1
		}
		return c
	}, sanitize.Text(s))
}

// schema returns a server's schema as providers take it: an object, without
// the alternatives at its top that some refuse, and bounded. The server checks
// its arguments itself. note tells the model what is missing.
func schema(v any) (raw json.RawMessage, note string) {
	m, ok := v.(map[string]any)
	if !ok {
		return json.RawMessage(anyObject), ""
	}
	m["type"] = "object"
	for _, k := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "$schema", "$id"} {
		delete(m, k)
	}
	if p, ok := m["properties"]; ok {
		if _, ok := p.(map[string]any); !ok {
			delete(m, "properties")
		}
	}
	switch schema, err := jsonl.Value(m); {
	case err != nil:
		return json.RawMessage(anyObject), ""
	case len(schema) > maxSchema:
		return json.RawMessage(anyObject), "\n(Its schema is too large to be shown.)"
	default:
		return schema, ""
	}
}

func (t remoteTool) tokens() int {
	return (len(t.spec.Name)+len(t.spec.Description)+len(t.spec.Parameters))/bytesPerToken + 1
}

// selection is the tools of all servers and which of them the model sees.
type selection struct {
	tools     []remoteTool // Hidden where the model doesn't see them
	many      bool         // a search takes their place
	resources bool         // a server has some
}

func (m *Manager) selection() selection {
	var s selection
	tokens := 0
	for _, r := range m.remote {
		o := r.offered()
		s.resources = s.resources || o.resources
		for _, t := range o.tools {
			tokens += t.tokens()
			s.tools = append(s.tools, t)
		}
	}
	s.many = len(s.tools) > m.opts.MaxVisible || tokens > m.opts.MaxTokens
	if s.many {
		m.mu.Lock()
		defer m.mu.Unlock()
		for i := range s.tools {
			t := &s.tools[i]
			t.spec.Hidden = !t.pinned && !slices.Contains(m.active, t.spec.Name)
		}
	}
	return s
}

// Tools returns all tools of the servers that were reached, the search tool
// when there are many, and the tool for resources when a server has some. What
// the model doesn't see is there too, with Spec.Hidden: a call of it works, as
// in a session that goes on.
func (m *Manager) Tools() []tool.Tool {
	s := m.selection()
	var list []tool.Tool
	if s.many {
		list = append(list, m.searchTool(s.tools))
	}
	if s.resources {
		list = append(list, m.resourceTool())
	}
	for _, t := range s.tools {
		list = append(list, t)
	}
	return list
}

// Visible returns those of Tools that go into the model's context.
func (m *Manager) Visible() []tool.Tool {
	return slices.DeleteFunc(m.Tools(), func(t tool.Tool) bool { return t.Spec().Hidden })
}

// Active returns the names of the tools that searches have put into the model's
// context, oldest first.
func (m *Manager) Active() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.active)
}

// SetActive replaces them, for a session that goes on. Names of tools that
// aren't there do no harm.
func (m *Manager) SetActive(names []string) {
	m.mu.Lock()
	m.active = slices.Clone(names[max(0, len(names)-maxActive):])
	m.mu.Unlock()
	m.opts.OnChange()
}

// activate shows tools to the model from now on. The oldest go when there are
// too many.
func (m *Manager) activate(names []string) {
	m.mu.Lock()
	fresh := slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(m.active, n) })
	m.active = slices.DeleteFunc(m.active, func(n string) bool { return slices.Contains(names, n) })
	m.active = append(m.active, names...)
	if over := len(m.active) - maxActive; over > 0 {
		m.active = slices.Delete(m.active, 0, over)
	}
	active := slices.Clone(m.active)
	m.mu.Unlock()
	if fresh {
		m.opts.OnActivate(active)
		m.opts.OnChange()
	}
}
