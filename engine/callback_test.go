package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// What an extension shows reaches the faces in its order and bears its name.
func TestExtensionShows(t *testing.T) {
	show := func(name string) ext.Hooks {
		return ext.Hooks{Name: name, SessionStart: func(ctx context.Context, s ext.Session) error {
			text, lines := "2 left", []string{"a", "b"}
			s.Notify(ctx, "warning", "careful")
			s.SetStatus(ctx, "k", &text)
			s.SetStatus(ctx, "k", nil)
			s.SetWidget(ctx, "w", lines, "belowEditor")
			s.SetWidget(ctx, "w", nil, "")
			s.SetTitle(ctx, "title")
			s.SetEditorText(ctx, "draft")
			text, lines[0] = "changed", "changed" // what was given is the session's
			return nil
		}}
	}
	c := newWorld(t, hello, withHooks(show("one"), show("two"))).open(OpenOptions{})
	if err := c.s.Start(c.ctx()); err != nil {
		t.Fatal(err)
	}
	text := "2 left"
	for _, name := range []string{"one", "two"} {
		for _, want := range []event.Event{
			event.Notice{Level: "warning", Text: "careful", Source: name},
			event.StatusChanged{Extension: name, Key: "k", Text: &text},
			event.StatusChanged{Extension: name, Key: "k"},
			event.WidgetChanged{Extension: name, Key: "w", Lines: []string{"a", "b"}, Placement: "belowEditor"},
			event.WidgetChanged{Extension: name, Key: "w"},
			event.TitleChanged{Title: "title"},
			event.EditorTextSet{Text: "draft"},
		} {
			it := c.until(string(want.Kind()), func(Item) bool { return true })
			got, err := event.Envelope{Event: it.Event}.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := (event.Envelope{Event: want}).MarshalJSON(); string(got) != string(want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	}
}

// What an extension gives that isn't sound is put right, and a permission is
// none of its business.
func TestExtensionIsHeldToTheRules(t *testing.T) {
	answered := make(chan bool, 1)
	h := ext.Hooks{Name: "odd", SessionStart: func(ctx context.Context, s ext.Session) error {
		s.Notify(ctx, "catastrophe", "text")
		s.SetWidget(ctx, "k", []string{"a"}, "everywhere")
		_, ok := s.Ask(ctx, event.Question{Kind: event.AskPermission, Title: "Delete all?"})
		answered <- ok
		s.Ask(ctx, event.Question{Kind: event.AskConfirm, ID: "mine", Permission: &event.PermissionRequest{}})
		return nil
	}}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm, event.AskPermission}})
	go func() { _ = c.s.Start(c.ctx()) }()
	if n := on[event.Notice](c); n.Level != "info" {
		t.Errorf("level %q", n.Level)
	}
	if w := on[event.WidgetChanged](c); w.Placement != "" {
		t.Errorf("placement %q", w.Placement)
	}
	q := on[event.AskOpened](c).Question
	if <-answered || q.Kind != event.AskConfirm || q.ID == "mine" || q.Permission != nil {
		t.Errorf("asked %+v", q)
	}
	_ = c.s.Abort(c.ctx())
}

