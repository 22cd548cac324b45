package card

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// hit is a line of a search's result: "path:12: text", or "path-12- text" for
// one beside a match.
var hit = regexp.MustCompile(`^(.+?)([:-])(\d+)[:-] ?(.*)$`)

// group are the lines that were found in a file.
type group struct {
	path    string
	matches int
	lines   []foundLine
}

type foundLine struct {
	number string
	text   string
	match  bool
}

// groups reads a search's result. rest are lines that are something else.
func groups(output string) (found []group, rest []string) {
	for line := range strings.SplitSeq(strings.Trim(output, "\n"), "\n") {
		m := hit.FindStringSubmatch(line)
		if m == nil {
			if line != "--" && line != "" {
				rest = append(rest, line)
			}
			continue
		}
		if len(found) == 0 || found[len(found)-1].path != m[1] {
			found = append(found, group{path: m[1]})
		}
		g := &found[len(found)-1]
		g.lines = append(g.lines, foundLine{m[3], m[4], m[2] == ":"})
		if m[2] == ":" {
			g.matches++
		}
	}
	return found, rest
}

// matches shows what a search found by file: the counts, or all lines.
func (c *Card) matches(width, limit int, lines bool) []flow.Row {
	found, rest := groups(c.output)
	if len(found) == 0 {
		return c.text(c.look.Muted, transcript.Head, width, limit)
	}
	var rows []flow.Row
	for _, g := range found {
		if len(rows) > limit && lines {
			break
		}
		n := fmt.Sprintf("  %d", g.matches)
		name := flow.Isolate(style.CutPath(sanitize.Line(g.path), max(width-len(n), 1)))
		rows = append(rows, flow.Cut(c.look.Link.Render(name)+c.look.Muted.Render(n), width, c.look.Bidi))
		if !lines {
			continue
		}
		digits := len(g.lines[len(g.lines)-1].number)
		for _, l := range g.lines {
			rows = append(rows, c.foundRows(l, digits, width)...)
		}
	}
	for _, line := range rest {
		for _, row := range c.some(line, width, remarkRows) {
			rows = append(rows, row.Paint(c.look.Muted))
		}
	}
	return c.limited(rows, limit, width)
}

// foundRows is a line of a file behind its number.
func (c *Card) foundRows(l foundLine, digits, width int) []flow.Row {
	margin := fmt.Sprintf("%*s ", digits+2, l.number)
	paint := c.look.Text
	if !l.match {
		paint = c.look.Muted
	}
	if width-len(margin) < 8 {
		margin = ""
	}
	rows := c.some(l.text, max(width-len(margin), 1), lineRows)
	if len(rows) == 0 {
		rows = []flow.Row{{}}
	}
	for i, row := range rows {
		lead := margin
		if i > 0 {
			lead = strings.Repeat(" ", len(margin))
		}
		rows[i] = row.Paint(paint).Indent(c.look.LineNumber.Render(lead), len(lead))
	}
	return rows
}

// entries are the paths in the result of a listing, without its remarks.
func entries(output string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.Trim(output, "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, "[") {
			out = append(out, line)
		}
	}
	return out
}

// tree shows paths as a tree. Folders that hold one folder alone stand in one
// row with it.
func (c *Card) tree(width, limit int) []flow.Row {
	root := &node{}
	for _, p := range entries(c.output) {
		root.add(p)
	}
	if len(root.children) == 0 || strings.HasPrefix(c.output, "Nothing in ") {
		return c.text(c.look.Muted, transcript.Head, width, limit)
	}
	var rows []flow.Row
	root.walk("", func(lead, name string, folder bool) bool {
		paint := c.look.Text
		if folder {
			paint = c.look.Link
		}
		lead = style.Cut(lead, max(width-8, 0))
		in := style.Width(lead)
		row := flow.Cut(flow.Isolate(paint.Render(style.CutPath(sanitize.Line(name), max(width-in, 1)))), width, c.look.Bidi)
		if row.RTL { // its lines would jump where the terminal reorders the row
			lead = strings.Repeat(" ", in)
		}
		rows = append(rows, row.Indent(c.look.Border.Render(lead), in))
		return len(rows) <= expandedRows
	})
	return c.limited(rows, limit, width)
}

// node is a name in a tree.
type node struct {
	name     string
	folder   bool
	children []*node
}

// depthMax bounds how deep a tree is drawn.
const depthMax = 40

func (n *node) add(p string) {
	folder := strings.HasSuffix(p, "/")
	parts := strings.Split(strings.Trim(path.Clean(p), "/"), "/")
	if strings.HasPrefix(p, "/") {
		parts[0] = "/" + parts[0]
	}
	if len(parts) > depthMax {
		parts = append(parts[:depthMax:depthMax], strings.Join(parts[depthMax:], "/"))
	}
	for i, name := range parts {
		last := i == len(parts)-1
		n = n.child(name)
		n.folder = n.folder || !last || folder
	}
}

// child finds or makes a child. Listings are sorted, so it is the last one.
func (n *node) child(name string) *node {
	if k := len(n.children); k > 0 && n.children[k-1].name == name {
		return n.children[k-1]
	}
	c := &node{name: name}
	n.children = append(n.children, c)
	return c
}

// walk calls row for each name with the lines that lead to it, until that
// returns false.
func (n *node) walk(lead string, row func(lead, name string, folder bool) bool) bool {
	for i, c := range n.children {
		name := c.name
		for len(c.children) == 1 && c.children[0].folder {
			c = c.children[0]
			name += "/" + c.name
		}
		if c.folder {
			name += "/"
		}
		branch, below := "├ ", "│ "
		if i == len(n.children)-1 {
			branch, below = "└ ", "  "
		}
		if !row(lead+branch, name, c.folder) || !c.walk(lead+below, row) {
			return false
		}
	}
	return true
}

// code shows a file that was read in its colours.
func (c *Card) code(width int) []flow.Row {
	text := strings.Trim(c.output, "\n")
	clean := sanitize.Tabs(sanitize.Text(text), 4)
	lines := c.syntax().File(clean, field(c.arguments, "path"))
	if lines == nil {
		return c.text(c.look.Muted, transcript.Head, width, expandedRows)
	}
	var rows []flow.Row
	for i, l := range lines {
		if len(rows) >= expandedRows {
			return append(rows, c.more(count(len(lines)-i, "more line", "more lines"), width))
		}
		rows = append(rows, flow.Fold(l.Paint(), width, c.look.Bidi)...)
	}
	return rows
}
