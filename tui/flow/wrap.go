package flow

import (
	"unicode"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Wrap breaks a painted line into rows of at most width columns: between
// words, beside Chinese and Japanese characters but not before their closing
// punctuation, and inside a word that is longer than a row. Every row opens
// and closes its own colours and links.
func Wrap(text string, width int, b Bidi) []Row {
	width = max(width, 1)
	if len(text) <= width && isASCII(text) {
		return []Row{{Text: trimBlanks(text)}}
	}
	l := read(text)
	right := b.Reorder && l.rtl && firstStrong(l.cells)
	var rows []Row
	join := Line
	for at := 0; ; {
		end, next, how := l.breakAt(at, width)
		row := l.row(at, end, width, right, b)
		row.Join = join
		rows = append(rows, row)
		if next >= len(l.cells) {
			return rows
		}
		at, join = next, how
	}
}

// Fold breaks a painted line of code: at the last column, wherever that is. Its
// direction is always left to right.
func Fold(text string, width int, b Bidi) []Row {
	width = max(width, 1)
	if len(text) <= width && isASCII(text) {
		return []Row{{Text: trimBlanks(text)}}
	}
	l := read(text)
	var rows []Row
	join := Line
	for at := 0; ; {
		end, used := at, 0
		for end < len(l.cells) && (used+min(l.cells[end].width, width) <= width || end == at) {
			used += min(l.cells[end].width, width)
			end++
		}
		row := l.row(at, end, width, false, b)
		row.Join = join
		rows = append(rows, row)
		if l.trimmed(at, len(l.cells)) <= end {
			return rows
		}
		join = Word
		if l.cells[end-1].kind == blank {
			join = Blank
		}
		at = end
	}
}

// Cut lays a painted line out in one row of at most width columns; an ellipsis
// marks what is missing. Its direction is always left to right.
func Cut(text string, width int, b Bidi) Row {
	return Fold(style.Cut(text, width), width, b)[0]
}

// breakAt finds where the row that starts at a cell ends, where the next one
// starts, and how the two are joined.
func (l *line) breakAt(at, width int) (end, next int, how Join) {
	used, text := 0, false // text: the row has something that isn't a blank
	end, next = -1, -1
	for i := at; i < len(l.cells); i++ {
		c := &l.cells[i]
		if c.kind == blank {
			if text && (i == at || l.cells[i-1].kind != blank) {
				end = i
			}
			if text {
				next, how = i+1, Blank
			}
			used++
			continue
		}
		if text && l.breaksBefore(i) {
			end, next, how = i, i, Word
		}
		w := min(c.width, width) // what doesn't fit at all is shown as a sign
		if used+w > width && i > at {
			if next > at {
				return end, next, how
			}
			if !text { // an indent wider than the row
				return at, i, Line
			}
			return i, i, Word
		}
		used += w
		text = text || c.width > 0
	}
	return l.trimmed(at, len(l.cells)), len(l.cells), Line
}

// breaksBefore reports whether a row may end before a cell that follows no
// blank.
func (l *line) breaksBefore(i int) bool {
	if i == 0 {
		return false
	}
	before, c := &l.cells[i-1], &l.cells[i]
	switch {
	case before.kind == blank, before.kind == opens, before.kind == isolate, c.kind == closes, c.kind == isolateEnd:
		return false
	case c.kind == wide, c.kind == opens, before.kind == wide, before.kind == closes:
		return true
	case before.text == "-" && i >= 2:
		return isLetter(l.cells[i-2].text) && isLetter(c.text)
	}
	return false
}

func isLetter(s string) bool {
	for _, r := range s {
		return unicode.IsLetter(r)
	}
	return false
}

// trimmed is end without the blanks before it.
func (l *line) trimmed(at, end int) int {
	for end > at && l.cells[end-1].kind == blank {
		end--
	}
	return end
}

// row writes the cells of one row.
func (l *line) row(at, end, width int, right bool, b Bidi) Row {
	cells := l.cells[at:l.trimmed(at, end)]
	if l.rtl && l.isolated(at) { // it began on a row above
		cells = append([]cell{{text: string(IsolateStart), kind: isolate}}, cells...)
	}
	w := writer{pens: l.pens}
	if !l.rtl || !anyRTL(cells) && !right {
		for _, c := range cells {
			if c.kind != isolate && c.kind != isolateEnd {
				w.put(fit(c, width), c.pen)
			}
		}
		return Row{Text: w.end()}
	}
	if b.Reorder {
		return reordered(cells, &w, width, right)
	}
	open := false
	for _, c := range cells {
		switch {
		case c.kind == isolate:
			if b.Isolate && !open {
				w.WriteRune(IsolateStart)
				open = true
			}
		case c.kind == isolateEnd:
			if open {
				w.WriteRune(IsolateEnd)
				open = false
			}
		default:
			w.put(fit(c, width), c.pen)
		}
	}
	if open {
		w.WriteRune(IsolateEnd)
	}
	return Row{Text: w.end(), RTL: true}
}

// isolated reports whether a cell stands inside an isolate.
func (l *line) isolated(at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch l.cells[i].kind {
		case isolate:
			return true
		case isolateEnd:
			return false
		}
	}
	return false
}

// fit is a cell's text, or a sign for a cluster wider than a whole row.
func fit(c cell, width int) string {
	if c.width > width {
		return "…"
	}
	return c.text
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func trimBlanks(s string) string {
	for len(s) > 0 && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}
