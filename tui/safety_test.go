//go:build unix

package tui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		name, keys string
	}{
		{"ctrl+c twice", "\x03\x03"},
		{"ctrl+c clears first", "text\x03\x03"},
		{"ctrl+d", "\x04"},
		{"quit", "/quit\r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// By the clock of a busy machine a second can lie between two keys.
			s, f := start(t, 80, 24, Options{Now: newClock().now, Commands: slash.Builtins(slash.Options{})})
			s.see("Guide")
			s.typed(c.keys)
			if code := s.ended(); code != 0 || s.err != nil {
				t.Errorf("exit %d, error %v", code, s.err)
			}
			if !f.did("close")() {
				t.Error("the session wasn't closed")
			}
			s.restored()
		})
	}
}

func TestSignals(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGINT: 130} {
		t.Run(sig.String(), func(t *testing.T) {
			s, f := start(t, 80, 24, Options{})
			working(s, f)
			s.sig <- sig
			if code := s.ended(); code != want {
				t.Errorf("exit %d, want %d (error %v)", code, want, s.err)
			}
			s.restored()
		})
	}
}

// The end of the conversation stays on the normal screen, with the way back.
func TestFarewell(t *testing.T) {
	s, f := start(t, 80, 24, Options{Resume: func(v event.View) string { return "hoopoe --resume " + v.SessionID }})
	working(s, f)
	f.say("a1", "All done.")
	s.see("All done.")
	s.typed("\x04")
	s.ended()
	s.see("› do it", "All done.", "To go on: hoopoe --resume 0199a3c2-test")
	s.restored()
}

// Output never moves a reader who has scrolled up.
func TestScrolledReaderStays(t *testing.T) {
	s, f := start(t, 60, 16, Options{})
	working(s, f)
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "- item %d\n", i)
	}
	f.say("a1", b.String())
	s.see("item 99")
	s.typed("\x1b[5~") // PgUp
	s.see("item 78", "more below")
	before := strings.Split(s.text(), "\n")[0]
	f.say("a2", b.String())
	f.say("a3", "The end.")
	s.see("3 more below")
	if got := strings.Split(s.text(), "\n")[0]; got != before {
		t.Errorf("the first row was %q and is %q", before, got)
	}
	s.typed("\x1b[<64;10;5M") // one notch of the wheel, up
	s.wait("scroll", func() bool { return strings.Split(s.text(), "\n")[0] != before })
	s.typed("\x1b[1;5F") // Ctrl+End
	s.see("The end.")
	s.gone("more below")
}

func TestResizeWhileStreaming(t *testing.T) {
	s, f := start(t, 100, 30, Options{})
	working(s, f)
	f.publish(event.MessageStarted{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant}})
	text := ""
	for i, width := range []int{80, 60, 45, 20, 60, 90, 200, 40, 100, 80} {
		from := len(text)
		text += fmt.Sprintf("Paragraph %d of the answer goes on for a while.\n\n", i)
		f.publish(event.MessageDelta{ID: "a1", Index: 0, Block: message.TextBlock, From: from, Text: text})
		s.resize(width, 24+i%3)
	}
	s.see("Paragraph 9 of the answer goes on for a while.")
	s.wait("one rule", func() bool { return strings.Count(s.text(), strings.Repeat("─", 80)) == 1 })
	if got := strings.Count(s.text(), "\n›"); got != 1 {
		t.Errorf("%d prompts on the screen:\n%s", got, s.text())
	}
	for i := range 10 {
		if got := strings.Count(s.text(), fmt.Sprintf("Paragraph %d ", i)); got > 1 {
			t.Errorf("paragraph %d is there %d times", i, got)
		}
	}
}

// An idle chat writes nothing.
func TestIdleWritesNothing(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	working(s, f)
	f.say("a1", "Done.")
	f.publish(event.RunEnded{Run: 1}, event.RunSettled{Reason: message.Stop})
	s.gone("Working")
	before := s.settle()
	s.quiet(500 * time.Millisecond)
	if got := len(s.written()); got != before {
		t.Errorf("%d bytes written while idle: %q", got-before, s.written()[before:])
	}
}

