package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// secret is a field whose text is never on the screen: a bullet stands for
// each character. It is written and taken back at its end alone.
type secret struct{ text string }

// written takes a key that types something.
func (f *secret) written(key tea.KeyPressMsg) bool {
	if key.Text == "" || key.Mod&^tea.ModShift != 0 {
		return false
	}
	f.paste(key.Text)
	return true
}

// edited takes something back, if that is what an action does.
func (f *secret) edited(action keymap.Action) bool {
	switch action {
	case keymap.DeleteCharBackward:
		last := 0
		for it := graphemes.FromString(f.text); it.Next(); {
			last = it.Start()
		}
		f.text = f.text[:last]
	case keymap.DeleteToLineStart, keymap.DeleteBlankWord, keymap.DeleteWordBackward:
		f.text = ""
	default:
		return false
	}
	return true
}

func (f *secret) paste(text string) { f.text += strings.TrimSpace(sanitize.Line(text)) }

// view is the field's row and the caret's column in it.
func (f *secret) view(s style.Styles, b flow.Bidi, placeholder string, width int) (row string, caret int) {
	n := 0
	for it := graphemes.FromString(f.text); it.Next(); {
		n++
	}
	const prompt = "› "
	if n == 0 {
		row = s.Accent.Render(prompt) + s.Muted.Render(inset.Text(style.Cut(sanitize.Line(placeholder), width-style.Width(prompt)), b))
		return style.Cut(row, width), min(style.Width(prompt), width-1)
	}
	dots := strings.Repeat("•", max(min(n, width-style.Width(prompt)-1), 0))
	return style.Cut(s.Accent.Render(prompt)+s.Text.Render(dots), width), min(style.Width(prompt+dots), width-1)
}
