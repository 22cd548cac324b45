package editor

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// Mode is what vim's keys do now. Without them it is always Insert.
type Mode int

// The modes.
const (
	Insert Mode = iota
	Normal
	Visual
	VisualLine
)

// String returns the mode as it is shown.
func (m Mode) String() string {
	return [...]string{"insert", "normal", "visual", "visual line"}[m]
}

// vim is the state of vim's keys: a command that is being typed, and what
// later commands need of earlier ones.
//
//	[count] operator [count] motion|object     d2w, ci", yy
//	[count] motion                             3j, fx, gg
//	[count] command                            x, p, J, rx, .
type vim struct {
	on   bool
	mode Mode

	count    int    // of the operator or of a command without one; 0 if none
	operator string // "d", "c", "y" or ""
	again    int    // count after the operator
	prefix   string // waits for one more key: f F t T r g i a

	anchor pos // where the selection began
	find   struct{ kind, text string }

	record []tea.KeyPressMsg // the keys of the command, or of the change that goes on
	change []tea.KeyPressMsg // the keys of the last change, for "."
	replay bool
}

// SetVim turns vim's keys on or off. One starts typing in both cases.
func (e *Editor) SetVim(on bool) {
	e.vim = vim{on: on}
	e.group = 0
}

// VimMode returns the mode, and whether vim's keys are on at all. In another
// mode than Insert the cursor should be a block.
func (e *Editor) VimMode() (mode Mode, on bool) { return e.vim.mode, e.vim.on }

// VimPending returns the keys of the command that isn't whole yet ("2d").
func (e *Editor) VimPending() string {
	if !e.vim.pending() {
		return ""
	}
	var b strings.Builder
	for _, k := range e.vim.record {
		b.WriteString(k.Text)
	}
	return b.String()
}

// reset is back to typing.
func (v *vim) reset() {
	v.mode = Insert
	v.idle()
	v.record = nil
}

// idle drops the command that is being typed.
func (v *vim) idle() { v.count, v.operator, v.again, v.prefix = 0, "", 0, "" }

// note keeps a key that was typed in the middle of a change.
func (v *vim) note(key tea.KeyPressMsg) {
	if v.record != nil && !v.replay {
		v.record = append(v.record, key)
	}
}

func (v *vim) pending() bool { return v.count > 0 || v.operator != "" || v.prefix != "" }

func (v *vim) captures(stroke string) bool {
	switch {
	case !v.on:
		return false
	case stroke == "esc":
		return v.mode != Normal
	}
	return v.mode != Insert && stroke == "ctrl+r"
}

// selects reports whether the cell behind p is in the selection.
func (v *vim) selects(p, caret pos) bool {
	if v.mode != Visual && v.mode != VisualLine {
		return false
	}
	from, to := v.anchor, caret
	if to.before(from) {
		from, to = to, from
	}
	if v.mode == VisualLine {
		return p.line >= from.line && p.line <= to.line
	}
	return !p.before(from) && !to.before(p)
}

// settle keeps the caret on a cell where vim's keys are commands.
func (e *Editor) settle() {
	if e.vim.mode == Insert {
		return
	}
	e.cursor.line = min(e.cursor.line, len(e.buf.lines)-1)
	last := len(e.buf.lines[e.cursor.line]) - 1
	if e.vim.mode == Visual {
		last++
	}
	e.cursor.col = max(min(e.cursor.col, last), 0)
	e.vim.anchor.line = min(e.vim.anchor.line, len(e.buf.lines)-1)
	e.vim.anchor.col = min(e.vim.anchor.col, len(e.buf.lines[e.vim.anchor.line]))
}

// nextGroup returns a number for steps that are undone at once.
func (e *Editor) nextGroup() int {
	last := 0
	for _, list := range [][]edit{e.undo, e.redo} {
		for _, s := range list {
			last = max(last, s.group)
		}
	}
	return last + 1
}

// letter returns what does in vim the same as a key with a name, or "".
func letter(stroke string) string {
	switch stroke {
	case "left", "backspace", "ctrl+h":
		return "h"
	case "right", "space":
		return "l"
	case "up":
		return "k"
	case "down":
		return "j"
	case "home":
		return "0"
	case "end":
		return "$"
	case "delete":
		return "x"
	case "ctrl+r":
		return stroke
	}
	return ""
}

// command handles a key outside of Insert. ok is false for keys that mean what
// they always mean, such as Enter.
func (e *Editor) command(key tea.KeyPressMsg, text string) (a Action, ok bool) {
	v := &e.vim
	stroke := keymap.Stroke(key)
	if stroke == "esc" {
		was := v.pending() || v.mode != Normal
		v.idle()
		v.record = nil
		v.mode = Normal
		e.settle()
		if was {
			return Moved, true
		}
		return Ignored, true
	}
	if v.prefix == "" || text == "" {
		if name := letter(stroke); name != "" {
			text = name
		}
	}
	if text == "" {
		v.idle()
		v.record = nil
		return 0, false
	}
	version, before := e.buf.version, e.cursor
	if !v.pending() && v.mode == Normal {
		v.record = nil
	}
	v.record = append(v.record, key)
	e.group = e.nextGroup()
	e.last = commandNone
	vertical := e.feed(text)
	if !vertical {
		e.goal = -1
	}
	e.settle()
	changed := e.buf.version != version
	e.finish(changed)
	switch {
	case changed:
		return Changed, true
	case e.cursor == before && !v.pending() && v.mode == Normal:
		return Ignored, true
	}
	return Moved, true
}

// finish ends the keys of a command, unless they go on: with typing, with a
// selection, or because it isn't whole.
func (e *Editor) finish(changed bool) {
	v := &e.vim
	if v.mode == Insert { // the group stays open until Esc
		return
	}
	e.group = 0
	if v.pending() || v.mode != Normal {
		return
	}
	if changed && !v.replay && len(v.record) > 0 {
		v.change = slices.Clone(v.record)
	}
	v.record = nil
}

// insertMode begins typing. All of it is one step of undo, and of "."
func (e *Editor) insertMode() {
	e.vim.idle()
	e.vim.mode = Insert
}

// leaveInsert is Esc while typing.
func (e *Editor) leaveInsert(key tea.KeyPressMsg) Action {
	v := &e.vim
	if v.record != nil && !v.replay {
		v.change = append(v.record, key)
	}
	v.record = nil
	v.mode = Normal
	if e.cursor.col > 0 {
		e.cursor.col--
	}
	e.did(commandNone)
	e.group = 0
	e.settle()
	return Moved
}

// repeatChange is ".": the keys of the last change, again.
func (e *Editor) repeatChange() {
	v := &e.vim
	keys := v.change
	if v.replay || len(keys) == 0 {
		return
	}
	v.replay = true
	for _, k := range keys {
		e.Update(k)
	}
	if v.mode == Insert {
		e.leaveInsert(tea.KeyPressMsg{Code: tea.KeyEscape})
	}
	v.replay = false
}
