package transcript

import (
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
)

// Answer is one text block of the model's, in Markdown. It may still grow.
type Answer struct {
	look    *Look
	text    string
	done    bool
	version int
	// stream keeps the settled blocks while the text grows. A finished answer
	// needs none: the list has its rows, and they are rendered anew if not.
	stream   *markdown.Stream
	renderer *markdown.Renderer // that the stream is of
}

// NewAnswer returns an empty answer.
func NewAnswer(look *Look) *Answer { return &Answer{look: look} }

// Set replaces the text, which usually has grown; done says that it is whole.
func (a *Answer) Set(text string, done bool) {
	if a.text == text && a.done == done {
		return
	}
	a.text, a.done = text, done
	a.version++
}

// Finish says that no more text comes.
func (a *Answer) Finish() { a.Set(a.text, true) }

// Ended reports whether the answer is whole.
func (a *Answer) Ended() bool { return a.done }

// Version implements Item.
func (a *Answer) Version() int { return a.version }

// Source implements Item: the Markdown as it was written.
func (a *Answer) Source() string { return a.text }

// Forget drops what only speeds up rendering.
func (a *Answer) Forget() { a.stream, a.renderer = nil, nil }

// Rows implements Item.
func (a *Answer) Rows(width int) []flow.Row {
	s, inner := a.streamed(width)
	rows := s.Apart(inner)
	if a.done {
		a.Forget()
	}
	return rows
}

// Settled implements growing: the parts are blocks.
func (a *Answer) Settled(width, from int) (rows []flow.Row, to int) {
	s, inner := a.streamed(width)
	rows, to = s.Settled(inner, from)
	return apart(rows), to
}

// Live implements growing.
func (a *Answer) Live(width, from int) []flow.Row {
	s, inner := a.streamed(width)
	return apart(s.Live(inner, from))
}

// streamed is the text in blocks, up to date and set in, and the width that
// this leaves it.
func (a *Answer) streamed(width int) (s *markdown.Stream, inner int) {
	if a.stream == nil || a.renderer != a.look.Markdown {
		a.renderer = a.look.Markdown
		a.stream = a.renderer.Stream()
	}
	in := Indent(width)
	a.stream.SetMargin(in)
	a.stream.SetText(a.text)
	if a.done {
		a.stream.Finish()
	}
	return a.stream, max(1, width-in)
}

// apart puts a blank row before rows.
func apart(rows []flow.Row) []flow.Row {
	if len(rows) == 0 {
		return nil
	}
	return append([]flow.Row{{}}, rows...)
}
