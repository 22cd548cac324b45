//go:build unix

package tui

import (
	"context"
	"strings"
	"testing"
	"time"

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

// Extensions speak in lines too: each thing once for each change, questions
// with numbers.
func TestFlatExtensions(t *testing.T) {
	s, f := newScreen(t, 80, 50), newFake()
	f.view.Statuses = []event.StatusChanged{{Extension: "git", Key: "k", Text: textOf("3 ahead")}}
	s.run(Options{Environ: []string{"TERM=dumb"}, Open: func(context.Context) (Session, []string, error) { return f, nil, nil }})
	s.wait("start", f.did("start"))
	s.see("· git: 3 ahead")
	f.publish(
		event.StatusChanged{Extension: "git", Key: "k", Text: textOf("3 ahead")},
		event.StatusChanged{Extension: "git", Key: "k", Text: textOf("4 ahead")},
		event.WidgetChanged{Extension: "todo", Key: "w", Lines: []string{"one\x1b[2J", "two"}},
		event.WidgetChanged{Extension: "todo", Key: "w", Lines: []string{"one\x1b[2J", "two"}},
		event.StatusChanged{Extension: "git", Key: "k"},
		event.EditorTextSet{Text: "run the tests"},
		event.Notice{Level: "warning", Source: "lint", Text: "2 problems"},
		event.AskOpened{Question: event.Question{ID: "q", Kind: event.AskSelect, Extension: "deploy", Title: "Where to?", Options: []string{"here", "there"},
			Descriptions: []string{"on this machine"}, Timeout: 65 * time.Second}},
	)
	s.see("· git: 4 ahead", "· todo: one", "two", "suggests to send:", "run the tests", "! lint: 2 problems",
		"? Where to? (deploy)", "1. here", "   on this machine", "2. there", "0 chooses nothing", "goes on in 1m05s")
	for text, want := range map[string]int{"3 ahead": 1, "todo: one": 1} {
		if got := strings.Count(s.text(), text); got != want {
			t.Errorf("%q is there %d times:\n%s", text, got, s.text())
		}
	}
	s.typed("0\n")
	s.wait("answer", func() bool { a, ok := f.answered("q"); return ok && a.Cancelled })
	f.publish(event.AskOpened{Question: event.Question{ID: "r", Kind: event.AskConfirm, Title: "Sure?"}}, event.AskClosed{ID: "r", TimedOut: true})
	s.see("Nobody answered in time.")
	s.typed("\x04")
	s.ended()
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
