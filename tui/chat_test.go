//go:build unix

package tui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// start runs the chat on a fake session and waits until it is attached.
func start(t *testing.T, width, height int, o Options) (*screen, *fakeSession) {
	t.Helper()
	s, f := newScreen(t, width, height), newFake()
	if o.Open == nil {
		o.Open = func(context.Context) (Session, []string, error) { return f, nil, nil }
	}
	s.run(o)
	s.wait("start", f.did("start"))
	return s, f
}

// working makes the session busy.
func working(s *screen, f *fakeSession) {
	f.mu.Lock()
	f.busy = true
	f.mu.Unlock()
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "do it"))
	s.see("› do it", "Working")
}

func TestPromptAndAnswer(t *testing.T) {
	s, f := start(t, 80, 24, Options{Cwd: "/work/demo", Branch: func() string { return "main" }})
	s.see("Say what you want done", "Guide", "demo · main", "context 1%")
	s.typed("hello there\r")
	s.wait("prompt", f.did(":hello there"))
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "hello there"))
	s.see("Working", "Esc stops")
	f.say("a1", "Hello **you**.")
	s.see("› hello there", "Hello you.")
	f.publish(event.RunEnded{Run: 1}, event.RunSettled{Reason: message.Stop})
	s.gone("Working")
}

// The first frame doesn't wait for the session, and nothing typed is lost.
func TestTypingBeforeTheSessionIsOpen(t *testing.T) {
	f := newFake()
	ready := make(chan struct{})
	s := newScreen(t, 80, 24)
	s.run(Options{Prompt: "from argv", Open: func(context.Context) (Session, []string, error) {
		<-ready
		return f, []string{"a key is unknown"}, nil
	}})
	s.see("Opening the session")
	s.typed("first\rsecond half")
	s.see("when ready: from argv", "when ready: first", "› second half")
	close(ready)
	s.wait("prompts", func() bool { return f.did(":first")() && f.did(":from argv")() })
	s.see("a key is unknown", "› second half")
}

func TestOpenFails(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.run(Options{Open: func(context.Context) (Session, []string, error) {
		return nil, nil, errors.New("settings.json:3:1: unknown key")
	}})
	if code := s.ended(); code != 1 || s.err == nil || !strings.Contains(s.err.Error(), "settings.json:3:1") {
		t.Errorf("exit %d, error %v", code, s.err)
	}
}

// A message that the session doesn't take comes back.
func TestUnsent(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	f.mu.Lock()
	f.refuse = errors.New("the disk is full")
	f.mu.Unlock()
	s.typed("precious words\r")
	s.see("The message was not sent: the disk is full", "› precious words")
}

// While a run is going Enter steers and Tab queues; Esc takes all back.
func TestQueueAndStop(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	working(s, f)
	s.typed("look here\r")
	s.wait("steering", f.did("steer:look here"))
	s.typed("then this\t")
	s.wait("follow-up", f.did("followUp:then this"))
	f.queue = []event.Queued{
		{ID: "1", Delivery: "steer", Message: message.NewUser("look here")},
		{ID: "2", Delivery: "followUp", Message: message.NewUser("then this")},
	}
	f.publish(event.QueueChanged{Queue: f.queue})
	s.see("next: look here", "after this: then this", "2 queued")
	s.typed("draft")
	s.see("› draft")
	s.typed("\x1b")
	s.wait("abort", f.did("abort"))
	f.publish(event.QueueChanged{}, event.RunEnded{Run: 1, Reason: message.Aborted}, event.RunSettled{Reason: message.Aborted, Aborted: true})
	s.see("Stopped.", "› look here", "then this", "draft")
	s.gone("queued")
}

// Esc twice in one read is two presses: the popup closes, the run stops.
func TestEscTwiceInOneRead(t *testing.T) {
	s, f := start(t, 80, 24, Options{Commands: slash.Builtins(slash.Options{})})
	working(s, f)
	s.typed("/mo")
	s.see("Show or choose the model")
	s.typed("\x1b\x1b")
	s.gone("Show or choose the model")
	s.wait("abort", f.did("abort"))
}

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
			s, f := start(t, 80, 24, Options{Commands: slash.Builtins(slash.Options{})})
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