// An extension's question is answered while its hook waits; an abort gives it
// its default, and the session goes on.
func TestExtensionAsks(t *testing.T) {
	answers := make(chan event.Answer, 8)
	h := ext.Hooks{Name: "asker", BeforeRun: func(ctx context.Context, s ext.Session, _ ext.BeforeRun) (ext.BeforeRunReply, error) {
		a, answered := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Really?"})
		if answered {
			answers <- a
		} else {
			answers <- event.Answer{Reason: "default", Cancelled: a.Cancelled}
		}
		return ext.BeforeRunReply{}, nil
	}}
	c := newWorld(t, "-- turn --\ntimes: always\n-- text --\nok\n", withHooks(h)).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})

	c.prompt("one")
	q := on[event.AskOpened](c)
	if won, err := c.s.Answer(c.ctx(), q.Question.ID, event.Answer{Confirmed: true}); !won || err != nil {
		t.Fatal(won, err)
	}
	if a := <-answers; !a.Confirmed {
		t.Errorf("answer %+v", a)
	}
	on[event.RunSettled](c)

	c.prompt("two")
	on[event.AskOpened](c)
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if a := <-answers; a.Reason != "default" || !a.Cancelled {
		t.Errorf("answer %+v", a)
	}
	if closed := on[event.AskClosed](c); closed.Answered || closed.TimedOut {
		t.Errorf("closed %+v", closed)
	}
	if end := on[event.RunSettled](c); !end.Aborted {
		t.Errorf("settled %+v", end)
	}

	c.prompt("three")
	q = on[event.AskOpened](c)
	_, _ = c.s.Answer(c.ctx(), q.Question.ID, event.Answer{Confirmed: true})
	if end := on[event.RunSettled](c); end.Reason != message.Stop {
		t.Errorf("settled %+v", end)
	}
}

// An abort answers also what a hook asks while nothing runs.
func TestAbortOfAQuestionAtTheStart(t *testing.T) {
	h := ext.Hooks{Name: "asker", SessionStart: func(ctx context.Context, s ext.Session) error {
		s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Really?"})
		return nil
	}}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
	started := make(chan struct{})
	go func() {
		defer close(started)
		_ = c.s.Start(c.ctx())
	}()
	on[event.AskOpened](c)
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if closed := on[event.AskClosed](c); closed.Answered {
		t.Errorf("closed %+v", closed)
	}
	wait(t, started, "the start")
	c.run("hi")
}

// A question that nobody answers in time says so.
func TestQuestionTimesOut(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskInput}})
	_, answered := c.s.Ask(c.ctx(), event.Question{Kind: event.AskInput, Title: "Name?", Timeout: time.Millisecond})
	if closed := on[event.AskClosed](c); answered || closed.Answered || !closed.TimedOut || !closed.Answer.Cancelled {
		t.Errorf("answered %v, closed %+v", answered, closed)
	}
}

// A question of a hook that runs while the document is about to be replaced is
// answered, and the replacement goes on.
func TestQuestionBeforeReplace(t *testing.T) {
	h := ext.Hooks{Name: "keeper", BeforeReplace: func(ctx context.Context, s ext.Session, _ ext.Replace) (bool, error) {
		a, _ := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Leave?"})
		return !a.Confirmed, nil
	}}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
	for _, leave := range []bool{true, false} {
		type result struct {
			cancelled bool
			err       error
		}
		done := make(chan result, 1)
		go func() {
			cancelled, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{})
			done <- result{cancelled, err}
		}()
		q := on[event.AskOpened](c)
		if _, err := c.s.Answer(c.ctx(), q.Question.ID, event.Answer{Confirmed: leave}); err != nil {
			t.Fatal(err)
		}
		if r := <-done; r.err != nil || r.cancelled == leave {
			t.Errorf("leave %v: %+v", leave, r)
		}
	}
}

// Who gives up while an extension is asked hasn't its consent: nothing changes.
func TestNoAnswerIsNoConsent(t *testing.T) {
	asked := make(chan struct{}, 2)
	h := ext.Hooks{
		Name: "keeper",
		BeforeReplace: func(ctx context.Context, _ ext.Session, _ ext.Replace) (bool, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return true, nil
		},
		BeforeMove: func(ctx context.Context, _ ext.Session, _ ext.Move) (ext.BeforeMoveReply, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return ext.BeforeMoveReply{Cancel: true}, nil
		},
	}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	first := c.prompt("hi").ID
	on[event.RunSettled](c)
	before, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(context.Context) error{
		"a new document": func(ctx context.Context) error {
			cancelled, err := c.s.NewDocument(ctx, NewDocumentOptions{})
			if cancelled { // its answer was the faster
				return context.Canceled
			}
			return err
		},
		"a move": func(ctx context.Context) error {
			_, cancelled, err := c.s.MoveToWith(ctx, first, MoveOptions{})
			if cancelled {
				return context.Canceled
			}
			return err
		},
	} {
		ctx, cancel := context.WithCancel(c.ctx())
		done := make(chan error, 1)
		go func() { done <- change(ctx) }()
		wait(t, asked, "the hook")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		after, err := c.s.View(c.ctx())
		if err != nil || after.File != before.File || len(after.Messages) != len(before.Messages) {
			t.Errorf("%s: %s with %d messages became %s with %d (%v)", name, before.File, len(before.Messages), after.File, len(after.Messages), err)
		}
	}
}

