package transcript

import (
	"strings"

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

// Version implements Item.
func (a *Answer) Version() int { return a.version }

// Forget drops what only speeds up rendering.
func (a *Answer) Forget() { a.stream, a.renderer = nil, nil }

// Lines implements Item.
func (a *Answer) Lines(width int) []string {
	in := Indent(width)
	rows := a.rows(max(1, width-in))
	if len(rows) == 0 {
		return nil
	}
	pad := strings.Repeat(" ", in)
	out := make([]string, 0, len(rows)+1)
	out = append(out, "")
	for _, row := range rows {
		if row != "" {
			row = pad + row
		}
		out = append(out, row)
	}
	return out
}

func (a *Answer) rows(width int) []string {
	if a.renderer != a.look.Markdown {
		a.renderer, a.stream = a.look.Markdown, nil
	}
	if a.done && a.stream == nil {
		return a.renderer.Render(a.text, width)
	}
	if a.stream == nil {
		a.stream = a.renderer.Stream()
	}
	a.stream.SetText(a.text)
	if !a.done {
		return a.stream.Rows(width)
	}
	a.stream.Finish()
	rows := a.stream.Rows(width)
	a.stream = nil
	return rows
}
