package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// command is a slash command that is a panel here. With an argument it is the
// registry's, as in every other face; what a panel chooses is sent as one.
type command struct {
	names   []string
	summary string
	open    func(*app) tea.Cmd
	// with, if set, takes an argument: this command is the chat's alone.
	with  func(a *app, args string) tea.Cmd
	args  string
	lines lister // in place of open, on a terminal that has lines alone
}

// opens is how the panel opens, or the command runs with an argument.
func (c command) opens(args string) func(*app) tea.Cmd {
	if c.with == nil {
		return c.open
	}
	return func(a *app) tea.Cmd { return c.with(a, args) }
}

// hint is what an action's key does, in a word or two.
type hint struct {
	action keymap.Action
	does   string
}

// keysFor lists keys and what they do; an action without a key is left out.
func keysFor(keys *keymap.Map, hints ...hint) string {
	var parts []string
	for _, h := range hints {
		if key := keys.Pair(h.action, ""); key != "" {
			parts = append(parts, key+" "+h.does)
		}
	}
	return strings.Join(parts, " · ")
}

// panels lists those that can be opened.
func (a *app) panels() []command {
	list := []command{
		{names: []string{"model", "models"}, summary: "Choose the model", open: (*app).openModels},
		{names: []string{"tree"}, summary: "Show the branches of the session, go back, set labels", open: (*app).openTree},
		{names: []string{"settings"}, summary: "Change the settings of the chat and of this session", open: (*app).openSettings},
		{names: []string{"permissions", "approvals"}, summary: "Choose what runs without asking; see the rules", open: (*app).openPermissions},
		{names: []string{"doctor"}, summary: "Ask the terminal what it can do", open: (*app).doctor},
		{names: []string{"tui"}, args: "[fullscreen|inline]", summary: "Use a screen of its own, or the normal one and its scrollback", with: (*app).commandTUI},
		{names: []string{"vim"}, args: "[on|off]", summary: "Turn vim's keys on or off", with: (*app).commandVim},
		{names: []string{"help", "?"}, summary: "List the commands", open: (*app).openHelp},
		{names: []string{"hotkeys", "keybindings"}, summary: "Show what keys do", open: func(a *app) tea.Cmd { a.openKeys(); return nil }},
	}
	if a.o.Sessions != nil {
		list = append(list, command{names: []string{"resume", "sessions"}, summary: "Go back to an earlier session, rename and delete them", open: (*app).openSessions})
	}
	if a.o.Themes != nil {
		list = append(list, command{names: []string{"theme", "themes"}, summary: "Choose the colours", open: (*app).openThemes})
	}
	return list
}

// panelFor finds the panel that a text asks for: by its name alone, or by the
// beginning of one that no other command begins with.
func (a *app) panelFor(text string) (open func(*app) tea.Cmd, ok bool) {
	name, args, ok := slash.Split(strings.TrimRight(text, " \t"))
	if !ok {
		return nil, false
	}
	for _, c := range a.panels() {
		if c.with != nil && slices.Contains(c.names, name) {
			return c.opens(args), true
		}
	}
	if args != "" {
		return nil, false
	}
	var begin []command
	for _, c := range a.panels() {
		if slices.Contains(c.names, name) {
			return c.opens(""), true
		}
		if slices.ContainsFunc(c.names, func(n string) bool { return strings.HasPrefix(n, name) }) {
			begin = append(begin, c)
		}
	}
	if len(begin) != 1 {
		return nil, false
	}
	for _, c := range a.catalog {
		for _, n := range c.Names() {
			if n = strings.ToLower(n); n == name || strings.HasPrefix(n, name) && !slices.Contains(begin[0].names, c.Name) {
				return nil, false
			}
		}
	}
	return begin[0].opens(""), true
}

// withPanels adds the panels that have no command of their name.
func (a *app) withPanels(catalog []slash.Command) []slash.Command {
	return withPanels(catalog, a.panels())
}

func withPanels(catalog []slash.Command, panels []command) []slash.Command {
	catalog = slices.Clone(catalog)
	for _, p := range panels {
		for i := range catalog { // what is a panel here is no other command's alias
			if c := &catalog[i]; !slices.Contains(p.names, c.Name) {
				c.Aliases = slices.DeleteFunc(slices.Clone(c.Aliases), func(name string) bool { return slices.Contains(p.names, name) })
			}
		}
		if !slices.ContainsFunc(catalog, func(c slash.Command) bool { return slices.Contains(p.names, c.Name) }) {
			catalog = append(catalog, slash.Command{Name: p.names[0], Aliases: p.names[1:], Args: p.args, Summary: p.summary})
		}
	}
	return catalog
}

// laterMsg brings what was found out off the loop to the loop.
type laterMsg func() tea.Cmd

// later runs find off the loop, and what it returns on the loop. An error
// becomes a notice.
func (a *app) later(what string, find func(ctx context.Context) (show func() tea.Cmd, err error)) tea.Cmd {
	return func() tea.Msg {
		show, err := find(a.ctx)
		if err != nil {
			return failedMsg{what, err}
		}
		return laterMsg(show)
	}
}

// run sends a command as if it had been typed.
func (a *app) run(text string) tea.Cmd { return a.dispatch(submission{text: text}) }

// fill is later for a list that is on the screen: what find returns is dropped
// when the panel has gone meanwhile.
func (a *app) fill(p *listPanel, what string, find func(ctx context.Context) (show func(), err error)) tea.Cmd {
	return a.later(what, func(ctx context.Context) (func() tea.Cmd, error) {
		show, err := find(ctx)
		return func() tea.Cmd {
			if a.panel == panel(p) {
				show()
			}
			return nil
		}, err
	})
}
