package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// panel has the keyboard in the editor's place.
type panel interface {
	// key handles one key; closed says that the panel is done.
	key(k tea.KeyPressMsg) (cmd tea.Cmd, closed bool)
	paste(text string)
	scroll(rows int)
	// view renders at most height rows; cx is -1 without a cursor.
	view(width, height int) (rows []string, cx, cy int)
	setStyles(s style.Styles)
}

// front is the panel that has the keyboard: a question of the session's before
// what the user has opened; nil when it is the editor.
func (a *app) front() panel {
	if a.question != nil {
		return a.question
	}
	return a.panel
}

func (a *app) panelKey(k tea.KeyPressMsg) tea.Cmd {
	p := a.front()
	cmd, closed := p.key(k)
	if !closed {
		return cmd
	}
	switch p {
	case panel(a.question):
		a.question = nil
	case a.panel: // else it has opened another
		a.panel = nil
	}
	return cmd
}

// listPanel shows a picker; done gets what was chosen, or a key of the owner's,
// and reports whether the panel is done.
type listPanel struct {
	picker *picker.Picker
	styles style.Styles
	done   func(picker.Result) (cmd tea.Cmd, closed bool)
	// moved, if set, hears of each item that becomes the selected one.
	moved func(picker.Item)
	// note, if set, tells what stands at the end of the first row now.
	note func() string
	// items, if set, lists what is there now; it is called for each view.
	items func() []picker.Item
	// sample, if set, draws rows above the list.
	sample func(s style.Styles, width int) []string
	// guarded, if set, reports whether it is too early for an answer.
	guarded func() bool
}

func (p *listPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	before, _ := p.picker.Selected()
	result, closed := p.picker.Update(k)
	if now, ok := p.picker.Selected(); ok && p.moved != nil && now.ID != before.ID {
		p.moved(now)
	}
	if !closed || p.guarded != nil && p.guarded() {
		return nil, false
	}
	return p.done(result)
}

func (p *listPanel) paste(text string) { p.picker.Paste(text) }

func (p *listPanel) scroll(rows int) {
	code := tea.KeyDown
	if rows < 0 {
		code = tea.KeyUp
	}
	_, _ = p.key(tea.KeyPressMsg{Code: code})
}

func (p *listPanel) view(width, height int) (rows []string, cx, cy int) {
	if height > 2 {
		rows = append(rows, rule(p.styles, width))
	}
	if p.note != nil {
		p.picker.SetNote(p.note())
	}
	if p.items != nil {
		p.picker.SetItems(p.items())
	}
	if p.sample != nil && height >= roomy {
		rows = append(rows, p.sample(p.styles, width)...)
	}
	text := p.picker.View(width, height-len(rows))
	cx, cy = p.picker.Cursor()
	cy += len(rows)
	return append(rows, strings.Split(text, "\n")...), cx, cy
}

func (p *listPanel) setStyles(s style.Styles) {
	p.styles = s
	p.picker.SetStyles(s)
}

// dialogPanel shows a dialog; done gets its result.
type dialogPanel struct {
	dialog *dialog.Dialog
	done   func(dialog.Result) tea.Cmd
}

func (p *dialogPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	result, closed := p.dialog.Update(k)
	if !closed {
		return nil, false
	}
	return p.done(result), true
}

func (p *dialogPanel) paste(text string) { p.dialog.Paste(text) }
func (p *dialogPanel) scroll(rows int)   { p.dialog.Scroll(rows) }

func (p *dialogPanel) view(width, height int) (rows []string, cx, cy int) {
	text := p.dialog.View(width, height)
	cx, cy = p.dialog.Cursor()
	return strings.Split(text, "\n"), cx, cy
}

func (p *dialogPanel) setStyles(s style.Styles) { p.dialog.SetStyles(s) }

// onTop asks something on top of a panel, which comes back with the answer.
func (a *app) onTop(back panel, spec dialog.Spec, done func(dialog.Result) tea.Cmd) {
	spec.Now = a.o.Now
	a.panel = &dialogPanel{dialog: dialog.New(spec, a.look.Styles), done: func(r dialog.Result) tea.Cmd {
		a.panel = back
		if r.Cancelled {
			return nil
		}
		return done(r)
	}}
}

// textPanel shows a text that can be scrolled; any other key closes it.
type textPanel struct {
	styles style.Styles
	title  string
	text   []string // rows of "left\tright"
	top    int
	most   int // last top of the last view
}

func (p *textPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.Keystroke() {
	case "up":
		p.scroll(-1)
	case "down":
		p.scroll(1)
	case "pgup":
		p.scroll(-10)
	case "pgdown":
		p.scroll(10)
	default:
		return nil, true
	}
	return nil, false
}

func (p *textPanel) paste(string) {}

func (p *textPanel) scroll(rows int) { p.top = min(max(p.top+rows, 0), p.most) }

func (p *textPanel) view(width, height int) (rows []string, cx, cy int) {
	const left = 22
	rows = append(rows, rule(p.styles, width), p.styles.Bold.Render(style.Cut(p.title, width)))
	room := max(1, height-len(rows))
	p.most = max(0, len(p.text)-room)
	p.scroll(0)
	for _, line := range p.text[p.top:min(p.top+room, len(p.text))] {
		key, what, _ := strings.Cut(line, "\t")
		at := min(left, width/2)
		row := p.styles.Accent.Render(style.Pad(key, at-1)) + " " + style.Cut(what, max(1, width-at))
		rows = append(rows, style.Cut(row, width))
	}
	return rows[:min(len(rows), max(height, 1))], -1, 0
}

func (p *textPanel) setStyles(s style.Styles) { p.styles = s }

func rule(s style.Styles, width int) string {
	return s.Border.Render(strings.Repeat("─", width))
}
