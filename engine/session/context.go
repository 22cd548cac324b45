package session

import (
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Context is what the branch that ends in the leaf says to the model, and the
// settings it was left with.
type Context struct {
	Messages []message.Message
	// Compacted is how many of Messages a compaction left: the summary and what
	// was kept. Sizes that providers measured for those are of a context that is
	// gone. 0 without a compaction.
	Compacted int
	// Model that answers next. Both are empty if none was ever chosen.
	Model ModelRef
	// Models of other uses, by role.
	Models map[string]ModelRef
	// Thinking is the level last set; "" if none was set or the last one was
	// empty. ThinkingSet tells the two apart.
	Thinking    string
	ThinkingSet bool
}

// ModelRef names a model.
type ModelRef struct{ Provider, ID string }

// Empty reports whether no model is named.
func (r ModelRef) Empty() bool { return r == ModelRef{} }

// Context rebuilds the context of the leaf. The messages are shared with the
// document: they must not be changed.
func (d *Document) Context() Context {
	var c Context
	d.settings(&c)
	nodes, kept := d.contextNodes()
	d.warm(nodes)
	c.Messages = make([]message.Message, 0, len(nodes))
	for i, n := range nodes {
		if i == kept {
			c.Compacted = len(c.Messages)
		}
		if m, ok := n.entry.AsMessage(); ok {
			c.Messages = append(c.Messages, m)
		}
	}
	if kept == len(nodes) {
		c.Compacted = len(c.Messages)
	}
	return c
}

// contextNodes returns the entries that speak to the model, and the one
// compaction that counts first: the last readable one on the path. Of what lies
// before it only the part from its first kept entry on remains. compacted is how
// many nodes that makes.
func (d *Document) contextNodes() (nodes []*node, compacted int) {
	path := d.leaf.path()
	last, first := -1, ""
	for i, n := range slices.Backward(path) {
		if n.typ != TypeCompaction {
			continue
		}
		if e, _ := d.load(n); e.Compaction != nil {
			last, first = i, e.Compaction.FirstKeptEntryID
			break
		}
	}
	nodes = make([]*node, 0, len(path))
	if last < 0 {
		return appendSpeaking(nodes, path), 0
	}
	nodes = append(nodes, path[last])
	if kept := slices.IndexFunc(path[:last], func(n *node) bool { return n.id == first }); kept >= 0 {
		nodes = appendSpeaking(nodes, path[kept:last])
	}
	return appendSpeaking(nodes, path[last+1:]), len(nodes)
}

func appendSpeaking(to, nodes []*node) []*node {
	for _, n := range nodes {
		switch n.typ {
		case TypeMessage, TypeCustomMessage, TypeBranchSummary:
			to = append(to, n)
		}
	}
	return to
}

// settings finds the last model of each role and the last thinking level. An
// answer counts as a choice of the model that gave it.
func (d *Document) settings(c *Context) {
	for n := d.leaf; n != nil; n = n.parent {
		switch n.typ {
		case TypeThinking:
			if c.ThinkingSet {
				continue
			}
			if e, _ := d.load(n); e.Thinking != nil {
				c.Thinking, c.ThinkingSet = e.Thinking.Level, true
			}
		case TypeModelChange:
			if e, _ := d.load(n); e.Model != nil {
				c.choose(e.Model.Role, ModelRef{e.Model.Provider, e.Model.ModelID})
			}
		case TypeMessage:
			if c.Model.Empty() {
				c.choose(defaultRole, d.answeredBy(n))
			}
		}
	}
}

// choose notes a choice that is older than those noted before.
func (c *Context) choose(role string, ref ModelRef) {
	switch {
	case ref.Provider == "" || ref.ID == "":
	case role == defaultRole:
		if c.Model.Empty() {
			c.Model = ref
		}
	case c.Models[role].Empty():
		if c.Models == nil {
			c.Models = map[string]ModelRef{}
		}
		c.Models[role] = ref
	}
}

func (d *Document) answeredBy(n *node) ModelRef {
	if d.role(n) != message.Assistant {
		return ModelRef{}
	}
	e, _ := d.load(n)
	if e.Message == nil {
		return ModelRef{}
	}
	return ModelRef{e.Message.Provider, e.Message.Model}
}

// Name returns the name the session was given last, "" if none.
func (d *Document) Name() string {
	if d.named {
		return d.name
	}
	return d.header.Title
}

// SetName names the session: in an entry, and in the header too while that is
// not written. Control characters become spaces and runs of spaces one. It
// returns the name as stored. The error is as Append's.
func (d *Document) SetName(name string) (string, error) {
	name = CleanName(name)
	if d.store.file == nil {
		d.header.Title = name
	}
	_, err := d.Append(Entry{Info: &Info{Name: name}})
	return name, err
}

// Label returns the label of an entry, "" if it has none.
func (d *Document) Label(id string) string { return d.labels[id].text }

// Stats counts the messages of the current context.
type Stats struct {
	UserMessages, AssistantMessages int
	ToolCalls, ToolResults          int
	TotalMessages                   int
	Usage                           message.Usage // TotalTokens is the sum of the four counts
}

// Stats adds up the current context.
func (d *Document) Stats() Stats {
	var s Stats
	for _, m := range d.Context().Messages {
		s.TotalMessages++
		switch m.Role {
		case message.User:
			s.UserMessages++
		case message.Assistant:
			s.AssistantMessages++
			s.ToolCalls += len(m.Calls())
			s.Usage = s.Usage.Add(m.Usage)
		case message.ToolResult:
			s.ToolResults++
		}
	}
	u := &s.Usage
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	return s
}

// CleanName makes a name fit for one line: control characters become spaces,
// whole escape sequences vanish, and runs of spaces collapse.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\x1b' && r != '\a' || r == 0x7f { // those two begin and end sequences
			return ' '
		}
		return r
	}, name)
	return strings.Join(strings.Fields(sanitize.Line(name)), " ")
}