// E-4: no untrusted field reaches the terminal as it is.
func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	const bad = "a\x1b]52;c;ZXZpbA==\x07b\x1b]0;evil\x07c\x1b[2Jd\u009b2Je\u202ef\x1bP1$r\x1b\\g"
	s, f := start(t, 100, 40, Options{Cwd: "/w/" + bad, Branch: func() string { return bad }, Files: func(context.Context) []string { return []string{bad} }})
	v := newFake().view
	v.Seq = f.view.Seq + 1
	v.Name, v.Cwd, v.Model.Name, v.Thinking, v.Mode = bad, "/w/"+bad, bad, bad, bad
	v.Messages = []message.Message{message.NewUser(bad)}
	f.publish(event.SessionReplaced{Reason: "resume", View: v})
	f.publish(event.RunStarted{Run: 1}, userMessage("u", bad))
	f.say("a", bad+"\n\n```\n"+bad+"\n```\n\n&#27;]52;c;ZXZpbA==&#7;")
	m := message.Message{ID: "b", Role: message.Assistant}
	f.publish(event.MessageStarted{ID: "b", Message: m}, event.MessageDelta{ID: "b", Block: message.ThinkingBlock, Text: bad})
	args := []byte(`{"command":"` + `\u001b]52;c;ZXZpbA==\u0007x\u202e` + `"}`)
	f.publish(
		event.ToolStarted{CallID: "c", Name: "bash", Arguments: args},
		event.ToolRunning{CallID: "c", Name: "bash", Title: bad, ToolKind: "execute", Diff: bad},
		event.ToolProgress{CallID: "c", Content: []message.Block{message.TextOf(bad)}},
		event.ToolStarted{CallID: "d", Name: bad, Arguments: args},
		event.ToolEnded{CallID: "d", Name: bad, IsError: true, Content: []message.Block{message.TextOf(bad)}},
		event.BashStarted{ID: "e", Command: bad}, event.BashProgress{ID: "e", Output: bad},
		event.QueueChanged{Queue: []event.Queued{{ID: "q", Delivery: "steer", Message: message.NewUser(bad)}}},
		event.TodosChanged{Phases: []message.TodoPhase{{Name: bad, Tasks: []message.Todo{{Content: bad, Status: "in_progress"}}}}},
		event.RetryScheduled{Attempt: 1, MaxAttempts: 2, DelayMS: 1000, Error: bad},
		event.Notice{Level: "error", Text: bad}, event.RuleTriggered{Rules: []event.Rule{{Name: bad}}}, event.TodoReminder{Attempt: 1, MaxAttempts: 3}, event.ExtensionFailed{Extension: bad, Point: bad, Error: bad},
		event.StatusChanged{Extension: bad, Key: "k", Text: textOf(bad)}, event.WidgetChanged{Extension: bad, Key: "k", Lines: []string{bad, "\x1b[31m" + bad}},
		event.WidgetChanged{Extension: bad, Key: "l", Lines: []string{bad}, Placement: "belowEditor"}, event.TitleChanged{Title: bad},
		event.EditorTextSet{Text: bad}, event.Notice{Level: "info", Source: bad, Text: bad},
		event.PromptFailed{Error: bad}, event.SessionNamed{Name: bad},
		event.CompactionEnded{Result: &event.CompactionResult{Summary: bad}},
	)
	s.typed("\x14\x0f@a")
	f.publish(event.Notice{Text: "marker one"})
	s.see("marker one")
	for i, kind := range []event.QuestionKind{event.AskPermission, event.AskSelect, event.AskInput} {
		f.publish(event.AskOpened{Question: event.Question{
			ID: fmt.Sprint(i), Kind: kind, Title: bad, Extension: bad, Descriptions: []string{bad}, Message: bad, Options: []string{bad, bad + "2"}, Placeholder: bad, Prefill: bad,
			Permission: &event.PermissionRequest{Tool: bad, Command: bad, Paths: []string{bad}, Rules: []string{bad}, Parts: []event.PermissionPart{{Text: bad, Why: bad}}},
		}})
		s.see("Esc")
		f.publish(event.AskClosed{ID: fmt.Sprint(i)})
	}
	f.publish(event.Notice{Text: "marker two"})
	s.see("marker two")
	s.typed("\x1b")
	s.sig <- syscall.SIGTERM
	s.ended()
	for _, evil := range []string{"\x1b]52", "ZXZpbA==\x07", "\x1b]0;evil", "evil\x07", "\u009b", "\u202e", "\x1bP1$r"} {
		if strings.Contains(string(s.written()), evil) {
			t.Errorf("%q reached the terminal", evil)
		}
	}
}

// A light terminal gets the light variant, once it has answered.
func TestBackground(t *testing.T) {
	s, f := newScreen(t, 80, 24), newFake()
	s.vt.SetBackgroundColor(color.RGBA{0xfb, 0xf1, 0xc7, 0xff}) // what it answers
	s.run(Options{Open: func(context.Context) (Session, []string, error) { return f, nil, nil }})
	s.wait("start", f.did("start"))
	f.publish(event.Notice{Level: "error", Text: "in the light"})
	s.see("in the light")
	s.wait("the light theme's red", func() bool { return strings.Contains(string(s.written()), "38;2;179;32;43") })
}

func TestNoColor(t *testing.T) {
	s, f := start(t, 80, 24, Options{Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1"}})
	working(s, f)
	f.say("a", "# Title\n\n`code` and\n\n```go\nfunc main() {}\n```")
	f.publish(event.Notice{Level: "error", Text: "it failed"})
	s.see("✗ it failed")
	s.typed("\x04")
	s.ended()
	for _, code := range []string{"\x1b[38;", "\x1b[48;", ";38;2", "\x1b[31m"} {
		if strings.Contains(string(s.written()), code) {
			t.Errorf("colour %q in spite of NO_COLOR", code)
		}
	}
}

func TestWithoutTerminal(t *testing.T) {
	r, w, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	code, err := Run(t.Context(), Options{In: r, Out: w, Open: func(context.Context) (Session, []string, error) { return nil, nil, io.EOF }})
	if code != 2 || !errors.Is(err, ErrNoTerminal) {
		t.Errorf("exit %d, error %v", code, err)
	}
}
