package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// fakeSession plays a session: it notes what the chat does and publishes what
// the test tells it to.
type fakeSession struct {
	slash.Session // nil: tests with commands set it

	mu      sync.Mutex
	view    event.View
	stream  *fakeStream
	prompts []string        // "delivery:text"
	images  []message.Block // of the last one
	calls   []string
	answers map[string]event.Answer
	queue   []event.Queued
	attach  int
	onAbort func()
	busy    bool
	refuse  error // of prompts
	rules   []permission.Rule
	vetoes  bool // moves in the tree

	shortcuts []engine.Shortcut
}

func newFake() *fakeSession {
	return &fakeSession{
		answers: map[string]event.Answer{},
		view: event.View{
			SessionID: "0199a3c2-test", File: "/s/x.jsonl", Cwd: "/code/demo", Mode: "ask", Thinking: "off", State: "idle",
			Model: event.Model{Provider: "offline", ID: "guide", Name: "Guide", ContextWindow: 100000},
			Usage: event.UsageChanged{ContextTokens: 1200, ContextWindow: 100000},
		},
	}
}

func (f *fakeSession) Commands() slash.Session { return f.Session }
func (f *fakeSession) Start(context.Context) error {
	f.note("start")
	return nil
}

func (f *fakeSession) Attach(context.Context) (event.View, Stream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attach++
	f.stream = &fakeStream{wake: make(chan struct{}, 1)}
	return f.view, f.stream, nil
}

func (f *fakeSession) Prompt(_ context.Context, text, delivery string, images []message.Block) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.refuse != nil:
		return f.refuse
	case f.busy && delivery == "":
		return engine.ErrBusy
	}
	f.prompts = append(f.prompts, delivery+":"+text)
	f.images = images
	return nil
}

func (f *fakeSession) Abort(context.Context) error {
	f.note("abort")
	if f.onAbort != nil {
		f.onAbort()
	}
	return nil
}

func (f *fakeSession) Bash(_ context.Context, command string, hidden bool) error {
	if hidden {
		command += " (hidden)"
	}
	f.note("bash " + command)
	return nil
}

func (f *fakeSession) AbortBash(context.Context) error {
	f.note("abort bash")
	return nil
}

func (f *fakeSession) ClearQueue(context.Context) ([]event.Queued, error) {
	f.note("clear queue")
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.queue
	f.queue = nil
	return q, nil
}

func (f *fakeSession) Answer(_ context.Context, id string, a event.Answer) error {
	f.mu.Lock()
	f.answers[id] = a
	f.mu.Unlock()
	f.publish(event.AskClosed{ID: id, Answer: a, Answered: true})
	return nil
}

func (f *fakeSession) SetMode(_ context.Context, mode string) error {
	f.publish(event.ModeChanged{Mode: mode})
	return nil
}

func (f *fakeSession) CycleModel(context.Context) error {
	f.note("cycle model")
	return nil
}

func (f *fakeSession) MoveToWith(_ context.Context, id string, o engine.MoveOptions) (string, bool, error) {
	f.note(strings.TrimSpace(fmt.Sprintf("move %s %v %s", id, o.Summarize, o.Instructions)))
	return "the text of " + id, f.vetoes, nil
}

func (f *fakeSession) SetLabel(_ context.Context, id, text string) error {
	f.note("label " + id + " " + text)
	return nil
}

func (f *fakeSession) Rules() []permission.Rule { return f.rules }

func (f *fakeSession) RemoveRule(_ context.Context, r permission.Rule) (bool, error) {
	f.note("remove " + r.String())
	f.rules = slices.DeleteFunc(f.rules, func(o permission.Rule) bool { return o == r })
	return true, nil
}

func (f *fakeSession) SetAutoCompaction(_ context.Context, on bool) error {
	f.note(fmt.Sprint("compaction ", on))
	f.mu.Lock()
	f.view.AutoCompaction = on
	f.mu.Unlock()
	return nil
}

func (f *fakeSession) SetAutoRetry(_ context.Context, on bool) error {
	f.note(fmt.Sprint("retry ", on))
	return nil
}

func (f *fakeSession) SetSteeringMode(_ context.Context, mode string) error {
	f.note("steering " + mode)
	return nil
}

func (f *fakeSession) SetFollowUpMode(_ context.Context, mode string) error {
	f.note("follow-up " + mode)
	return nil
}

func (f *fakeSession) SetInterruptMode(_ context.Context, mode string) error {
	f.note("interrupt " + mode)
	return nil
}

func (f *fakeSession) Close(context.Context) error {
	f.note("close")
	return nil
}

func (f *fakeSession) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// did reports whether the chat made a call, or sent a prompt.
func (f *fakeSession) did(call string) func() bool {
	return func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range append(f.calls[:len(f.calls):len(f.calls)], f.prompts...) {
			if c == call {
				return true
			}
		}
		return false
	}
}

func (f *fakeSession) answered(id string) (event.Answer, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.answers[id]
	return a, ok
}

// publish sends events to the chat, which must have attached.
func (f *fakeSession) publish(events ...event.Event) {
	f.mu.Lock()
	stream := f.stream
	for _, e := range events {
		f.view.Seq++
		stream.put(event.Envelope{Seq: f.view.Seq, Session: f.view.SessionID, Event: e})
	}
	f.mu.Unlock()
}

// say publishes a whole answer.
func (f *fakeSession) say(id, text string) {
	m := message.Message{ID: id, Role: message.Assistant, StopReason: message.Stop}
	f.publish(event.MessageStarted{ID: id, Message: m})
	f.publish(event.MessageDelta{ID: id, Block: message.TextBlock, Text: text})
	m.Content = []message.Block{message.TextOf(text)}
	f.publish(event.MessageEnded{ID: id, Message: m})
}

var errSlow = errors.New("too slow")

// fakeStream is a queue of envelopes.
type fakeStream struct {
	mu     sync.Mutex
	events []event.Envelope
	err    error
	wake   chan struct{}
}

func (s *fakeStream) put(e event.Envelope) {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *fakeStream) end(err error) {
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *fakeStream) Batch(ctx context.Context) ([]event.Envelope, error) {
	for {
		s.mu.Lock()
		events, err := s.events, s.err
		s.events = nil
		s.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, io.EOF
		}
	}
}

func (s *fakeStream) Close() { s.end(io.EOF) }

func userMessage(id, text string) event.MessageStarted {
	m := message.NewUser(text)
	m.ID = id
	return event.MessageStarted{ID: id, Message: m}
}

var _ Session = (*fakeSession)(nil)

func (f *fakeSession) Shortcuts() []engine.Shortcut { return f.shortcuts }

func (f *fakeSession) RunShortcut(_ context.Context, key string) error {
	f.note("shortcut " + key)
	return nil
}

func (f *fakeSession) Renders(customType string) bool { return customType == "drawn" }

func (f *fakeSession) RenderMessage(_ context.Context, m message.Message, width int, expanded bool) ([]string, bool) {
	return []string{fmt.Sprintf("\x1b[31mdrawn\x1b[0m %s at %d, %v\x1b]52;c;x\x07", m.Text(), width, expanded), strings.Repeat("w", 300)}, true
}
