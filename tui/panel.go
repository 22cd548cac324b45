package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

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

func (a *app) panelKey(k tea.KeyPressMsg) tea.Cmd {
	cmd, closed := a.panel.key(k)
	if closed {
		a.panel = nil
	}
	return cmd
}

// listPanel shows a picker; done gets what was chosen.
type listPanel struct {
	picker *picker.Picker
	styles style.Styles
	done   func(picker.Result) tea.Cmd
}

func (p *listPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	result, closed := p.picker.Update(k)
	if !closed {
		return nil, false
	}
	return p.done(result), true
}

func (p *listPanel) paste(text string) { p.picker.Paste(text) }

func (p *listPanel) scroll(rows int) {
	code := tea.KeyDown
	if rows < 0 {
		code = tea.KeyUp
	}
	p.picker.Update(tea.KeyPressMsg{Code: code})
}

func (p *listPanel) view(width, height int) (rows []string, cx, cy int) {
	if height > 2 {
		rows = append(rows, rule(p.styles, width))
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