// Start hooks run once in a session's life, whatever is opened behind it; what
// hooks of a replacement show reaches the faces.
func TestStartHooksRunOnce(t *testing.T) {
	var started atomic.Int32
	h := ext.Hooks{
		Name: "counter",
		SessionStart: func(ctx context.Context, s ext.Session) error {
			started.Add(1)
			s.Notify(ctx, "info", "start")
			return nil
		},
		Replaced: func(ctx context.Context, s ext.Session, r ext.Replace) error {
			s.Notify(ctx, "info", r.Reason)
			return nil
		},
	}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	_ = c.s.Start(c.ctx())
	c.run("hi")
	v, _ := c.s.View(c.ctx())
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{Parent: v.File}); err != nil {
		t.Fatal(err)
	}
	on[event.SessionReplaced](c)
	if _, err := c.s.Switch(c.ctx(), v.File); err != nil {
		t.Fatal(err)
	}
	on[event.SessionReplaced](c)
	var notices []string
	for _, it := range c.log {
		if n, ok := it.Event.(event.Notice); ok {
			notices = append(notices, n.Text)
		}
	}
	if want := []string{"start", "new", "resume"}; started.Load() != 1 || !slices.Equal(notices, want) {
		t.Errorf("started %d times, notices %q, want %q", started.Load(), notices, want)
	}
}

// The fresh session remembers where it comes from.
func TestNewDocumentParent(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{Parent: "/elsewhere/1.jsonl"}); err != nil {
		t.Fatal(err)
	}
	c.run("hi")
	file := c.s.doc.File()
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	d, _, err := session.Open(file, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.Header().ParentSession; got != "/elsewhere/1.jsonl" {
		t.Errorf("parent %q", got)
	}
}

// Compact, NewDocument and Shutdown called from a hook are taken and done when
// it is over.
func TestExtensionActs(t *testing.T) {
	for name, act := range map[string]func(context.Context, ext.Session) error{
		"compact": func(ctx context.Context, s ext.Session) error { return s.Compact(ctx, "keep names") },
		"new":     func(ctx context.Context, s ext.Session) error { _, err := s.NewDocument(ctx, ""); return err },
		"shutdown": func(ctx context.Context, s ext.Session) error {
			s.Shutdown(ctx)
			s.Shutdown(ctx)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 8)
			h := ext.Hooks{Name: "actor", RunEnd: func(ctx context.Context, s ext.Session, e ext.RunEnd) error {
				if strings.HasPrefix(e.Messages[0].Text(), "now") {
					failed <- act(ctx, s)
				}
				return nil
			}}
			c := newWorld(t, "-- turn --\nsystem: hand-over\n-- text --\nSummary.\n-- turn --\ntimes: always\n-- text --\nok\n", withHooks(h)).open(OpenOptions{})
			c.run("one")
			select {
			case <-c.s.ShutdownRequested():
				t.Fatal("nobody asked for the end yet")
			default:
			}
			c.run("now")
			if err := <-failed; err != nil {
				t.Fatal(err)
			}
			switch name {
			case "compact":
				if end := on[event.CompactionEnded](c); end.Result == nil || end.Reason != "manual" {
					t.Errorf("ended %+v", end)
				}
			case "new":
				on[event.SessionReplaced](c)
			case "shutdown":
				wait(t, c.s.ShutdownRequested(), "the wish to end")
			}
		})
	}
}
