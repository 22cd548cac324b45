package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// settingsPanel is the list of settings.
type settingsPanel struct {
	listPanel
	app   *app
	files []Setting // as they were read last
}

// openSettings lets the user change how the chat and the session work. What
// the settings file has a key for is saved there too.
func (a *app) openSettings() tea.Cmd {
	p := &settingsPanel{app: a}
	p.listPanel = listPanel{done: p.chosen, items: func() []picker.Item { return settingItems(p.list(), a.o.home()) }}
	p.picker = picker.New(picker.Options{
		Title: "Settings", Styles: a.look.Styles, Ordered: true, Keys: a.o.Keys, Own: keymap.Values,
		Hint: keysFor(a.o.Keys, hint{keymap.NextValue, "next value"}, hint{keymap.PreviousValue, "the one before"}),
	}, p.items())
	a.panel = p
	return p.read()
}

// read finds out where settings are from.
func (p *settingsPanel) read() tea.Cmd {
	a := p.app
	if a.o.Settings == nil {
		return nil
	}
	return a.later("read the settings", func(ctx context.Context) (func() tea.Cmd, error) {
		files, err := a.o.Settings(ctx)
		return func() tea.Cmd {
			p.files = files
			p.picker.SetItems(p.items())
			return nil
		}, err
	})
}

// list is what can be changed, as it is now.
func (p *settingsPanel) list() []setting {
	a := p.app
	list := a.ownSettings()
	if a.session != nil {
		list = append(list, sessionSettings(a.session, a.view)...)
	}
	return inFiles(list, p.files)
}

func (p *settingsPanel) chosen(r picker.Result) (tea.Cmd, bool) {
	a := p.app
	if r.Cancelled {
		return nil, true
	}
	list := p.list()
	i := slices.IndexFunc(list, func(s setting) bool { return s.title == r.Item.ID })
	if i < 0 {
		return nil, false
	}
	s, step := list[i], 1
	if r.Action == keymap.PreviousValue {
		step = -1
	}
	to := s.next(step)
	switch {
	case s.open != nil:
		return s.open(), false
	case to == "":
		a.hint = "hoopoe config edit changes " + s.key
		return nil, false
	case s.local != nil:
		s.local(to)
	}
	return a.later("change the setting", func(ctx context.Context) (func() tea.Cmd, error) {
		return p.read, s.save(ctx, &a.o, to)
	}), false
}

// ownSettings are the chat's.
func (a *app) ownSettings() []setting {
	screen := Fullscreen
	if a.inline {
		screen = Inline
	}
	_, vim := a.editor.VimMode()
	now := screenNow{theme: a.o.Theme.Name, screen: screen, notify: a.o.Notify, vim: vim, progress: a.o.Progress, mouse: !a.mouseFree}
	list := chatSettings(now, a.o.Themes)
	for i := range list {
		s := &list[i]
		switch s.key {
		case "theme":
			s.open = a.themesFromSettings
		case "tui.mode":
			s.local = func(to string) { a.setInline(to == Inline) }
		case "tui.vim":
			s.local = func(to string) { a.editor.SetVim(to == on) }
		case "tui.notify":
			s.local = func(to string) { a.o.Notify = to }
		case "tui.progress":
			s.local = func(to string) { a.o.Progress = to == on }
		case "tui.mouse":
			s.local = func(to string) { a.mouseFree = to == off }
		}
	}
	return append(list,
		setting{group: "The chat", title: "Show all", about: "Thinking and long outputs are shown whole (Ctrl+O), until the chat is left.", values: []string{on, off}, value: onOff(a.look.Expanded), local: func(to string) {
			a.look.Expanded = to == on
			a.story.list.Invalidate()
		}},
		setting{group: "The chat", title: "Tasks", about: "The model's task list stands above the prompt (Ctrl+T), until the chat is left.", values: []string{on, off}, value: onOff(a.showTodos), local: func(to string) {
			a.showTodos = to == on
		}},
	)
}
