//go:build unix

package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func edit(id string) []event.Event {
	const args = `{"path":"main.go"}`
	return []event.Event{
		event.ToolStarted{CallID: "c1", Name: "edit", Arguments: []byte(args)},
		event.AskOpened{Question: event.Question{
			ID: id, Kind: event.AskPermission, CallID: "c1", Title: "Edit main.go", Message: "edits ask",
			Permission: &event.PermissionRequest{
				Tool: "edit", Kind: "edit", Diff: "--- main.go\n+++ main.go\n@@ -1 +1 @@\n-foo\n+bar\x1b[2J\n",
				Paths: []string{"/code/demo/main.go"}, Rules: []string{"edit(./main.go)"},
				Parts: []event.PermissionPart{{Text: "main.go", Why: "it changes a file"}},
			},
		}},
	}
}

func TestApproval(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		want       event.Answer
	}{
		{"once", "y", event.Answer{Choice: event.Once}},
		{"enter takes the first", "\r", event.Answer{Choice: event.Once}},
		{"session", "2", event.Answer{Choice: event.Session}},
		{"always", "a", event.Answer{Choice: event.Always}},
		{"no", "n", event.Answer{Choice: event.Deny}},
		{"esc is no", "\x1b", event.Answer{Choice: event.Deny}},
		{"no with a reason", "5use b.go\r", event.Answer{Choice: event.Deny, Reason: "use b.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			s, f := start(t, 80, 30, Options{Now: clock.now})
			working(s, f)
			f.publish(edit("q1")...)
			s.see("Allow? Edit main.go", "it changes a file", "- foo", "+ bar␛[2J", "edit(./main.go)", "needs your approval", "Your answer is needed")
			clock.add(time.Second) // past the guard
			s.typed(c.keys)
			s.wait("answer", func() bool { _, ok := f.answered("q1"); return ok })
			if got, _ := f.answered("q1"); got != c.want {
				t.Errorf("answered %+v, want %+v", got, c.want)
			}
			s.gone("Allow?")
		})
	}
}

// Keys meant for the prompt don't approve anything.
func TestTypedAheadDoesNotAnswer(t *testing.T) {
	clock := newClock()
	s, f := start(t, 80, 30, Options{Now: clock.now})
	working(s, f)
	f.publish(edit("q1")...)
	s.see("Allow?")
	s.typed("y\r1")
	s.typed("\x1b[B") // selects: shows that the keys before it were read
	s.see("› 2.")
	if a, ok := f.answered("q1"); ok {
		t.Errorf("answered %+v", a)
	}
}

// A paste with the terminal's end marker inside turns its rest into keys:
// they answer nothing and send nothing.
func TestPasteThatBreaksOut(t *testing.T) {
	const evil = "\x1b[200~a\x1b[201~y\r\x1b[201~"
	t.Run("into a question", func(t *testing.T) {
		clock := newClock()
		s, f := start(t, 80, 30, Options{Now: clock.now})
		working(s, f)
		f.publish(edit("q1")...)
		s.see("Allow?")
		clock.add(time.Second)
		s.typed(evil)
		s.typed("\x0f") // folds and unfolds: shows that what came before was read
		f.publish(event.Notice{Text: "marker"})
		s.see("marker")
		s.settle()
		if a, ok := f.answered("q1"); ok {
			t.Errorf("answered %+v", a)
		}
	})
	t.Run("into the editor", func(t *testing.T) {
		s, f := start(t, 80, 24, Options{Now: newClock().now})
		s.typed(evil)
		s.see("› ay")
		s.settle()
		if f.did(":ay")() {
			t.Error("the paste sent itself")
		}
	})
}

// Another face may answer first: the dialog goes, what was typed stays.
func TestQuestionClosedElsewhere(t *testing.T) {
	s, f := start(t, 80, 30, Options{})
	working(s, f)
	s.typed("my draft")
	s.see("› my draft")
	f.publish(edit("q1")...)
	s.see("Allow?")
	f.publish(event.AskClosed{ID: "q1", Answer: event.Answer{Choice: event.Deny}, Answered: true},
		event.ToolEnded{CallID: "c1", Name: "edit", IsError: true, Denied: "user", Content: []message.Block{message.TextOf("Permission denied")}})
	s.gone("Allow?")
	s.see("› my draft", "⊘ Edit main.go  denied")
}

func TestOtherQuestions(t *testing.T) {
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprintf("provider/model-%d", i)
	}
	for _, c := range []struct {
		name string
		q    event.Question
		see  string
		keys string
		want event.Answer
	}{
		{"confirm", event.Question{Kind: event.AskConfirm, Title: "Delete it?"}, "Delete it?", "y", event.Answer{Confirmed: true}},
		{"confirm, no", event.Question{Kind: event.AskConfirm, Title: "Delete it?"}, "Delete it?", "n", event.Answer{}},
		{"select", event.Question{Kind: event.AskSelect, Title: "Which?", Options: []string{"red", "blue"}}, "2. blue", "2", event.Answer{Value: "blue"}},
		{"select, cancelled", event.Question{Kind: event.AskSelect, Title: "Which?", Options: []string{"red", "blue"}}, "2. blue", "\x1b", event.Answer{Cancelled: true}},
		{"select of many", event.Question{Kind: event.AskSelect, Title: "Model", Options: many}, "provider/model-1", "257\r", event.Answer{Value: "provider/model-257"}},
		{"input", event.Question{Kind: event.AskInput, Title: "Name", Prefill: "ab"}, "ab", "c\r", event.Answer{Value: "abc"}},
		{"editor", event.Question{Kind: event.AskEditor, Title: "Notes"}, "Notes", "a\x0ab\r", event.Answer{Value: "a\nb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			s, f := start(t, 80, 24, Options{Now: clock.now})
			c.q.ID = "q"
			f.publish(event.AskOpened{Question: c.q})
			s.see(c.q.Title, c.see)
			clock.add(time.Second)
			s.typed(c.keys)
			s.wait("answer", func() bool { _, ok := f.answered("q"); return ok })
			if got, _ := f.answered("q"); got != c.want {
				t.Errorf("answered %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTrust(t *testing.T) {
	for keys, want := range map[string]bool{"y": true, "\r": false} {
		t.Run(fmt.Sprintf("%q", keys), func(t *testing.T) {
			clock, f := newClock(), newFake()
			trusted := make(chan bool, 1)
			s := newScreen(t, 80, 24)
			s.run(Options{
				Now: clock.now, Cwd: "/code/demo",
				Untrusted: func() []string { return []string{".hoopoe/settings.json"} },
				SetTrust:  func(yes bool) error { trusted <- yes; return nil },
				Open: func(context.Context) (Session, []string, error) {
					if len(trusted) == 0 {
						t.Error("the session was opened before the answer")
					}
					return f, nil, nil
				},
			})
			s.see("Trust this folder?", ".hoopoe/settings.json")
			s.gone("Opening the session")
			s.titled("! hoopoe · demo")
			clock.add(time.Second)
			s.typed(keys)
			s.wait("start", f.did("start"))
			s.titled("hoopoe · demo")
			if got := <-trusted; got != want {
				t.Errorf("trusted %v, want %v", got, want)
			}
		})
	}
}
