package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// setting is one row of the settings panel.
type setting struct {
	title, about string
	values       []string
	value        string
	// set makes a value hold; nil for a setting with a panel of its own.
	set  func(value string) tea.Cmd
	open func() tea.Cmd
}

const (
	on  = "on"
	off = "off"
)

func onOff(yes bool) string {
	if yes {
		return on
	}
	return off
}

// openSettings lets the user change how the chat and the session work. What
// the settings file has a key for is saved there too.
func (a *app) openSettings() tea.Cmd {
	p := &listPanel{}
	p.picker = picker.New(picker.Options{
		Title: "Settings", Styles: a.look.Styles, Ordered: true, Keys: a.o.Keys, Own: keymap.Values,
		Hint: keysFor(a.o.Keys, hint{keymap.NextValue, "next value"}, hint{keymap.PreviousValue, "the one before"}),
	}, settingItems(a.settings()))
	p.items = func() []picker.Item { return settingItems(a.settings()) }
	p.done = func(r picker.Result) (tea.Cmd, bool) {
		if r.Cancelled {
			return nil, true
		}
		list := a.settings()
		i := slices.IndexFunc(list, func(s setting) bool { return s.title == r.Item.ID })
		if i < 0 {
			return nil, false
		}
		if list[i].open != nil {
			return list[i].open(), false
		}
		step := 1
		if r.Action == keymap.PreviousValue {
			step = -1
		}
		return list[i].set(list[i].next(step)), false
	}
	a.panel = p
	return nil
}

// next is the value step places on, round and round.
func (s setting) next(step int) string {
	n := len(s.values)
	return s.values[(slices.Index(s.values, s.value)+step+n)%n]
}

func settingItems(list []setting) []picker.Item {
	items := make([]picker.Item, len(list))
	for i, s := range list {
		items[i] = picker.Item{ID: s.title, Title: s.title, Cells: []string{s.value}, More: s.about}
	}
	return items
}

// settings lists what can be changed, as it is now.
func (a *app) settings() []setting {
	list := a.ownSettings()
	if a.session == nil {
		return list
	}
	v := a.view
	list = append(list, setting{
		title: "Permission mode", about: "What runs without asking, in this session.", values: cycle[:], value: v.Mode,
		set: func(to string) tea.Cmd {
			return a.do("change the permission mode", func(ctx context.Context) error { return a.session.SetMode(ctx, to) })
		},
	})
	if len(v.Model.Levels) > 1 {
		list = append(list, setting{
			title: "Thinking", about: "How much the model thinks, in this session.", values: v.Model.Levels, value: v.Thinking,
			set: func(to string) tea.Cmd {
				return a.do("change the thinking level", func(ctx context.Context) error {
					_, err := a.session.Commands().SetThinking(ctx, llm.Level(to))
					return err
				})
			},
		})
	}
	one := []string{"one-at-a-time", "all"}
	return append(list,
		a.kept("Compact automatically", "Summarise older messages when the context is nearly full.", "compaction.enabled",
			[]string{on, off}, onOff(v.AutoCompaction), func(ctx context.Context, to string) error { return a.session.SetAutoCompaction(ctx, to == on) }),
		a.kept("Retry automatically", "Try again when a provider is overloaded or the connection fails.", "retry.enabled",
			[]string{on, off}, onOff(v.AutoRetry), func(ctx context.Context, to string) error { return a.session.SetAutoRetry(ctx, to == on) }),
		a.kept("Messages while it works", "How many of those that wait the model gets at its next step.", "steeringMode", one, v.SteeringMode, a.session.SetSteeringMode),
		a.kept("Messages for afterwards", "How many of those that wait follow when the work is done.", "followUpMode", one, v.FollowUpMode, a.session.SetFollowUpMode),
		a.kept("A message interrupts", "Wait for the call at work to end, or stop it at once.", "interruptMode",
			[]string{"wait", "immediate"}, v.InterruptMode, a.session.SetInterruptMode),
	)
}

// ownSettings are the chat's.
func (a *app) ownSettings() []setting {
	var list []setting
	if a.o.Themes != nil {
		list = append(list, setting{title: "Theme", about: "The colours; Enter shows them all.", value: a.o.Theme.Name, open: a.themesFromSettings})
	}
	toggle := func(title, about string, value *bool, then func() tea.Cmd) setting {
		return setting{title: title, about: about, values: []string{on, off}, value: onOff(*value), set: func(to string) tea.Cmd {
			*value = to == on
			return then()
		}}
	}
	screen := Fullscreen
	if a.inline {
		screen = Inline
	}
	_, vim := a.editor.VimMode()
	return append(list,
		setting{title: "Screen", about: "One of its own, or the normal one with the terminal's scrollback (/tui).", values: []string{Fullscreen, Inline}, value: screen, set: func(to string) tea.Cmd {
			a.setInline(to == Inline)
			return a.keep("tui.mode", to)
		}},
		setting{title: "Vim keys", about: "The prompt has vim's modes; Esc leaves writing.", values: []string{on, off}, value: onOff(vim), set: a.setVim},
		setting{title: "Notify", about: "Tell when it ends or asks while you look elsewhere.", values: []string{NotifyAuto, NotifyBell, off}, value: a.o.Notify, set: func(to string) tea.Cmd {
			a.o.Notify = to
			return a.keep("tui.notify", to)
		}},
		toggle("Progress", "The terminal's tab or taskbar shows that it works.", &a.o.Progress, func() tea.Cmd { return a.keep("tui.progress", a.o.Progress) }),
		toggle("Show all", "Thinking and long outputs are shown whole (Ctrl+O).", &a.look.Expanded, func() tea.Cmd { a.story.list.Invalidate(); return nil }),
		toggle("Tasks", "The model's task list stands above the prompt (Ctrl+T).", &a.showTodos, func() tea.Cmd { return nil }),
		toggle("Leave the mouse", "The terminal selects with the mouse; the chat doesn't scroll with it (F2).", &a.mouseFree, func() tea.Cmd { return a.keep("tui.mouse", !a.mouseFree) }),
	)
}

// kept is a setting of the session's that is saved as well.
func (a *app) kept(title, about, key string, values []string, value string, set func(ctx context.Context, to string) error) setting {
	return setting{title: title, about: about, values: values, value: value, set: func(to string) tea.Cmd {
		return a.do("change the setting", func(ctx context.Context) error {
			if err := set(ctx, to); err != nil || a.o.Save == nil {
				return err
			}
			if values[0] == on {
				return a.o.Save(ctx, key, to == on)
			}
			return a.o.Save(ctx, key, to)
		})
	}}
}
