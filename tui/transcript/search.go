package transcript

import (
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// search is what is looked for. Matches are counted in the sources, which also
// finds what is folded; where they stand is worked out for what is shown.
type search struct {
	text    string
	query   flow.Query
	turn    int // distinguishes queries
	current *slot
	number  int // of the match in the current item, from 0
}

// hits counts the matches in an item's source.
type hits struct{ turn, version, count int }

// marks are the matches in an item's rows.
type marks struct {
	turn    int
	matches []flow.Match
}

func (s *search) removed(gone *slot) {
	if s.current == gone {
		s.current = nil
	}
}

// Search looks for text in all items, also in what they have folded; upper and
// lower case are the same. It shows the match nearest to the window's end, or
// keeps the one that is shown while more is typed, and returns how many there
// are. An empty text ends the search.
func (l *List) Search(text string) (total int) {
	text = sanitize.Line(text)
	if text == "" {
		l.search = search{turn: l.search.turn}
		return 0
	}
	if text == l.search.text {
		return l.count(len(l.slots))
	}
	from := l.lastVisible()
	if l.search.current != nil {
		from = l.index(l.search.current)
	}
	l.search = search{text: text, query: flow.NewQuery(text), turn: l.search.turn + 1}
	total = l.count(len(l.slots))
	if total == 0 {
		return 0
	}
	for i := from; i >= 0; i-- {
		if n := l.slots[i].hits.count; n > 0 {
			l.reveal(i, n-1)
			return total
		}
	}
	for i := from + 1; i < len(l.slots); i++ {
		if l.slots[i].hits.count > 0 {
			l.reveal(i, 0)
			break
		}
	}
	return total
}

// NextMatch shows the match after the current one, or the first one after the
// last; dir is 1. With -1 it goes the other way. It reports false without a
// match.
func (l *List) NextMatch(dir int) bool {
	if l.count(len(l.slots)) == 0 {
		return false
	}
	i, number := l.lastVisible(), 0
	if l.search.current != nil {
		i, number = l.index(l.search.current), l.search.number+dir
	}
	for range len(l.slots) + 1 {
		if n := l.slots[i].hits.count; number >= 0 && number < n {
			l.reveal(i, number)
			return true
		}
		i = (i + dir + len(l.slots)) % len(l.slots)
		number = 0
		if dir < 0 {
			number = l.slots[i].hits.count - 1
		}
	}
	return false
}

// Match tells which match is shown, from 1, and how many there are.
func (l *List) Match() (number, total int) {
	total = l.count(len(l.slots))
	if l.search.current == nil {
		return 0, total
	}
	return l.count(l.index(l.search.current)) + l.search.number + 1, total
}

// count counts the matches in the first n items. Only what has changed is
// looked at again.
func (l *List) count(n int) (total int) {
	if l.search.text == "" {
		return 0
	}
	for _, s := range l.slots[:n] {
		v := s.item.Version()
		if s.hits.turn != l.search.turn || s.hits.version != v {
			s.hits = hits{l.search.turn, v, l.search.query.Count(s.item.Source())}
		}
		total += s.hits.count
	}
	return total
}

func (l *List) index(s *slot) int {
	for i := range l.slots {
		if l.slots[i] == s {
			return i
		}
	}
	return 0
}

// lastVisible is the last item in the window.
func (l *List) lastVisible() int {
	if !l.scrolled {
		return max(len(l.slots)-1, 0)
	}
	left := l.height + l.skip
	for i := l.top; i < len(l.slots); i++ {
		if left -= len(l.rows(i)); left <= 0 {
			return i
		}
	}
	return len(l.slots) - 1
}

// reveal makes a match the current one and brings it into the window,
// unfolding its item if that hides it.
func (l *List) reveal(item, number int) {
	s := l.slots[item]
	l.search.current, l.search.number = s, number
	matches := l.matches(s, item)
	if f, ok := s.item.(folding); ok && len(matches) < s.hits.count && !f.Unfolded() {
		f.Unfold(true)
		s.hits.version = s.item.Version()
		matches = l.matches(s, item)
	}
	row := 0
	if len(matches) > 0 {
		row = matches[min(number, len(matches)-1)][0].Row
	}
	if l.visible(item, row) {
		return
	}
	l.show(item, row)
	if l.scrolled {
		l.Scroll(-l.height / 3)
	}
}

// visible reports whether a row of an item is in the window.
func (l *List) visible(item, row int) bool {
	i, skip := l.window()
	if item < i || item == i && row < skip {
		return false
	}
	y := row - skip
	for ; i < item && y < l.height; i++ {
		y += len(l.rows(i))
	}
	return y < l.height
}

// matches finds the matches in an item's rows.
func (l *List) matches(s *slot, item int) []flow.Match {
	rows := l.rows(item)
	if s.marks.turn != l.search.turn {
		s.marks = marks{l.search.turn, l.search.query.Find(rows)}
	}
	return s.marks.matches
}

// found returns the marks of a row.
func (l *List) found(s *slot, row int) []flow.Span {
	if l.search.text == "" {
		return nil
	}
	if s.marks.turn != l.search.turn {
		s.marks = marks{l.search.turn, l.search.query.Find(s.rows)}
	}
	// Matches are in the order of the rows that they begin in.
	matches := s.marks.matches
	first, _ := slices.BinarySearchFunc(matches, row, func(m flow.Match, row int) int { return m[len(m)-1].Row - row })
	var spans []flow.Span
	for i := first; i < len(matches) && matches[i][0].Row <= row; i++ {
		paint := l.Look.Match
		if s == l.search.current && i == min(l.search.number, len(matches)-1) {
			paint = l.Look.Found
		}
		for _, p := range matches[i] {
			if p.Row == row {
				spans = append(spans, flow.Span{From: p.From, To: p.To, Style: paint})
			}
		}
	}
	// Right-to-left text is read from the other end.
	slices.SortFunc(spans, func(a, b flow.Span) int { return a.From - b.From })
	return spans
}
