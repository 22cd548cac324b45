// Package transcript is the conversation on the screen: a virtual list that
// holds any number of items and renders only those in the window.
//
//	events ─▶ app ─▶ Append / Remove ─▶ List ─▶ Rows (visible only)
//	                                     └─ per item: lines cached by width and version
//
// The list knows no heights but those of items it has shown. The window is
// anchored to an item and a row within it, so neither growth below, nor a new
// height of the window, nor reflow of what lies outside it costs anything or
// moves what is being read.
package transcript

// Item is one entry of the list.
type Item interface {
	// Lines returns the item's rows, none wider than width cells, for width
	// of at least 1. The list keeps the slice until Version changes.
	Lines(width int) []string
	// Version changes whenever Lines would return something else for the
	// same width.
	Version() int
}

// List is the virtual list. Its zero value is an empty list that follows the
// end. It isn't safe for concurrent use.
type List struct {
	slots         []*slot
	width, height int

	// scrolled says that the reader has left the end: the window then starts
	// skip rows into item top. Otherwise it ends with the last item.
	scrolled  bool
	top, skip int

	cached int // slots with lines
}

type slot struct {
	item    Item
	lines   []string
	width   int
	version int
}

// keepCached bounds how many items keep their lines; a sweep frees those far
// from the window when twice as many do.
const keepCached = 256

// SetSize sets the window's size in cells. A change of the height alone
// renders nothing anew; after a change of the width the row that was on top
// stays as near as reflow allows.
func (l *List) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width != l.width && l.scrolled && l.top < len(l.slots) {
		before := max(1, l.slots[l.top].rows())
		share := l.skip
		l.width = width
		l.skip = share * len(l.lines(l.top)) / before
	}
	l.width, l.height = width, height
	l.settle()
}

func (s *slot) rows() int { return len(s.lines) }

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
		if l.slots[i].item != item {
			continue
		}
		l.forget(l.slots[i])
		l.slots = append(l.slots[:i], l.slots[i+1:]...)
		switch {
		case i < l.top:
			l.top--
		case i == l.top:
			l.skip = 0
		}
		l.settle()
		return
	}
}

// Reset empties the list and follows the end again.
func (l *List) Reset() { *l = List{width: l.width, height: l.height} }

// Invalidate drops all rendered lines: the theme has changed.
func (l *List) Invalidate() {
	for _, s := range l.slots {
		l.forget(s)
	}
}

// Following reports whether the window is at the end and stays there.
func (l *List) Following() bool { return !l.scrolled }

// Scroll moves the window by rows, down if positive.
func (l *List) Scroll(rows int) {
	if !l.scrolled {
		if rows >= 0 {
			return
		}
		l.top, l.skip = l.end()
		l.scrolled = true
	}
	l.skip += rows
	l.settle()
}

// Page moves by a window less two rows of overlap; pages may be negative.
func (l *List) Page(pages int) { l.Scroll(pages * max(1, l.height-2)) }

// ToTop shows the first item.
func (l *List) ToTop() {
	l.scrolled, l.top, l.skip = true, 0, 0
	l.settle()
}

// ToEnd shows the last item and follows what comes.
func (l *List) ToEnd() { l.scrolled, l.top, l.skip = false, 0, 0 }

// settle brings top and skip into range, and follows again when the end shows.
func (l *List) settle() {
	if !l.scrolled {
		return
	}
	if len(l.slots) == 0 {
		l.ToEnd()
		return
	}
	l.top = min(max(l.top, 0), len(l.slots)-1)
	for l.skip < 0 && l.top > 0 {
		l.top--
		l.skip += len(l.lines(l.top))
	}
	l.skip = max(l.skip, 0)
	for l.skip >= len(l.lines(l.top)) && l.top < len(l.slots)-1 {
		l.skip -= len(l.lines(l.top))
		l.top++
	}
	left := -l.skip
	for i := l.top; i < len(l.slots); i++ {
		if left += len(l.lines(i)); left > l.height {
			return
		}
	}
	l.ToEnd()
}

// end returns the anchor of a window that ends with the last item.
func (l *List) end() (top, skip int) {
	rows := 0
	for i := len(l.slots) - 1; i >= 0; i-- {
		if rows += len(l.lines(i)); rows >= l.height {
			return i, rows - l.height
		}
	}
	return 0, 0
}

// Rows renders the window: at most its height of rows, from the top. more is
// how many items reach beyond its lower edge.
func (l *List) Rows() (rows []string, more int) {
	if len(l.slots) == 0 || l.height == 0 {
		return nil, 0
	}
	top, skip := l.top, l.skip
	if !l.scrolled {
		top, skip = l.end()
	}
	rows = make([]string, 0, l.height)
	last := top
	for i := top; i < len(l.slots) && len(rows) < l.height; i++ {
		lines := l.lines(i)
		lines = lines[min(skip, len(lines)):]
		skip = 0
		if room := l.height - len(rows); len(lines) > room {
			lines = lines[:room]
			more = 1
		}
		rows = append(rows, lines...)
		last = i
	}
	more += len(l.slots) - 1 - last
	l.sweep(top, last)
	return rows, more
}

// Tail renders the last rows of the list, at most n, whatever the window shows.
func (l *List) Tail(n int) []string {
	first, rows := len(l.slots), 0
	for first > 0 && rows < n {
		first--
		rows += len(l.lines(first))
	}
	out := make([]string, 0, rows)
	for i := first; i < len(l.slots); i++ {
		out = append(out, l.lines(i)...)
	}
	return out[max(0, len(out)-n):]
}

// lines returns item i's rows for the current width.
func (l *List) lines(i int) []string {
	s := l.slots[i]
	if v := s.item.Version(); s.lines == nil || s.width != l.width || s.version != v {
		if s.lines == nil {
			l.cached++
		}
		s.lines, s.width, s.version = s.item.Lines(l.width), l.width, v
		if s.lines == nil {
			s.lines = []string{}
		}
	}
	return s.lines
}

func (l *List) forget(s *slot) {
	if s.lines != nil {
		s.lines = nil
		l.cached--
	}
	if f, ok := s.item.(interface{ Forget() }); ok {
		f.Forget()
	}
}

// sweep frees lines far from the window, so that memory stays flat.
func (l *List) sweep(first, last int) {
	if l.cached <= 2*keepCached {
		return
	}
	for i, s := range l.slots {
		if s.lines != nil && (i < first-keepCached/2 || i > last+keepCached/2) {
			l.forget(s)
		}
	}
}
