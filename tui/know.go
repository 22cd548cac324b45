package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// know takes what is known of the terminal: at the start, and when it has told
// more. How many colours there are is decided here alone; the command tells the
// library.
func (a *app) know(p terminal.Profile) tea.Cmd {
	a.o.Terminal = p
	a.profile = p.Colors(a.o.Environ)
	a.look.Bidi = flow.Bidi{Reorder: p.Bidi == terminal.No}
	a.look.Images = pictures(p, a.profile)
	a.story.plainLinks = p.PlainLinks()
	a.editor.SetReorder(a.look.Bidi.Reorder)
	a.restyle()
	if a.normal != nil {
		a.normal.SetColors(a.profile)
	}
	colors := a.profile
	return tea.Batch(func() tea.Msg { return tea.ColorProfileMsg{Profile: colors} }, a.askCell(), a.tellClusters())
}

// tellClusters tells the library, and so the app, of a terminal that measures by
// grapheme clusters but doesn't say so when asked for the mode (2027).
func (a *app) tellClusters() tea.Cmd {
	if a.clusters || !a.o.Terminal.Clusters() {
		return nil
	}
	return func() tea.Msg { return tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset} }
}

// granted reports whether a mode is on or can be switched on: then the library
// does that.
func granted(s ansi.ModeSetting) bool {
	return s == ansi.ModeSet || s == ansi.ModeReset || s == ansi.ModePermanentlySet
}

// tmuxTime bounds how long tmux is asked.
const tmuxTime = 2 * time.Second

// askTmux asks tmux, off the loop, for what the terminal around it can show.
func (a *app) askTmux() tea.Cmd {
	p, environ, ctx := a.o.Terminal, a.o.Environ, a.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, tmuxTime)
		defer cancel()
		if found := p.AskTmux(ctx, environ); found.TrueColor != p.TrueColor || found.Links != p.Links {
			return foundMsg(found)
		}
		return nil
	}
}
