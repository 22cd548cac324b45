package engine

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// Abort stops whatever the session does, gives open questions their default and
// returns when it has stopped: after RunSettled. Queued messages stay queued.
// Inside a hook it returns at once and stops the session when the hook's step
// is over.
func (s *Session) Abort(ctx context.Context) error { return s.abort(ctx, nil)() }

// AbortAck asks for an abort and returns when the session has heard of it. The
// ack is placed after the last event of what was stopped.
func (s *Session) AbortAck(ack *Ack) error {
	if !s.in.do(func() { s.stopAll(ack, nil, make(chan struct{})) }) {
		return ErrClosed
	}
	return nil
}

// AbortAndPrompt stops the run and starts another. The Ack of in is placed
// between the two. It returns when the session has heard of it; taken waits
// until the prompt has been taken.
func (s *Session) AbortAndPrompt(ctx context.Context, in Input) (taken func() (Accepted, error)) {
	if in.empty() {
		return func() (Accepted, error) { return Accepted{}, errEmptyPrompt }
	}
	var accepted Accepted
	var failed error
	stopped := s.abort(ctx, func() { accepted, failed = s.accept(in, false) })
	return func() (Accepted, error) {
		if err := stopped(); err != nil {
			return Accepted{}, err
		}
		return accepted, failed
	}
}

// abort asks the session to stop; wait returns when then has been called.
func (s *Session) abort(ctx context.Context, then func()) (wait func() error) {
	done := make(chan struct{})
	request := func() bool { return s.in.do(func() { s.stopAll(nil, then, done) }) }
	if ext.Defer(ctx, func() { request() }) {
		return func() error { return nil }
	}
	if !request() {
		return func() error { return ErrClosed }
	}
	return func() error {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ended:
			return ErrClosed
		}
	}
}

// stopAll stops the session; then is called, and done closed, when it has
// settled.
func (s *Session) stopAll(ack *Ack, then func(), done chan struct{}) {
	after := func() {
		s.place(ack)
		if then != nil {
			then()
		}
		close(done)
	}
	if s.state == Idle {
		s.broker.CancelAll() // a command or a start hook may ask while nothing runs
		after()
		return
	}
	if s.aborted { // what came after the abort before this one is meant too
		for _, in := range s.prompts {
			s.stopped = append(s.stopped, func() { s.beginWaiting(in.id) })
		}
	}
	s.stopped = append(s.stopped, after)
	s.halt()
}

// beginWaiting begins a prompt that waits, if it still does and is the first, so
// that it ends as one that had begun before it was stopped.
func (s *Session) beginWaiting(id string) {
	if len(s.prompts) > 0 && s.prompts[0].id == id {
		s.next()
	}
}

// halt ends what a session that isn't idle does.
func (s *Session) halt() {
	s.aborted = true
	if s.stop != nil { // before the questions: a call that waits for one has then been aborted, not denied
		s.stop(errAbort)
	}
	s.broker.CancelAll()
	s.cancelRetry()
}

// working makes the context of what the session does from now on, of which there
// is one thing at a time: what was before is over. It is called on the owner.
func (s *Session) working() context.Context {
	s.rest()
	ctx, stop := context.WithCancelCause(s.ctx)
	s.stop = stop
	return ctx
}

// rest lets go of the context of what was done. A session that lives for long
// would keep all of them.
func (s *Session) rest() {
	if s.stop != nil {
		s.stop(nil)
		s.stop = nil
	}
}
