//go:build unix

package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// waiting is a command that ends when it is stopped.
func waiting() slash.Command {
	return slash.Command{Name: "wait", Summary: "Wait", Run: func(ctx context.Context, _ slash.Call) (slash.Result, error) {
		<-ctx.Done()
		return slash.Result{}, ctx.Err()
	}}
}

// A command that takes its time is shown, and Esc stops it.
func TestSlowCommand(t *testing.T) {
	s, f := start(t, 80, 24, Options{Now: newClock().now, Commands: slash.New(waiting())})
	s.see("Guide")
	s.typed("/wait for it\r")
	s.see("/wait 0s · Esc stops")
	f.publish(event.AskOpened{Question: event.Question{ID: "q", Kind: event.AskConfirm, Title: "Go on?"}})
	s.see("Go on?")
	s.gone("Esc stops")
	f.publish(event.AskClosed{ID: "q", Answered: true})
	s.see("Esc stops")
	s.typed("\x1b")
	s.see("/wait is stopped")
	s.gone("Esc stops")
	s.typed("\x04")
	s.ended()
}

// Of several the one that was begun last is shown and stopped first.
func TestSlowCommands(t *testing.T) {
	a := attachedApp(t, 80, 24, newFake().view)
	var stopped []string
	all := map[string]*underway{}
	for _, name := range []string{"/one", "/two", "/three"} {
		all[name] = &underway{name: name, cancel: func() { stopped = append(stopped, name) }}
		a.busy.commands = append(a.busy.commands, all[name])
	}
	shown := func(name string) {
		t.Helper()
		if row := a.activityRow(80); !strings.Contains(row, name) {
			t.Errorf("%s isn't shown: %q", name, row)
		}
	}
	a.ended(all["/two"])
	shown("/three ")
	a.update(tea.KeyPressMsg{Code: tea.KeyEscape})
	a.ended(all["/three"])
	a.hint = ""
	shown("/one ")
	a.update(tea.KeyPressMsg{Code: tea.KeyEscape})
	if !slices.Equal(stopped, []string{"/three", "/one"}) {
		t.Errorf("stopped %q", stopped)
	}
}

// One that is done at once isn't.
func TestQuickCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := attachedApp(t, 80, 24, newFake().view)
		for _, done := range []bool{false, true} {
			u := &underway{name: "/wait"}
			show := a.tells(u)
			if done {
				a.ended(u)
			}
			a.update(show())
			if got := strings.Contains(a.activityRow(80), "/wait"); got == done {
				t.Errorf("done %v: shown %v", done, got)
			}
			a.ended(u)
		}
		if a.update(tea.KeyPressMsg{Code: tea.KeyEscape}) != nil || a.hint != "" {
			t.Errorf("what is done was stopped: %q", a.hint)
		}
	})
}

// An answer beside the conversation stands below what was asked: other things
// may have been said meanwhile.
func TestAsideBelowItsQuestion(t *testing.T) {
	aside := slash.Command{Name: "btw", Run: func(context.Context, slash.Call) (slash.Result, error) {
		return slash.Result{Handled: true, Reply: "Because **so**.", Markdown: true}, nil
	}}
	s, _ := start(t, 80, 24, Options{Commands: slash.New(aside)})
	s.see("Guide")
	s.typed("/btw why?\r")
	s.see("Because so.")
	if text := s.text(); !strings.Contains(text, "· /btw why?\n\n  Because so.") {
		t.Errorf("the screen shows\n%s", text)
	}
	s.typed("\x04")
	s.ended()
}
