package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// showing is which entries of a tree are listed.
type showing int

const (
	showSaid showing = iota
	showYours
	showLabelled
	showAll
	showings
)

func (s showing) next() showing { return (s + 1) % showings }

func (s showing) name() string {
	return [...]string{"what was said", "your messages", "labels", "everything"}[s]
}

// branches is a session's tree as a list: indented where it branches, not where
// it goes on.
type branches struct {
	roots  []*session.TreeNode
	leaf   string
	here   string // the listed entry at the leaf or nearest before it
	labels map[string]string
	path   map[string]bool // entries from the root to the leaf
	folded map[string]bool
	show   showing
}

func (b *branches) set(roots []*session.TreeNode, leaf string) {
	b.roots, b.leaf = roots, leaf
	b.labels, b.path = map[string]string{}, map[string]bool{}
	parents := map[string]string{}
	for todo := append([]*session.TreeNode{}, roots...); len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.Children...)
		parents[n.Entry.ID] = n.Entry.ParentID
		if n.Label != "" {
			b.labels[n.Entry.ID] = n.Label
		}
	}
	for id := leaf; id != "" && !b.path[id]; id = parents[id] {
		b.path[id] = true
	}
}

// listed is an entry that is shown, with those that follow it.
type listed struct {
	node *session.TreeNode
	then []*listed
}

// shown leaves out what isn't listed; what follows it takes its place.
func (b *branches) shown(nodes []*session.TreeNode) []*listed {
	var out []*listed
	for _, n := range nodes {
		then := b.shown(n.Children)
		if b.lists(n) {
			out = append(out, &listed{n, then})
		} else {
			out = append(out, then...)
		}
	}
	return out
}

func (b *branches) lists(n *session.TreeNode) bool {
	e := n.Entry
	switch b.show {
	case showAll:
		return true
	case showLabelled:
		return n.Label != ""
	case showYours:
		return n.Label != "" || e.Message != nil && e.Message.Role == message.User
	}
	who, text := said(e)
	return n.Label != "" || who != "" || text != ""
}

// items lays the tree out.
func (b *branches) items(now time.Time) []picker.Item {
	b.here = ""
	var items []picker.Item
	b.lay(b.shown(b.roots), "", now, &items)
	for i := range items {
		items[i].Current = items[i].ID == b.here
	}
	return items
}

// deepest bounds the lines before an entry, in branches.
const deepest = 8

func (b *branches) lay(nodes []*listed, lead string, now time.Time, items *[]picker.Item) {
	for ; len(nodes) == 1; nodes = nodes[0].then {
		if !b.row(nodes[0], lead, now, items) {
			return
		}
	}
	for i, n := range nodes {
		mark, under := "├─ ", "│  "
		if i == len(nodes)-1 {
			mark, under = "└─ ", "   "
		}
		inner := lead + under
		if style.Width(inner) > deepest*style.Width(under) {
			inner = lead
		}
		if b.row(n, lead+mark, now, items) {
			b.lay(n.then, inner, now, items)
		}
	}
}

// row adds an entry; false when what follows it is folded.
func (b *branches) row(l *listed, lead string, now time.Time, items *[]picker.Item) bool {
	e := l.node.Entry
	it := picker.Item{ID: e.ID, Lead: lead, Dim: !b.path[e.ID]}
	it.Before, it.Title = title(l.node)
	if !e.Timestamp.IsZero() {
		it.Cells = []string{slash.Age(now.Sub(e.Timestamp))}
	}
	folded := b.folded[e.ID] && len(l.then) > 0
	if folded {
		it.Before = strings.TrimSpace(fmt.Sprintf("[+%d] ", size(l.then)) + it.Before)
	}
	if b.path[e.ID] {
		b.here = e.ID
	}
	*items = append(*items, it)
	return !folded
}

// size counts what is listed.
func size(list []*listed) int {
	n := len(list)
	for _, l := range list {
		n += size(l.then)
	}
	return n
}

// titleBytes bounds what is read of a message for its row.
const titleBytes = 1000

// title is an entry in one line, and what stands before it: its label, and who
// says it.
func title(n *session.TreeNode) (before, text string) {
	before, text = said(n.Entry)
	if before == "" && text == "" {
		text = done(n.Entry)
	}
	if n.Label != "" {
		before = strings.TrimSpace("[" + n.Label + "] " + before)
		if flow.RightToLeft(before) { // who says it stays beside what is said
			before = leftToRight + before
		}
	}
	return before, strings.Join(strings.Fields(sanitize.Line(cut(text))), " ")
}

// leftToRight is a mark that has no width, and the direction of a letter.
const leftToRight = "\u200e"

func cut(text string) string {
	if len(text) > titleBytes {
		text = strings.ToValidUTF8(text[:titleBytes], "")
	}
	return text
}

// said is what an entry says to people, and who does; nothing of one that nobody
// would look for.
func said(e session.Entry) (who, text string) {
	switch m := e.Message; {
	case m != nil && m.Role == message.User:
		return "you:", m.Text()
	case m != nil && m.Role == message.Assistant && strings.TrimSpace(m.Text()) != "":
		return "model:", gist(cut(m.Text()))
	case m != nil && m.Bash != nil:
		return "$", m.Bash.Command
	case e.Compaction != nil:
		return "", "older messages were summarised"
	case e.BranchSummary != nil:
		return "summary:", gist(cut(e.BranchSummary.Summary))
	case e.CustomMessage != nil && e.CustomMessage.Display:
		return e.CustomMessage.CustomType + ":", message.Text(e.CustomMessage.Content)
	}
	return "", ""
}

// done is what any other entry is.
func done(e session.Entry) string {
	switch m := e.Message; {
	case m != nil && m.Role == message.ToolResult:
		return m.ToolName + " ended: " + message.Text(m.Content)
	case m != nil && len(m.Calls()) > 0:
		names := make([]string, 0, len(m.Calls()))
		for _, c := range m.Calls() {
			names = append(names, c.Name)
		}
		return "model calls " + strings.Join(names, ", ")
	case m != nil:
		return string(m.Role)
	case e.Model != nil:
		return "model " + e.Model.Provider + "/" + e.Model.ModelID
	case e.Thinking != nil:
		return "thinking " + cmp.Or(e.Thinking.Level, "off")
	case e.Info != nil:
		return "name: " + e.Info.Name
	}
	return string(e.Type)
}
