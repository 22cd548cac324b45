package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// panel has the keyboard in the editor's place.
type panel interface {
	// key handles one key; closed says that the panel is done.
	key(k tea.KeyPressMsg) (cmd tea.Cmd, closed bool)
	paste(text string)
	scroll(rows int)
	// click handles a press of the mouse on a row of the last view.
	click(row int) (cmd tea.Cmd, closed bool)
	// view renders at most height rows, in the order that the terminal needs; cx
	// is -1 without a cursor.
	view(width, height int, b flow.Bidi) (rows []string, cx, cy int)
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
	return a.panelDid(p)(p.key(k))
}

// panelDid takes what a panel made of a key or a click.
func (a *app) panelDid(p panel) func(cmd tea.Cmd, closed bool) tea.Cmd {
	return func(cmd tea.Cmd, closed bool) tea.Cmd {
		if closed {
			a.closed(p)
		}
		return cmd
	}
}

// closed takes a panel away that is done.
func (a *app) closed(p panel) {
	switch p {
	case panel(a.question):
		a.question = nil
	case a.panel: // else it has opened another
		a.panel = nil
	}
}

// listPanel shows a picker; done gets what was chosen, or an action of the
// owner's, and reports whether the panel is done.
type listPanel struct {
	picker *picker.Picker
	done   func(picker.Result) (cmd tea.Cmd, closed bool)
	// moved, if set, hears of each item that becomes the selected one.
	moved func(picker.Item)
	// note, if set, tells what stands at the end of the first row now.
	note func() string
	// items, if set, lists what is there now; it is called for each view.
	items func() []picker.Item
	// guarded, if set, reports whether it is too early for an answer.
	guarded func() bool
}

func (p *listPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	return p.does(func() (picker.Result, bool) { return p.picker.Update(k) })
}

func (p *listPanel) click(row int) (tea.Cmd, bool) {
	return p.does(func() (picker.Result, bool) { return p.picker.Click(row) })
}

func (p *listPanel) does(what func() (picker.Result, bool)) (tea.Cmd, bool) {
	before, _ := p.picker.Selected()
	result, closed := what()
	if now, ok := p.picker.Selected(); ok && p.moved != nil && now.ID != before.ID {
		p.moved(now)
	}
	if !closed || p.guarded != nil && p.guarded() {
		return nil, false
	}
	return p.done(result)
}

func (p *listPanel) paste(text string) {
	_, _ = p.does(func() (picker.Result, bool) { p.picker.Paste(text); return picker.Result{}, false })
}

// scroll moves the selection by one item for a notch of the wheel.
func (p *listPanel) scroll(rows int) {
	_, _ = p.does(func() (picker.Result, bool) { p.picker.Move(rows / max(wheelRows, 1)); return picker.Result{}, false })
}

func (p *listPanel) view(width, height int, b flow.Bidi) (rows []string, cx, cy int) {
	if p.note != nil {
		p.picker.SetNote(p.note())
	}
	if p.items != nil {
		p.picker.SetItems(p.items())
	}
	p.picker.SetBidi(b)
	text := p.picker.View(width, height)
	cx, cy = p.picker.Cursor()
	return strings.Split(text, "\n"), cx, cy
}

func (p *listPanel) setStyles(s style.Styles) { p.picker.SetStyles(s) }

// dialogPanel shows a dialog; done gets its result.
type dialogPanel struct {
	dialog *dialog.Dialog
	done   func(dialog.Result) tea.Cmd
}

func (p *dialogPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) { return p.did(p.dialog.Update(k)) }
func (p *dialogPanel) click(row int) (tea.Cmd, bool)         { return p.did(p.dialog.Click(row)) }

func (p *dialogPanel) did(result dialog.Result, answered bool) (tea.Cmd, bool) {
	if !answered {
		return nil, false
	}
	return p.done(result), true
}

func (p *dialogPanel) paste(text string) { p.dialog.Paste(text) }
func (p *dialogPanel) scroll(rows int)   { p.dialog.Scroll(rows) }

