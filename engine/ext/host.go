package ext

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultTimeout is how long a hook may take.
const DefaultTimeout = 30 * time.Second

// errRetired answers a call of an extension that was taken out meanwhile.
var errRetired = errors.New("the extension was reloaded or taken out")

// Host calls a session's extensions in load order. It is safe for concurrent
// use; which extensions a point reaches is settled when it is called.
type Host struct {
	// Timeout is each call's deadline; 0 means DefaultTimeout.
	Timeout time.Duration
	// Failed reports an extension that failed; it must not call hooks.
	Failed func(extension, point string, err error)

	mu     sync.RWMutex
	parts  []*Part
	caller *Host // whose parts these are, as far as calls and requests go
}

// Part is one extension in a session: its instance and what that may call back.
// The zero values of the other fields are ready.
type Part struct {
	Name     string
	Instance *Instance
	Session  Session

	mu      sync.Mutex
	calls   int
	retired bool
	deaf    string // how it failed to hear of the last event; "" if it didn't
}

// Child is the host of a session that works for this one: it calls what
// guards and changes tool calls and requests, of whatever extensions there are
// here at that moment.
func (h *Host) Child() *Host { return &Host{Timeout: h.Timeout, Failed: h.Failed, caller: h} }

// Set replaces the extensions. Those that are left out aren't retired by it.
func (h *Host) Set(parts []*Part) {
	h.mu.Lock()
	h.parts = slices.Clone(parts)
	h.mu.Unlock()
}

// Parts lists the extensions in load order.
func (h *Host) Parts() []*Part {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Clone(h.parts)
}

// own are the parts whose every hook is called.
func (h *Host) own() []*Part {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.parts // Set never changes a slice that is out
}

// guards are the parts whose hooks around calls and requests are called.
func (h *Host) guards() []*Part {
	if h.caller != nil {
		return h.caller.guards()
	}
	return h.own()
}

// Has reports whether any extension wants one of the points of the user's own
// session.
func (h *Host) Has(wants func(Hooks) bool) bool {
	return slices.ContainsFunc(h.own(), func(p *Part) bool { return wants(p.Instance.Hooks) })
}

// Guards reports whether any extension wants a point around calls or requests.
func (h *Host) Guards(wants func(Hooks) bool) bool {
	return slices.ContainsFunc(h.guards(), func(p *Part) bool { return wants(p.Instance.Hooks) })
}

func (h *Host) timeout() time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return DefaultTimeout
}

// Enter keeps the instance from being closed until leave is called. ok is false
// when it is too late.
func (p *Part) Enter() (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired {
		return func() {}, false
	}
	p.calls++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		p.calls--
		last := p.retired && p.calls == 0
		p.mu.Unlock()
		if last {
			p.close()
		}
	}), true
}

// Retire refuses further calls and closes the instance when those that are
// going have ended. It doesn't wait for them.
func (p *Part) Retire() {
	p.mu.Lock()
	last := !p.retired && p.calls == 0
	p.retired = true
	p.mu.Unlock()
	if last {
		p.close()
	}
}

func (p *Part) close() {
	defer func() { _ = recover() }() // it is gone either way
	if p.Instance.Close != nil {
		p.Instance.Close()
	}
}

// Call runs fn as a hook of an extension: under the deadline, with a panic as an
// error, and what it put off carried out afterwards.
func (h *Host) Call(ctx context.Context, p *Part, point string, fn func(context.Context) error) error {
	leave, ok := p.Enter()
	if !ok {
		return errRetired
	}
	defer leave()
	return h.run(ctx, !p.Instance.Heeds, func(err error) { h.Failed(p.Name, point, err) }, fn)
}

// Load makes an extension's part in a session.
func (h *Host) Load(ctx context.Context, name string, e Extension, s Session) (*Part, error) {
	made := make(chan *Instance, 1)
	var late atomic.Bool // nobody waits for it any more
	drop := func() {
		select {
		case i := <-made:
			(&Part{Instance: i}).close()
		default:
		}
	}
	failed := func(err error) { h.Failed(name, "load", err) }
	err := h.run(ctx, true, failed, func(ctx context.Context) error {
		i, err := e.Load(ctx, s)
		switch {
		case err != nil:
			return err
		case i == nil:
			return errors.New("it has no instance")
		}
		made <- i
		if late.Load() {
			drop()
		}
		return nil
	})
	if err != nil {
		late.Store(true)
		drop()
		return nil, err
	}
	return &Part{Name: name, Instance: <-made, Session: s}, nil
}

// run has fn done under the deadline, with a panic as an error. Apart means in a
// goroutine of its own, which is left behind when it ignores the end of its
// context.
func (h *Host) run(ctx context.Context, apart bool, failed func(error), fn func(context.Context) error) error {
	f := newFrame(ctx, h.timeout())
	var err error
	if apart {
		done := make(chan error, 1)
		go func() { done <- recovered(f.ctx, fn) }()
		select {
		case err = <-done:
		case <-f.ctx.Done():
			err = context.Cause(f.ctx)
		}
	} else if err = recovered(f.ctx, fn); err != nil && f.ctx.Err() != nil {
		err = context.Cause(f.ctx)
	}
	f.close()
	if err != nil && ctx.Err() == nil { // else the session stopped it
		failed(err)
	}
	f.runDeferred()
	return err
}

func recovered(ctx context.Context, fn func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panicked: %v", p)
		}
	}()
	return fn(ctx)
}

// tell calls a hook without a reply.
func (h *Host) tell(ctx context.Context, p *Part, point string, fn func(context.Context) error) {
	_ = h.Call(ctx, p, point, fn)
}

// ask is Call for a hook with a reply.
func ask[R any](ctx context.Context, h *Host, p *Part, point string, fn func(context.Context) (R, error)) (R, error) {
	replies := make(chan R, 1) // a hook left behind must not write what we read
	err := h.Call(ctx, p, point, func(ctx context.Context) error {
		r, err := fn(ctx)
		replies <- r
		return err
	})
	var zero R
	if err != nil {
		return zero, err
	}
	return <-replies, nil
}
