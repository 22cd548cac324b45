// Package editor is the chat's prompt: a text field of many lines.
//
//	key    ──▶ Update ──▶ keymap action, or a vim command ──▶ Action (ignored, moved, changed, submitted)
//	paste  ──▶ Paste  ──▶ cells, or one cell that stands for a big paste
//	image  ──▶ Attach ──▶ one cell that stands for it
//	                       │
//	buffer (lines of cells) ──▶ View(width, height) and Cursor ──▶ the frame
//	                        └─▶ Submission ──▶ the prompt that is sent
//
// The text is lines of cells; a cell is a grapheme cluster or a label with
// what it stands for, so no key can cut either in half. Wrapping is worked out
// only for the rows on the screen and the line of the caret: the cost of a key
// does not grow with the number of lines.
//
// The text is in logical order everywhere; only painting may put it into the
// order of the eyes, where the terminal doesn't (Options.Reorder).
//
// The editor draws no cursor. The app puts the real one where Cursor says,
// so that input methods open their window there.
package editor

import (
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Options configure an Editor. The zero value works.
type Options struct {
	Styles      style.Styles
	Prompt      string           // shown before the first row; later rows are indented by its width
	Placeholder string           // shown while the editor is empty
	History     []string         // earlier prompts, oldest first
	Now         func() time.Time // the clock of the paste guard; default time.Now
	Keys        *keymap.Map      // what keys do; default keymap.Default()
	Vim         bool             // see SetVim
	Reorder     bool             // see SetReorder
}

// Editor is a text field of many lines. It is not safe for concurrent use.
type Editor struct {
	opts   Options
	buf    buffer
	cursor pos

	undo, redo []edit
	group      int             // of the steps that are made now
	kills      []cut           // the kill ring, newest last
	last       command         // what the last key did, for runs of kills and of typing
	yank       span            // what the last yank put in, for yank-pop
	jump       int             // the next character is to be jumped to: +1 ahead, -1 back
	pastes     int             // big pastes since the last Reset, for unique labels
	files      map[string]cell // attached since the last Reset, by label
	tail       time.Time       // a paste's burst of keys lasts until then
	history    history
	vim        vim

	goal   int // column that vertical moves aim at, -1 after any other move
	width  int // text columns of the last View
	indent int // columns before them
	top    row // first row on the screen in the last View
	caret  struct{ x, y int }
	laid   layout
}

// New returns an empty editor.
func New(o Options) *Editor {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keys == nil {
		o.Keys = keymap.Default()
	}
	e := &Editor{opts: o, width: 80}
	e.history.entries = o.History
	e.SetVim(o.Vim)
	e.Reset()
	return e
}

// setLines puts other lines in place of the text, as at the start.
func (e *Editor) setLines(lines [][]cell) {
	e.buf.lines = lines
	e.buf.version++
	e.cursor = e.buf.end()
	e.undo, e.redo = nil, nil
	e.last = commandNone
	e.jump = 0
	e.top = row{}
	e.goal = -1
}

// Reset empties the editor after a prompt was sent. The kill ring and the
// history stay; there is nothing to undo. With vim keys it is ready to type.
func (e *Editor) Reset() {
	e.setLines([][]cell{nil})
	e.pastes, e.files = 0, nil
	e.history.leave()
	e.vim.reset()
	e.group = 0
}

// Clear empties the editor as a key does: undo brings the text back.
func (e *Editor) Clear() { e.ReplaceAll("") }

// From these sizes on SetValue shows a text as a label.
const (
	labelLines = 1000
	labelBytes = 64 << 10
)

// SetValue replaces the text and puts the caret at its end. There is nothing
// to undo afterwards. A text of a thousand lines or more than 64 KB, such as
// a prompt with a big paste from the history, is shown as a label.
func (e *Editor) SetValue(text string) {
	e.pastes = 0
	e.setLines(e.whole(text))
	e.history.leave()
	e.settle()
}

// ReplaceAll is SetValue as an edit that can be undone: for a text that comes
// from another editor, or a prompt that was searched for.
func (e *Editor) ReplaceAll(text string) {
	with := e.whole(text)
	e.did(commandNone)
	e.vim.idle()
	if !e.Empty() || len(with) > 1 || len(with[0]) > 0 {
		e.replace(pos{}, e.buf.end(), with)
	}
	e.settle()
}

func (e *Editor) whole(text string) [][]cell {
	text = sanitize.Text(normalize(text))
	if strings.Count(text, "\n") >= labelLines || len(text) > labelBytes {
		return [][]cell{{e.label(text)}}
	}
	return e.segment(text)
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
	e.insert(e.segment(text))
	e.did(commandNone)
}

// SetStyles changes the colours, after a change of theme or background.
func (e *Editor) SetStyles(s style.Styles) { e.opts.Styles = s }

// SetReorder says whether right-to-left text is put into the order of the
// eyes and to the right side. It is for terminals that show cells as they
// come; those that reorder text themselves need it in logical order.
func (e *Editor) SetReorder(on bool) { e.opts.Reorder = on }
