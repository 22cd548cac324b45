package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// tap tells one extension what happens in the session: in order, apart from the
// run, from a queue of its own in which news of one message merge.
type tap struct {
	s    *Session
	part *ext.Part

	mu     sync.Mutex
	sub    *Subscription
	closed bool
	over   bool                       // nothing is told any more
	marks  map[chan struct{}]struct{} // not reached yet
}

// newTap follows the session for an extension; nil when it doesn't care.
func (s *Session) newTap(p *ext.Part) *tap {
	if p.Instance.Event == nil {
		return nil
	}
	t := &tap{s: s, part: p}
	t.attach()
	go t.follow()
	return t
}

// attach is Attach without waiting: what happens from now on is told. The marks
// of a stream before are passed: what they stood behind is lost. It reports false
// when the tap was closed.
func (t *tap) attach() bool {
	var sub *Subscription
	sub = newSubscription(func() { t.s.in.do(func() { t.s.detach(sub) }) })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passAll()
	if t.closed {
		return false
	}
	t.sub = sub
	t.s.in.do(func() { t.s.faces[sub] = Client{} })
	return true
}

func (t *tap) current() *Subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sub
}

func (t *tap) follow() {
	defer t.end()
	for {
		sub := t.current()
		batch, err := sub.Batch(t.s.ctx)
		if errors.Is(err, ErrTooSlow) {
			t.s.host.Failed(t.part.Name, "event", errors.New("it was too slow to be told all that has happened"))
			sub.Close()
			if t.attach() {
				continue
			}
		}
		if err != nil {
			return
		}
		for _, it := range batch {
			if reached, ok := it.Ack.(chan struct{}); ok {
				t.pass(reached)
			} else if t.s.ctx.Err() == nil {
				t.s.host.Event(t.s.ctx, t.part, it.Event)
			}
		}
	}
}

// mark returns a channel that is closed when all that was published until now
// has been told, or never will be.
func (t *tap) mark() <-chan struct{} {
	reached := make(chan struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		close(reached)
		return reached
	}
	if t.marks == nil {
		t.marks = map[chan struct{}]struct{}{}
	}
	t.marks[reached] = struct{}{}
	t.sub.Post(reached)
	return reached
}

// pass closes a mark that is reached.
func (t *tap) pass(mark chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, waits := t.marks[mark]; waits {
		delete(t.marks, mark)
		close(mark)
	}
}

// passAll is called under the lock.
func (t *tap) passAll() {
	for mark := range t.marks {
		close(mark)
	}
	clear(t.marks)
}

func (t *tap) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.passAll()
}

func (t *tap) close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.current().Close()
}

// marks are those of all taps, in the session's stream at this place. It is
// called on the owner.
func (x *extensions) marks() []<-chan struct{} {
	var marks []<-chan struct{}
	for _, e := range x.all() {
		if e.tap != nil {
			marks = append(marks, e.tap.mark())
		}
	}
	return marks
}

// caughtUp waits until extensions were told what comes before the marks, as
// long as one hook may take.
func caughtUp(ctx context.Context, marks []<-chan struct{}, patience time.Duration) {
	if len(marks) == 0 {
		return
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for _, m := range marks {
		select {
		case <-m:
		case <-enough.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
