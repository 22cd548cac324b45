package editor

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// row is one row of a wrapped line.
type row struct{ line, sub int }

// wrap returns the first cell of each row of a line, in rows of width
// columns: broken after a blank where there is one, else anywhere.
func wrap(line []cell, width int) []int {
	starts := []int{0}
	start, used, blank := 0, 0, -1
	for i := 0; i < len(line); i++ {
		w := min(line[i].width, width)
		for used+w > width {
			if blank > start {
				start = blank
			} else {
				start = i
			}
			starts = append(starts, start)
			used, blank = 0, -1
			for j := start; j < i; j++ {
				used += min(line[j].width, width)
			}
		}
		used += w
		if line[i].space() {
			blank = i + 1
		}
	}
	return starts
}

// rowOf finds the row that holds a column of a wrapped line.
func rowOf(starts []int, col int) int {
	sub := len(starts) - 1
	for sub > 0 && starts[sub] > col {
		sub--
	}
	return sub
}

func (e *Editor) wrapLine(line int) []int { return wrap(e.buf.lines[line], e.width) }

// View returns the rows that are on the screen, joined by line feeds: all of
// the text if it has at most maxHeight rows, else those around the caret. No
// row is wider than width; the last column is left to the caret. Rows are not
// padded.
func (e *Editor) View(width, maxHeight int) string {
	width, maxHeight = max(width, 1), max(maxHeight, 1)
	prompt := style.Cut(e.opts.Prompt, width/2)
	indent := style.Width(prompt)
	e.width = max(width-indent-1, 1)

	e.scroll(maxHeight)
	margin := e.opts.Styles.Accent.Render(prompt)
	blank := strings.Repeat(" ", indent)
	if e.buf.empty() {
		e.caret.x, e.caret.y = indent, 0
		hint := style.Cut(e.opts.Placeholder, e.width)
		return margin + e.opts.Styles.Muted.Render(hint)
	}

	var rows []string
	starts := e.wrapLine(e.top.line)
	for at := e.top; len(rows) < maxHeight; {
		m := blank
		if at == (row{}) {
			m = margin
		}
		from, to := starts[at.sub], len(e.buf.lines[at.line])
		if at.sub+1 < len(starts) {
			to = starts[at.sub+1]
		}
		if at.line == e.cursor.line && at.sub == rowOf(starts, e.cursor.col) {
			e.caret.y = len(rows)
			e.caret.x = min(indent+columns(e.buf.lines[at.line][from:e.cursor.col], e.width), width-1)
		}
		rows = append(rows, m+e.paint(e.buf.lines[at.line][from:to], width-indent))
		if at.sub++; at.sub == len(starts) {
			if at = (row{at.line + 1, 0}); at.line == len(e.buf.lines) {
				break
			}
			starts = e.wrapLine(at.line)
		}
	}
	return strings.Join(rows, "\n")
}

// Cursor returns the caret's place in the last View, in columns and rows from
// its upper left corner. Both are -1 without the focus.
func (e *Editor) Cursor() (x, y int) {
	if !e.focused {
		return -1, -1
	}
	return e.caret.x, e.caret.y
}

// Height returns the rows that View would return for these limits.
func (e *Editor) Height(width, maxHeight int) int {
	indent := style.Width(style.Cut(e.opts.Prompt, max(width, 1)/2))
	text := max(width-indent-1, 1)
	rows := 0
	for _, line := range e.buf.lines {
		if rows += len(wrap(line, text)); rows >= maxHeight {
			return max(maxHeight, 1)
		}
	}
	return rows
}

func columns(cells []cell, width int) int {
	n := 0
	for _, c := range cells {
		n += min(c.width, width)
	}
	return n
}

// paint draws the cells of one row.
func (e *Editor) paint(cells []cell, width int) string {
	var b strings.Builder
	used := 0
	for _, c := range cells {
		switch {
		case c.paste != nil:
			b.WriteString(e.opts.Styles.Accent.Render(style.Cut(c.text, e.width)))
		case c.text == "\t":
			b.WriteString(strings.Repeat(" ", min(tabWidth, e.width)))
		case used+c.width > width: // wider than the whole row
			b.WriteByte('?')
		default:
			b.WriteString(c.text)
		}
		used += c.width
	}
	return b.String()
}

// scroll moves the top so that the caret is on the screen and the screen is
// full. It looks at no more lines than fit on it.
func (e *Editor) scroll(height int) {
	caret := row{e.cursor.line, rowOf(e.wrapLine(e.cursor.line), e.cursor.col)}
	e.top.line = min(e.top.line, len(e.buf.lines)-1)
	e.top.sub = min(e.top.sub, len(e.wrapLine(e.top.line))-1)
	if caret.before(e.top) {
		e.top = caret
	}
	if highest := e.back(caret, height-1); e.top.before(highest) {
		e.top = highest
	}
	last := row{len(e.buf.lines) - 1, 0}
	last.sub = len(e.wrapLine(last.line)) - 1
	if lowest := e.back(last, height-1); lowest.before(e.top) {
		e.top = lowest
	}
}

func (r row) before(s row) bool {
	return r.line < s.line || r.line == s.line && r.sub < s.sub
}

// back returns the row n rows above r, or the first one.
func (e *Editor) back(r row, n int) row {
	for n > 0 {
		if r.sub >= n {
			r.sub -= n
			return r
		}
		n -= r.sub
		if r.line == 0 {
			return row{}
		}
		r.line--
		r.sub = len(e.wrapLine(r.line)) - 1
		n--
	}
	return r
}

// vertical moves by a row, and past the first or last row through history.
func (e *Editor) vertical(stroke string) Action {
	e.last = commandNone
	starts := e.wrapLine(e.cursor.line)
	sub := rowOf(starts, e.cursor.col)
	if e.goal < 0 {
		e.goal = columns(e.buf.lines[e.cursor.line][starts[sub]:e.cursor.col], e.width)
	}
	at := row{e.cursor.line, sub}
	switch {
	case stroke == "up" && at == (row{}):
		return e.recalled(-1)
	case stroke == "up" && sub > 0:
		at.sub--
	case stroke == "up":
		at.line--
		starts = e.wrapLine(at.line)
		at.sub = len(starts) - 1
	case sub+1 < len(starts):
		at.sub++
	case at.line+1 < len(e.buf.lines):
		at = row{at.line + 1, 0}
		starts = e.wrapLine(at.line)
	default:
		return e.recalled(+1)
	}
	e.cursor = pos{at.line, e.colAt(at, starts)}
	return Moved
}

func (e *Editor) recalled(step int) Action {
	if !e.recall(step) {
		return Ignored
	}
	return Changed
}

// colAt finds the cell of a row nearest to the goal column.
func (e *Editor) colAt(at row, starts []int) int {
	line := e.buf.lines[at.line]
	last := len(line)
	if at.sub+1 < len(starts) {
		last = starts[at.sub+1] - 1 // the place after it belongs to the next row
	}
	col, used := starts[at.sub], 0
	for col < last && used+min(line[col].width, e.width) <= e.goal {
		used += min(line[col].width, e.width)
		col++
	}
	return col
}