func TestCtrlCClears(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("some text")
	s.see("› some text")
	s.typed("\x03")
	s.gone("some text")
	s.see("Ctrl+C again leaves")
	s.typed("more")
	s.gone("Ctrl+C again leaves")
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

func edit(id string) []event.Event {
	const args = `{"path":"main.go"}`
	return []event.Event{
		event.ToolStarted{CallID: "c1", Name: "edit", Arguments: []byte(args)},
		event.AskOpened{Question: event.Question{
			ID: id, Kind: event.AskPermission, CallID: "c1", Title: "Edit main.go", Message: "edits ask",
			Permission: &event.PermissionRequest{
				Tool: "edit", Kind: "edit", Diff: "--- main.go\n+++ main.go\n@@ -1 +1 @@\n-foo\n+bar\x1b[2J\n",
				Paths: []string{"/work/demo/main.go"}, Rules: []string{"edit(./main.go)"},
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

// The mouse can be left to the terminal, to select text.
func TestFreeMouse(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.see("Guide")
	s.typed("\x1bOQ")
	s.see("The mouse is the terminal's")
	s.wait("mouse mode off", func() bool { return strings.Contains(string(s.written()), "?1002l") })
	s.typed("\x1bOQ")
	s.see("The mouse scrolls")
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
				Now:       clock.now,
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
			clock.add(time.Second)
			s.typed(keys)
			s.wait("start", f.did("start"))
			if got := <-trusted; got != want {
				t.Errorf("trusted %v, want %v", got, want)
			}
		})
	}
}

func TestSlash(t *testing.T) {
	commands := slash.New(
		slash.Command{Name: "hello", Args: "[name]", Summary: "Greet", Run: func(_ context.Context, c slash.Call) (slash.Result, error) {
			return slash.Result{Handled: true, Reply: "Hello " + c.Args}, nil
		}},
		slash.Command{Name: "fix", Summary: "A prompt", Run: func(context.Context, slash.Call) (slash.Result, error) {
			return slash.Result{Text: "please fix it"}, nil
		}},
		slash.Command{Name: "bad", Summary: "Fails", Run: func(context.Context, slash.Call) (slash.Result, error) {
			return slash.Result{}, errors.New("it broke")
		}},
	)
	s, f := start(t, 80, 24, Options{Commands: commands})
	s.typed("/he")
	s.see("› /hello", "Greet")
	s.typed("\t")
	s.see("› /hello ")
	s.typed("Aswan\r")
	s.see("Hello Aswan")
	s.typed("/fix\r")
	s.wait("prompt", f.did(":please fix it"))
	s.typed("/bad\r")
	s.see("it broke")
	s.typed("/helo x\r")
	s.see("no command /helo", "did you mean /hello", "› /helo x")
	s.typed("\x03//etc\r")
	s.wait("literal text", f.did(":/etc"))
	s.typed("/etc/hosts is odd\r")
	s.wait("a path", f.did(":/etc/hosts is odd"))
}

func TestShell(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	s.typed("!ls -la\r")
	s.wait("command", f.did("bash ls -la"))
	s.typed("!!env\r")
	s.wait("hidden command", f.did("bash env (hidden)"))
	f.publish(event.BashStarted{ID: "b", Command: "ls -la"}, event.BashProgress{ID: "b", Output: "total 3\n"})
	s.see("● $ ls -la", "total 3", "A command runs")
	s.typed("\x1b")
	s.wait("abort", f.did("abort bash"))
	zero := 0
	f.publish(event.BashEnded{ID: "b", Message: message.Message{Role: message.BashExecution, Bash: &message.Bash{Command: "ls -la", Output: "total 4", ExitCode: &zero}}})
	s.see("✓ $ ls -la", "total 4")
	s.gone("A command runs")
}

func TestFileCompletion(t *testing.T) {
	s, f := start(t, 80, 24, Options{Files: func(context.Context) []string {
		return []string{"engine/session.go", "main.go", "tui/app.go"}
	}})
	s.typed("look at @ses")
	s.see("› @engine/session.go")
	s.typed("\r and @main")
	s.see("› @main.go")
	s.typed("\t\r")
	s.wait("prompt", f.did(":look at @engine/session.go  and @main.go"))
}

func TestHistory(t *testing.T) {
	kept := make(chan string, 4)
	s, f := start(t, 80, 24, Options{
		History:  func() []string { return []string{"older prompt", "newer prompt"} },
		Remember: func(text string) { kept <- text },
	})
	s.see("Say what you want done")
	s.wait("history", func() bool {
		s.typed("\x1b[A")
		s.settle()
		return strings.Contains(s.text(), "› newer prompt")
	})
	s.typed("\r")
	s.wait("prompt", f.did(":newer prompt"))
	if got := <-kept; got != "newer prompt" {
		t.Errorf("remembered %q", got)
	}
	s.typed("\x12old")
	s.see("Earlier prompts: old")
	s.typed("\r")
	s.see("› older prompt")
}

// Ctrl+G edits the prompt in the user's editor.
func TestExternalEditor(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "edit.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntest -t 0 && test -t 1 || exit 3\nprintf ' and more' >> \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, _ := start(t, 80, 24, Options{Environ: []string{"TERM=xterm-256color", "EDITOR=" + script + " --wait", "PATH=" + os.Getenv("PATH")}})
	s.typed("a draft")
	s.see("› a draft")
	s.typed("\x07")
	s.see("› a draft and more")
	s.typed("!")
	s.see("› a draft and more!")
}

func TestNoExternalEditor(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("\x07")
	s.see("Set EDITOR")
}

func TestModeAndKeys(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	s.see("ask · Guide")
	s.typed("\x1b[Z")
	s.see("edit · Guide")
	s.typed("\x10")
	s.wait("model", f.did("cycle model"))
	s.typed("?")
	s.see("Shift+Tab")
	s.typed("\x1b")
	s.gone("Shift+Tab")
	f.publish(event.TodosChanged{Phases: []message.TodoPhase{{Name: "Plan", Tasks: []message.Todo{
		{Content: "write it", Status: "completed"}, {Content: "test it", Status: "in_progress"},
	}}}})
	s.typed("\x14")
	s.see("✓ write it", "● test it")
	working2 := event.RunStarted{Run: 1}
	f.publish(working2)
	s.see("test it (2/2)")
}

// 12,000 pasted lines: a label on the screen, every byte in the prompt.
func TestBigPaste(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	var b strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&b, "line %d\r\n", i)
	}
	s.typed("\x1b[200~" + b.String() + "\x1b[201~")
	s.see("[Pasted 12001 lines]")
	clock := time.Now()
	s.wait("the end of the paste's burst", func() bool { return time.Since(clock) > 50*time.Millisecond })
	s.typed("\r")
	want := ":" + strings.TrimRight(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n")
	s.wait("prompt", f.did(want))
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
	s.typed("\x1b[5~\x1b[5~") // PgUp
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

// A reader that fell too far behind attaches again and has it all.
func TestAttachesAgain(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	f.mu.Lock()
	f.view.Messages = []message.Message{message.NewUser("from the picture")}
	f.view.State = "running"
	stream := f.stream
	f.mu.Unlock()
	stream.end(errSlow)
	s.see("› from the picture", "Working")
	f.say("a9", "after the picture")
	s.see("after the picture")
}

func TestSessionReplaced(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	working(s, f)
	v := newFake().view
	v.Messages = []message.Message{
		message.NewUser("old question"),
		{ID: "a", Role: message.Assistant, StopReason: message.ToolUse, Content: []message.Block{
			{Type: message.ThinkingBlock, Text: "hm"}, message.TextOf("I look."),
			{Type: message.ToolCallBlock, ID: "c", Name: "read", Arguments: []byte(`{"path":"a.go"}`)},
			{Type: message.ToolCallBlock, ID: "lost", Name: "read", Arguments: []byte(`{"path":"b.go"}`)},
		}},
		{ID: "r", Role: message.ToolResult, ToolCallID: "c", ToolName: "read", Content: []message.Block{message.TextOf("x\ny")}},
		{ID: "s", Role: message.CompactionSummary, Summary: "all of it", TokensBefore: 900},
	}
	v.Name = "old session"
	f.publish(event.SessionReplaced{Reason: "resume", View: v})
	s.see("› old question", "Thought", "I look.", "✓ Read a.go  2 lines", "■ Read b.go  stopped", "earlier messages were summarised (900 tokens)")
	s.gone("do it")
	s.wait("title", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.title == "hoopoe · old session" })
}

func TestRetryAndCompaction(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	working(s, f)
	m := message.Message{ID: "a1", Role: message.Assistant, StopReason: message.Error}
	f.publish(event.MessageStarted{ID: "a1", Message: m}, event.MessageDelta{ID: "a1", Block: message.TextBlock, Text: "half an ans"})
	s.see("half an ans")
	f.publish(event.MessageEnded{ID: "a1", Message: m}, event.RunEnded{Run: 1, Reason: message.Error, Will: event.WillRetry},
		event.RetryScheduled{Attempt: 1, MaxAttempts: 3, DelayMS: 60_000, Error: "overloaded (HTTP 529)"}, event.MessageRemoved{ID: "a1"})
	s.see("overloaded (HTTP 529)", "Trying again in", "(1 of 3) · Esc stops")
	s.gone("half an ans")
	f.publish(event.RunStarted{Run: 2}, event.CompactionStarted{Reason: "overflow"})
	s.see("Summarising older messages")
	f.publish(event.CompactionEnded{Reason: "overflow", Result: &event.CompactionResult{Summary: "s", TokensBefore: 5000}},
		event.RunEnded{Run: 2, Reason: message.Error}, event.RunSettled{Reason: message.Error, Error: "bad request"})
	s.see("earlier messages were summarised (5000 tokens)", "bad request")
	s.gone("Esc stops")
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
		event.Notice{Level: "error", Text: bad}, event.ExtensionFailed{Extension: bad, Point: bad, Error: bad},
		event.PromptFailed{Error: bad}, event.SessionNamed{Name: bad},
		event.CompactionEnded{Result: &event.CompactionResult{Summary: bad}},
	)
	s.typed("\x14\x0f@a")
	f.publish(event.Notice{Text: "marker one"})
	s.see("marker one")
	for i, kind := range []event.QuestionKind{event.AskPermission, event.AskSelect, event.AskInput} {
		f.publish(event.AskOpened{Question: event.Question{
			ID: fmt.Sprint(i), Kind: kind, Title: bad, Message: bad, Options: []string{bad, bad + "2"}, Placeholder: bad, Prefill: bad,
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

// The real cursor is at the caret, in columns, for input methods.
func TestCursor(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("あいう")
	s.see("› あいう")
	s.wait("caret", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := s.vt.CursorPosition()
		return s.shown && at.X == 8 && at.Y == 22
	})
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
