package loop

import (
	"context"
	"fmt"

	"github.com/grafana/sobek"
)

// call is one Await under way. Its context ends only when the call is given up,
// so that what a finished call left running in the background goes on.
type call struct {
	ctx    context.Context
	giveUp context.CancelCauseFunc
	fail   func(error)
}

// asyncContext carries the call over each await, so that it is known on whose
// behalf a later turn runs.
type asyncContext struct{ l *Loop }

func (a asyncContext) Grab() any { return a.l.current.Load() }
func (a asyncContext) Resumed(o any) {
	c, _ := o.(*call)
	a.l.current.Store(c)
}
func (a asyncContext) Exited() { a.l.current.Store(nil) }

// Await runs fn in a turn. When its value is a promise, it waits until that is
// settled. convert turns the value into something that may leave the loop. All
// errors are explained ones (see Explain).
//
// When ctx ends, Await returns at once with its cause: the call is interrupted
// if it is running, given up if it hangs, and Go work that it waits for is
// cancelled.
func Await[T any](ctx context.Context, l *Loop, fn func(*sobek.Runtime) (sobek.Value, error), convert func(*sobek.Runtime, sobek.Value) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	settled := make(chan outcome, 1)
	settle := func(o outcome) {
		select {
		case settled <- o:
		default: // a promise settles once, but a call may have failed before
		}
	}
	c := &call{fail: func(err error) { settle(outcome{err: err}) }}
	c.ctx, c.giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	take := func(v sobek.Value) error {
		value, err := convert(l.rt, v)
		settle(outcome{value, l.Explain(err)})
		return nil
	}
	run := func(rt *sobek.Runtime) error {
		v, err := fn(rt)
		if err == nil {
			err = l.settled(v, take, c.fail)
		}
		if err != nil {
			c.fail(l.Explain(err))
		}
		return err
	}

	if err := ctx.Err(); err != nil {
		var zero T
		return zero, context.Cause(ctx)
	}
	if err := l.enqueue(&task{call: c, run: run, drop: c.fail}); err != nil {
		var zero T
		return zero, err
	}
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		l.abandon(c, context.Cause(ctx))
		var zero T
		return zero, context.Cause(ctx)
	case <-l.ctx.Done():
		select {
		case o := <-settled:
			return o.value, o.err
		default:
		}
		var zero T
		return zero, l.Err()
	}
}

// abandon gives up a call.
func (l *Loop) abandon(c *call, reason error) {
	c.giveUp(reason)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn.running && l.current.Load() == c {
		l.interrupt(reason)
	}
}

// settled calls ok with v, or with what v is fulfilled with if it is a promise
// or a thenable, or no with what it is rejected with.
func (l *Loop) settled(v sobek.Value, ok func(sobek.Value) error, no func(error)) error {
	if v == nil {
		v = sobek.Undefined()
	}
	o, isObject := v.(*sobek.Object)
	if !isObject {
		return ok(v)
	}
	p, isPromise := o.Export().(*sobek.Promise)
	if !isPromise {
		var thenable bool
		if err := l.try(func() { _, thenable = sobek.AssertFunction(o.Get("then")) }); err != nil {
			return err
		}
		if !thenable {
			return ok(v)
		}
		promise, resolve, _ := l.rt.NewPromise()
		if err := resolve(v); err != nil {
			return err
		}
		p, o = promise, l.rt.ToValue(promise).ToObject(l.rt)
	}
	switch p.State() {
	case sobek.PromiseStateFulfilled:
		return ok(p.Result())
	case sobek.PromiseStateRejected:
		l.heard(p)
		no(l.ErrorOf(p.Result()))
		return nil
	}
	then, callable := sobek.AssertFunction(o.Get("then"))
	if !callable {
		return fmt.Errorf("the promise has lost its then")
	}
	_, err := then(o,
		l.Func(func(c sobek.FunctionCall) (sobek.Value, error) { return nil, ok(c.Argument(0)) }),
		l.Func(func(c sobek.FunctionCall) (sobek.Value, error) {
			no(l.ErrorOf(c.Argument(0)))
			return nil, nil
		}))
	return err
}

// Work is what Go does off the loop for a promise. What it returns makes the
// promise's value in a turn; nil means undefined. ctx ends with the loop and
// when the call that started the work is given up.
type Work func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error)

// Promise starts work and gives JavaScript a promise of it. In a turn only.
func (l *Loop) Promise(work Work) (sobek.Value, error) {
	if err := l.addWork(); err != nil {
		return nil, err
	}
	promise, resolve, reject := l.rt.NewPromise()
	c := l.current.Load()
	ctx, cancel := l.Context()
	go func() {
		value, err := recoverWork(ctx, work)
		cancel()
		l.worked(func(rt *sobek.Runtime) error {
			l.current.Store(c)
			if err != nil {
				return reject(l.Throwable(err))
			}
			v := sobek.Undefined()
			if value != nil {
				if v = value(rt); v == nil {
					v = sobek.Undefined()
				}
			}
			return resolve(v)
		})
	}()
	return l.rt.ToValue(promise), nil
}

// Context ends with the loop and when the call that is running now is given up.
// In a turn only; cancel must be called.
func (l *Loop) Context() (ctx context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(l.ctx)
	c := l.current.Load()
	if c == nil {
		return ctx, func() { end(nil) }
	}
	unhook := context.AfterFunc(c.ctx, func() { end(context.Cause(c.ctx)) })
	return ctx, func() { unhook(); end(nil) }
}

func (l *Loop) addWork() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.working >= l.opts.MaxTasks {
		return &Error{Name: "RangeError", Message: fmt.Sprintf("the extension %s has more than %d operations under way", l.opts.Name, l.opts.MaxTasks)}
	}
	l.working++
	return nil
}

// worked queues the turn that ends a piece of work. It has room in the queue,
// however full that is: a promise that is never settled would hold up its caller.
func (l *Loop) worked(turn func(*sobek.Runtime) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.working--
	if l.Err() == nil {
		l.queue = append(l.queue, &task{run: turn, drop: func(error) {}})
		l.nudge()
	}
}

func recoverWork(ctx context.Context, work Work) (v func(*sobek.Runtime) sobek.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return work(ctx)
}
