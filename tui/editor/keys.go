package editor

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// Action tells the app what a key did.
type Action int

// The actions.
const (
	Ignored   Action = iota // not a key of the editor, or nothing to do: the app's turn
	Moved                   // the caret moved, the text is the same
	Changed                 // the text changed
	Submitted               // Enter: the app takes Submission and calls Reset
)

// Captures reports whether a key is the editor's before anybody else's: a
// character that it waits for, or Esc and Ctrl+R where vim's keys need them.
func (e *Editor) Captures(key tea.KeyPressMsg) bool {
	stroke := keymap.Stroke(key)
	if e.jump != 0 || e.vim.pending() {
		return stroke == "esc" || typed(key) != ""
	}
	return e.vim.captures(stroke)
}

// Update handles one key. Keys that mean something else to the app (Esc,
// Ctrl+C, Tab, PgUp …) are Ignored, and so are Up and Down past the ends of
// the history and Ctrl+D in an empty editor.
func (e *Editor) Update(key tea.KeyPressMsg) Action {
	inBurst := e.inBurst()
	text := typed(key)
	if e.vim.on && e.vim.mode == Insert {
		if keymap.Stroke(key) == "esc" {
			e.jump = 0
			return e.leaveInsert(key)
		}
		e.vim.note(key)
	}
	switch {
	case e.jump != 0:
		return e.jumpTo(text)
	case e.vim.mode != Insert && !inBurst:
		if a, ok := e.command(key, text); ok {
			return a
		}
	case text != "":
		return e.typed(text)
	}
	a := e.do(e.opts.Keys.Action(keymap.Stroke(key), keymap.Editor), inBurst)
	e.settle()
	return a
}

// typed returns the text that a key puts in. AltGr reports itself as Ctrl+Alt
// on some systems.
func typed(key tea.KeyPressMsg) string {
	if mod := key.Mod &^ (tea.ModShift | tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock); mod != 0 && mod != tea.ModCtrl|tea.ModAlt {
		return ""
	}
	return sanitize.Text(key.Text)
}

func (e *Editor) typed(text string) Action {
	if e.last == commandAccept && strings.Contains(":,.;!?)", text) {
		e.remove(e.buf.prev(e.cursor), e.cursor)
		e.did(commandNone)
	}
	e.typeText(text)
	return Changed
}

// do carries out an action of the table.
func (e *Editor) do(a keymap.Action, inBurst bool) Action {
	switch a {
	case "":
		return Ignored
	case keymap.Submit:
		if inBurst || e.escapedEnter() {
			return e.newline()
		}
		e.did(commandNone)
		return Submitted
	case keymap.NewLine:
		return e.newline()
	case keymap.CursorUp:
		return e.vertical(-1)
	case keymap.CursorDown:
		return e.vertical(+1)
	case keymap.JumpForward, keymap.JumpBackward:
		e.did(commandNone)
		e.jump = +1
		if a == keymap.JumpBackward {
			e.jump = -1
		}
		return Moved
	}
	if to, ok := e.motion(a); ok {
		return e.moveTo(to)
	}
	if e.change(a) {
		return Changed
	}
	return Ignored
}

func (e *Editor) newline() Action {
	e.did(commandNone)
	e.insert([][]cell{nil, nil})
	return Changed
}

// escapedEnter takes away the backslash before the caret that makes Enter
// begin a line, where the terminal has no key for it.
func (e *Editor) escapedEnter() bool {
	line := e.buf.lines[e.cursor.line]
	if e.cursor.col == 0 || line[e.cursor.col-1].text != `\` {
		return false
	}
	return e.remove(e.buf.prev(e.cursor), e.cursor)
}

// motion finds where an action moves the caret.
func (e *Editor) motion(a keymap.Action) (pos, bool) {
	line := e.cursor.line
	switch a {
	case keymap.CursorLeft:
		return e.buf.prev(e.cursor), true
	case keymap.CursorRight:
		return e.buf.next(e.cursor), true
	case keymap.CursorWordLeft:
		return e.buf.wordLeft(e.cursor), true
	case keymap.CursorWordRight:
		return e.buf.wordRight(e.cursor), true
	case keymap.CursorLineStart:
		return pos{line, 0}, true
	case keymap.CursorLineEnd:
		return pos{line, len(e.buf.lines[line])}, true
	case keymap.CursorTop:
		return pos{}, true
	case keymap.CursorBottom:
		return e.buf.end(), true
	}
	return pos{}, false
}

func (e *Editor) moveTo(to pos) Action {
	e.did(commandNone)
	if to == e.cursor {
		return Ignored
	}
	e.cursor = to
	return Moved
}

// jumpTo moves to the next place of a character, over line ends. Any other key
// ends the waiting for one.
func (e *Editor) jumpTo(text string) Action {
	step := e.buf.next
	if e.jump < 0 {
		step = e.buf.prev
	}
	e.jump = 0
	if text == "" {
		return Moved
	}
	for p := e.cursor; ; {
		at := step(p)
		if at == p {
			return Moved
		}
		p = at
		if line := e.buf.lines[p.line]; p.col < len(line) && line[p.col].text == text {
			e.moveTo(p)
			return Moved
		}
	}
}

// change carries out an action that changes the text and reports whether the
// text changed.
func (e *Editor) change(a keymap.Action) bool {
	at := e.cursor
	line := e.buf.lines[at.line]
	switch a {
	case keymap.DeleteToLineEnd:
		to := pos{at.line, len(line)}
		if to == at {
			to = e.buf.next(at)
		}
		return e.kill(at, to, false)
	case keymap.DeleteToLineStart:
		from := pos{at.line, 0}
		if from == at {
			from = e.buf.prev(at)
		}
		return e.kill(from, at, true)
	case keymap.DeleteBlankWord:
		return e.kill(e.buf.blankLeft(at), at, true)
	case keymap.DeleteWordBackward:
		return e.kill(e.buf.wordLeft(at), at, true)
	case keymap.DeleteWordForward:
		return e.kill(at, e.buf.wordRight(at), false)
	case keymap.Yank:
		return e.yankLast()
	case keymap.YankPop:
		return e.yankPop()
	}
	defer e.did(commandNone)
	switch a {
	case keymap.DeleteCharBackward:
		return e.remove(e.buf.prev(at), at)
	case keymap.DeleteCharForward:
		return e.remove(at, e.buf.next(at))
	case keymap.Undo:
		return e.takeBack(&e.undo, &e.redo)
	case keymap.Redo:
		return e.takeBack(&e.redo, &e.undo)
	}
	return false
}
