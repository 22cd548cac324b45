package engine

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// ErrTooSlow ends a subscription whose reader let more than 64 MB of its own
// pile up. The reader may attach again.
var ErrTooSlow = errors.New("the reader fell too far behind the session")

// maxWeight is what a subscription may hold of its own: texts of a growing
// message and finished messages are shared with the session and weigh only
// their envelope, so a reader can pause through a whole long answer.
const (
	maxWeight = 64 << 20
	envelope  = 256 // bytes, roughly: queue slot, boxed event
)

// Item is what a subscription yields: an event, or a value that a command
// placed in the stream to keep its order (Ack is then not nil).
type Item struct {
	event.Envelope
	Ack any
}

// Ack asks a command to put Value into Sub's queue: before the first event
// that the command causes, or after the last, as the command documents.
type Ack struct {
	Sub   *Subscription
	Value any
}

// Subscription is one reader's queue. The owner puts, the reader takes;
// neither waits for the other.
type Subscription struct {
	mu      sync.Mutex
	items   []queued
	ready   chan struct{} // holds a token when there is something to take
	latest  map[string]int
	weight  int
	err     error
	release func() // tells the session that the reader has gone
}

type queued struct {
	Item
	weight int
}

func newSubscription(release func()) *Subscription {
	return &Subscription{ready: make(chan struct{}, 1), latest: map[string]int{}, release: release}
}

// Next returns the next item; io.EOF after Close or the session's end.
func (s *Subscription) Next(ctx context.Context) (Item, error) {
	batch, err := s.wait(ctx, 1)
	if err != nil {
		return Item{}, err
	}
	return batch[0], nil
}

// Batch returns all that is queued, at least one item.
func (s *Subscription) Batch(ctx context.Context) ([]Item, error) { return s.wait(ctx, 0) }

