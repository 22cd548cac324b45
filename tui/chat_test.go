//go:build unix

package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
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
	s, f := start(t, 80, 24, Options{Cwd: "/code/demo", Branch: func() string { return "main" }})
	s.see("Say what you want done", "Guide", "demo · main", "context 1%")
	s.typed("hello there\r")
	s.wait("prompt", f.did(":hello there"))
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "hello there"))
	s.see("Working", "Esc stops")
	s.titled("● hoopoe · demo")
	f.say("a1", "Hello **you**.")
	s.see("› hello there", "Hello you.")
	f.publish(event.RunEnded{Run: 1}, event.RunSettled{Reason: message.Stop})
	s.gone("Working")
	s.titled("hoopoe · demo")
	f.publish(event.SessionNamed{Name: "a\x1b]2;b\a" + strings.Repeat("c", 300)})
	s.wait("short, clean title", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.HasPrefix(s.title, "hoopoe · a") && len(s.title) <= 120 && !strings.ContainsAny(s.title, "\x1b\a")
	})
	s.typed("\x04")
	s.ended()
	s.restored()
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
	s.titled("hoopoe · old session")
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
