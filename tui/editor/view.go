package editor

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// View returns the rows that are on the screen, joined by line feeds: all of
// the text if it has at most maxHeight rows, else those around the caret. No
// row is wider than width; the last column is left to the caret. Rows are not
// padded at their end.
func (e *Editor) View(width, maxHeight int) string {
	width, maxHeight = max(width, 1), max(maxHeight, 1)
	prompt := style.Cut(e.opts.Prompt, width/2)
	indent := style.Width(prompt)
	e.indent = indent
	e.width = max(width-indent-1, 1)

	e.scroll(maxHeight)
	margin := e.opts.Styles.Accent.Render(prompt)
	blank := strings.Repeat(" ", indent)
	if e.buf.empty() {
		e.caret.x, e.caret.y = min(indent, width-1), 0
		hint := inset.Text(style.Cut(e.opts.Placeholder, e.width), flow.Bidi{Reorder: e.opts.Reorder})
		return margin + e.opts.Styles.Muted.Render(hint)
	}

	var rows []string
	caret := e.caretRow()
	for at := e.top; len(rows) < maxHeight && at.line < len(e.buf.lines); {
		m := blank
		if at == (row{}) {
			m = margin
		}
		text, x := e.paintRow(at, width-indent)
		if at == caret {
			e.caret.x, e.caret.y = min(indent+x, width-1), len(rows)
		}
		rows = append(rows, m+text)
		if at.sub++; at.sub == len(e.wrapLine(at.line)) {
			at = row{at.line + 1, 0}
		}
	}
	return strings.Join(rows, "\n")
}

// Cursor returns the caret's place in the last View, in columns and rows from
// its upper left corner.
func (e *Editor) Cursor() (x, y int) { return e.caret.x, e.caret.y }

// MoveTo moves the caret as near as it can come to a column and a row of the
// last View, as for a click.
func (e *Editor) MoveTo(x, y int) Action {
	at := e.top
	for ; y > 0; y-- {
		if at.sub+1 < len(e.wrapLine(at.line)) {
			at.sub++
		} else if at.line+1 < len(e.buf.lines) {
			at = row{at.line + 1, 0}
		}
	}
	before, near, best := e.cursor, -1, pos{}
	from, to := e.rowCells(at)
	if at.sub+1 < len(e.wrapLine(at.line)) {
		to-- // the place after it belongs to the next row
	}
	for col := from; col <= to; col++ {
		e.cursor = pos{at.line, col}
		_, column := e.paintRow(at, e.width+1)
		if off := max(e.indent+column-x, x-e.indent-column); near < 0 || off < near {
			near, best = off, e.cursor
		}
	}
	e.cursor = before
	a := e.moveTo(best)
	e.settle()
	return a
}

// paintRow draws a row in at most width columns and finds the column of the
// caret, should it be in this row.
func (e *Editor) paintRow(at row, width int) (text string, caret int) {
	from, to := e.rowCells(at)
	cells := e.buf.lines[at.line][from:to]
	before := min(max(e.cursor.col-from, 0), len(cells))
	p := painter{e: e, width: width, at: pos{at.line, from}}
	if !e.opts.Reorder {
		for i, c := range cells {
			p.cell(i, c, c.text)
		}
		return p.row(), columns(cells[:before], e.width)
	}
	levels, base := e.lineLevels(at.line)
	levels = levels[from:to]
	if base == 1 { // against the right side, without a blank that hangs over
		if n := len(cells); n > 0 && columns(cells, e.width) > e.width {
			cells = cells[:n-1]
			before = min(before, n-1)
		}
		p.used = max(e.width-columns(cells, e.width), 0)
		p.b.WriteString(strings.Repeat(" ", p.used))
	}
	caret = p.used
	for _, i := range visual(levels, base, cells) {
		left := p.used
		if levels[i] == 1 {
			p.cell(i, cells[i], cells[i].mirrored())
		} else {
			p.cell(i, cells[i], cells[i].text)
		}
		switch { // the caret is at the leading side of the cell behind it
		case i == before && levels[i] == 1, before == len(cells) && i == before-1 && levels[i] != 1:
			caret = p.used
		case i == before, before == len(cells) && i == before-1:
			caret = left
		}
	}
	return p.row(), caret
}

// painter writes the cells of one row.
type painter struct {
	e        *Editor
	width    int
	used     int
	at       pos // of the row's first cell
	b        strings.Builder
	selected strings.Builder // selected cells that are not yet written
}

func (p *painter) cell(i int, c cell, text string) {
	marked := p.e.vim.selects(pos{p.at.line, p.at.col + i}, p.e.cursor)
	room := p.width - p.used
	w := min(c.width, p.e.width)
	switch {
	case c.held != nil:
		text = style.Cut(text, min(p.e.width, room))
		w = style.Width(text)
	case text == "\t":
		w = min(w, room)
		text = strings.Repeat(" ", w)
	case c.width > room || c.width > w: // wider than the whole row
		text, w = strings.Repeat("?", min(w, room)), min(w, room)
	}
	p.used += w
	switch {
	case marked:
		p.selected.WriteString(text)
		return
	case c.held != nil:
		text = p.e.opts.Styles.Accent.Render(text)
	}
	p.flush()
	p.b.WriteString(text)
}

func (p *painter) flush() {
	p.b.WriteString(p.e.opts.Styles.Selected.Render(p.selected.String()))
	p.selected.Reset()
}

func (p *painter) row() string {
	p.flush()
	return p.b.String()
}
