package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/agent"
	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// errAbort is the cause of a cancel that the user asked for.
var errAbort = errors.New("aborted")

// startRun starts one attempt of the loop.
func (s *Session) startRun(prompts []message.Message) {
	system, once := s.system, s.once
	s.state = Running
	s.runs++
	ctx := s.working()
	s.publish(event.RunStarted{Run: s.runs})
	config := agent.Config{
		Prompts: prompts,
		History: s.messages,
		Model:   s.model,
		Request: func(ctx context.Context, history []message.Message) (llm.Provider, llm.Request, error) {
			p, r, err := s.request(ctx, history, system)
			once.apply(&r)
			return p, r, err
		},
		Find: func(name string) (tool.Tool, bool) {
			if once.NoTools {
				return nil, false
			}
			return s.findTool(name)
		},
		Prepare:    s.prepare,
		After:      s.afterTool,
		Steer:      s.steer,
		FollowUp:   func(ctx context.Context) []message.Message { return s.poll(ctx, FollowUp) },
		Interrupts: func() bool { return s.interrupts(ctx) },
		Emit: func(ev event.Event) {
			s.in.post(item{event: ev})
			if _, begins := ev.(event.TurnStarted); begins {
				s.heard(ctx)
			}
		},
		NewID:  s.ids.next,
		CallID: func(id string) string { return s.uniqueCallID(ctx, id) },
		Now:    s.engine.now,
		Between: func(ctx context.Context, turns int, more bool, answer message.Message) message.StopReason {
			s.caughtUp(ctx) // what the answer has used counts
			return s.between(ctx, turns, more, answer)
		},
	}
	go func() {
		config.Watch = s.watcher()
		out := agent.Run(ctx, config)
		s.in.post(item{fn: func() { s.runEnded(out) }})
	}()
}

// runEnded decides what follows an attempt, sets the state, and only then
// publishes the end: whoever reads it can act on it.
func (s *Session) runEnded(out agent.Outcome) {
	s.rest()
	clear(s.taken)
	s.running = nil
	o := outcome{reason: out.Reason}
	if out.Err != nil {
		o.err, o.kind = out.Err.Error(), llm.KindOf(out.Err)
	}
	end := func(will event.Will) {
		s.publish(event.RunEnded{Run: s.runs, Reason: o.reason, Error: o.err, Messages: orEmpty(out.Messages), Will: will})
	}
	switch {
	case out.Cut && o.reason == message.Aborted && !s.aborted:
		s.state = Running
		end(event.WillContinue)
		s.startOver(out)
	case s.aborted || o.reason == message.Aborted:
		s.finish(outcome{reason: message.Aborted, retries: "Retry cancelled"}, out.Messages)
	case o.reason == message.Error && llm.KindOf(out.Err) == llm.Overflow && s.auto.compaction && !s.overflowed:
		s.overflowed = true
		s.state = Compacting
		end(event.WillCompact)
		s.removeFailed(out)
		s.autoCompact("overflow", true)
	case o.reason == message.Error && llm.Retryable(out.Err) && s.auto.retry && s.attempt < s.env.settings.Retry.MaxRetries:
		s.state = Retrying
		end(event.WillRetry)
		s.removeFailed(out)
		s.scheduleRetry(out.Err)
	case o.reason == message.Error:
		o.retries = o.err
		s.finish(o, out.Messages)
	case s.auto.compaction && !s.fruitless && s.overLimit():
		s.state = Compacting
		end(event.WillCompact)
		s.autoCompact("threshold", o.reason == message.ToolUse)
	case o.reason == message.ToolUse || (o.reason == message.Stop && (s.waiting(Steer) || s.waiting(FollowUp))):
		s.state = Running
		end(event.WillContinue)
		s.continueRun()
	case o.reason == message.Stop && s.reminds():
		s.state = Running
		end(event.WillContinue)
		s.remind()
	default:
		if o.reason == message.StepLimit || o.reason == message.Budget {
			o.err, s.limits.told = s.limits.told, ""
		}
		s.finish(o, out.Messages)
	}
}

// continueRun goes on without a new prompt: with what waits in the queue, or
// from the last tool results.
func (s *Session) continueRun() {
	var messages []message.Message
	if !s.waiting(Steer) && !s.unanswered() { // the loop takes steering by itself
		messages = s.take(FollowUp, s.modes.followUp)
	}
	s.startRun(messages)
}

// unanswered reports whether the context ends in something that the model has
// yet to answer.
func (s *Session) unanswered() bool {
	if len(s.messages) == 0 {
		return false
	}
	last := s.messages[len(s.messages)-1]
	return last.Role == message.ToolResult || last.Role == message.User
}

// finish ends the last run of a prompt: the state first, then RunEnded, then
// the end-of-run hooks, then RunSettled.
func (s *Session) finish(o outcome, messages []message.Message) {
	hooks := s.host.Has(func(h ext.Hooks) bool { return h.RunEnd != nil })
	s.state = Idle
	if hooks {
		s.state = Settling
	}
	s.publish(event.RunEnded{Run: s.runs, Reason: o.reason, Error: o.err, Messages: orEmpty(messages)})
	if o.retries != "" && s.attempt > 0 {
		s.publish(event.RetryEnded{Attempt: s.attempt, Error: o.retries})
	}
	if !hooks {
		s.settle(o)
		return
	}
	ctx := s.working()
	marks := s.extensions.marks()
	go func() {
		caughtUp(ctx, marks, ext.DefaultTimeout)
		s.host.RunEnd(ctx, ext.RunEnd{Reason: o.reason, Messages: messages})
		sent := s.sent(ctx)
		s.in.post(item{fn: func() { s.afterRunEnd(o, sent) }})
	}()
}

