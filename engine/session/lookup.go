package session

import (
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Branch returns the entries of one type between the root and the leaf.
func (d *Document) Branch(t Type) []Entry {
	var nodes []*node
	for n := d.leaf; n != nil; n = n.parent {
		if n.typ == t {
			nodes = append(nodes, n)
		}
	}
	slices.Reverse(nodes)
	return d.loadAll(nodes)
}

// LastResult returns the last result of a call that didn't fail of any of these
// tools between the root and the leaf, whether or not the model still sees it.
func (d *Document) LastResult(tools ...string) (message.Message, bool) {
	var last *node
	w := window{ahead: readAhead}
	for _, n := range d.leaf.path() { // in the order of the file, which is read ahead
		if n.typ == TypeMessage && d.isResult(n, tools, &w) {
			last = n
		}
	}
	if last == nil {
		return message.Message{}, false
	}
	e, _ := d.load(last)
	return *e.Message, true
}

// isResult looks into a message's line before it decodes the whole.
func (d *Document) isResult(n *node, tools []string, w *window) bool {
	if n.entry == nil {
		line, err := d.bytesThrough(n, w)
		if err != nil || !slices.Contains(tools, unquote(field(field(line, "message"), "toolName"))) {
			return false
		}
	}
	e, _ := d.loadThrough(n, w)
	m := e.Message
	return m != nil && m.Role == message.ToolResult && !m.IsError && slices.Contains(tools, m.ToolName)
}
