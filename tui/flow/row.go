// Package flow lays text out in rows: it wraps lines that are painted
// already, keeps what is needed to join the rows again when they are copied,
// and puts right-to-left text in order where the terminal doesn't.
//
//	painted line ──▶ cells (clusters with their pen) ──▶ Wrap ──▶ []Row
//	                                                 bidi ──┘      │
//	screen columns ──▶ Row.Plain (copy), Row.Mark (highlight) ◀────┘
//
// A line holds text, SGR sequences and OSC 8 links, nothing else: the caller
// has cleaned it. U+2066 and U+2069 around a piece of it say that the piece,
// code or a path, has its own direction, left to right.
package flow

import (
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Join says how a row goes on from the one above.
type Join uint8

// A row starts a line of its own, goes on after a blank that was dropped where
// the line was wrapped, or goes on in the middle of a word.
const (
	Line Join = iota
	Blank
	Word
)

// Row is one row of the screen.
type Row struct {
	Text string // painted; no wider than the width it was made for
	Lead int    // columns at its start that are margin or mark, not text
	Join Join
	// Rule says that the row is decoration: there is nothing to copy.
	Rule bool
	// RTL says that the row has right-to-left text which the terminal may
	// reorder, so that a vertical line beside it would jump.
	RTL bool
	// Right says that Wrap has set the row flush right, as all of its paragraph.
	Right bool

	// Bars are the columns of the lines between the cells of a table. In a
	// copy they become tabs.
	Bars []int

	// order are the clusters of a row that Wrap has reordered, from the left.
	order []cluster
}

// Bidi is what a terminal needs for right-to-left text.
type Bidi struct {
	// Isolate puts code and paths in right-to-left text between U+2066 and
	// U+2069, for a terminal that knows them.
	Isolate bool
	// Reorder puts right-to-left text in the order of the screen and sets its
	// paragraphs flush right, for a terminal that doesn't.
	Reorder bool
}

// Of makes rows of texts, each a line of its own.
func Of(texts ...string) []Row {
	rows := make([]Row, len(texts))
	for i, t := range texts {
		rows[i].Text = t
	}
	return rows
}

// Texts returns what the rows show.
func Texts(rows []Row) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.Text
	}
	return texts
}

// Indent sets a row in behind lead, which has the given columns.
func (r Row) Indent(lead string, columns int) Row {
	if r.Text == "" && strings.Trim(lead, " ") == "" {
		r.Join = Line
		return r
	}
	r.Text, r.Lead = lead+r.Text, r.Lead+columns
	if columns > 0 && r.order != nil {
		r.order = slices.Clone(r.order)
		for i := range r.order {
			r.order[i].from += columns
		}
	}
	if len(r.Bars) > 0 {
		bars := make([]int, len(r.Bars))
		for i, at := range r.Bars {
			bars[i] = at + columns
		}
		r.Bars = bars
	}
	return r
}

// Indent sets rows in, as Row.Indent does with blanks.
func Indent(rows []Row, columns int) []Row {
	lead := strings.Repeat(" ", columns)
	out := make([]Row, len(rows))
	for i, row := range rows {
		out[i] = row.Indent(lead, columns)
	}
	return out
}

// Paint returns the row in another style. The row must not be painted yet.
func (r Row) Paint(s style.Style) Row {
	r.Text = s.Render(r.Text)
	return r
}

// Plain returns the text between two columns in reading order, without
// margins, colours and padding.
func (r Row) Plain(from, to int) string {
	if r.Rule || to <= r.Lead {
		return ""
	}
	var b strings.Builder
	bars := r.Bars
	for _, c := range r.clusters() {
		if c.from < from || c.from >= to {
			continue
		}
		for len(bars) > 0 && bars[0] < c.from {
			bars = bars[1:]
		}
		switch {
		case len(bars) > 0 && bars[0] == c.from:
			cells := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(cells + "\t")
		case c.text == " " && strings.HasSuffix(b.String(), "\t"):
		default:
			b.WriteString(c.text)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Whole returns all of a row's text.
func (r Row) Whole() string { return r.Plain(0, 1<<30) }

// Copy joins what is between two points of rows to text as it was before it
// was wrapped: from column from of the first row up to column to of the last.
func Copy(rows []Row, from, to int) string {
	var b strings.Builder
	started := false
	for i, r := range rows {
		if r.Rule {
			continue
		}
		left, right := 0, 1<<30
		if i == 0 {
			left = from
		}
		if i == len(rows)-1 {
			right = to
		}
		switch {
		case !started || r.Join == Word:
		case r.Join == Blank:
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
		started = true
		b.WriteString(r.Plain(left, right))
	}
	return b.String()
}

// width is the columns of a cluster.
func width(cluster string) int {
	if len(cluster) == 1 {
		if cluster[0] < ' ' || cluster[0] == 0x7f {
			return 0
		}
		return 1
	}
	return style.Width(cluster)
}

// pieces cuts a painted row into escape sequences (false) and text (true).
func pieces(row string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		for row != "" {
			at := strings.IndexByte(row, '\x1b')
			if at < 0 {
				at = len(row)
			}
			if at > 0 && !yield(row[:at], true) {
				return
			}
			row = row[at:]
			if row == "" {
				return
			}
			n := style.Sequence(row)
			if !yield(row[:n], false) {
				return
			}
			row = row[n:]
		}
	}
}
