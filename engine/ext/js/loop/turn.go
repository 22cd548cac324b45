package loop

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/grafana/sobek"
)

// tick is how often a running turn is looked at.
const tick = 5 * time.Millisecond

// turn is the watch over what runs. Loop.mu guards it.
type turn struct {
	running     bool
	started     time.Time
	outside     time.Duration // spent in Outside
	left        time.Time     // when it went outside, else zero
	interrupted time.Time     // since when it should have ended, else zero
	reason      error
	heap        uint64 // at the first look, bytes
}

// take runs one task as a turn.
func (l *Loop) take(t *task) {
	if t.call != nil && t.call.ctx.Err() != nil {
		t.drop(t.call.ctx.Err())
		return
	}
	sampled := l.heap.begin()
	l.mu.Lock()
	l.turn = turn{running: true, started: time.Now()}
	l.watch.Reset(tick)
	l.mu.Unlock()
	l.current.Store(t.call)

	if err := l.recovered(t); err != nil {
		l.failed(t, err)
	}
	l.reportRejected()

	l.current.Store(nil)
	l.mu.Lock()
	ended := l.turn
	l.turn = turn{}
	l.watch.Stop()
	if !ended.interrupted.IsZero() {
		l.rt.ClearInterrupt()
	}
	l.mu.Unlock()
	if l.machine.dirty() {
		l.machine.reset()
	}
	l.heap.end(sampled)
	l.weigh(errors.Is(ended.reason, errHeap))
}

// failed tells whom an error of a turn concerns. What JavaScript can't catch
// has left the promise of the call that it ran for unsettled.
func (l *Loop) failed(t *task, err error) {
	c, uncatchable := l.current.Load(), uncatchable(err)
	if uncatchable && l.machine == nil {
		l.end(fmt.Errorf("the extension %s was interrupted", l.opts.Name))
	}
	err = l.Explain(err)
	if uncatchable && c != nil {
		c.fail(err)
	} else if t.call == nil {
		l.opts.Rejected(err)
	}
}

// recovered runs a task. A panic that gets here has left the runtime in an
// unknown state, so it ends the loop.
func (l *Loop) recovered(t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the JavaScript runtime of %s broke: %v", l.opts.Name, p)
			t.drop(err)
			l.end(err)
		}
	}()
	return t.run(l.rt)
}

// look is the watchdog's: it runs every tick while a turn does.
func (l *Loop) look() {
	if l.grown(1) {
		l.collect()
	}
	l.mu.Lock()
	over := l.lookLocked(time.Now())
	l.mu.Unlock()
	if over {
		l.end(fmt.Errorf("the extension %s hangs in a call that can't be interrupted", l.opts.Name))
	}
}

// collect has the collector tell what of a grown heap is garbage. It doesn't
// wait for that when the heap grows faster than the collector works.
func (l *Loop) collect() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.GC()
	}()
	often := time.NewTicker(time.Millisecond)
	defer often.Stop()
	for {
		select {
		case <-done:
			return
		case <-often.C:
			if l.grown(3) {
				return // still large: the look that follows interrupts
			}
		}
	}
}

// grown reports whether the heap has grown by so many budgets in this turn.
func (l *Loop) grown(budgets int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.turn
	size := heapBytes()
	if t.running && t.heap == 0 {
		t.heap = size
	}
	return t.running && t.interrupted.IsZero() && size > t.heap && int64(size-t.heap) > budgets*l.opts.Memory
}

func (l *Loop) lookLocked(now time.Time) (stuck bool) {
	t := &l.turn
	if !t.running {
		return false
	}
	if !t.left.IsZero() {
		l.watch.Reset(tick)
		return false
	}
	if !t.interrupted.IsZero() {
		if now.Sub(t.interrupted) > l.opts.Slice {
			return l.ctx.Err() == nil
		}
		l.rt.Interrupt(t.reason) // the engine forgets it where JavaScript is entered anew
		l.watch.Reset(tick)
		return false
	}
	switch size := heapBytes(); {
	case t.heap == 0:
		t.heap = size
	case size < t.heap:
		t.heap = size
	case int64(size-t.heap) > l.opts.Memory:
		l.interrupt(fmt.Errorf("the extension %s takes more than %s %w", l.opts.Name, megabytes(l.opts.Memory), errHeap))
	}
	if now.Sub(t.started)-t.outside > l.opts.Slice {
		l.interrupt(fmt.Errorf("the extension %s ran for more than %v without a break", l.opts.Name, l.opts.Slice))
	}
	l.watch.Reset(tick)
	return false
}

// interrupt stops what runs. Its caller holds mu and knows that a turn runs.
func (l *Loop) interrupt(reason error) {
	if l.turn.interrupted.IsZero() {
		l.turn.interrupted, l.turn.reason = time.Now(), reason
	}
	l.rt.Interrupt(reason)
}

// Outside runs fn, which takes its time, in a turn without counting that time
// against the slice: a command that JavaScript waits for, say.
func (l *Loop) Outside(fn func()) {
	l.mu.Lock()
	l.turn.left = time.Now()
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.turn.outside += time.Since(l.turn.left)
		l.turn.left = time.Time{}
		l.mu.Unlock()
	}()
	fn()
}

// track notes promises that are rejected while nobody listens.
func (l *Loop) track(p *sobek.Promise, op sobek.PromiseRejectionOperation) {
	if op == sobek.PromiseRejectionReject {
		if len(l.rejected) < l.opts.MaxTasks {
			l.rejected = append(l.rejected, p)
		}
		return
	}
	l.heard(p)
}

// heard takes a promise off the list of those that nobody listens to.
func (l *Loop) heard(p *sobek.Promise) {
	for i, r := range l.rejected {
		if r == p {
			l.rejected = append(l.rejected[:i], l.rejected[i+1:]...)
			return
		}
	}
}

// reportRejected tells of what is unheard at the end of a turn.
func (l *Loop) reportRejected() {
	rejected := l.rejected
	l.rejected = nil
	for i, p := range rejected {
		if i == 10 {
			l.opts.Rejected(fmt.Errorf("and %d more rejections that nobody handled", len(rejected)-i))
			return
		}
		l.opts.Rejected(l.ErrorOf(p.Result()))
	}
}
