package engine

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// screening is a message for the queue about which the extensions are asked
// before it gets there.
type screening struct {
	in Input
	// stays: the prompt that it was meant for was stopped or has failed. It waits
	// in the queue for the user's next one, like those that were there.
	stays bool
}

func wantsInput(h ext.Hooks) bool { return h.Input != nil }

// consult asks the extensions about a message, off the owner.
func (s *Session) consult(ctx context.Context, in Input) (Input, ext.InputReply) {
	if in.screened {
		return in, ext.InputReply{}
	}
	source := in.Source
	if source == "" {
		source = FromInteractive
	}
	changed, reply := s.host.Input(ctx, ext.Input{Text: in.Text, Images: in.Images, Source: source, Sender: in.sender})
	in.Text, in.Images, in.screened = changed.Text, changed.Images, true
	return in, reply
}

// screen asks about messages one after the other, in the order in which they
// came.
func (s *Session) screen(in Input) {
	s.screenings = append(s.screenings, &screening{in: in})
	if len(s.screenings) == 1 {
		s.screenNext()
	}
}

func (s *Session) screenNext() {
	if len(s.screenings) == 0 {
		waiting := s.waitScreened
		s.waitScreened = nil
		for _, fn := range waiting {
			fn()
		}
		s.wake()
		return
	}
	p := s.screenings[0]
	go func() {
		in, reply := s.consult(s.ctx, p.in)
		s.in.do(func() { s.afterScreening(p, in, reply) })
	}()
}

func (s *Session) afterScreening(p *screening, in Input, reply ext.InputReply) {
	if len(s.screenings) == 0 || s.screenings[0] != p {
		return // it was dropped meanwhile
	}
	s.screenings = s.screenings[1:]
	in.Ack = nil // it was placed when the message came
	switch {
	case reply.Handled:
		in.decide(Handled)
	case reply.Block:
		in.decide(Handled)
		s.publish(event.PromptFailed{Ref: in.Ref, Error: refusal(reply.Reason)})
	case p.stays:
		s.enqueue(string(in.Delivery), in)
		in.decide(QueuedUp)
	default:
		// A message with a delivery is never refused. The run may be over: then it
		// starts the next.
		_, _ = s.route(in)
	}
	s.screenNext()
}

// whenScreened calls fn on the owner when no message is on its way into the
// queue.
func (s *Session) whenScreened(fn func()) {
	if len(s.screenings) == 0 {
		fn()
		return
	}
	s.waitScreened = append(s.waitScreened, fn)
}

// dropScreenings takes messages back that haven't come into the queue yet.
func (s *Session) dropScreenings() []Input {
	var dropped []Input
	for _, p := range s.screenings {
		p.in.drop()
		dropped = append(dropped, p.in)
	}
	if len(dropped) > 0 {
		s.screenings = nil
		s.screenNext()
	}
	return dropped
}

// decide tells the sender what became of a message, once.
func (in Input) decide(d Disposition) {
	if in.decided == nil {
		return
	}
	select {
	case in.decided <- d:
	default:
	}
}

func (in Input) drop() {
	if in.decided != nil {
		close(in.decided)
	}
}
