// Package transcript is the conversation on the screen: a virtual list that
// holds any number of items and renders only those in the window.
//
//	events ─▶ app ─▶ Append / Remove ─▶ List ─▶ Rows (visible only), marked
//	                                     ├─ per item: rows cached by width and version
//	                                     ├─ Search, Select…: what is marked in them
//	                                     └─▶ TakeSettled, Live, Dump (inline mode, exit)
//
// The list knows no heights but those of items it has shown. The window is
// anchored to an item and a row within it, so neither growth below, nor a new
// height of the window, nor reflow of what lies outside it costs anything or
// moves what is being read.
package transcript

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// Item is one entry of the list, which draws, copies and searches it.
type Item interface {
	// Version changes whenever the item would look or read otherwise.
	Version() int
	// Rows returns the item's rows, none wider than width cells, for width
	// of at least 1. The list keeps the slice until Version changes.
	Rows(width int) []flow.Row
	// Source is the item's text as it was written, for a copy and a search. It
	// is foreign text, as it came.
	Source() string
}

// List is the virtual list. Its zero value is an empty list that follows the
// end. It isn't safe for concurrent use.
type List struct {
	// Look gives the colours of matches and of the selection; it may be nil.
	Look *Look

	slots         []*slot
	width, height int

	// scrolled says that the reader has left the end: the window then starts
	// skip rows into item top. Otherwise it ends with the last item.
	scrolled  bool
	top, skip int
	place     *place // the text on top, from before the width began to change

	cached int // slots with rows

	search    search
	selection selection
	taken     taken
}

type slot struct {
	item    Item
	rows    []flow.Row
	width   int
	version int

	hits  hits  // matches in the item's source
	marks marks // and in its rows
}

// place is a place in an item's text: so many letters of it stand before. No
// width changes that.
type place struct {
	letters int
	empty   bool // a row without letters
}

// keepCached bounds how many items keep their rows; a sweep frees those far
// from the window when twice as many do.
const keepCached = 256

// SetSize sets the window's size in cells. A change of the height alone
// renders nothing anew; after a change of the width, however often, the text
// that was on top still is.
func (l *List) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width != l.width {
		l.ClearSelection()
		if l.scrolled && l.top < len(l.slots) {
			if l.place == nil {
				l.place = placeOf(l.rows(l.top), l.skip)
			}
			l.width = width
			l.skip = l.place.in(l.rows(l.top))
		}
	}
	kept := l.place
	l.width, l.height = width, height
	l.settle()
	l.place = kept
}

func placeOf(rows []flow.Row, skip int) *place {
	p := &place{}
	for i, r := range rows {
		n := letters(r)
		if i == skip {
			p.empty = n == 0
			break
		}
		p.letters += n
	}
	return p
}

// in finds the row of the place.
func (p *place) in(rows []flow.Row) int {
	before, found := 0, 0
	for i, r := range rows {
		if before > p.letters {
			break
		}
		found = i
		if p.empty && before == p.letters {
			break
		}
		before += letters(r)
	}
	return found
}

func letters(r flow.Row) int {
	text := r.Whole()
	return len(text) - strings.Count(text, " ")
}

// Len is the number of items.
func (l *List) Len() int { return len(l.slots) }

// Item returns item i.
func (l *List) Item(i int) Item { return l.slots[i].item }

// Append adds an item at the end.
func (l *List) Append(item Item) { l.slots = append(l.slots, &slot{item: item}) }

// Remove takes an item out; an unknown one is ignored.
func (l *List) Remove(item Item) {
	// From the end: what is removed has usually just come.
	for i := len(l.slots) - 1; i >= 0; i-- {
		if l.slots[i].item == item {
			l.remove(i)
			return
		}
	}
}

func (l *List) remove(i int) {
	l.forget(l.slots[i])
	l.selection.removed(l.slots[i])
	l.search.removed(l.slots[i])
	l.taken.removed(i)
	l.slots = append(l.slots[:i], l.slots[i+1:]...)
	switch {
	case i < l.top:
		l.top--
	case i == l.top:
		l.skip, l.place = 0, nil
	}
	l.settle()
}

// Reset empties the list and follows the end again.
func (l *List) Reset() { *l = List{Look: l.Look, width: l.width, height: l.height} }

// Invalidate drops all rendered rows: the theme has changed, or what is folded.
func (l *List) Invalidate() {
	for _, s := range l.slots {
		l.forget(s)
	}
}

// Rows renders the window: at most its height of rows, from the top. more is
// how many items reach beyond its lower edge.
func (l *List) Rows() (rows []string, more int) {
	if len(l.slots) == 0 || l.height == 0 {
		return nil, 0
	}
	top, skip := l.window()
	rows = make([]string, 0, l.height)
	last := top
	for i := top; i < len(l.slots) && len(rows) < l.height; i++ {
		s := l.slots[i]
		lines := l.rows(i)
		from := min(skip, len(lines))
		skip = 0
		to := len(lines)
		if room := l.height - len(rows); to-from > room {
			to = from + room
			more = 1
		}
		for k := from; k < to; k++ {
			rows = append(rows, l.marked(s, i, k))
		}
		last = i
	}
	more += len(l.slots) - 1 - last
	l.sweep(top, last)
	return rows, more
}

// marked is a row with what is found and selected in it.
func (l *List) marked(s *slot, item, row int) string {
	text := s.rows[row].Text
	if l.Look == nil {
		return text
	}
	text = flow.Mark(text, l.found(s, row))
	if from, to, ok := l.selectedIn(s, item, row); ok {
		text = flow.Mark(text, []flow.Span{{From: from, To: to, Style: l.Look.Selected}})
	}
	return text
}

// window is where the window starts.
func (l *List) window() (top, skip int) {
	if l.scrolled {
		return l.top, l.skip
	}
	return l.end()
}

// Tail renders the last rows of the list, at most n, whatever the window shows.
func (l *List) Tail(n int) []string {
	first, rows := len(l.slots), 0
	for first > 0 && rows < n {
		first--
		rows += len(l.rows(first))
	}
	out := make([]string, 0, rows)
	for i := first; i < len(l.slots); i++ {
		out = append(out, flow.Texts(l.rows(i))...)
	}
	return out[max(0, len(out)-n):]
}

// rows returns item i's rows for the current width.
func (l *List) rows(i int) []flow.Row {
	s := l.slots[i]
	if v := s.item.Version(); s.rows == nil || s.width != l.width || s.version != v {
		if s.rows == nil {
			l.cached++
		}
		s.rows, s.width, s.version = s.item.Rows(l.width), l.width, v
		s.marks = marks{}
		if s.rows == nil {
			s.rows = []flow.Row{}
		}
	}
	return s.rows
}

func (l *List) forget(s *slot) {
	if s.rows != nil {
		s.rows, s.marks = nil, marks{}
		l.cached--
	}
	if f, ok := s.item.(interface{ Forget() }); ok {
		f.Forget()
	}
}

// sweep frees rows far from the window, so that memory stays flat.
func (l *List) sweep(first, last int) {
	if l.cached <= 2*keepCached {
		return
	}
	for i, s := range l.slots {
		if s.rows != nil && (i < first-keepCached/2 || i > last+keepCached/2) {
			l.forget(s)
		}
	}
}
