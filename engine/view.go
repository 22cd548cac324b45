package engine

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var errEnd = io.EOF

// Client is what a face says of itself when it attaches.
type Client struct {
	Name string
	// Shows lists the questions that it can put to its user.
	Shows []event.QuestionKind
	// Hold is how long its questions wait after it has gone, for it to come
	// back; 0 gives them their default at once.
	Hold time.Duration
}

// Attach returns a picture of the session and a subscription to everything
// after it: no gap, no overlap.
func (s *Session) Attach(ctx context.Context, c Client) (event.View, *Subscription, error) {
	var sub *Subscription
	sub = newSubscription(func() { s.in.do(func() { s.detach(sub) }) })
	view, err := do(ctx, s, func() (event.View, error) {
		s.faces[sub] = c
		return s.view(), nil
	})
	if err != nil { // nobody will close it, and it mustn't be waited for
		s.in.do(func() {
			delete(s.faces, sub)
			s.broker.Recheck()
		})
		return event.View{}, nil, err
	}
	return view, sub, nil
}

func (s *Session) detach(sub *Subscription) {
	c, ok := s.faces[sub]
	if !ok {
		return
	}
	delete(s.faces, sub)
	if c.Hold > 0 {
		for _, k := range c.Shows {
			s.held[k]++
		}
		s.after(c.Hold, func() {
			for _, k := range c.Shows {
				s.held[k]--
			}
			s.broker.Recheck()
		})
	}
	s.broker.Recheck()
}

// shown reports whether some face can show a kind of question.
func (s *Session) shown(k event.QuestionKind) bool {
	if s.held[k] > 0 {
		return true
	}
	for _, c := range s.faces {
		if slices.Contains(c.Shows, k) {
			return true
		}
	}
	return false
}

// publish numbers an event and gives it to every subscription.
func (s *Session) publish(ev event.Event) {
	s.seq++
	e := event.Envelope{Seq: s.seq, Session: s.doc.ID(), At: s.at, Event: ev}
	for sub := range s.faces {
		sub.put(e)
	}
}

// Place puts a value into its reader's stream, behind all that the run has
// emitted so far: for what a tool tells its host, who knows the call by then.
func (s *Session) Place(a *Ack) { s.in.post(item{fn: func() { s.place(a) }}) }

// place puts a command's value into the stream that asked for it.
func (s *Session) place(a *Ack) {
	if a != nil && a.Sub != nil {
		a.Sub.Post(a.Value)
	}
}

// View is a picture of the session.
func (s *Session) View(ctx context.Context) (event.View, error) {
	return do(ctx, s, func() (event.View, error) { return s.view(), nil })
}

func (s *Session) view() event.View {
	v := event.View{
		Seq: s.seq, SessionID: s.doc.ID(), File: s.doc.File(), Name: s.doc.Name(), Cwd: s.env.workspace.Cwd(),
		Model: modelEvent(s.model), Thinking: string(s.thinking), Mode: s.policy.mode(), State: string(s.state), Busy: s.state != Idle && s.state != Replacing && !s.manual,
		SteeringMode: s.modes.steering, FollowUpMode: s.modes.followUp, InterruptMode: s.modes.interrupt,
		AutoCompaction: s.auto.compaction, AutoRetry: s.auto.retry,
		Messages: s.messages[:len(s.messages):len(s.messages)],
		Running:  slices.Clone(s.running), Queue: slices.Clone(s.queue), Todos: s.todos.phases, Usage: s.usageEvent(),
	}
	if s.inflight != nil {
		m := s.inflight.message()
		v.InFlight = &m
	}
	v.Statuses, v.Widgets, v.Title = s.shows.statuses, s.shows.widgets, s.shows.title.Title
	if q, ok := s.broker.Open(); ok {
		v.Question = &q
	}
	return v
}

func modelEvent(m llm.Model) event.Model {
	e := event.Model{Provider: m.Provider, ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, Reasoning: m.Reasoning, Images: m.Images()}
	for _, l := range m.Supported() {
		e.Levels = append(e.Levels, string(l))
	}
	return e
}

func (s *Session) usageEvent() event.UsageChanged {
	n, exact := compact.Tokens(s.messages, s.summarised)
	if !exact && s.summarised > 0 {
		n = -1 // until the next answer tells
	}
	return event.UsageChanged{Total: s.usage, ContextTokens: n, ContextWindow: s.model.ContextWindow}
}

// inflight is the answer being streamed, as the deltas told it.
type inflight struct {
	start  message.Message
	blocks []event.MessageDelta
}

func (f *inflight) add(d event.MessageDelta) {
	for len(f.blocks) <= d.Index {
		f.blocks = append(f.blocks, event.MessageDelta{})
	}
	f.blocks[d.Index] = d
}

func (f *inflight) message() message.Message {
	m := f.start
	m.Content = make([]message.Block, 0, len(f.blocks))
	for _, d := range f.blocks {
		b := message.Block{Type: d.Block}
		switch d.Block {
		case message.ToolCallBlock:
			b.ID, b.Name, b.Arguments = d.CallID, d.Name, message.Object([]byte(d.Text))
		default:
			b.Text = strings.Clone(d.Text)
		}
		m.Content = append(m.Content, b)
	}
	return m
}
