package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// Once are settings of one prompt: they hold until it has settled.
type Once struct {
	// Append is added to the system prompt.
	Append string
	// MaxTokens limits each answer; 0 means the model's own limit.
	MaxTokens int
	// NoTools offers none.
	NoTools bool
	// AskAll puts every call to the user that the mode would let pass. It never
	// allows anything.
	AskAll bool
}

// apply changes a request.
func (o Once) apply(r *llm.Request) {
	if o.Append != "" {
		r.System += "\n\n" + o.Append
	}
	r.MaxTokens = o.MaxTokens
	if o.NoTools {
		r.Tools = nil
	}
}

// just makes o the settings of the prompt that begins.
func (s *Session) just(o Once) {
	s.once = o
	s.policy.askAll(o.AskAll)
}

// asked is a decision in the light of AskAll: what is no more than thinking
// aside, nothing runs unasked.
func asked(d permission.Decision, r permission.Request) permission.Decision {
	if d.Action == permission.Allow && r.Kind != permission.KindThink {
		d.Action, d.Reason = permission.Ask, "this prompt wants to be asked about every call"
	}
	return d
}

// Regenerate drops what follows the last message of the user, in the context
// alone, and has it answered again. While the session isn't idle it is
// ErrBusy. The ack is placed before the first event.
func (s *Session) Regenerate(ctx context.Context, once Once, ack *Ack) error {
	return s.set(ctx, func() error {
		if s.state != Idle {
			return ErrBusy
		}
		last := -1
		for i, m := range s.messages {
			if m.Role == message.User && !m.Synthetic {
				last = i
			}
		}
		if last < 0 {
			return errors.New("there is no message to answer again: send one first")
		}
		if err := s.doc.MoveTo(s.messages[last].ID); err != nil {
			return fmt.Errorf("go back to the message: %w", err)
		}
		s.rebuild(s.doc.Context())
		s.restoreTodos()
		s.restoreRules()
		s.place(ack)
		s.publish(event.LeafMoved{View: s.view()})
		s.open(once)
		if err := s.engine.usable(s.model); err != nil {
			s.publish(event.PromptFailed{Error: err.Error()})
			s.settle(outcome{reason: message.Error, err: err.Error()})
			return nil
		}
		s.startRun(nil)
		return nil
	})
}