// sent are the messages that end-of-run hooks sent, as the other extensions
// leave them.
func (s *Session) sent(ctx context.Context) []Input {
	sends, _ := do(s.ctx, s, func() ([]Input, error) {
		sends := s.sends
		s.sends = nil
		return sends, nil
	})
	var kept []Input
	for _, in := range sends {
		in, reply := s.consult(ctx, in)
		if reply.Handled || reply.Block {
			in.decide(Handled)
			continue
		}
		in.decide(Started)
		kept = append(kept, in)
	}
	return kept
}

// afterRunEnd carries on with what the hooks sent, or settles.
func (s *Session) afterRunEnd(o outcome, sent []Input) {
	s.rest()
	sent = append(sent, s.sends...) // from hooks that were asked about the others
	s.sends = nil
	if len(sent) == 0 || s.aborted {
		s.settle(o)
		return
	}
	var messages []message.Message
	for _, in := range sent {
		messages = append(messages, in.message(s.engine.now().UnixMilli()))
	}
	s.startRun(messages)
}

// settle closes the prompt. Waiting commands of the user, the waiters and the
// next prompt follow, in this order.
func (s *Session) settle(o outcome) {
	s.rest()
	s.state, s.failure, s.attempt = Idle, "", 0
	if o.reason != message.Stop {
		for _, p := range s.screenings {
			p.stays = true
		}
	}
	s.saved(s.doc.Sync())
	s.publish(event.RunSettled{Reason: o.reason, Aborted: o.reason == message.Aborted, Error: o.err, ErrorKind: string(o.kind)})
	s.resumeIdle()
}

// resumeIdle opens a session that has become idle to all that waits for it:
// those who have stopped it, in the order in which they came, then the waiters
// and the next prompt. What one of those who stopped it starts, the ones behind
// stop in their turn.
func (s *Session) resumeIdle() {
	s.payEnds()
	s.flushBash()
	s.aborted = false
	for s.state == Idle && len(s.stopped) > 0 {
		then := s.stopped[0]
		s.stopped = s.stopped[1:]
		then()
	}
	switch {
	case len(s.stopped) > 0:
		s.halt()
	case s.state == Idle:
		s.wake()
		s.next()
	}
}

// caughtUp waits until the owner knows all that the run has emitted.
func (s *Session) caughtUp(ctx context.Context) {
	known := make(chan struct{})
	if !s.in.post(item{fn: func() { close(known) }}) {
		return
	}
	select {
	case <-known:
	case <-ctx.Done():
	case <-s.ended:
	}
}

// turnPatience is how long a turn waits for extensions to hear of its beginning.
const turnPatience = time.Second

// heard waits a moment until the extensions have been told all that the run has
// emitted: one that isn't slow finds the conversation at the beginning of a turn
// as it was then, as the protocol's family promises.
func (s *Session) heard(ctx context.Context) {
	if len(s.extensions.all()) == 0 {
		return
	}
	var marks []<-chan struct{}
	known := make(chan struct{})
	if !s.in.post(item{fn: func() { marks = s.extensions.marks(); close(known) }}) {
		return
	}
	select {
	case <-known:
		caughtUp(ctx, marks, turnPatience)
	case <-ctx.Done():
	case <-s.ended:
	}
}

// interrupts reports whether a steering message should cut the turn.
func (s *Session) interrupts(ctx context.Context) bool {
	yes, _ := do(ctx, s, func() (bool, error) { return s.modes.interrupt == "immediate" && s.waiting(Steer), nil })
	return yes
}

func (s *Session) overLimit() bool {
	limit := s.env.compaction().Limit(s.model.ContextWindow)
	n, exact := compact.Tokens(s.messages, s.summarised)
	return exact && limit > 0 && n > limit
}

// uniqueCallID keeps a provider's id unless the session has seen it.
func (s *Session) uniqueCallID(ctx context.Context, id string) string {
	unique, err := do(ctx, s, func() (string, error) {
		if id == "" || s.callIDs[id] {
			id = "call_" + s.ids.next()
		}
		s.callIDs[id] = true
		return id, nil
	})
	if err != nil {
		return "call_" + s.ids.next()
	}
	return unique
}

// flushBash adds to the context what came meanwhile: the commands that the user
// ran, which were told of then, and messages of extensions.
func (s *Session) flushBash() {
	pending := s.pending
	s.pending = nil
	for _, m := range pending {
		if m.Role == message.Custom {
			s.add(m)
			continue
		}
		s.append(session.Entry{ID: m.ID, Message: &m})
		s.messages = append(s.messages, m)
	}
}

func orEmpty(m []message.Message) []message.Message {
	if m == nil {
		return []message.Message{}
	}
	return slices.Clip(m)
}
