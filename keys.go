package main

import (
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// keysOf reads the user's keys. What is wrong with them is told and no reason
// not to start.
func keysOf(paths config.Paths) (*keymap.Map, []string) {
	user, problems := config.KeyBindingsOf(paths.KeyBindings())
	keys, more := keymap.New(user.Keys)
	for _, p := range more {
		problems = append(problems, user.Problem(p.Name, p.Text))
	}
	var notices []string
	for _, p := range problems {
		notices = append(notices, p.Error())
	}
	return keys, notices
}
