package ext

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// named is a session that knows whose it is; its methods aren't called.
type named struct {
	Session
	name string
}

func newHost(failed func(string, string, error), hooks ...Hooks) *Host {
	h := &Host{Failed: failed}
	var parts []*Part
	for _, k := range hooks {
		parts = append(parts, &Part{Name: k.Name, Instance: &Instance{Hooks: k}, Session: named{name: k.Name}})
	}
	h.Set(parts)
	return h
}

// Each hook gets the session in its own name, in load order; what fails or
// panics is reported and skipped.
func TestHooksAreCalledByName(t *testing.T) {
	var called, failed []string
	hook := func(name string, fail error, panics bool) Hooks {
		return Hooks{Name: name, SessionStart: func(_ context.Context, s Session) error {
			called = append(called, s.(named).name)
			if panics {
				panic("boom")
			}
			return fail
		}}
	}
	h := newHost(func(name, point string, err error) { failed = append(failed, name+" "+point+": "+err.Error()) },
		hook("a", nil, false), hook("b", errors.New("no"), false), Hooks{Name: "none"}, hook("c", nil, true), hook("d", nil, false))
	h.SessionStart(t.Context())
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(called, want) {
		t.Errorf("called %q, want %q", called, want)
	}
	if want := []string{"b session_start: no", "c session_start: panicked: boom"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
}

// Input goes from one extension to the next, past the one that sent it, and
// stops where one decides.
func TestInputIsFolded(t *testing.T) {
	add := func(name string) Hooks {
		return Hooks{Name: name, Input: func(_ context.Context, _ Session, in Input) (InputReply, error) {
			text := in.Text + name
			return InputReply{Text: &text, Handled: in.Text == "stop"}, nil
		}}
	}
	h := newHost(func(string, string, error) {}, add("a"), add(""), add("b"))
	for _, tt := range []struct {
		in      Input
		want    string
		handled bool
	}{
		{Input{Text: "-"}, "-ab", false},
		{Input{Text: "-", Source: "extension", Sender: "a"}, "-b", false},
		{Input{Text: "-", Source: "extension", Sender: "b"}, "-a", false},
		{Input{Text: "-", Source: "extension", Sender: "other"}, "-ab", false},
		{Input{Text: "stop"}, "stopa", true},
	} {
		got, reply := h.Input(t.Context(), tt.in)
		if got.Text != tt.want || reply.Handled != tt.handled || got.Source != tt.in.Source {
			t.Errorf("%+v: %+v, %+v", tt.in, got, reply)
		}
	}
}

// A call from inside a hook is put off until the hook's step is over, and runs
// then, also when the hook failed.
func TestDeferredUntilTheHookIsOver(t *testing.T) {
	var order []string
	var kept context.Context
	h := newHost(func(string, string, error) { order = append(order, "failed") }, Hooks{Name: "a", RunEnd: func(ctx context.Context, _ Session, _ RunEnd) error {
		kept = ctx
		if !Inside(ctx) || !Defer(ctx, func() { order = append(order, "deferred") }) {
			t.Error("it isn't inside")
		}
		order = append(order, "hook")
		return errors.New("no")
	}})
	h.RunEnd(t.Context(), RunEnd{})
	if want := []string{"hook", "failed", "deferred"}; !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	if Inside(kept) || Defer(kept, func() { t.Error("too late") }) || Inside(t.Context()) {
		t.Error("the hook is over")
	}
}

// An instance is closed when nothing of it is at work any more, once; a call that
// comes too late isn't made.
func TestRetire(t *testing.T) {
	closed := 0
	p := &Part{Name: "a", Instance: &Instance{Close: func() { closed++ }}}
	leave, ok := p.Enter()
	if !ok {
		t.Fatal("it isn't there")
	}
	p.Retire()
	p.Retire()
	if _, late := p.Enter(); late || closed != 0 {
		t.Errorf("entered %v, closed %d times while at work", late, closed)
	}
	leave()
	leave()
	if closed != 1 {
		t.Errorf("closed %d times", closed)
	}
	h := &Host{Failed: func(string, string, error) { t.Error("nothing has failed") }}
	if err := h.Call(t.Context(), p, "x", func(context.Context) error { t.Error("called"); return nil }); err == nil {
		t.Error("a call of what is gone succeeds")
	}
}

// An instance that comes when nobody waits for it any more is closed.
func TestLateLoad(t *testing.T) {
	closed, goOn := make(chan struct{}), make(chan struct{})
	h := &Host{Timeout: 1, Failed: func(_, point string, _ error) {
		if point != "load" {
			t.Errorf("failed at %s", point)
		}
	}}
	e := late{func() *Instance { <-goOn; return &Instance{Close: func() { close(closed) }} }}
	if _, err := h.Load(t.Context(), "a", e, nil); err == nil {
		t.Fatal("loaded in no time")
	}
	close(goOn)
	<-closed
}

type late struct{ make func() *Instance }

func (late) Name() string                                       { return "late" }
func (l late) Load(context.Context, Session) (*Instance, error) { return l.make(), nil }

// A child host calls what guards the host's calls, as it is at that moment.
func TestChild(t *testing.T) {
	h := newHost(func(string, string, error) {})
	c := h.Child()
	calls := 0
	k := Hooks{
		Name: "a",
		ToolCall: func(context.Context, Session, ToolCall) (ToolCallReply, error) {
			calls++
			return ToolCallReply{Block: true}, nil
		},
		RunEnd: func(context.Context, Session, RunEnd) error { t.Error("its runs are none of the user's"); return nil },
	}
	if _, r := c.ToolCall(t.Context(), ToolCall{}); r.Block {
		t.Error("blocked by nobody")
	}
	h.Set([]*Part{{Name: "a", Instance: &Instance{Hooks: k}}})
	if _, r := c.ToolCall(t.Context(), ToolCall{}); !r.Block || calls != 1 {
		t.Errorf("blocked %v, %d calls", r.Block, calls)
	}
	c.RunEnd(t.Context(), RunEnd{})
	if c.Has(func(h Hooks) bool { return h.RunEnd != nil }) || !c.Guards(func(h Hooks) bool { return h.ToolCall != nil }) {
		t.Error("it has the wrong points")
	}
}

// An extension that fails at every event is reported once for each way, and never
// hears of its failures.
func TestFailingEvents(t *testing.T) {
	var told []string
	h := newHost(func(_, point string, err error) { told = append(told, fmt.Sprint(point, " ", err)) }, Hooks{
		Name: "a", Event: func(_ context.Context, _ Session, e event.Event) error {
			switch e := e.(type) {
			case event.ExtensionFailed:
				t.Error("it hears of failures")
			case event.RunStarted:
				return nil
			case event.Notice:
				return errors.New(e.Text)
			}
			return errors.New("no")
		},
	})
	p := h.Parts()[0]
	for _, e := range []event.Event{
		event.TurnStarted{}, event.TurnEnded{}, event.ExtensionFailed{}, event.Notice{Text: "other"}, event.TurnStarted{}, event.RunStarted{}, event.TurnStarted{},
	} {
		h.Event(t.Context(), p, e)
	}
	if want := []string{"turn_started no", "notice other", "turn_started no", "turn_started no"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// A hook in its caller's goroutine fails as one in its own does.
func TestFailuresOfHooks(t *testing.T) {
	for _, heeds := range []bool{false, true} {
		t.Run(fmt.Sprint("heeds=", heeds), func(t *testing.T) {
			var told []string
			h := newHost(func(_, _ string, err error) { told = append(told, err.Error()) }, Hooks{
				RunEnd:    func(ctx context.Context, _ Session, _ RunEnd) error { <-ctx.Done(); return ctx.Err() },
				Compacted: func(context.Context, Session, Compacted) error { panic("boom") },
			})
			h.Parts()[0].Instance.Heeds = heeds
			h.Timeout = 1
			h.RunEnd(t.Context(), RunEnd{})
			h.Timeout = 0
			h.Compacted(t.Context(), Compacted{})
			ended, end := context.WithCancel(t.Context())
			end()
			h.RunEnd(ended, RunEnd{}) // whoever ended it knows
			if want := []string{"took longer than 1ns", "panicked: boom"}; !slices.Equal(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}
