package ext

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// frame is one call of an extension in progress. It travels in the call's
// context, so that a session method knows that it was called from inside.
type frame struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	timer    *time.Timer // nil: no deadline
	left     time.Duration
	since    time.Time
	paused   int
	closed   bool
	deferred []func()
}

type frameKey struct{}

// newFrame opens a frame. Without a timeout it has no deadline.
func newFrame(parent context.Context, timeout time.Duration) *frame {
	f := &frame{left: timeout, since: time.Now()}
	ctx, cancel := context.WithCancelCause(parent)
	f.ctx, f.cancel = context.WithValue(ctx, frameKey{}, f), cancel
	if timeout > 0 {
		f.timer = time.AfterFunc(timeout, func() { cancel(fmt.Errorf("took longer than %v", timeout)) })
	}
	return f
}

// Step marks what runs under ctx as something that the session's run waits for,
// as it does for a hook: see Inside. done ends it and carries out what was put
// off. It has no deadline.
func Step(ctx context.Context) (inside context.Context, done func()) {
	f := newFrame(ctx, 0)
	return f.ctx, func() {
		f.close()
		f.runDeferred()
	}
}

func (f *frame) close() {
	f.mu.Lock()
	f.closed = true
	if f.timer != nil {
		f.timer.Stop()
	}
	f.mu.Unlock()
	f.cancel(context.Canceled)
}

func (f *frame) runDeferred() {
	f.mu.Lock()
	todo := f.deferred
	f.deferred = nil
	f.mu.Unlock()
	for _, fn := range todo {
		fn()
	}
}

// Inside reports whether ctx belongs to a hook that is running.
func Inside(ctx context.Context) bool {
	f, _ := ctx.Value(frameKey{}).(*frame)
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.closed
}

// Defer notes fn to be carried out when the hook's step is over. It reports
// false, and does nothing, outside a hook.
func Defer(ctx context.Context, fn func()) bool {
	f, _ := ctx.Value(frameKey{}).(*frame)
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.deferred = append(f.deferred, fn)
	return true
}

// Pause stops the hook's deadline while a question of its own is open; call
// resume when it is closed. Outside a hook both do nothing.
func Pause(ctx context.Context) (resume func()) {
	f, _ := ctx.Value(frameKey{}).(*frame)
	if f == nil || f.timer == nil {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused++; f.paused == 1 && f.timer.Stop() {
		f.left -= time.Since(f.since)
	}
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.paused--; f.paused == 0 && !f.closed {
			f.since = time.Now()
			f.timer.Reset(max(f.left, time.Millisecond))
		}
	})
}