func (p *dialogPanel) view(width, height int, b flow.Bidi) (rows []string, cx, cy int) {
	p.dialog.SetBidi(b)
	text := p.dialog.View(width, height)
	cx, cy = p.dialog.Cursor()
	return strings.Split(text, "\n"), cx, cy
}

func (p *dialogPanel) setStyles(s style.Styles) { p.dialog.SetStyles(s) }

// onTop asks something on top of a panel, which comes back with the answer.
func (a *app) onTop(back panel, spec dialog.Spec, done func(dialog.Result) tea.Cmd) {
	spec.Now, spec.Keys = a.o.Now, a.o.Keys
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
	keys   *keymap.Map
	title  string
	text   []string // lines of "left\tright"
	rows   int      // that they take in the last view
	top    int
	page   int // rows of the text in the last view
}

func (p *textPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch p.keys.Action(keymap.Stroke(k), keymap.List, keymap.Choices) {
	case keymap.SelectUp, keymap.ChoiceUp, keymap.TextUp:
		p.scroll(-1)
	case keymap.SelectDown, keymap.ChoiceDown, keymap.TextDown:
		p.scroll(1)
	case keymap.SelectPageUp:
		p.scroll(-max(p.page-1, 1))
	case keymap.SelectPageDown:
		p.scroll(max(p.page-1, 1))
	case keymap.SelectFirst:
		p.scroll(-p.rows)
	case keymap.SelectLast:
		p.scroll(p.rows)
	default:
		return nil, true
	}
	return nil, false
}

func (p *textPanel) paste(string) {}

func (p *textPanel) click(int) (tea.Cmd, bool) { return nil, false }

func (p *textPanel) scroll(rows int) {
	p.top = min(max(p.top+rows, 0), max(0, p.rows-p.page))
}

// view needs no order: the text is the chat's own.
func (p *textPanel) view(width, height int, _ flow.Bidi) (rows []string, cx, cy int) {
	if height > 1 {
		rule, _ := p.styles.Rule(p.title, "", width)
		rows = append(rows, rule)
	}
	text := p.lay(width)
	p.rows, p.page = len(text), max(1, height-len(rows))
	hint := len(text) > p.page && p.page > 2
	if hint {
		p.page--
	}
	p.scroll(0)
	end := min(p.top+p.page, len(text))
	rows = append(rows, text[p.top:end]...)
	if hint {
		text := fmt.Sprintf("rows %d–%d of %d · %s", p.top+1, end, len(text), p.keys.Pair(keymap.SelectPageUp, keymap.SelectPageDown))
		rows = append(rows, p.styles.Muted.Render(style.Cut(text, width)))
	}
	return rows, -1, 0
}

// lay sets the text in two columns; where those would be too narrow, below each
// other.
func (p *textPanel) lay(width int) []string {
	const left = 22
	if width < left+8 {
		return p.stacked(width)
	}
	var rows []string
	at := min(left, width/2)
	for _, line := range p.text {
		key, what, _ := strings.Cut(line, "\t")
		if what == "" { // a heading
			rows = append(rows, p.styles.Accent.Render(style.Cut(key, width)))
			continue
		}
		keys, whats := style.Wrap(key, max(at-1, 1)), style.Wrap(what, max(1, width-at))
		for i := range max(len(keys), len(whats)) {
			key, what := "", ""
			if i < len(keys) {
				key = keys[i]
			}
			if i < len(whats) {
				what = whats[i]
			}
			rows = append(rows, style.Cut(p.styles.Accent.Render(style.Pad(key, at-1))+" "+what, width))
		}
	}
	return rows
}

// stacked sets what a key does below it.
func (p *textPanel) stacked(width int) (rows []string) {
	for _, line := range p.text {
		key, what, _ := strings.Cut(line, "\t")
		if key != "" || what == "" {
			for _, row := range style.Wrap(key, width) {
				rows = append(rows, p.styles.Accent.Render(row))
			}
		}
		if what != "" {
			for _, row := range style.Wrap(what, max(width-2, 1)) {
				rows = append(rows, style.Cut("  "+row, width))
			}
		}
	}
	return rows
}

func (p *textPanel) setStyles(s style.Styles) { p.styles = s }
