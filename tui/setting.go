package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// Setting is a key of the settings files as it holds now.
type Setting struct {
	Key   string // dotted
	Value string // as JSON
	From  string // the file or the flag that sets it; "" is the default
	File  string // the user's file, which a change goes to
	About string // what it is, in a sentence
	// Place makes the file that sets it, else the user's, if it isn't there, and
	// tells the line (from 1) to change; nil: that can't be told.
	Place func() (path string, line int, err error)
}

// setting is one row of the settings.
type setting struct {
	group, title, about string

	key    string // in the settings file; "" for one that isn't kept there
	form   config.Form
	file   Setting // what the files say of it
	values []string
	value  string

	// set makes a value hold in the session, local in the chat; either may be
	// nil. open is for one with a panel of its own.
	set   func(ctx context.Context, to string) error
	local func(to string)
	open  func() tea.Cmd
}

func settingItems(list []setting, home string) []picker.Item {
	items := make([]picker.Item, len(list))
	for i, s := range list {
		items[i] = picker.Item{
			ID: s.title, Title: s.title, Group: s.group, Cells: []string{s.value}, More: s.more(home),
			Dim: !s.changes(),
		}
	}
	return items
}

// screenNow is what the chat's own settings are.
type screenNow struct {
	theme, screen, notify string
	vim, progress, mouse  bool
}

// chatSettings are the chat's own that the settings file has.
func chatSettings(now screenNow, themes Themes) []setting {
	var list []setting
	if themes != nil {
		list = append(list, setting{title: "Theme", key: "theme", about: "The colours; choosing it shows them all.", values: themes.Names(), value: now.theme})
	}
	list = append(list,
		setting{title: "Screen", key: "tui.mode", about: "One of its own, or the normal one with the terminal's scrollback (/tui).", values: []string{Fullscreen, Inline}, value: now.screen},
		setting{title: "Vim keys", key: "tui.vim", about: "The prompt has vim's modes; Esc leaves writing.", values: []string{on, off}, value: onOff(now.vim)},
		setting{title: "Notify", key: "tui.notify", about: "Tell when it ends or asks while you look elsewhere.", values: []string{NotifyAuto, NotifyBell, off}, value: now.notify},
		setting{title: "Progress", key: "tui.progress", about: "The terminal's tab or taskbar shows that it works.", values: []string{on, off}, value: onOff(now.progress)},
		setting{title: "Mouse", key: "tui.mouse", about: "The chat scrolls, selects and clicks with it; off leaves it to the terminal.", values: []string{on, off}, value: onOff(now.mouse)},
	)
	for i := range list {
		list[i].group = "The chat"
	}
	return list
}

// sessionSettings are those of a session.
func sessionSettings(s Session, v event.View) []setting {
	list := []setting{{title: "Permission mode", about: "What runs without asking, in this session.", values: cycle[:], value: v.Mode, set: s.SetMode}}
	if len(v.Model.Levels) > 1 {
		list = append(list, setting{title: "Thinking", about: "How much the model thinks, in this session.", values: v.Model.Levels, value: v.Thinking,
			set: func(ctx context.Context, to string) error {
				_, err := s.Commands().SetThinking(ctx, llm.Level(to))
				return err
			}})
	}
	switched := func(set func(context.Context, bool) error) func(context.Context, string) error {
		return func(ctx context.Context, to string) error { return set(ctx, to == on) }
	}
	one := []string{"one-at-a-time", "all"}
	list = append(list,
		setting{title: "Compact automatically", key: "compaction.enabled", about: "Summarise older messages when the context is nearly full.",
			values: []string{on, off}, value: onOff(v.AutoCompaction), set: switched(s.SetAutoCompaction)},
		setting{title: "Retry automatically", key: "retry.enabled", about: "Try again when a provider is overloaded or the connection fails.",
			values: []string{on, off}, value: onOff(v.AutoRetry), set: switched(s.SetAutoRetry)},
		setting{title: "Messages while it works", key: "steeringMode", about: "How many of those that wait the model gets at its next step.", values: one, value: v.SteeringMode, set: s.SetSteeringMode},
		setting{title: "Messages for afterwards", key: "followUpMode", about: "How many of those that wait follow when the work is done.", values: one, value: v.FollowUpMode, set: s.SetFollowUpMode},
		setting{title: "A message interrupts", key: "interruptMode", about: "Wait for the call at work to end, or stop it at once.", values: []string{"wait", "immediate"}, value: v.InterruptMode, set: s.SetInterruptMode},
	)
	for i := range list {
		list[i].group = "This session"
	}
	return list
}

// inFiles tells of settings where they are from, and adds those that only the
// files have: they hold from the next start on.
func inFiles(list []setting, files []Setting) []setting {
	for _, f := range files {
		form := config.FormOf(f.Key)
		if i := slices.IndexFunc(list, func(s setting) bool { return s.key == f.Key }); i >= 0 {
			list[i].file, list[i].form = f, form
			continue
		}
		s := setting{group: "Settings files, from the next start on", title: f.Key, key: f.Key, file: f, form: form, about: f.About, value: shown(f.Value), values: form.Values}
		if form.Kind == config.Switch {
			s.values, s.value = []string{on, off}, onOff(f.Value == "true")
		}
		list = append(list, s)
	}
	return list
}
