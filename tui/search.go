package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// searchPanel looks for text in the conversation, which stays in sight.
type searchPanel struct {
	app    *app
	field  *editor.Editor
	styles style.Styles
}

func (a *app) openSearch() {
	p := &searchPanel{app: a, styles: a.look.Styles}
	p.field = editor.New(editor.Options{Prompt: "Search: ", Now: a.o.Now, Keys: a.o.Keys, Styles: a.look.Styles})
	a.panel = p
}

func (p *searchPanel) list() *transcript.List { return &p.app.story.list }

func (p *searchPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	stroke := keymap.Stroke(k)
	if stroke == "ctrl+c" {
		p.list().Search("")
		return nil, true
	}
	for _, action := range p.app.o.Keys.Actions(stroke, keymap.List, keymap.Chat) {
		switch action {
		case keymap.SelectCancel:
			p.list().Search("")
			return nil, true
		case keymap.SelectConfirm, keymap.SelectUp:
			p.list().NextMatch(-1)
			return nil, false
		case keymap.SelectDown, keymap.Search:
			p.list().NextMatch(1)
			return nil, false
		case keymap.SelectPageUp:
			p.list().Page(-1)
			return nil, false
		case keymap.SelectPageDown:
			p.list().Page(1)
			return nil, false
		}
	}
	if p.field.Update(k) == editor.Changed {
		p.look()
	}
	return nil, false
}

func (p *searchPanel) look() { p.list().Search(oneLine(p.field.Value())) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (p *searchPanel) paste(text string) {
	p.field.Insert(oneLine(text))
	p.look()
}

func (p *searchPanel) click(int) (tea.Cmd, bool) { return nil, false }

func (p *searchPanel) scroll(rows int) { p.list().Scroll(rows) }

func (p *searchPanel) setStyles(s style.Styles) {
	p.styles = s
	p.field.SetStyles(s)
}

func (p *searchPanel) view(width, height int, b flow.Bidi) (rows []string, cx, cy int) {
	if height > 2 {
		rule, _ := p.styles.Rule("", "", width)
		rows = append(rows, rule)
	}
	cx, cy = 0, len(rows)
	p.field.SetReorder(b.Reorder)
	text := p.field.View(width, 1)
	x, _ := p.field.Cursor()
	rows = append(rows, text)
	if height > 1 {
		rows = append(rows, p.styles.Muted.Render(style.Cut(p.told(), width)))
	}
	return rows, cx + x, cy
}

// told says which match is shown and what can be done.
func (p *searchPanel) told() string {
	n, total := p.list().Match()
	switch {
	case p.field.Empty():
		return "Type what to look for · " + p.leave()
	case total == 0:
		return "Not found · " + p.leave()
	}
	keys := p.app.o.Keys
	return fmt.Sprintf("%d/%d · %s earlier · %s later · %s", n, total, keys.Pair(keymap.SelectUp, ""), keys.Pair("", keymap.SelectDown), p.leave())
}

func (p *searchPanel) leave() string {
	return cmp.Or(p.app.o.Keys.Key(keymap.SelectCancel), "Ctrl+C") + " closes"
}
