package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// limits are what a prompt may use, and what it has used. They belong to the
// owner.
type limits struct {
	config.Limits
	turns int // model calls of the prompt in progress
	used  message.Usage
	spent float64 // US dollars since the session was opened
	began time.Time
	told  string // why the run that is ending was stopped
	// declined says that the user won't have the prompt in progress use more.
	declined bool
}

// merged puts the face's limits over the settings'.
func merged(s, o config.Limits) config.Limits {
	return config.Limits{
		Turns: cmp.Or(o.Turns, s.Turns), OutputTokens: cmp.Or(o.OutputTokens, s.OutputTokens),
		TotalTokens: cmp.Or(o.TotalTokens, s.TotalTokens), Seconds: cmp.Or(o.Seconds, s.Seconds),
		CostUSD: cmp.Or(o.CostUSD, s.CostUSD),
	}
}

func (l *limits) begin(now time.Time) {
	l.turns, l.used, l.began, l.declined = 0, message.Usage{}, now, false
}

// bill counts what an answer has used, the session's own or a sub-agent's.
func (l *limits) bill(u message.Usage) {
	l.used = l.used.Add(u)
	l.spent += u.Cost.Total
}

// reached is the limit that is used up: what to stop with and how to say it.
// extend makes room for as much again.
func (l *limits) reached(now time.Time) (stop message.StopReason, text string, extend func()) {
	if l.Turns > 0 && l.turns >= l.Turns {
		return message.StepLimit, fmt.Sprintf("%d model calls", l.turns), func() { l.Turns += max(l.Turns, l.turns) }
	}
	return l.overdrawn(now)
}

// overdrawn is reached for what sub-agents use too: all but model calls.
func (l *limits) overdrawn(now time.Time) (stop message.StopReason, text string, extend func()) {
	c := l.Limits
	passed := now.Sub(l.began)
	switch {
	case c.OutputTokens > 0 && l.used.Output >= c.OutputTokens:
		return message.Budget, fmt.Sprintf("%d output tokens", l.used.Output), func() { l.OutputTokens += max(c.OutputTokens, l.used.Output) }
	case c.TotalTokens > 0 && l.used.ContextTokens() >= c.TotalTokens:
		return message.Budget, fmt.Sprintf("%d tokens", l.used.ContextTokens()), func() { l.TotalTokens += max(c.TotalTokens, l.used.ContextTokens()) }
	case c.Seconds > 0 && passed >= time.Duration(c.Seconds)*time.Second:
		return message.Budget, passed.Round(time.Second).String(), func() { l.Seconds += max(c.Seconds, int(passed.Seconds())) }
	case c.CostUSD > 0 && l.spent >= c.CostUSD:
		return message.Budget, fmt.Sprintf("$%.2f", l.spent), func() { l.CostUSD += max(c.CostUSD, l.spent) }
	}
	return "", "", nil
}

// between decides after a turn whether the run goes on: the context may need
// room first, or a limit is reached. A limit is put to the user where a face
// can ask; nobody there, the run stops. A sub-agent's own limit is its
// definition's, which is nobody's to change; it also keeps to the session's.
func (s *Session) between(ctx context.Context, _ int, more bool, answer message.Message) message.StopReason {
	type verdict struct {
		stop message.StopReason
		text string // of a limit
		done bool
	}
	more = more || len(s.watch.notes) > 0
	v, err := do(ctx, s, func() (verdict, error) {
		if !more && !s.waiting(Steer) && !s.waiting(FollowUp) {
			return verdict{done: true}, nil
		}
		stop, text, _ := s.limits.reached(s.at)
		if stop == "" && more && s.needsRoom(answer) {
			stop = message.ToolUse
		}
		return verdict{stop, text, false}, nil
	})
	if err != nil || v.done {
		return v.stop
	}
	root, check := s.root(), (*limits).reached
	if s.caller != nil && v.text == "" {
		check = (*limits).overdrawn
		over, _ := do(ctx, root, func() (verdict, error) {
			stop, text, _ := check(&root.limits, root.at)
			return verdict{stop, text, false}, nil
		})
		if over.text != "" {
			v = over
		}
	}
	if v.text == "" {
		return v.stop
	}
	if own := s.caller != nil && v.stop == message.StepLimit; !own && root.extend(ctx, v.text, check) {
		return ""
	}
	_ = s.set(ctx, func() error { s.limits.told = "the limit is reached: " + v.text; return nil })
	return v.stop
}

// extend asks the user for as much again of what a check finds used up. Of
// several sub-agents that come here at once the first one's answer is
// everyone's.
func (s *Session) extend(ctx context.Context, text string, check func(*limits, time.Time) (message.StopReason, string, func())) bool {
	q := event.Question{Kind: event.AskConfirm, Title: "The limit is reached: " + text, Message: "Go on with as much again?"}
	agreed := func(r ask.Result) bool { return r.Answered && r.Answer.Confirmed && !r.Answer.Cancelled }
	again := func() (event.Answer, bool) {
		stop, _, _ := check(&s.limits, s.at)
		return event.Answer{Confirmed: stop == ""}, stop == "" || s.limits.declined
	}
	return agreed(s.put(ctx, q, again, func(r ask.Result) {
		s.limits.declined = r.Answered && !agreed(r)
		if _, _, more := check(&s.limits, s.at); agreed(r) && more != nil {
			more()
		}
	}))
}

// needsRoom reports whether the context should be compacted before the next
// turn.
func (s *Session) needsRoom(answer message.Message) bool {
	limit := s.env.compaction().Limit(s.model.ContextWindow)
	return s.auto.compaction && !s.fruitless && limit > 0 && answer.Usage.ContextTokens() > limit
}
