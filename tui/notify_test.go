package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// Case 36: each terminal gets the sequence that it knows, the others the bell,
// which comes as well where a multiplexer may swallow the sequence.
func TestNotice(t *testing.T) {
	const hostile = "a\x1b]52;c;aGk=\x07b;c\nd\u009b2J\u202e"
	for _, c := range []struct {
		name, terminal, multiplexer, how, text, want string
	}{
		{"kitty", "kitty", "", NotifyAuto, "done", "\x1b]99;i=hoopoe:d=0:p=title;title\x1b\\\x1b]99;i=hoopoe:d=1:p=body;done\x1b\\"},
		{"ghostty", "ghostty", "", NotifyAuto, "done", "\x1b]777;notify;title;done\x1b\\"},
		{"iterm2", "iterm2", "", NotifyAuto, "done", "\x1b]9;title: done\a"},
		{"unknown", "", "", NotifyAuto, "done", "\a"},
		{"xterm", "xterm", "", NotifyAuto, "done", "\a"},
		{"the bell was asked for", "kitty", "", NotifyBell, "done", "\a"},
		{"in tmux", "iterm2", "tmux", NotifyAuto, "done", "\x1bPtmux;\x1b\x1b]9;title: done\a\x1b\\\a"},
		{"in screen", "iterm2", "screen", NotifyAuto, "done", "\x1bP\x1b]9;title: done\a\x1b\\\a"},
		{"hostile", "ghostty", "", NotifyAuto, hostile, "\x1b]777;notify;title;ab,c d\x1b\\"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := notice(terminal.Profile{Terminal: c.terminal, Multiplexer: c.multiplexer}, c.how, "title", c.text)
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	long := notice(terminal.Profile{Terminal: "foot"}, NotifyAuto, "title", strings.Repeat("天", 1000))
	if n := strings.Count(long, "天"); n != 200 || !strings.Contains(long, "…") {
		t.Errorf("%d characters of a long text", n)
	}
}

// Nobody is told who looks on, nor who doesn't want to be.
func TestNotifyWhenAway(t *testing.T) {
	for _, c := range []struct {
		name, how string
		seen      []tea.Msg
		told      bool
	}{
		{"nothing known of the focus", NotifyAuto, nil, false},
		{"away", NotifyAuto, []tea.Msg{tea.BlurMsg{}}, true},
		{"back again", NotifyAuto, []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}, false},
		{"not wanted", off, []tea.Msg{tea.BlurMsg{}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := attachedApp(t, 80, 24, newFake().view)
			a.o.Notify = c.how
			for _, msg := range c.seen {
				a.update(msg)
			}
			if told := a.notify("done") != nil; told != c.told {
				t.Errorf("told: %v, want %v", told, c.told)
			}
		})
	}
}

// Progress is for who wants it, and not for terminals that take its sequence for
// a notice, or show it as text.
func TestProgress(t *testing.T) {
	for name, shown := range map[string]bool{"ghostty": true, "windows-terminal": true, "kitty": false, "foot": false, "linux": false} {
		a := attachedApp(t, 80, 24, newFake().view)
		a.o.Terminal = terminal.Profile{Terminal: name}
		a.busy.running = true
		for _, a.o.Progress = range []bool{false, true} {
			if got := a.progress() != nil; got != (shown && a.o.Progress) {
				t.Errorf("%q, wanted by the user: %v: progress is sent: %v", name, a.o.Progress, got)
			}
		}
	}
}
