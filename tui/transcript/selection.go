package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// selection is a piece of the transcript between two points. The points belong
// to items, so that neither scrolling nor output moves it.
type selection struct {
	from, to point
	// origin is where the mouse went down.
	origin point
	// frozen keeps the window still while the mouse is down; followed says
	// that it was at the end before.
	frozen, followed bool
}

// point is before a column of a row of an item.
type point struct {
	slot     *slot
	row, col int
}

func (s *selection) removed(gone *slot) {
	if s.from.slot == gone || s.to.slot == gone || s.origin.slot == gone {
		*s = selection{frozen: s.frozen, followed: s.followed}
	}
}

// SelectStart begins a selection at a cell of the window. Until SelectEnd the
// window stays where it is.
func (l *List) SelectStart(x, y int) {
	l.freeze()
	p := l.pointAt(x, y)
	l.selection.origin, l.selection.from, l.selection.to = p, p, p
}

// SelectTo moves the end of the selection to a cell. Above or below the window
// it scrolls by a row and reports that the caller should ask again after a
// moment, as long as the mouse stays there.
func (l *List) SelectTo(x, y int) (again bool) {
	if l.selection.origin.slot == nil {
		return false
	}
	switch {
	case y < 0:
		l.Scroll(-1)
		again, y, x = true, 0, 0
	case y >= l.height:
		l.Scroll(1)
		again, y, x = true, l.height-1, l.width
	}
	p := l.pointAt(x, y)
	l.selection.from, l.selection.to = l.selection.origin, p
	if l.before(p, l.selection.origin) {
		l.selection.from, l.selection.to = p, l.selection.origin
	}
	// The cell under the mouse belongs to it.
	if l.selection.to != l.selection.from {
		l.selection.to.col++
	}
	return again
}

// SelectEnd lets the window go on and returns what is selected.
func (l *List) SelectEnd() string {
	text := l.Selected()
	if l.selection.frozen {
		followed := l.selection.followed
		l.selection.frozen = false
		if followed {
			l.ToEnd()
		} else {
			l.settle()
		}
	}
	return text
}

// ClearSelection selects nothing.
func (l *List) ClearSelection() {
	if l.selection.frozen {
		l.SelectEnd()
	}
	l.selection = selection{}
}

// SelectWord selects the word, path or address at a cell, also one that is
// wrapped.
func (l *List) SelectWord(x, y int) {
	l.selectAround(x, y, func(text string, at int) (from, to int) {
		r, _ := utf8.DecodeRuneInString(text[at:])
		if !inWord(r) {
			return at, at + utf8.RuneLen(r)
		}
		from = strings.LastIndexFunc(text[:at], func(r rune) bool { return !inWord(r) })
		if from >= 0 {
			_, n := utf8.DecodeRuneInString(text[from:])
			from += n
		}
		to = strings.IndexFunc(text[at:], func(r rune) bool { return !inWord(r) })
		if to < 0 {
			to = len(text) - at
		}
		word := strings.TrimRight(text[max(from, 0):at+to], ".,:?")
		return max(from, 0), max(from, 0) + max(len(word), 1)
	})
}

// inWord reports whether a double click takes a character along: words, and
// what paths and addresses are made of.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_-./\\~:@%?=&+#", r)
}

// SelectLine selects the line at a cell, from where it begins to where it ends
// in the text.
func (l *List) SelectLine(x, y int) {
	l.selectAround(x, y, func(text string, at int) (from, to int) { return 0, len(text) })
}

// selectAround selects a part of the line at a cell, which may have several
// rows; choose gets its text and the offset of the cell in it.
func (l *List) selectAround(x, y int, choose func(text string, at int) (from, to int)) {
	l.freeze()
	p := l.pointAt(x, y)
	if p.slot == nil {
		l.selection = selection{frozen: l.selection.frozen, followed: l.selection.followed}
		return
	}
	line := flow.LineAt(p.slot.rows, p.row)
	at := line.Offset(p.row, p.col)
	if at < 0 {
		return
	}
	from, to := choose(line.Text, at)
	a, b := line.Span(from, to)
	l.selection.from = point{p.slot, a.Row, a.From}
	l.selection.to = point{p.slot, b.Row, b.To}
	l.selection.origin = l.selection.from
}

func (l *List) freeze() {
	if l.selection.frozen {
		return
	}
	l.selection = selection{frozen: true, followed: !l.scrolled}
	if !l.scrolled {
		l.top, l.skip = l.end()
		l.scrolled = true
	}
}

// pointAt is the point at a cell of the window, or the last one before it.
func (l *List) pointAt(x, y int) point {
	i, row, ok := l.at(max(y, 0))
	if ok {
		return point{l.slots[i], row, max(x, 0)}
	}
	if n := len(l.slots); n > 0 {
		rows := l.rows(n - 1)
		return point{l.slots[n-1], max(len(rows)-1, 0), l.width}
	}
	return point{}
}

// before reports whether a stands before b.
func (l *List) before(a, b point) bool {
	if a.slot != b.slot {
		return l.index(a.slot) < l.index(b.slot)
	}
	if a.row != b.row {
		return a.row < b.row
	}
	return a.col < b.col
}

// selectedIn returns the selected columns of a row.
func (l *List) selectedIn(s *slot, item, row int) (from, to int, ok bool) {
	a, b := l.selection.from, l.selection.to
	if a.slot == nil || a == b {
		return 0, 0, false
	}
	first, last := l.span()
	if item < first || item > last {
		return 0, 0, false
	}
	r := s.rows[row]
	from, to = r.Lead, l.width
	if s == a.slot {
		if row < a.row {
			return 0, 0, false
		}
		if row == a.row {
			from = max(from, a.col)
		}
	}
	if s == b.slot {
		if row > b.row {
			return 0, 0, false
		}
		if row == b.row {
			to = b.col
		}
	}
	return from, to, from < to && !r.Rule
}

// span are the items that the selection begins and ends in.
func (l *List) span() (first, last int) {
	first = l.index(l.selection.from.slot)
	if l.selection.to.slot == l.selection.from.slot {
		return first, first
	}
	return first, l.index(l.selection.to.slot)
}

// Selected returns the selected text as it was before it was wrapped, without
// margins, borders and padding. Of an item that is selected whole it returns
// the source: Markdown as it was written.
func (l *List) Selected() string {
	a, b := l.selection.from, l.selection.to
	if a.slot == nil || a == b {
		return ""
	}
	first, last := l.span()
	var parts []string
	for i := first; i <= last; i++ {
		s, rows := l.slots[i], l.rows(i)
		from, to := point{s, 0, 0}, point{s, len(rows) - 1, l.width}
		if i == first {
			from = a
		}
		if i == last {
			to = b
		}
		to.row = min(to.row, len(rows)-1)
		if from.row > to.row {
			continue
		}
		part := ""
		if flow.Copy(rows[:from.row+1], 0, from.col) == "" && rest(rows, to) == "" && first != last {
			part = sanitize.Text(s.item.Source())
		} else {
			part = flow.Copy(rows[from.row:to.row+1], from.col, to.col)
		}
		if part = strings.Trim(part, "\n"); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

// rest is the text of an item after a point.
func rest(rows []flow.Row, p point) string {
	return strings.TrimSpace(flow.Copy(rows[p.row:], p.col, 1<<30))
}

// LastAnswer returns the source of the last answer that has text.
func (l *List) LastAnswer() string {
	for i := len(l.slots) - 1; i >= 0; i-- {
		if a, ok := l.slots[i].item.(*Answer); ok && strings.TrimSpace(a.text) != "" {
			return a.text
		}
	}
	return ""
}
