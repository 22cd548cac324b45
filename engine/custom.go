package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// nextTurn is the delivery of an extension's message that goes with the user's
// next prompt.
const nextTurn = "nextTurn"

// SendMessage implements ext.Talk.
func (c callback) SendMessage(ctx context.Context, m ext.CustomMessage) error {
	switch {
	case m.Type == "":
		return errors.New("the message has no type: give it a name of your own")
	case len(m.Content) == 0:
		return errors.New("the message is empty: give it content")
	case !slices.Contains([]string{"", string(Steer), string(FollowUp), nextTurn}, m.Delivery):
		return fmt.Errorf("unknown delivery %q: use steer, followUp or nextTurn", m.Delivery)
	}
	custom := &message.Message{
		Role: message.Custom, CustomType: m.Type, Content: slices.Clone(m.Content), Display: m.Display,
		Details: slices.Clone(m.Details), Attribution: "agent",
	}
	in := Input{Source: FromExtension, Delivery: Delivery(m.Delivery), sender: c.name, custom: custom, screened: true}
	inside := ext.Inside(ctx)
	return c.s.set(ctx, func() error {
		c.s.takeCustom(in, m.Trigger, inside)
		return nil
	})
}

// takeCustom takes a message of an extension's to where the state and its
// delivery want it. Unlike a prompt it is never refused.
func (s *Session) takeCustom(in Input, trigger, inside bool) {
	in.id = s.ids.next()
	switch {
	case string(in.Delivery) == nextTurn:
		s.riding = append(s.riding, in)
	case s.state.busy() || s.state == Compacting && !s.manual:
		if in.Delivery == Auto {
			in.Delivery = Steer
		}
		s.enqueue(string(in.Delivery), in)
	case trigger && inside && s.state == Settling:
		s.sends = append(s.sends, in)
	case trigger:
		in.Delivery = Auto
		_, _ = s.route(in) // not busy: it begins, or waits for what goes on to be over
	case s.state == Replacing || s.state == Compacting:
		s.pending = append(s.pending, in.message(s.engine.now().UnixMilli()))
	default:
		s.add(in.message(s.engine.now().UnixMilli()))
	}
}

// add puts a message into the context that belongs to no run.
func (s *Session) add(m message.Message) {
	s.publish(event.MessageStarted{ID: m.ID, Message: m})
	s.keep(m)
}

// rides are the messages that go with the prompt which begins.
func (s *Session) rides() []message.Message {
	var out []message.Message
	for _, in := range s.riding {
		out = append(out, in.message(s.engine.now().UnixMilli()))
	}
	s.riding = nil
	return out
}

// entryOf is how a message is stored: an extension's as an entry of its own
// kind.
func entryOf(m message.Message) session.Entry {
	if m.Role != message.Custom || m.CustomType == injectionType {
		return session.Entry{ID: m.ID, Message: &m}
	}
	return session.Entry{ID: m.ID, CustomMessage: &session.CustomMessage{
		CustomType: m.CustomType, Content: m.Content, Display: m.Display, Details: m.Details, Attribution: m.Attribution,
	}}
}

// SetLabel names an entry of the tree; an empty text takes the name away.
func (s *Session) SetLabel(ctx context.Context, entryID, text string) error {
	return s.set(ctx, func() error {
		if _, ok := s.doc.Entry(entryID); !ok {
			return fmt.Errorf("no entry %q in this session", entryID)
		}
		id := s.ids.next()
		s.append(session.Entry{ID: id, Label: &session.Label{TargetID: entryID, Text: session.CleanName(text)}})
		s.publish(event.EntryAppended{ID: id, Type: string(session.TypeLabel)})
		return nil
	})
}

// document tells an extension about the session's file.
func (s *Session) document(ctx context.Context) (ext.Document, error) {
	return do(ctx, s, func() (ext.Document, error) {
		d := ext.Document{
			ID: s.doc.ID(), File: s.doc.File(), Dir: s.doc.Dir(), Cwd: s.env.workspace.Cwd(), Name: s.doc.Name(), Labels: s.doc.Labels(),
		}
		var err error
		d.Header, err = json.Marshal(s.doc.Header())
		return d, err
	})
}
