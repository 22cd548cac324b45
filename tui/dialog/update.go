package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// Update handles one key. It reports true when the dialog is answered.
//
// Up and Down select, Enter takes, a number or a choice's letter takes at
// once, Esc says no, PgUp, PgDn, Home, End and Shift+Up or Down scroll. While
// a reason is written Esc goes back to the choices.
func (d *Dialog) Update(key tea.KeyPressMsg) (Result, bool) {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	stroke := key.Keystroke()
	if stroke == "ctrl+c" {
		return d.cancel()
	}
	if d.secret != nil {
		return d.hidden(key, stroke)
	}
	if d.field != nil {
		return d.written(key, stroke)
	}
	if d.scrolled(stroke) {
		return Result{}, false
	}
	switch stroke {
	case "up", "ctrl+p", "shift+tab":
		d.at = max(d.at-1, 0)
		return Result{}, false
	case "down", "ctrl+n", "tab":
		d.at = min(d.at+1, len(d.spec.Choices)-1)
		return Result{}, false
	}
	if d.guarded() {
		return Result{}, false
	}
	switch stroke {
	case "esc":
		return d.cancel()
	case "enter":
		return d.take(d.at)
	}
	for i, c := range d.spec.Choices {
		if key.Text != "" && (key.Text == c.Key || i < 9 && key.Text == string(rune('1'+i))) {
			return d.take(i)
		}
	}
	return Result{}, false
}

// guarded reports whether it is too early for an answer.
func (d *Dialog) guarded() bool { return d.spec.Now().Before(d.opened.Add(d.spec.Guard)) }

// hidden handles a key of the secret field.
func (d *Dialog) hidden(key tea.KeyPressMsg, stroke string) (Result, bool) {
	switch {
	case stroke == "esc":
		return d.cancel()
	case d.scrolled(stroke):
	case d.secret.update(key, stroke) && !d.guarded():
		return Result{Text: d.secret.text}, true
	}
	return Result{}, false
}

// written handles a key of the text field.
func (d *Dialog) written(key tea.KeyPressMsg, stroke string) (Result, bool) {
	if stroke == "esc" {
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
		d.scrolled(stroke)
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

func (d *Dialog) scrolled(stroke string) bool {
	switch stroke {
	case "pgup":
		d.Scroll(-max(d.page-1, 1))
	case "pgdown":
		d.Scroll(max(d.page-1, 1))
	case "shift+up":
		d.Scroll(-1)
	case "shift+down":
		d.Scroll(1)
	case "home":
		d.Scroll(-len(d.text))
	case "end":
		d.Scroll(len(d.text))
	default:
		return false
	}
	return true
}
