package editor

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Action tells the app what a key did.
type Action int

// The actions.
const (
	Ignored   Action = iota // not a key of the editor, or nothing to do: the app's turn
	Moved                   // the caret moved, the text is the same
	Changed                 // the text changed
	Submitted               // Enter: the app takes Value and calls Reset
)

// Update handles one key. Keys that mean something else to the app (Esc,
// Ctrl+C, Tab, PgUp …) are Ignored, and so are Up and Down past the ends of
// the history and Ctrl+D in an empty editor.
func (e *Editor) Update(key tea.KeyPressMsg) Action {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	inBurst := e.inBurst()
	if key.Text != "" && key.Mod&^tea.ModShift == 0 {
		return e.typed(key.Text)
	}
	stroke := key.Keystroke()
	switch stroke {
	case "enter":
		if inBurst || e.escapedEnter() {
			return e.newline()
		}
		e.did(commandNone)
		return Submitted
	case "ctrl+j", "shift+enter", "alt+enter", "ctrl+enter":
		return e.newline()
	case "up", "down", "ctrl+n":
		return e.vertical(stroke)
	}
	if to, ok := e.motion(stroke); ok {
		return e.moveTo(to)
	}
	if changed, ok := e.change(stroke); ok {
		if !changed {
			return Ignored
		}
		return Changed
	}
	if key.Text != "" { // AltGr reports itself as Ctrl+Alt on some systems
		return e.typed(key.Text)
	}
	return Ignored
}

func (e *Editor) typed(text string) Action {
	text = sanitize.Text(text)
	if text == "" {
		return Ignored
	}
	e.typeText(text)
	return Changed
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

// motion finds where a key moves the caret.
func (e *Editor) motion(stroke string) (pos, bool) {
	line := e.cursor.line
	switch stroke {
	case "left", "ctrl+b":
		return e.buf.prev(e.cursor), true
	case "right", "ctrl+f":
		return e.buf.next(e.cursor), true
	case "alt+left", "ctrl+left", "alt+b":
		return e.buf.wordLeft(e.cursor), true
	case "alt+right", "ctrl+right", "alt+f":
		return e.buf.wordRight(e.cursor), true
	case "home", "ctrl+a":
		return pos{line, 0}, true
	case "end", "ctrl+e":
		return pos{line, len(e.buf.lines[line])}, true
	case "alt+<", "alt+shift+,":
		return pos{}, true
	case "alt+>", "alt+shift+.":
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

// change carries out a key that changes the text. It reports whether the
// text changed, and whether the key is one of these.
func (e *Editor) change(stroke string) (changed, ok bool) {
	at := e.cursor
	line := e.buf.lines[at.line]
	switch stroke {
	case "backspace", "ctrl+h", "shift+backspace":
		changed = e.remove(e.buf.prev(at), at)
		e.did(commandNone)
	case "delete", "ctrl+d", "shift+delete":
		changed = e.remove(at, e.buf.next(at))
		e.did(commandNone)
	case "ctrl+k":
		to := pos{at.line, len(line)}
		if to == at {
			to = e.buf.next(at)
		}
		changed = e.kill(at, to, false)
	case "ctrl+u":
		from := pos{at.line, 0}
		if from == at {
			from = e.buf.prev(at)
		}
		changed = e.kill(from, at, true)
	case "ctrl+w":
		changed = e.kill(e.blankLeft(at), at, true)
	case "alt+backspace", "ctrl+backspace":
		changed = e.kill(e.buf.wordLeft(at), at, true)
	case "alt+d", "alt+delete", "ctrl+delete":
		changed = e.kill(at, e.buf.wordRight(at), false)
	case "ctrl+y":
		changed = e.yankLast()
	case "alt+y":
		changed = e.yankPop()
	case "ctrl+_", "ctrl+-", "ctrl+shift+-", "ctrl+/":
		changed = e.undoStep()
		e.did(commandNone)
	default:
		return false, false
	}
	return changed, true
}

// blankLeft is the start of the word before p, where only blanks part words.
func (e *Editor) blankLeft(p pos) pos {
	start := pos{}
	for p != start && e.buf.class(e.buf.prev(p)) == classBlank {
		p = e.buf.prev(p)
	}
	for p != start && e.buf.class(e.buf.prev(p)) != classBlank {
		p = e.buf.prev(p)
	}
	return p
}
