package editor

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// cell is what the cursor moves over and what is deleted at once: a grapheme
// cluster, or a label with what it stands for.
type cell struct {
	text  string // what is shown
	held  *held  // what is behind a label, or nil
	width int    // columns
}

// tabWidth is the columns of a tab in the editor. A fixed width keeps a
// line's layout independent of where it wraps.
const tabWidth = 4

func (c cell) value() string {
	if c.held != nil {
		return c.held.text
	}
	return c.text
}

func (c cell) space() bool {
	return c.held == nil && (c.text == " " || c.text == "\t")
}

// joins reports whether a and b, side by side, make one cluster: a letter and
// its accent, two halves of a flag, an emoji sequence.
func joins(a, b cell) bool {
	if a.held != nil || b.held != nil || len(a.text) == 1 && len(b.text) == 1 {
		return false
	}
	it := graphemes.FromString(a.text + b.text)
	return it.Next() && len(it.Value()) > len(a.text)
}

// regional holds for flags and for the letters that make them.
func (c cell) regional() bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	return c.held == nil && r >= 0x1f1e6 && r <= 0x1f1ff
}

// pos is a place between cells: before cell col of a line.
type pos struct{ line, col int }

func (p pos) before(q pos) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

// buffer is the text: at least one line, none of which holds a line feed.
type buffer struct {
	lines   [][]cell
	version int // grows with every change
}

// segment cuts text into lines of grapheme clusters. The text has been
// through sanitize, so its only controls are line feeds and tabs.
func segment(text string) [][]cell {
	lines := make([][]cell, 0, strings.Count(text, "\n")+1)
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, clusters(line))
	}
	return lines
}

func clusters(line string) []cell {
	if line == "" {
		return nil
	}
	cells := make([]cell, 0, len(line))
	for it := graphemes.FromString(line); it.Next(); {
		s := it.Value()
		w := 1
		switch {
		case s == "\t":
			w = tabWidth
		case len(s) > 1:
			w = style.Width(s)
		}
		cells = append(cells, cell{text: s, width: w})
	}
	return cells
}

func (b *buffer) end() pos {
	last := len(b.lines) - 1
	return pos{last, len(b.lines[last])}
}

func (b *buffer) empty() bool { return len(b.lines) == 1 && len(b.lines[0]) == 0 }

// slice copies the cells between two places.
func (b *buffer) slice(from, to pos) [][]cell {
	if from.line == to.line {
		return [][]cell{clone(b.lines[from.line][from.col:to.col])}
	}
	out := [][]cell{clone(b.lines[from.line][from.col:])}
	for i := from.line + 1; i < to.line; i++ {
		out = append(out, clone(b.lines[i]))
	}
	return append(out, clone(b.lines[to.line][:to.col]))
}

// clone copies cells and leaves room for one more, the usual edit.
func clone(cells []cell) []cell {
	return append(make([]cell, 0, len(cells)+1), cells...)
}

// splice replaces what is between two places and returns where the new cells
// end. The cells are copied in, so callers may keep them.
func (b *buffer) splice(from, to pos, with [][]cell) pos {
	b.version++
	last := len(with) - 1
	if from.line == to.line && last == 0 {
		b.lines[from.line] = spliceCells(b.lines[from.line], from.col, to.col, with[0])
		return pos{from.line, from.col + len(with[0])}
	}
	tail := b.lines[to.line][to.col:]
	lines := make([][]cell, 0, len(with))
	for _, line := range with {
		lines = append(lines, clone(line))
	}
	lines[0] = append(clone(b.lines[from.line][:from.col]), lines[0]...)
	end := pos{from.line + last, len(lines[last])}
	lines[last] = append(lines[last], tail...)

	rest := b.lines[to.line+1:]
	all := make([][]cell, 0, from.line+len(lines)+len(rest))
	all = append(all, b.lines[:from.line]...)
	all = append(all, lines...)
	b.lines = append(all, rest...)
	return end
}

// spliceCells replaces cells[from:to] in place where there is room.
func spliceCells(cells []cell, from, to int, with []cell) []cell {
	grow := len(with) - (to - from)
	if grow > 0 {
		cells = append(cells, make([]cell, grow)...)
		copy(cells[to+grow:], cells[to:len(cells)-grow])
	} else if grow < 0 {
		copy(cells[to+grow:], cells[to:])
		clear(cells[len(cells)+grow:])
		cells = cells[:len(cells)+grow]
	}
	copy(cells[from:], with)
	return cells
}

// widen grows a place that is to be replaced by the cells around it that the
// new text combines with. Clusters are then cut anew over all of it.
func (b *buffer) widen(from, to pos, with [][]cell) (pos, pos) {
	before, after := b.lines[from.line][:from.col], b.lines[to.line][to.col:]
	first, last := with[0], with[len(with)-1]
	if len(with) == 1 && len(first) == 0 {
		first, last = after, before
	}
	left := len(before) > 0 && len(first) > 0 && joins(before[len(before)-1], first[0])
	right := len(after) > 0 && len(last) > 0 && joins(last[len(last)-1], after[0])
	if !left && !right {
		return from, to
	}
	if len(before) > 0 && before[len(before)-1].held == nil {
		from.col--
	}
	// Flags after the place pair up differently now: take all of them.
	for i, c := range after {
		if c.held != nil || i > 0 && !c.regional() {
			break
		}
		to.col++
	}
	return from, to
}

func textOf(lines [][]cell) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, c := range line {
			b.WriteString(c.value())
		}
	}
	return b.String()
}

// next and prev step over one cell, or over a line end.
func (b *buffer) next(p pos) pos {
	switch {
	case p.col < len(b.lines[p.line]):
		p.col++
	case p.line < len(b.lines)-1:
		p = pos{p.line + 1, 0}
	}
	return p
}

func (b *buffer) prev(p pos) pos {
	switch {
	case p.col > 0:
		p.col--
	case p.line > 0:
		p = pos{p.line - 1, len(b.lines[p.line-1])}
	}
	return p
}
