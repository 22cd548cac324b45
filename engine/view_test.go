package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// A face that gives up while it attaches leaves nothing behind: else a question
// would wait for it.
func TestAttachThatIsGivenUp(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	faces := func() int {
		n, err := do(c.ctx(), c.s, func() (int, error) { return len(c.s.faces), nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := faces()
	for _, hold := range []time.Duration{0, time.Hour} {
		busy, release := make(chan struct{}), make(chan struct{})
		c.s.in.do(func() { close(busy); <-release })
		wait(t, busy, "the owner")
		ctx, cancel := context.WithCancel(c.ctx())
		cancel()
		_, sub, err := c.s.Attach(ctx, Client{Name: "hasty", Shows: []event.QuestionKind{event.AskPermission}, Hold: hold})
		if !errors.Is(err, context.Canceled) || sub != nil {
			t.Errorf("got %v, %v", sub, err)
		}
		close(release)
		if n := faces(); n != before {
			t.Errorf("%d faces, before there were %d", n, before)
		}
		shown, err := do(c.ctx(), c.s, func() (bool, error) { return c.s.shown(event.AskPermission), nil })
		if shown || err != nil {
			t.Errorf("somebody shows its questions (%v)", err)
		}
	}
}
