// Package editor is the chat's prompt: a text field of many lines.
//
//	key   ──▶ Update ──▶ Action (ignored, moved, changed, submitted)
//	paste ──▶ Paste  ──▶ cells, or one cell that stands for a big paste
//	                      │
//	buffer (lines of cells) ──▶ View(width, height) and Cursor ──▶ the frame
//	                        └─▶ Value ──▶ the prompt that is sent
//
// The text is lines of cells; a cell is a grapheme cluster or a paste behind
// a label, so no key can cut either in half. Wrapping is worked out only for
// the rows on the screen and the line of the caret: the cost of a key does
// not grow with the number of lines.
//
// The editor draws no cursor. The app puts the real one where Cursor says,
// so that input methods open their window there.
package editor

import (
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Options configure an Editor. The zero value works.
type Options struct {
	Styles      style.Styles
	Prompt      string           // shown before the first row; later rows are indented by its width
	Placeholder string           // shown while the editor is empty
	History     []string         // earlier prompts, oldest first
	Now         func() time.Time // the clock of the paste guard; default time.Now
}

// Editor is a text field of many lines. It is not safe for concurrent use.
type Editor struct {
	opts    Options
	buf     buffer
	cursor  pos
	focused bool

	undo    []edit
	kills   [][][]cell // the kill ring, newest last
	last    command    // what the last key did, for runs of kills and of typing
	yank    span       // what the last yank put in, for yank-pop
	pastes  int        // big pastes since the last Reset, for unique labels
	tail    time.Time  // a paste's burst of keys lasts until then
	history history

	goal  int // column that vertical moves aim at, -1 after any other move
	width int // text columns of the last View
	top   row // first row on the screen in the last View
	caret struct{ x, y int }
}

// New returns an empty editor that has the focus.
func New(o Options) *Editor {
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &Editor{opts: o, focused: true, width: 80}
	e.history.entries = o.History
	e.clear()
	return e
}

// clear forgets the text and everything that belongs to it.
func (e *Editor) clear() {
	e.buf = newBuffer()
	e.cursor = pos{}
	e.undo = nil
	e.last = commandNone
	e.pastes = 0
	e.top = row{}
	e.goal = -1
	e.history.leave()
}

// Reset empties the editor: after a prompt was sent, or to drop it. The kill
// ring and the history stay.
func (e *Editor) Reset() { e.clear() }

// From these sizes on SetValue shows a text as a label.
const (
	labelLines = 1000
	labelBytes = 64 << 10
)

// SetValue replaces the text and puts the caret at its end. There is nothing
// to undo afterwards. A text of a thousand lines or more than 64 KB, such as
// a prompt with a big paste from the history, is shown as a label.
func (e *Editor) SetValue(text string) {
	e.clear()
	text = sanitize.Text(normalize(text))
	if strings.Count(text, "\n") >= labelLines || len(text) > labelBytes {
		e.buf.lines = [][]cell{{e.label(text)}}
	} else {
		e.buf.lines = segment(text)
	}
	e.cursor = e.buf.end()
}

// Value returns the text with every paste in full. Lines end with "\n".
func (e *Editor) Value() string { return textOf(e.buf.lines) }

// Empty reports whether there is no text at all.
func (e *Editor) Empty() bool { return e.buf.empty() }

// Insert puts text at the caret as if it had been typed. Controls in it are
// removed; a line feed begins a line.
func (e *Editor) Insert(text string) {
	text = sanitize.Text(normalize(text))
	if text == "" {
		return
	}
	e.insert(segment(text))
	e.did(commandNone)
}

// Focus and Blur set whether the editor has the keyboard; Cursor places no
// cursor while it has not.
func (e *Editor) Focus() { e.focused = true }

// Blur takes the focus away.
func (e *Editor) Blur() { e.focused = false }

// Focused reports whether the editor has the focus.
func (e *Editor) Focused() bool { return e.focused }

// SetStyles changes the colours, after a change of theme or background.
func (e *Editor) SetStyles(s style.Styles) { e.opts.Styles = s }

// SetPrompt changes what is shown before the first row.
func (e *Editor) SetPrompt(prompt string) { e.opts.Prompt = prompt }

// SetPlaceholder changes what is shown while the editor is empty.
func (e *Editor) SetPlaceholder(text string) { e.opts.Placeholder = text }
