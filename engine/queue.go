package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// ClearQueue empties the queue and returns what was in it.
func (s *Session) ClearQueue(ctx context.Context) ([]event.Queued, error) {
	return do(ctx, s, func() ([]event.Queued, error) {
		var out []event.Queued
		s.queue = slices.DeleteFunc(s.queue, func(q event.Queued) bool {
			if s.taken[q.ID] {
				return false
			}
			out = append(out, q)
			return true
		})
		for _, in := range s.prompts {
			in.drop()
			s.publish(event.PromptFailed{Ref: in.Ref, Error: "the prompt was taken out of the queue"})
			s.owed++
		}
		s.prompts = nil
		if len(out) > 0 {
			s.queueChanged()
		}
		for _, in := range s.dropScreenings() {
			out = append(out, event.Queued{ID: in.id, Delivery: string(in.Delivery), Message: in.message(s.engine.now().UnixMilli())})
		}
		return out, nil
	})
}

// payEnds closes the prompts that were dropped: each was promised an end, which
// comes when what they waited for is over.
func (s *Session) payEnds() {
	for ; s.owed > 0; s.owed-- {
		s.publish(event.RunSettled{Reason: message.Aborted, Aborted: true})
	}
}

// SetSteeringMode sets how many steering messages are taken at once:
// one-at-a-time or all.
func (s *Session) SetSteeringMode(ctx context.Context, mode string) error {
	return s.setQueueMode(ctx, &s.modes.steering, mode, "one-at-a-time", "all")
}

// SetFollowUpMode is the same for follow-ups.
func (s *Session) SetFollowUpMode(ctx context.Context, mode string) error {
	return s.setQueueMode(ctx, &s.modes.followUp, mode, "one-at-a-time", "all")
}

// SetInterruptMode says when steering takes effect: wait for the turn's end,
// or immediate, between tool calls.
func (s *Session) SetInterruptMode(ctx context.Context, mode string) error {
	return s.setQueueMode(ctx, &s.modes.interrupt, mode, "wait", "immediate")
}

func (s *Session) setQueueMode(ctx context.Context, field *string, mode string, valid ...string) error {
	if !slices.Contains(valid, mode) {
		return fmt.Errorf("unknown mode %q: use %s", mode, strings.Join(valid, " or "))
	}
	return s.set(ctx, func() error { *field = mode; s.settingsChanged(); return nil })
}
