package editor

import "unicode/utf8"

// row is one row of a wrapped line.
type row struct{ line, sub int }

func (r row) before(s row) bool {
	return r.line < s.line || r.line == s.line && r.sub < s.sub
}

// layout keeps what was worked out for a text and a width: the first cells of
// each row of a line, and its levels of direction.
type layout struct {
	version, width int
	starts         map[int][]int
	levels         map[int][]int
}

// layoutMax bounds the lines that are kept.
const layoutMax = 512

// fresh returns the layout of the text as it is now.
func (e *Editor) fresh() *layout {
	l := &e.laid
	if l.version != e.buf.version || l.width != e.width || len(l.starts) > layoutMax {
		*l = layout{e.buf.version, e.width, map[int][]int{}, map[int][]int{}}
	}
	return l
}

// wrapLine returns the first cell of each row of a line.
func (e *Editor) wrapLine(line int) []int {
	l := e.fresh()
	starts, ok := l.starts[line]
	if !ok {
		starts = wrap(e.buf.lines[line], e.width)
		l.starts[line] = starts
	}
	return starts
}

// wrap returns the first cell of each row of a line, in rows of width columns:
// broken after a blank or at a letter of a script that has none, else anywhere.
// A blank that finds no room hangs over, into the column of the caret.
func wrap(line []cell, width int) []int {
	starts := []int{0}
	start, used := 0, 0
	breakAt, since := 0, 0 // where the row can end, and the columns since then
	for i := range line {
		w := min(line[i].width, width)
		if i > start && breaks(line[i-1], line[i]) {
			breakAt, since = i, 0
		}
		if used+w > width && (used > width || line[i].text != " ") {
			if breakAt > start {
				start, used = breakAt, since
				starts = append(starts, start)
			}
			if used+w > width {
				start, used = i, 0
				starts = append(starts, start)
			}
		}
		used += w
		since += w
	}
	return starts
}

// breaks reports whether a row can end between two cells.
func breaks(a, b cell) bool {
	if a.space() {
		return true
	}
	if !a.ideographic() && !b.ideographic() || b.space() {
		return false
	}
	return !b.closes() && !a.opens()
}

// ideographic holds for the wide letters and signs of scripts that break
// anywhere: Chinese and Japanese. Korean has blanks.
func (c cell) ideographic() bool {
	if c.width != 2 || c.held != nil {
		return false
	}
	r, _ := utf8.DecodeRuneInString(c.text)
	return r >= 0x2e80 && r < 0xac00 || r >= 0xf900 && r < 0xfb00 || r >= 0xfe30 && r < 0xffe7 || r >= 0x1f000
}

// closes and opens hold for what may not begin and may not end a row.
func (c cell) closes() bool {
	switch c.text {
	case "，", "。", "、", "；", "：", "？", "！", "）", "」", "』", "】", "》", "〉", "〕", "］", "｝", "ー", "々",
		",", ".", ";", ":", "?", "!", ")", "]", "}", "”", "’", "…":
		return true
	}
	return false
}

func (c cell) opens() bool {
	switch c.text {
	case "（", "「", "『", "【", "《", "〈", "〔", "［", "｛", "(", "[", "{", "“", "‘":
		return true
	}
	return false
}

// rowOf finds the row that holds a column of a wrapped line.
func rowOf(starts []int, col int) int {
	sub := len(starts) - 1
	for sub > 0 && starts[sub] > col {
		sub--
	}
	return sub
}

// rowCells returns the cells of a row: from one column of the line to another.
func (e *Editor) rowCells(at row) (from, to int) {
	starts := e.wrapLine(at.line)
	from, to = starts[at.sub], len(e.buf.lines[at.line])
	if at.sub+1 < len(starts) {
		to = starts[at.sub+1]
	}
	return from, to
}

func columns(cells []cell, width int) int {
	n := 0
	for _, c := range cells {
		n += min(c.width, width)
	}
	return n
}

// scroll moves the top so that the caret is on the screen and the screen is
// full. It looks at no more lines than fit on it.
func (e *Editor) scroll(height int) {
	caret := e.caretRow()
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

func (e *Editor) caretRow() row {
	return row{e.cursor.line, rowOf(e.wrapLine(e.cursor.line), e.cursor.col)}
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
func (e *Editor) vertical(step int) Action {
	e.last = commandNone
	at := e.caretRow()
	if e.goal < 0 {
		from, _ := e.rowCells(at)
		e.goal = columns(e.buf.lines[at.line][from:e.cursor.col], e.width)
	}
	to := at
	switch {
	case step < 0 && at == (row{}):
		return e.recalled(-1)
	case step < 0 && at.sub > 0:
		to.sub--
	case step < 0:
		to.line--
		to.sub = len(e.wrapLine(to.line)) - 1
	case at.sub+1 < len(e.wrapLine(at.line)):
		to.sub++
	case at.line+1 < len(e.buf.lines):
		to = row{at.line + 1, 0}
	default:
		return e.recalled(+1)
	}
	e.cursor = pos{to.line, e.colAt(to)}
	return Moved
}

func (e *Editor) recalled(step int) Action {
	if !e.recall(step) {
		return Ignored
	}
	return Changed
}

// colAt finds the cell of a row nearest to the goal column.
func (e *Editor) colAt(at row) int {
	line := e.buf.lines[at.line]
	col, last := e.rowCells(at)
	if at.sub+1 < len(e.wrapLine(at.line)) {
		last-- // the place after it belongs to the next row
	}
	for used := 0; col < last && used+min(line[col].width, e.width) <= e.goal; col++ {
		used += min(line[col].width, e.width)
	}
	return col
}
