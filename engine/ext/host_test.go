package ext

import (
	"context"
	"errors"
	"slices"
	"testing"
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
