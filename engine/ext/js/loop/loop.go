package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
)

// Defaults of Options.
const (
	DefaultMemory       = 128 << 20
	DefaultSlice        = 5 * time.Second
	DefaultMaxCallStack = 2000
	DefaultMaxTasks     = 10_000
)

// ErrClosed is what calls get after Close.
var ErrClosed = errors.New("the extension isn't running any more")

// Options say what an extension may use. Zero values mean the defaults.
type Options struct {
	// Name is the extension's, for messages.
	Name string
	// Memory is the budget in bytes; see the package's rules.
	Memory int64
	// Slice is the longest time that JavaScript may run without a break.
	Slice time.Duration
	// MaxCallStack is the deepest recursion, in calls.
	MaxCallStack int
	// MaxTasks bounds, each by itself, the queue, the timers and the Go work
	// that is under way.
	MaxTasks int
	// Rejected is told of what nobody else hears of: a rejected promise without
	// a handler, a throw in a timer's callback. It runs on the loop's goroutine
	// and must not wait for the loop.
	Rejected func(error)
	// Ended is told once when a guard ends the loop. The same holds for it.
	Ended func(error)
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "extension"
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Slice <= 0 {
		o.Slice = DefaultSlice
	}
	if o.MaxCallStack <= 0 {
		o.MaxCallStack = DefaultMaxCallStack
	}
	if o.MaxTasks <= 0 {
		o.MaxTasks = DefaultMaxTasks
	}
	if o.Rejected == nil {
		o.Rejected = func(error) {}
	}
	if o.Ended == nil {
		o.Ended = func(error) {}
	}
	return o
}

// Loop is one extension's event loop. Its methods may be called from any
// goroutine; those that say so only in a turn.
type Loop struct {
	opts   Options
	rt     *sobek.Runtime
	ctx    context.Context // lives as long as the loop; its cause is why it ended
	cancel context.CancelCauseFunc
	done   chan struct{}
	wake   chan struct{} // room for one

	mu      sync.Mutex
	queue   []*task
	working int // Go work under way
	turn    turn
	watch   *time.Timer

	current atomic.Pointer[call] // the call on whose behalf JavaScript runs

	// The owner's.
	timers   timers
	rejected []*sobek.Promise
	heap     heapWatch
	errors   map[string]*sobek.Object // constructors by name
	machine  *machine
}

// task is one entry of the queue. drop is told when it will never run.
type task struct {
	call *call
	run  func(*sobek.Runtime) error
	drop func(error)
}

// New starts a loop.
func New(opts Options) *Loop {
	l := &Loop{
		opts: opts.withDefaults(),
		rt:   sobek.New(),
		done: make(chan struct{}),
		wake: make(chan struct{}, 1),
	}
	l.machine = newMachine(l.rt)
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	l.rt.SetMaxCallStackSize(l.opts.MaxCallStack)
	l.rt.SetPromiseRejectionTracker(l.track)
	l.rt.SetAsyncContextTracker(asyncContext{l})
	l.timers.init()
	l.heap.init()
	l.errors = map[string]*sobek.Object{}
	for _, name := range []string{"Error", "TypeError", "RangeError", "SyntaxError"} {
		l.errors[name] = l.rt.Get(name).ToObject(l.rt)
	}
	l.guardNatives()
	l.watch = time.AfterFunc(time.Hour, l.look)
	l.watch.Stop()
	go l.own()
	return l
}

// Name is the extension's.
func (l *Loop) Name() string { return l.opts.Name }

// Err tells why the loop ended: nil while it runs, ErrClosed after Close.
func (l *Loop) Err() error { return context.Cause(l.ctx) }

// Done is closed when the loop's goroutine has ended.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Close ends the loop: what runs is interrupted, what waits gets ErrClosed,
// timers and Go work are cancelled. It doesn't wait; Done tells the end.
func (l *Loop) Close() { l.end(ErrClosed) }

// end ends the loop for a reason.
func (l *Loop) end(reason error) {
	l.mu.Lock()
	first := l.ctx.Err() == nil
	l.cancel(reason)
	if l.turn.running {
		l.interrupt(reason)
	}
	l.mu.Unlock()
	l.nudge()
	if first && !errors.Is(reason, ErrClosed) {
		l.opts.Ended(reason)
	}
}

func (l *Loop) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Post queues fn for a turn of its own and doesn't wait. It reports false when
// the loop has ended or its queue is full. An error goes to Options.Rejected.
func (l *Loop) Post(fn func(*sobek.Runtime) error) bool {
	return l.enqueue(&task{run: fn, drop: func(error) {}}) == nil
}

// Do runs fn in a turn and waits for it. When ctx ends first, fn is
// interrupted or never started, and Do returns; fn may then still be on its way
// out, so that it must share no variable with its caller.
func (l *Loop) Do(ctx context.Context, fn func(*sobek.Runtime) error) error {
	_, err := Await(ctx, l, func(rt *sobek.Runtime) (sobek.Value, error) {
		return nil, fn(rt)
	}, func(*sobek.Runtime, sobek.Value) (struct{}, error) { return struct{}{}, nil })
	return err
}

func (l *Loop) enqueue(t *task) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.Err(); err != nil {
		return err
	}
	if len(l.queue) >= l.opts.MaxTasks {
		return fmt.Errorf("the extension %s has more than %d calls waiting", l.opts.Name, l.opts.MaxTasks)
	}
	l.queue = append(l.queue, t)
	l.nudge()
	return nil
}

// own is the goroutine that the runtime belongs to.
func (l *Loop) own() {
	defer close(l.done)
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for l.ctx.Err() == nil {
		if t := l.next(); t != nil {
			l.take(t)
			continue
		}
		due.Reset(l.timers.wait())
		select {
		case <-l.wake:
		case <-due.C:
		case <-l.ctx.Done():
		}
	}
	l.drain()
}

// next is what runs next: of a timer that is due and the queue's head they take
// turns, so that neither starves the other.
func (l *Loop) next() *task {
	if l.timers.turn = !l.timers.turn; l.timers.turn {
		if t := l.timers.due(time.Now()); t != nil {
			return t
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		if l.timers.turn {
			return nil
		}
		return l.timers.due(time.Now())
	}
	t := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return t
}

// drain tells all who wait that the loop is over, and lets the runtime go.
func (l *Loop) drain() {
	l.mu.Lock()
	queue := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, t := range queue {
		t.drop(l.Err())
	}
	l.watch.Stop()
	l.timers = timers{}
	l.rejected = nil
}
