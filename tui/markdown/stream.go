package markdown

import (
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// Stream is one text that grows. It is not safe for concurrent use.
type Stream struct {
	r        *Renderer
	raw      string // as it came
	text     string // cleaned
	ends     []int  // of the settled blocks, in text
	finished bool

	width    int
	margin   int
	rendered []int      // of each settled block: how many of rows end with it
	rows     []flow.Row // a blank one, then those of the settled blocks
	tail     struct {
		text string
		rows []flow.Row
	}
	fence openFence // the tail, if that is an open fence
}

// Stream begins a text.
func (r *Renderer) Stream() *Stream { return &Stream{r: r} }

// Append adds a delta.
func (s *Stream) Append(delta string) { s.SetText(s.raw + delta) }

// SetText gives the whole text so far. Usually it begins with the text of the
// call before; if it does not, everything is rendered anew.
func (s *Stream) SetText(sofar string) {
	text := s.clean(sofar)
	s.raw = sofar
	settled := s.settled()
	if !strings.HasPrefix(text, s.text[:settled]) {
		s.ends, settled = nil, 0
		s.forget()
	}
	s.text, s.finished = text, false
	for _, end := range cut(text[settled:]).ends {
		s.ends = append(s.ends, settled+end)
	}
}

// clean cleans the text so far. Usually nothing was wrong before, and nothing
// is with what is new: then only that is looked at.
func (s *Stream) clean(sofar string) string {
	if s.text == s.raw && strings.HasPrefix(sofar, s.raw) {
		if fresh := sofar[len(s.raw):]; clean(fresh) == fresh {
			return sofar
		}
	}
	return clean(sofar)
}

// SetMargin has all rows begin with so many blank columns, beside the width.
func (s *Stream) SetMargin(columns int) {
	if columns != s.margin {
		s.margin = columns
		s.forget()
	}
}

// Finish says that no more text comes, so that an open fence is shown as code.
func (s *Stream) Finish() { s.finished = true }

// Text returns the text as it came.
func (s *Stream) Text() string { return s.raw }

func (s *Stream) settled() int { return lastOf(s.ends) }

// forget drops what was rendered.
func (s *Stream) forget() {
	s.rendered, s.rows = nil, nil
	s.tail.text, s.tail.rows = "", nil
	s.fence = openFence{}
}

// Rows returns the text's rows at a width. A settled block is laid out once
// for each width, the tail once for each of its states. The result shares
// memory with the stream: it is not to be changed, and the next call writes the
// tail anew.
func (s *Stream) Rows(width int) []flow.Row {
	rows := s.Apart(width)
	return rows[min(1, len(rows)):]
}

// Apart is Rows behind a blank row, which parts them from what is above. Without
// rows there is none.
func (s *Stream) Apart(width int) []flow.Row {
	if rows := s.laid(width); len(rows) > 1 {
		return slices.Clip(rows)
	}
	return nil
}

// laid brings the rows up to date. Before them is a blank one.
func (s *Stream) laid(width int) []flow.Row {
	if width != s.width {
		s.width = width
		s.forget()
	}
	if len(s.rows) == 0 {
		s.rows = []flow.Row{{}}
	}
	for i := len(s.rendered); i < len(s.ends); i++ {
		start := lastOf(s.ends[:i])
		s.rows = join(s.rows, flow.Indent(s.r.block(s.text[start:s.ends[i]], width, 0), s.margin), len(s.rows) > 1)
		s.rendered = append(s.rendered, len(s.rows))
	}
	tail := s.text[s.settled():]
	open := cut(tail).open
	switch {
	case tail == "":
		return s.rows
	case open.top && !s.finished:
		// The last block is the fence: an open one is never cached as closed.
		s.tail.text = ""
		s.tail.rows = flow.Indent(s.fence.add(s.r, strings.TrimLeft(tail, "\n"), width), s.margin)
	case tail != s.tail.text:
		s.tail.text, s.tail.rows = tail, flow.Indent(s.r.block(tail, width, 0), s.margin)
	}
	all := join(s.rows, s.tail.rows, len(s.rows) > 1)
	s.rows = all[:len(s.rows)] // with the room that the next tail needs
	return all
}

// Settled returns the rows of the blocks from a number on that are whole, and
// the number of the first block that isn't.
func (s *Stream) Settled(width, from int) (rows []flow.Row, to int) {
	rows, to = s.laid(width), len(s.ends)
	if s.finished && s.settled() < len(s.text) {
		return s.after(rows, from), max(to+1, from)
	}
	return s.after(rows[:lastOf(s.rendered)], from), max(to, from)
}

// Live returns the rows of the blocks from a number on.
func (s *Stream) Live(width, from int) []flow.Row { return s.after(s.laid(width), from) }

// after cuts the rows of the blocks before a number off.
func (s *Stream) after(rows []flow.Row, from int) []flow.Row {
	if from > len(s.rendered) { // the tail too
		return nil
	}
	return slices.Clip(stripBlank(rows[min(lastOf(s.rendered[:from]), len(rows)):]))
}

// join adds a block, after a blank row if there is a gap.
func join(rows, block []flow.Row, gap bool) []flow.Row {
	if len(block) == 0 {
		return rows
	}
	if gap && len(rows) > 0 {
		rows = append(rows, flow.Row{})
	}
	return append(rows, block...)
}
