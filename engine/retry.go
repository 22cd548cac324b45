package engine

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/agent"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// removeFailed takes a failed answer out of the context. It stays in the
// file, on a branch of its own.
func (s *Session) removeFailed(out agent.Outcome) {
	failed, ok := out.Last()
	if !ok {
		return
	}
	for i := len(s.messages) - 1; i >= 0; i-- {
		if s.messages[i].ID != failed.ID {
			continue
		}
		for _, m := range s.messages[i:] {
			s.publish(event.MessageRemoved{ID: m.ID})
		}
		s.messages = s.messages[:i:i]
		if e, ok := s.doc.Entry(failed.ID); ok {
			_ = s.doc.MoveTo(e.ParentID) // a parent always exists
		}
		return
	}
}

func (s *Session) scheduleRetry(err error) {
	s.attempt++
	s.failure = err.Error()
	settings := s.env.settings.Retry
	delay := backOff(settings, s.attempt, err)
	s.publish(event.RetryScheduled{Attempt: s.attempt, MaxAttempts: settings.MaxRetries, DelayMS: delay.Milliseconds(), Error: s.failure})
	s.stopTimer = s.after(delay, func() {
		if s.state == Retrying {
			s.stopTimer = nil
			s.failure = ""
			s.startRun(nil)
		}
	})
}

// backOff is how long to wait before an attempt, which are counted from 1: twice
// as long each time up to the settings' limit, and as long as the service asks.
func backOff(r config.Retry, attempt int, err error) time.Duration {
	delay, limit := time.Duration(r.BaseDelayMs)*time.Millisecond, time.Duration(r.MaxDelayMs)*time.Millisecond
	if limit <= 0 {
		limit = math.MaxInt64 / 2 // which doubled is still a time
	}
	for ; attempt > 1 && delay < limit; attempt-- {
		delay *= 2
	}
	return max(min(delay, limit), llm.RetryAfter(err))
}

// cancelRetry ends the wait for the next attempt.
func (s *Session) cancelRetry() {
	if s.state != Retrying {
		return
	}
	if s.stopTimer != nil {
		s.stopTimer()
		s.stopTimer = nil
	}
	failure := s.failure
	s.publish(event.RetryEnded{Attempt: s.attempt, Error: "Retry cancelled"})
	s.settle(outcome{reason: cmp.Or(map[bool]message.StopReason{true: message.Aborted}[s.aborted], message.Error), err: failure})
}

// AbortRetry cancels the wait for the next attempt; the failure stands.
func (s *Session) AbortRetry(ctx context.Context) error {
	return s.set(ctx, func() error { s.cancelRetry(); return nil })
}