func (s *Subscription) wait(ctx context.Context, most int) ([]Item, error) {
	for {
		if batch, err := s.take(most); len(batch) > 0 || err != nil {
			return batch, err
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Subscription) take(most int) ([]Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		return nil, s.err
	}
	batch := make([]Item, 0, len(s.items))
	n := 0
	for ; n < len(s.items) && (most == 0 || len(batch) < most); n++ {
		if it := s.items[n]; it.Event != nil || it.Ack != nil {
			batch = append(batch, it.Item)
			s.weight -= it.weight
		}
	}
	rest := copy(s.items, s.items[n:])
	clear(s.items[rest:])
	s.items = s.items[:rest]
	clear(s.latest) // positions have moved; what is left starts afresh
	if rest > 0 {
		s.signal()
	}
	return batch, nil
}

// Close ends the subscription; what is queued is dropped.
func (s *Subscription) Close() {
	s.end(io.EOF, true)
	s.release()
}

func (s *Subscription) end(err error, drop bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	if drop {
		s.items, s.weight = nil, 0
	}
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// put queues an envelope, merging it with one that waits where that loses
// nothing: an earlier delta of the same block, progress of the same call. What
// is merged stands at the end, so that sequence numbers only rise.
func (s *Subscription) put(e event.Envelope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	call, inner := unwrap(e.Event)
	switch ev := inner.(type) {
	case event.MessageDelta:
		id := call + ev.ID
		s.withdraw(id, func(old event.Event) bool {
			_, old = unwrap(old)
			d, ok := old.(event.MessageDelta)
			if ok = ok && d.Index == ev.Index && !d.Done; ok {
				ev.From = d.From
				e.Event = rewrap(e.Event, ev)
			}
			return ok
		})
		s.latest[id] = len(s.items)
		s.add(Item{Envelope: e}, envelope)
	case event.ToolProgress:
		s.progress(call+ev.CallID, e, size(ev))
	case event.BashProgress:
		s.progress(ev.ID, e, len(ev.Output))
	default:
		if id := closes(inner); id != "" {
			delete(s.latest, call+id)
		}
		if _, ok := inner.(event.RuleTriggered); ok {
			clear(s.latest) // what broke the rule stays before it
		}
		weight := envelope + shown(inner)
		if call != "" {
			weight += said(inner)
		}
		s.add(Item{Envelope: e}, weight)
	}
}

// unwrap returns what an event tells, and under which task calls when it is a
// sub-agent's.
func unwrap(ev event.Event) (calls string, inner event.Event) {
	for {
		sub, ok := ev.(event.SubagentEvent)
		if !ok {
			return calls, ev
		}
		calls, ev = calls+sub.CallID+"/", sub.Event
	}
}

// rewrap puts inner in place of the innermost event of ev.
func rewrap(ev, inner event.Event) event.Event {
	sub, ok := ev.(event.SubagentEvent)
	if !ok {
		return inner
	}
	sub.Event = rewrap(sub.Event, inner)
	return sub
}

// said is the size of what a sub-agent's message or call ended with: unlike
// the session's own it is in no one's context any more.
func said(ev event.Event) int {
	switch e := ev.(type) {
	case event.MessageStarted:
		return weigh(e.Message.Content)
	case event.MessageEnded:
		return weigh(e.Message.Content)
	case event.ToolEnded:
		return weigh(e.Content) + len(e.Details)
	}
	return 0
}

func weigh(content []message.Block) int {
	n := 0
	for _, b := range content {
		n += len(b.Text) + len(b.Data) + len(b.Arguments)
	}
	return n
}

// progress keeps only the last value; a call's life-cycle events bar the way.
func (s *Subscription) progress(id string, e event.Envelope, own int) {
	s.withdraw(id, func(event.Event) bool { return true })
	s.latest[id] = len(s.items)
	s.add(Item{Envelope: e}, envelope+own)
}

// withdraw takes back the latest event about id, if it waits and fits. At the
// end of the queue its place is free again; elsewhere an empty one remains.
func (s *Subscription) withdraw(id string, fits func(event.Event) bool) {
	i, ok := s.latest[id]
	if !ok || !fits(s.items[i].Event) {
		return
	}
	s.weight -= s.items[i].weight
	s.items[i] = queued{}
	if i == len(s.items)-1 {
		s.items = s.items[:i]
	}
}

func (s *Subscription) add(it Item, weight int) {
	s.items = append(s.items, queued{it, weight})
	s.weight += weight
	if s.weight > maxWeight {
		s.err, s.items, s.weight = ErrTooSlow, nil, 0
	}
	s.signal()
}

// Post puts a value behind all that is queued, as an Item with an Ack: for a
// response that must follow the events of what it answers. After the end it is
// dropped.
func (s *Subscription) Post(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.add(Item{Ack: v}, envelope)
	}
}

// closes names the message or call whose life cycle the event touches.
func closes(e event.Event) string {
	switch e := e.(type) {
	case event.MessageStarted:
		return e.ID
	case event.MessageEnded:
		return e.ID
	case event.MessageRemoved:
		return e.ID
	case event.ToolStarted:
		return e.CallID
	case event.ToolRunning:
		return e.CallID
	case event.ToolEnded:
		return e.CallID
	case event.BashStarted:
		return e.ID
	case event.BashEnded:
		return e.ID
	}
	return ""
}

// shown is the size of what an extension shows: nothing else bounds how much of
// it there is.
func shown(ev event.Event) int {
	switch e := ev.(type) {
	case event.Notice:
		return len(e.Text)
	case event.StatusChanged:
		if e.Text != nil {
			return len(*e.Text)
		}
	case event.WidgetChanged:
		n := 0
		for _, l := range e.Lines {
			n += len(l)
		}
		return n
	case event.TitleChanged:
		return len(e.Title)
	case event.EditorTextSet:
		return len(e.Text)
	}
	return 0
}

func size(p event.ToolProgress) int {
	return len(p.Details) + weigh(p.Content)
}
