//go:build unix

package tui

import (
	"context"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// start runs the chat on a fake session and waits until it is attached.
func start(t *testing.T, width, height int, o Options) (*screen, *fakeSession) {
	t.Helper()
	s, f := newScreen(t, width, height), newFake()
	o.Open = func(context.Context) (Session, []string, error) { return f, nil, nil }
	s.run(o)
	s.wait("start", f.did("start"))
	return s, f
}

func TestPromptAndAnswer(t *testing.T) {
	s, f := start(t, 80, 24, Options{Cwd: "/work/demo"})
	s.see("Say what you want done")
	s.typed("hello there\r")
	s.wait("prompt", f.did("steer:hello there"))
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "hello there"))
	f.say("a1", "Hello **you**.")
	s.see("› hello there", "Hello you.")
}

func TestShow(t *testing.T) {
	s, f := start(t, 80, 24, Options{Cwd: "/work/demo"})
	s.typed("hello there\r")
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "hello there"))
	f.say("a1", "Hello **you**.")
	s.see("› hello there", "Hello you.")
	s.typed("/mod")
	s.typed("xx")
	t.Log("\n" + s.text())
}
