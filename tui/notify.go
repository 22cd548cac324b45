package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// Ways to tell what happened while the user looks elsewhere, for
// Options.Notify and the setting tui.notify; "off" tells nothing.
const (
	NotifyAuto = "auto" // a notice of the desktop's where the terminal shows one, else the bell
	NotifyBell = "bell"
)

// notify tells something unless the user is looking. A terminal that doesn't
// tell of its focus counts as looked at until it has said otherwise.
func (a *app) notify(text string) tea.Cmd {
	if !a.blurred || a.o.Notify == off {
		return nil
	}
	name := a.view.Name
	if name == "" {
		name = folderName(a.view.Cwd)
	}
	return tea.Raw(notice(a.o.Terminal, a.o.Notify, "hoopoe · "+name, text))
}

// ending says how a prompt ended.
func ending(e event.RunSettled) string {
	if e.Error != "" {
		return "It stopped: " + e.Error
	}
	return "It has finished"
}

// notice is the sequence that a terminal understands: kitty's OSC 99, OSC 777,
// OSC 9, or the bell. Behind a multiplexer the bell comes as well, since it may
// not let the sequence through.
func notice(p terminal.Profile, how, title, text string) string {
	const bell = "\a"
	if how == NotifyBell {
		return bell
	}
	title, text = plain(title), plain(text)
	sequence := ""
	switch p.Terminal {
	case "kitty":
		sequence = "\x1b]99;i=hoopoe:d=0:p=title;" + title + "\x1b\\\x1b]99;i=hoopoe:d=1:p=body;" + text + "\x1b\\"
	case "ghostty", "vte", "foot", "rxvt", "contour":
		sequence = "\x1b]777;notify;" + title + ";" + text + "\x1b\\"
	case "iterm2", "wezterm", "windows-terminal", "warp", "konsole":
		sequence = "\x1b]9;" + title + ": " + text + "\a"
	default:
		return bell
	}
	if wrapped := p.Wrap(sequence); wrapped != sequence {
		return wrapped + bell
	}
	return sequence
}

// plain is text that can stand in a sequence: without its separators.
func plain(s string) string {
	s = strings.ReplaceAll(sanitize.Line(s), ";", ",")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}

// progress is what the terminal's tab or taskbar shows, if the user wants it and
// the terminal doesn't take it for something else.
func (a *app) progress() *tea.ProgressBar {
	switch {
	case !a.o.Progress || a.o.Terminal.Progress() == terminal.No:
		return nil
	case a.waits():
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case a.busy.running, a.busy.compacting != "":
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}
