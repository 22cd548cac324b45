package engine

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// Ask puts a question to the user and waits for the answer, off the owner. A
// cancelled ctx takes the question back. While it is open, the deadline of a
// hook that asks stands still.
func (s *Session) Ask(ctx context.Context, q event.Question) (event.Answer, bool) {
	r := s.ask(ctx, q, nil)
	return r.Answer, r.Answered
}

// ask puts a question into the session's queue. again judges it anew before it
// opens.
func (s *Session) ask(ctx context.Context, q event.Question, again func() (event.Answer, bool)) ask.Result {
	return s.put(ctx, q, again, func(ask.Result) {})
}

// put is ask with a func that hears the result before the next question is
// judged and opens. It is called on the owner of the session whose queue it is:
// a sub-agent's question goes into its caller's.
func (s *Session) put(ctx context.Context, q event.Question, again func() (event.Answer, bool), heard func(ask.Result)) ask.Result {
	if s.caller != nil {
		return s.caller.session.put(ctx, s.caller.forUser(q), again, heard)
	}
	defer ext.Pause(ctx)()
	gone := ask.Result{Answer: event.Answer{Cancelled: true}}
	ch := make(chan ask.Result, 1)
	p := &ask.Pending{Question: q, Again: again, Done: func(r ask.Result) { heard(r); ch <- r }}
	if ctx.Err() != nil || !s.in.do(func() { s.broker.Ask(p) }) {
		return gone
	}
	select {
	case r := <-ch:
		return r
	case <-ctx.Done():
		s.in.do(func() { s.broker.Cancel(p) })
		return gone
	case <-s.ended:
		return gone
	}
}

// Answer answers the open question. won is false when it was answered, or
// taken back, before.
func (s *Session) Answer(ctx context.Context, id string, a event.Answer) (won bool, err error) {
	return do(ctx, s, func() (bool, error) { return s.broker.Answer(id, a), nil })
}
