package flow

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Query is text to look for; upper and lower case are the same to it.
type Query struct {
	folded []rune
	first  [256]bool // bytes that a match may begin with
}

// NewQuery prepares a query. An empty one finds nothing.
func NewQuery(text string) Query {
	q := Query{}
	for _, r := range text {
		q.folded = append(q.folded, fold(r))
	}
	if len(q.folded) == 0 {
		return q
	}
	r := q.folded[0]
	for same := range orbit(r) {
		q.first[string(same)[0]] = true
	}
	return q
}

// orbit are the characters that differ from r in case alone.
func orbit(r rune) func(yield func(rune) bool) {
	return func(yield func(rune) bool) {
		for c := r; yield(c); {
			if c = unicode.SimpleFold(c); c == r {
				return
			}
		}
	}
}

// fold is the smallest character that differs from r in case alone.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for same := range orbit(r) {
		least = min(least, same)
	}
	return least
}

// index finds the first match in s; start is -1 without one.
func (q *Query) index(s string) (start, end int) {
	if len(q.folded) == 0 {
		return -1, -1
	}
	for i := 0; i < len(s); i++ {
		if !q.first[s[i]] {
			continue
		}
		if n := q.matches(s[i:]); n > 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// matches returns the length of a match at the start of s, or 0.
func (q *Query) matches(s string) int {
	at := 0
	for _, want := range q.folded {
		r, n := utf8.DecodeRuneInString(s[at:])
		if n == 0 || r != want && fold(r) != want {
			return 0
		}
		at += n
	}
	return at
}

// Count counts the matches in s, which don't overlap.
func (q *Query) Count(s string) int {
	n := 0
	for {
		_, end := q.index(s)
		if end < 0 {
			return n
		}
		n++
		s = s[end:]
	}
}

// Match is where a match stands: the spans of one row, or of several if the
// text is wrapped there.
type Match []Place

// Place is a piece of a row.
type Place struct {
	Row int
	Span
}

// Find finds the matches in rows, also across the places where a line was
// wrapped.
func (q *Query) Find(rows []Row) []Match {
	var matches []Match
	for first := 0; first < len(rows); {
		end := first + 1
		for end < len(rows) && rows[end].Join != Line {
			end++
		}
		matches = append(matches, q.findLine(rows, first, end)...)
		first = end
	}
	return matches
}

func (q *Query) findLine(rows []Row, first, end int) []Match {
	var text strings.Builder
	for i := first; i < end; i++ {
		if i > first && rows[i].Join == Blank {
			text.WriteByte(' ')
		}
		text.WriteString(rows[i].Whole())
	}
	if start, _ := q.index(text.String()); start < 0 {
		return nil // most lines: places are worked out for the others alone
	}
	p := paragraph(rows, first, end)
	var matches []Match
	for at := 0; ; {
		from, to := q.index(p.Text[at:])
		if from < 0 {
			return matches
		}
		from, to = from+at, to+at
		a, b := p.clusters(from, to)
		matches = append(matches, joined(p.places[a:b]))
		at = to
	}
}

// joined puts places that touch together.
func joined(places []Place) Match {
	sorted := slices.Clone(places)
	slices.SortFunc(sorted, func(a, b Place) int {
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return a.From - b.From
	})
	var m Match
	for _, p := range sorted {
		if n := len(m) - 1; n >= 0 && m[n].Row == p.Row && m[n].To == p.From {
			m[n].To = p.To
			continue
		}
		m = append(m, p)
	}
	return m
}

// cluster is a character of a row.
type cluster struct {
	text        string
	from, width int
	rank        int // when it is read, in a row that was reordered
}

// clusters returns a row's text, without its margin, in reading order.
func (r Row) clusters() []cluster {
	var out []cluster
	if r.Rule {
		return nil
	}
	if r.order != nil {
		return r.inOrder()
	}
	column := 0
	for text, ok := range pieces(r.Text) {
		if !ok {
			continue
		}
		for it := graphemes.FromString(text); it.Next(); {
			w := width(it.Value())
			if column >= r.Lead && !isIsolate(it.Value()) {
				out = append(out, cluster{text: it.Value(), from: column, width: w})
			}
			column += w
		}
	}
	for len(out) > 0 && out[len(out)-1].text == " " {
		out = out[:len(out)-1]
	}
	return out
}

// Paragraph is a line of text that may have several rows.
type Paragraph struct {
	Text   string
	starts []int // offset of each cluster in Text
	places []Place
}

// LineAt is the line that a row belongs to.
func LineAt(rows []Row, row int) Paragraph {
	first := row
	for first > 0 && rows[first].Join != Line {
		first--
	}
	end := row + 1
	for end < len(rows) && rows[end].Join != Line {
		end++
	}
	return paragraph(rows, first, end)
}

// paragraph joins rows from first up to end.
func paragraph(rows []Row, first, end int) Paragraph {
	var p Paragraph
	var text strings.Builder
	for i := first; i < end; i++ {
		if i > first && rows[i].Join == Blank {
			text.WriteByte(' ')
		}
		for _, c := range rows[i].clusters() {
			p.starts = append(p.starts, text.Len())
			p.places = append(p.places, Place{Row: i, Span: Span{From: c.from, To: c.from + c.width}})
			text.WriteString(c.text)
		}
	}
	p.Text = text.String()
	return p
}

// Offset is where the character at a cell stands in the text, or -1 if there
// is none.
func (p Paragraph) Offset(row, column int) int {
	for i, at := range p.places {
		if at.Row == row && column >= at.From && column < at.To {
			return p.starts[i]
		}
	}
	return -1
}

// Span returns where a piece of the text, which isn't empty, begins and ends on
// the screen: in its first row and in its last.
func (p Paragraph) Span(from, to int) (first, last Place) {
	a, b := p.clusters(from, to)
	first, last = p.places[a], p.places[b-1]
	for _, at := range p.places[a:b] { // rows may run from right to left
		if at.Row == first.Row {
			first.From = min(first.From, at.From)
		}
		if at.Row == last.Row {
			last.To = max(last.To, at.To)
		}
	}
	return first, last
}

// clusters are those from a up to b that hold a piece of the text.
func (p Paragraph) clusters(from, to int) (a, b int) {
	a, _ = slices.BinarySearch(p.starts, from)
	if a == len(p.starts) || p.starts[a] > from {
		a = max(a-1, 0) // inside a cluster
	}
	b, _ = slices.BinarySearch(p.starts, to)
	return a, max(b, a+1)
}
