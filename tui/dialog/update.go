package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// Update handles one key. It reports true when the dialog is answered.
//
// The keys are those of lists; beside them a number or a choice's letter takes
// at once. Cancelling says no, and while a reason is written it goes back to the
// choices. Ctrl+C cancels whatever the keys are.
func (d *Dialog) Update(key tea.KeyPressMsg) (Result, bool) {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	stroke := keymap.Stroke(key)
	if stroke == "ctrl+c" {
		return d.cancel()
	}
	if d.secret != nil {
		return d.hidden(key, stroke)
	}
	if d.field != nil {
		return d.written(key, stroke)
	}
	if key.Text != "" {
		if i := d.lettered(key.Text); i >= 0 {
			return d.takes(i)
		}
	}
	action := d.spec.Keys.Action(stroke, keymap.List, keymap.Choices)
	switch action {
	case keymap.SelectUp, keymap.ChoiceUp:
		d.at = max(d.at-1, 0)
	case keymap.SelectDown, keymap.ChoiceDown:
		d.at = min(d.at+1, len(d.spec.Choices)-1)
	case keymap.SelectCancel:
		if !d.guarded() {
			return d.cancel()
		}
	case keymap.SelectConfirm:
		return d.takes(d.at)
	default:
		d.scrolled(action)
	}
	return Result{}, false
}

// lettered is the choice with that letter or number, -1 if there is none.
func (d *Dialog) lettered(text string) int {
	for i, c := range d.spec.Choices {
		if text == c.Key || i < 9 && text == string(rune('1'+i)) {
			return i
		}
	}
	return -1
}

// takes is take, unless it is too early.
func (d *Dialog) takes(i int) (Result, bool) {
	if d.guarded() {
		return Result{}, false
	}
	return d.take(i)
}

// Click selects the choice in a row of the last View. A click on the selected
// one takes it.
func (d *Dialog) Click(row int) (Result, bool) {
	if row < 0 || row >= len(d.places) || d.places[row] < 0 {
		return Result{}, false
	}
	if i := d.places[row]; i != d.at {
		d.at = i
		return Result{}, false
	}
	return d.takes(d.at)
}

// guarded reports whether it is too early for an answer.
func (d *Dialog) guarded() bool { return d.spec.Now().Before(d.opened.Add(d.spec.Guard)) }

// hidden handles a key of the secret field.
func (d *Dialog) hidden(key tea.KeyPressMsg, stroke string) (Result, bool) {
	action := d.spec.Keys.Action(stroke, keymap.List)
	switch {
	case d.secret.written(key):
	case action == keymap.SelectCancel:
		return d.cancel()
	case d.spec.Keys.Action(stroke, keymap.Editor) == keymap.Submit:
		if !d.guarded() {
			return Result{Text: d.secret.text}, true
		}
	case d.secret.edited(d.spec.Keys.Action(stroke, keymap.Editor)):
	default:
		d.scrolled(action)
	}
	return Result{}, false
}

// written handles a key of the text field.
func (d *Dialog) written(key tea.KeyPressMsg, stroke string) (Result, bool) {
	action := d.spec.Keys.Action(stroke, keymap.List)
	if action == keymap.SelectCancel {
		if d.reason < 0 {
			return d.cancel()
		}
		d.field, d.reason = nil, -1
		return Result{}, false
	}
	switch d.field.Update(key) {
	case editor.Submitted:
		if d.reason < 0 && d.guarded() {
			return Result{}, false
		}
		return Result{ID: d.choiceID(), Text: d.answer()}, true
	case editor.Ignored:
		d.scrolled(action)
	}
	return Result{}, false
}

func (d *Dialog) answer() string {
	text := d.field.Value()
	if d.reason >= 0 || !d.spec.Field.Multiline {
		return strings.TrimSpace(sanitize.Line(text))
	}
	return text
}

func (d *Dialog) choiceID() string {
	if d.reason < 0 {
		return ""
	}
	return d.spec.Choices[d.reason].ID
}

// take answers with a choice, or asks for its reason.
func (d *Dialog) take(i int) (Result, bool) {
	c := d.spec.Choices[i]
	d.at = i
	if c.Reason == "" {
		return Result{ID: c.ID}, true
	}
	d.write(Field{Placeholder: c.Reason})
	d.reason = i
	return Result{}, false
}

func (d *Dialog) cancel() (Result, bool) {
	return Result{ID: d.spec.Cancel, Cancelled: d.spec.Cancel == ""}, true
}

// Paste puts pasted text in the field. With choices it does nothing.
func (d *Dialog) Paste(text string) {
	switch {
	case d.secret != nil:
		d.secret.paste(text)
	case d.field != nil:
		d.field.Paste(text)
	}
}

// Scroll moves the text by rows, for the mouse wheel.
func (d *Dialog) Scroll(rows int) {
	d.scroll = max(min(d.scroll+rows, len(d.text)-d.page), 0)
}

// scrolled moves the text, if that is what an action does.
func (d *Dialog) scrolled(action keymap.Action) {
	switch action {
	case keymap.SelectPageUp:
		d.Scroll(-max(d.page-1, 1))
	case keymap.SelectPageDown:
		d.Scroll(max(d.page-1, 1))
	case keymap.TextUp:
		d.Scroll(-1)
	case keymap.TextDown:
		d.Scroll(1)
	case keymap.SelectFirst:
		d.Scroll(-len(d.text))
	case keymap.SelectLast:
		d.Scroll(len(d.text))
	}
}
