package tui

import (
	"cmp"
	"context"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// settings lists them with what each is; the chat's own hold when it is started
// on a screen.
func (f *flat) settings(now screenNow) lister {
	return func(ctx context.Context) (*menu, error) { return f.settingsMenu(ctx, now) }
}

func (f *flat) settingsMenu(ctx context.Context, now screenNow) (*menu, error) {
	v, err := f.session.Commands().View(ctx)
	if err != nil {
		return nil, err
	}
	list := append(f.ownSettings(now), sessionSettings(f.session, v)...)
	if f.o.Settings != nil {
		files, err := f.o.Settings(ctx)
		if err != nil {
			return nil, err
		}
		list = inFiles(list, files)
	}
	m := newMenu("Settings", "", settingItems(list, f.o.home()))
	m.told = true
	m.chosen = func(it picker.Item, rest string) bool {
		s := list[slices.IndexFunc(list, func(s setting) bool { return s.title == it.ID })]
		switch {
		case s.switched():
			f.set(s, s.next(1))
			return true
		case s.written():
			return f.write(s, rest)
		case len(s.values) > 0:
			f.choose(s)
		default:
			f.print("It is changed in " + sanitize.Line(cmp.Or(s.file.From, s.file.File)) + "; hoopoe config edit opens your own. It holds from the next start on.\n> ")
		}
		return false
	}
	return m, nil
}

// choose lets the user pick one of a setting's values.
func (f *flat) choose(s setting) {
	var items []picker.Item
	for _, value := range s.values {
		items = append(items, picker.Item{ID: value, Title: value, Current: value == s.value})
	}
	if s.clears() {
		items = append(items, picker.Item{ID: standardID, Title: "the default: " + s.standard()})
	}
	m := newMenu(s.title, s.goes(f.o.home()), items)
	m.chosen = func(it picker.Item, _ string) bool {
		if it.ID == standardID {
			f.reset(s)
		} else {
			f.set(s, it.ID)
		}
		return true
	}
	f.menu = m
	f.print(m.page())
}

// write takes the value behind a setting's number, or asks for it. It reports
// whether the list is done.
func (f *flat) write(s setting, text string) bool {
	if text == "" {
		items := []picker.Item{{ID: s.key, Title: "the value that you write behind this number", Cells: []string{s.value + " now"}}}
		if s.clears() {
			items = append(items, picker.Item{ID: standardID, Title: "the default: " + s.standard()})
		}
		m := newMenu(s.title, s.goes(f.o.home()), items)
		m.chosen = func(it picker.Item, rest string) bool {
			switch {
			case it.ID == standardID:
				f.reset(s)
				return true
			case rest == "":
				f.print("Write it behind the number: 1 VALUE\n> ")
				return false
			}
			return f.write(s, rest)
		}
		f.menu = m
		f.print(m.page())
		return false
	}
	value, err := s.read(text)
	if err != nil {
		f.print("! " + sanitize.Line(err.Error()) + ".\n> ")
		return false
	}
	f.keep(s, func(ctx context.Context) error { return s.keep(ctx, &f.o, value) })
	return true
}

func (f *flat) set(s setting, to string) {
	if s.local != nil {
		s.local(to)
	}
	f.keep(s, func(ctx context.Context) error { return s.save(ctx, &f.o, to) })
}

// reset goes back to the default.
func (f *flat) reset(s setting) {
	if s.local != nil {
		s.local(s.standard())
	}
	f.keep(s, func(ctx context.Context) error { return s.clear(ctx, &f.o) })
}

// keep keeps a change, says what can't be seen of it, and lists the settings again.
func (f *flat) keep(s setting, do func(ctx context.Context) error) {
	f.change("change the setting", func(ctx context.Context) error {
		err := do(ctx)
		if told := s.changed(f.o.home()); err == nil && told != "" {
			f.onLoop(func() { f.say("·", told+".") })
		}
		return err
	}, f.settings(f.now))
}

// ownSettings are the chat's.
func (f *flat) ownSettings(now screenNow) []setting {
	list := chatSettings(now, f.o.Themes)
	for i := range list {
		s := &list[i]
		s.group = "The chat, on a screen"
		switch s.key {
		case "theme":
			s.local = func(to string) { f.now.theme = to }
		case "tui.mode":
			s.local = func(to string) { f.now.screen = to }
		case "tui.vim":
			s.local = func(to string) { f.now.vim = to == on }
		case "tui.notify":
			s.local = func(to string) { f.now.notify = to }
		case "tui.progress":
			s.local = func(to string) { f.now.progress = to == on }
		case "tui.mouse":
			s.local = func(to string) { f.now.mouse = to == on }
		}
	}
	return list
}
