package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// searchHistory opens the list of earlier prompts, latest first.
func (a *app) searchHistory() tea.Cmd {
	seen := map[string]bool{}
	var items []picker.Item
	past := a.editor.History()
	for i := len(past) - 1; i >= 0; i-- {
		if text := past[i]; !seen[text] {
			seen[text] = true
			items = append(items, picker.Item{ID: text, Title: text})
		}
	}
	if len(items) == 0 {
		a.hint = "There are no earlier prompts yet"
		return nil
	}
	list := picker.New(picker.Options{Title: "Earlier prompts", Styles: a.look.Styles, Keys: a.o.Keys}, items)
	list.SetFilter(a.editor.Value())
	a.panel = &historyPanel{keys: a.o.Keys, listPanel: listPanel{picker: list, done: func(r picker.Result) (tea.Cmd, bool) {
		if !r.Cancelled {
			a.editor.ReplaceAll(r.Item.ID)
		}
		return nil, true
	}}}
	return nil
}

// historyPanel is the list of earlier prompts. The key that opened it goes on
// to the next one.
type historyPanel struct {
	listPanel
	keys *keymap.Map
}

func (p *historyPanel) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if slices.Contains(p.keys.Actions(keymap.Stroke(k), keymap.Chat), keymap.HistorySearch) {
		p.picker.Move(1)
		return nil, false
	}
	return p.listPanel.key(k)
}
