package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// underway is a slash command at work.
type underway struct {
	name   string // with its slash
	since  time.Time
	cancel context.CancelFunc
	done   bool
}

// slowCommand is how long a command may take before the screen tells of it.
const slowCommand = 300 * time.Millisecond

// dispatch runs a slash command, which may ask questions and take its time. Esc
// stops one that is slow.
func (a *app) dispatch(s submission) tea.Cmd {
	session, commands := a.session.Commands(), a.o.Commands
	a.commands++
	ctx, cancel := context.WithCancel(a.ctx)
	name, _, _ := strings.Cut(strings.TrimSpace(s.text), " ")
	u := &underway{name: sanitize.Line(name), since: a.o.Now(), cancel: cancel}
	return tea.Batch(a.tells(u), func() tea.Msg {
		defer cancel()
		result, err := commands.Dispatch(ctx, session, Caps, s.text)
		return slashMsg{s, result, err, u}
	})
}

// tells shows a command that isn't done after a while.
func (a *app) tells(u *underway) tea.Cmd {
	return tea.Tick(slowCommand, func(time.Time) tea.Msg {
		return laterMsg(func() tea.Cmd {
			if !u.done {
				a.busy.commands = append(a.busy.commands, u)
			}
			return nil
		})
	})
}

// ended takes a command away that is done.
func (a *app) ended(u *underway) {
	a.commands--
	u.done = true
	a.busy.commands = slices.DeleteFunc(a.busy.commands, func(other *underway) bool { return other == u })
}
