// Package keymap is the one table of what keys do.
//
//	table (action, default keys, what it does) ──┐
//	keybindings.json ──▶ map[string][]string ────┴▶ New ──▶ Map ──▶ Actions(stroke): the chat, the editor
//	                                                 │       ├────▶ Help: /hotkeys
//	                                                 └▶ Problems     └──▶ Keys: hints on the screen
//	tea.KeyPressMsg ──▶ Stroke ──▶ "ctrl+p"
//
// An action has a context, which says where the keyboard must be, and any
// number of keys. Who handles keys asks for the actions of a stroke in the
// contexts that count, the nearest first, and tries them in that order: an
// action with a condition (exit: only in an empty prompt) may decline.
//
// A user's keys for an action take the place of its default keys, and a key
// that the user gives to one action is no default of another any more. An
// empty list leaves an action without keys. A name that begins with a slash
// is a command of the chat: "/review src" can have a key like any action.
package keymap

import (
	"slices"
	"strings"
)

// Action names what a key does. The names are those of keybindings.json.
type Action string

// Context is where the keyboard is.
type Context string

// The contexts.
const (
	Global Context = "global" // everywhere, unless a list or a popup takes the key
	Popup  Context = "popup"  // completions are shown above the prompt
	List   Context = "list"   // a list or a dialog has the keyboard
	Chat   Context = "chat"   // the prompt has the keyboard; asked before Editor
	Editor Context = "editor" // the text of the prompt, of a field and of a filter

	// Lists of their own kind; asked before List.
	Choices  Context = "choices"  // nothing can be typed: a dialog's choices, a text
	Sessions Context = "sessions" // the saved sessions
	Tree     Context = "tree"     // the session's tree
	Values   Context = "values"   // the settings
	Rules    Context = "rules"    // the permissions
)

// overlaps reports whether a key can have only one meaning in both contexts.
// Popups and lists are asked before the others and hide their keys on purpose.
func (c Context) overlaps(other Context) bool {
	prompt := func(c Context) bool { return c == Global || c == Chat || c == Editor }
	special := func(c Context) bool { return !prompt(c) && c != Popup && c != List }
	return c == other || prompt(c) && prompt(other) || c == List && special(other) || other == List && special(c)
}

// Entry is one row of the table.
type Entry struct {
	Action  Action
	In      Context
	Keys    []string // in the form that Parse returns
	Text    string   // what it does
	Section string   // its title in the help
	// When says under which condition the action takes the key; otherwise the
	// key goes on to the next action that has it. "" is always.
	When string
	// Command is the slash command that the action stands for, or "".
	Command string
	Aliases []string // other names in keybindings.json
}

// Map tells what keys do. It doesn't change and may be shared.
type Map struct {
	entries []Entry
	byKey   map[Context]map[string][]Action
}

// Default returns the map without any keys of the user's.
func Default() *Map {
	m, _ := New(nil)
	return m
}

// index builds the way from keys to actions. An action with a condition comes
// before one without: that one would leave it nothing.
func (m *Map) index() {
	m.byKey = map[Context]map[string][]Action{}
	for _, conditional := range []bool{true, false} {
		for _, e := range m.entries {
			if (e.When != "") != conditional {
				continue
			}
			if m.byKey[e.In] == nil {
				m.byKey[e.In] = map[string][]Action{}
			}
			for _, k := range e.Keys {
				m.byKey[e.In][k] = append(m.byKey[e.In][k], e.Action)
			}
		}
	}
}

// Actions returns what a stroke, as Stroke returns it, means in these
// contexts: those of the first context first, and in it those with a
// condition first. The caller takes the first one that applies.
func (m *Map) Actions(stroke string, in ...Context) []Action {
	var found []Action
	for _, c := range in {
		found = append(found, m.byKey[c][stroke]...)
	}
	return found
}

// Action returns the first of Actions, or "".
func (m *Map) Action(stroke string, in ...Context) Action {
	for _, c := range in {
		if a := m.byKey[c][stroke]; len(a) > 0 {
			return a[0]
		}
	}
	return ""
}

// Entry returns the row of an action with the keys that it has now.
func (m *Map) Entry(a Action) (Entry, bool) {
	i := slices.IndexFunc(m.entries, func(e Entry) bool { return e.Action == a })
	if i < 0 {
		return Entry{}, false
	}
	return m.entries[i], true
}

// Command returns the slash command that an action stands for, or "".
func (m *Map) Command(a Action) string {
	e, _ := m.Entry(a)
	return e.Command
}

// Key returns the first key of an action as it is shown ("Ctrl+O"), or "" if
// it has none: then a hint should name the command instead.
func (m *Map) Key(a Action) string {
	e, _ := m.Entry(a)
	if len(e.Keys) == 0 {
		return ""
	}
	return Label(e.Keys[0])
}

// Pair names the keys of two actions that belong together: "↑/↓", "PgUp/PgDn",
// "Shift+↑/↓". An action without a key leaves the other's.
func (m *Map) Pair(one, two Action) string {
	arrows := strings.NewReplacer("PgUp", "PgUp", "Up", "↑", "Down", "↓", "Left", "←", "Right", "→")
	a, b := arrows.Replace(m.Key(one)), arrows.Replace(m.Key(two))
	if at := strings.LastIndexByte(a, '+') + 1; at > 0 && at < len(a) && strings.HasPrefix(b, a[:at]) && len(b) > at {
		b = b[at:]
	}
	return strings.Trim(a+"/"+b, "/")
}

// Names lists the actions of the table, in the order of the help.
func Names() []Action {
	var names []Action
	for _, e := range table() {
		names = append(names, e.Action)
	}
	return names
}
