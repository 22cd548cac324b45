package tui

import (
	"context"
	"slices"

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
	m.chosen = func(it picker.Item, _ string) bool {
		s := list[slices.IndexFunc(list, func(s setting) bool { return s.title == it.ID })]
		switch len(s.values) {
		case 0:
			f.print("hoopoe config edit changes " + s.key + ".\n> ")
			return false
		case 2:
			f.set(s, s.next(1))
		default:
			f.choose(s)
			return false
		}
		return true
	}
	return m, nil
}

// choose lets the user pick one of a setting's values.
func (f *flat) choose(s setting) {
	var items []picker.Item
	for _, value := range s.values {
		items = append(items, picker.Item{ID: value, Title: value, Current: value == s.value})
	}
	m := newMenu(s.title, "", items)
	m.chosen = func(it picker.Item, _ string) bool {
		f.set(s, it.ID)
		return true
	}
	f.menu = m
	f.print(m.page())
}

func (f *flat) set(s setting, to string) {
	if s.local != nil {
		s.local(to)
	}
	f.change("change the setting", func(ctx context.Context) error { return s.save(ctx, &f.o, to) }, f.settings(f.now))
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
