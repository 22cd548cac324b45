//go:build unix

package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// A terminal that can do nothing gets lines and not one escape sequence.
func TestFlat(t *testing.T) {
	s, f := newScreen(t, 80, 40), newFake()
	trusted := make(chan bool, 1)
	s.run(Options{
		Environ: []string{"TERM=dumb"}, Commands: slash.Builtins(slash.Options{}), Prompt: "from argv",
		Untrusted: func() []string { return []string{".hoopoe/settings.json"} },
		SetTrust:  func(yes bool) error { trusted <- yes; return nil },
		Open:      func(context.Context) (Session, []string, error) { return f, nil, nil },
	})
	s.see(".hoopoe/settings.json", "1. yes")
	s.typed("1\n")
	s.wait("start", f.did("start"))
	if !<-trusted {
		t.Error("1 is yes")
	}
	s.wait("first prompt", f.did(":from argv"))
	s.typed("hello\n")
	s.wait("prompt", f.did(":hello"))
	f.publish(event.RunStarted{Run: 1})
	f.say("a", "Hi \x1b[31mthere\x1b]52;c;aGk=\x07.")
	s.see("Hi there.")
	f.publish(edit("q1")...)
	s.see("Edit main.go", "+bar␛[2J", "1. Yes, this once", "4. No")
	s.typed("9\n")
	s.see("A number from 1 to 4")
	s.typed("use b.go\n")
	s.wait("answer", func() bool { a, _ := f.answered("q1"); return a.Reason == "use b.go" })
	f.publish(event.ToolEnded{CallID: "c1", Name: "edit", IsError: true, Content: []message.Block{message.TextOf("Permission denied")}})
	s.see("Edit main.go: Permission denied")
	s.typed("/nonsense\n")
	s.see("no command /nonsense")
	s.typed("!ls\n")
	s.wait("command", f.did("bash ls"))
	f.publish(event.RunSettled{})
	f.publish(event.Notice{Level: "info", Text: "settled"})
	s.see("settled")
	s.typed("/quit\n")
	if code := s.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if out := string(s.written()); strings.ContainsAny(out, "\x1b\a") {
		t.Errorf("escape sequences in %q", out)
	}
}

func TestFlatEnds(t *testing.T) {
	s, f := newScreen(t, 80, 24), newFake()
	s.run(Options{Environ: []string{"TERM=dumb"}, Open: func(context.Context) (Session, []string, error) { return f, nil, nil }})
	s.see("Say what you want done")
	s.typed("\x04") // the terminal's own end of input
	if code := s.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
