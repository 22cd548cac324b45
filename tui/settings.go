package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/dialog"
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
		Hint: keysFor(a.o.Keys, hint{keymap.SelectConfirm, "changes"}, hint{keymap.NextValue, "next value"}, hint{keymap.PreviousValue, "the one before"}),
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
	if r.Cancelled {
		return nil, true
	}
	list := p.list()
	i := slices.IndexFunc(list, func(s setting) bool { return s.title == r.Item.ID })
	if i < 0 {
		return nil, false
	}
	return p.change(list[i], r.Action), false
}

// change goes to the next value or the one before, or lets the user choose or
// write one.
func (p *settingsPanel) change(s setting, action keymap.Action) tea.Cmd {
	switch {
	case s.open != nil:
		return s.open()
	case s.written():
		p.write(s, s.text(), nil)
		return nil
	case len(s.values) == 0:
		return p.visit(s)
	case action == keymap.PreviousValue:
		return p.take(s, s.next(-1))
	case action == keymap.NextValue || s.switched():
		return p.take(s, s.next(1))
	}
	p.choose(s)
	return nil
}

// take makes one of the values hold.
func (p *settingsPanel) take(s setting, to string) tea.Cmd {
	if s.local != nil {
		s.local(to)
	}
	return p.keep(s, func(ctx context.Context) error { return s.save(ctx, &p.app.o, to) }, nil)
}

// keep keeps a change and reads the files again. A failure goes to failed while
// the panel is open, else it is told.
func (p *settingsPanel) keep(s setting, do func(ctx context.Context) error, failed func(error)) tea.Cmd {
	a := p.app
	return a.later("change the setting", func(ctx context.Context) (func() tea.Cmd, error) {
		err := do(ctx)
		if err != nil && failed == nil {
			return nil, err
		}
		return func() tea.Cmd {
			switch {
			case err == nil:
				a.hint = s.changed(a.o.home())
				return p.read()
			case a.panel == panel(p):
				failed(err)
			default:
				a.story.notice("error", capital(err.Error()))
			}
			return nil
		}, nil
	})
}

// standardID is the choice of the default.
const standardID = "\x00"

// choose lists the values of a setting.
func (p *settingsPanel) choose(s setting) {
	a := p.app
	spec := dialog.Spec{Title: s.title, Why: strings.TrimSpace(s.about + "\n" + s.goes(a.o.home()))}
	for i, value := range s.values {
		spec.Choices = append(spec.Choices, dialog.Choice{ID: value, Label: value})
		if value == s.value {
			spec.Selected = i
		}
	}
	if s.clears() {
		spec.Choices = append(spec.Choices, dialog.Choice{ID: standardID, Label: "the default: " + s.standard()})
	}
	a.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		switch r.ID {
		case s.value:
			return nil
		case standardID:
			if s.local != nil {
				s.local(s.standard())
			}
			return p.keep(s, func(ctx context.Context) error { return s.clear(ctx, &a.o) }, nil)
		}
		return p.take(s, r.ID)
	})
}

// write lets the user write a value. With one that can't be taken it opens again
// and tells why; what was written stays.
func (p *settingsPanel) write(s setting, text string, wrong error) {
	a := p.app
	why := strings.TrimSpace(s.about+"\nEmpty is the default: "+s.standard()+".\n") + "\n" + s.goes(a.o.home())
	if wrong != nil {
		why = "! " + wrong.Error() + ".\n" + why
	}
	spec := dialog.Spec{Title: s.title, Why: why, Field: dialog.Field{Value: text, Placeholder: s.standard()}}
	a.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		if r.Text == s.text() || r.Text == "" && !s.clears() {
			return nil
		}
		value, err := s.read(r.Text)
		if err != nil {
			p.write(s, r.Text, err)
			return nil
		}
		return p.keep(s, func(ctx context.Context) error { return s.keep(ctx, &a.o, value) }, func(err error) { p.write(s, r.Text, err) })
	})
}

// visit opens the file at the setting's line in the user's editor, or tells where
// that is.
func (p *settingsPanel) visit(s setting) tea.Cmd {
	a := p.app
	visual := FindVisual(a.o.getenv)
	if s.file.Place == nil || visual == "" {
		a.hint = "It stands in " + shortPath(cmp.Or(s.file.From, s.file.File), "", a.o.home()) + "; EDITOR would open it here"
		return nil
	}
	return a.later("open the file", func(context.Context) (func() tea.Cmd, error) {
		path, line, err := s.file.Place()
		return func() tea.Cmd {
			return a.visit(visual, path, line, func(err error) tea.Msg {
				return laterMsg(func() tea.Cmd {
					a.back()
					if err != nil {
						a.story.notice("error", capital(err.Error()))
					}
					return p.read()
				})
			})
		}, err
	})
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
