package card

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// Limits in rows of a folded card, and of an unfolded one.
const (
	liveRows     = 5
	diffRows     = 16
	failureRows  = 4
	foundRows    = 4
	todoRows     = 8
	taskRows     = 2 // of one task
	lineRows     = 3 // of one line that was found
	remarkRows   = 4
	expandedRows = 2000
)

// diffContext is how many unchanged lines a folded card shows around changes.
const diffContext = 3

// view is how a card shows what its tool returns.
type view int

const (
	viewText    view = iota
	viewCommand      // the end is what matters
	viewMatches      // path:line: text
	viewTree         // paths
	viewTodos
	viewTask
	viewCode // of one file
	viewFetch
)

func (c *Card) view() view {
	switch c.name {
	case "grep":
		return viewMatches
	case "find", "ls":
		return viewTree
	case "todo", "todo_write":
		return viewTodos
	case "read":
		return viewCode
	case taskTool:
		return viewTask
	}
	switch c.kind {
	case "execute":
		return viewCommand
	case "fetch":
		return viewFetch
	}
	return viewText
}

// body is what is under the head.
func (c *Card) body(width int) []flow.Row {
	if c.expanded() {
		return c.whole(width)
	}
	view := c.view()
	switch {
	case c.state == Failed && view != viewCommand:
		return c.text(c.look.Error, transcript.Head, width, failureRows)
	case c.state == Denied:
		return c.text(c.look.Muted, transcript.Head, width, 2)
	case view == viewTask:
		return c.taskBody(width)
	case c.patch != "":
		return c.changes(width, diffRows, diffContext)
	case view == viewCommand:
		return c.text(c.look.Muted, transcript.Tail, width, liveRows)
	case c.state == Running:
		return c.text(c.look.Muted, transcript.Tail, width, liveRows)
	case c.state != Done:
		return nil
	}
	switch view {
	case viewTodos:
		return c.todos(width, todoRows)
	case viewMatches:
		return c.matches(width, foundRows, false)
	case viewTree:
		return c.tree(width, foundRows)
	case viewText:
		return c.text(c.look.Muted, transcript.Head, width, liveRows)
	}
	return nil
}

// whole is the expanded body: arguments where the title can't hold them, the
// diff, and all output.
func (c *Card) whole(width int) []flow.Row {
	var out []flow.Row
	if c.agent != nil {
		out = c.agent.live(c.look, width)
	}
	switch {
	case len(out) > 0 && !c.Ended():
		return out
	case len(out) > 0:
		out = append(out, flow.Row{})
	}
	switch c.kind {
	case "execute", "other":
		if command := field(c.arguments, "command"); strings.Contains(command, "\n") {
			rows, _ := transcript.Head(command, width, expandedRows, c.look.Bidi)
			out = append(out, rows...)
		}
	}
	if !builtin(c.name) {
		out = append(out, c.argumentRows(width)...)
	}
	if c.patch != "" {
		out = append(out, c.changes(width, expandedRows, 0)...)
		if c.state == Done {
			return out
		}
	}
	if c.state == Done {
		switch c.view() {
		case viewTodos:
			return append(out, c.todos(width, expandedRows)...)
		case viewMatches:
			return append(out, c.matches(width, expandedRows, true)...)
		case viewTree:
			return append(out, c.tree(width, expandedRows)...)
		case viewCode:
			return append(out, c.code(width)...)
		}
	}
	return append(out, c.text(c.look.Muted, transcript.Head, width, expandedRows)...)
}

// Hunks is a unified diff without the names of its file, for where a title
// tells it. A diff of several files keeps them.
func Hunks(patch string) string {
	if strings.Count(patch, "\n+++ ") != 1 {
		return patch
	}
	at := strings.Index(patch, "\n@@")
	if at < 0 || !strings.HasPrefix(patch, "--- ") {
		return patch
	}
	return patch[at+1:]
}

// changes shows the diff.
func (c *Card) changes(width, limit, context int) []flow.Row {
	name := cmp.Or(diff.NameOf(c.patch), field(c.arguments, "path"))
	l := diff.Lay(Hunks(c.patch), diff.Options{
		Styles: c.look.Styles, Bidi: c.look.Bidi, Width: width, Context: context, Limit: limit,
		Syntax: c.syntax(), Name: name,
	})
	if l.Hidden == 0 {
		return l.Rows
	}
	return append(l.Rows, c.more(count(l.Hidden, "more line", "more lines"), width))
}

// syntax is what colours code; it may be nil.
func (c *Card) syntax() *syntax.Painter {
	if c.look.Markdown == nil {
		return nil
	}
	return c.look.Markdown.Syntax()
}

// more is the row that tells what isn't shown.
func (c *Card) more(what string, width int) flow.Row {
	text := "… " + what
	if !c.expanded() {
		text += " · Ctrl+O"
	}
	return flow.Row{Text: c.look.Muted.Render(style.Cut(text, width)), Rule: true}
}

// limited are the first rows, with one that tells how many more there are.
func (c *Card) limited(rows []flow.Row, limit, width int) []flow.Row {
	if len(rows) <= limit+1 {
		return rows
	}
	return append(rows[:limit:limit], c.more(fmt.Sprintf("%d more", len(rows)-limit), width))
}

// some are the first rows of a line; an ellipsis tells that there are more.
func (c *Card) some(line string, width, limit int) []flow.Row {
	rows, hidden := transcript.Head(line, width, limit, c.look.Bidi)
	if hidden > 0 {
		last := &rows[len(rows)-1]
		text := style.Cut(last.Whole()+"…", width)
		*last = flow.Wrap(flow.Isolated(text), width, c.look.Bidi)[0]
	}
	return rows
}

type cutter func(text string, width, limit int, b flow.Bidi) (rows []flow.Row, hidden int)

// text shows the start or the end of the output, with a row that tells what
// is missing.
func (c *Card) text(paint style.Style, cut cutter, width, limit int) []flow.Row {
	text := strings.Trim(c.output, "\n")
	if text == "(no output)" && c.state == Done {
		return nil
	}
	rows, hidden := cut(text, width, limit, c.look.Bidi)
	if hidden == 1 { // a row that says so would take as much
		rows, hidden = cut(text, width, limit+1, c.look.Bidi)
	}
	for i, row := range rows {
		rows[i] = row.Paint(paint)
	}
	if hidden == 0 {
		return rows
	}
	more := c.more(count(hidden, "more line", "more lines"), width)
	if c.view() == viewCommand && !c.expanded() {
		return append([]flow.Row{more}, rows...)
	}
	return append(rows, more)
}
