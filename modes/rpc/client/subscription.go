package client

import (
	"context"
	"iter"
)

// DefaultBacklog is Options.Backlog when that is 0.
const DefaultBacklog = 256

// Subscription is one reader's view of the events, in their order. It never
// holds up the agent and never loses a life-cycle frame: those wait without
// limit. Updates (message_update, tool_execution_update) are whole pictures
// which the next one replaces: once Options.Backlog events wait, an update
// takes the place of a waiting one right before it, and Event.Missed tells how
// many went. What they said is in message_end and tool_execution_end.
//
// A Subscription has one reader. Close it when nobody reads on.
type Subscription struct {
	client *Client
	queue  *queue[Event]
}

// Subscribe returns a view of the events from now on. The first one also has
// those which came before it, as long as no prompt was sent: what the agent
// said while it started.
func (c *Client) Subscribe() *Subscription {
	s := &Subscription{client: c, queue: newQueue[Event]()}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.early {
		s.add(e, c.options.Backlog)
	}
	c.early, c.late = nil, true
	if c.err != nil {
		s.queue.close()
	} else {
		c.subscriptions[s] = true
	}
	return s
}

// publish hands an event to the subscriptions. Its Data is decoded by each
// reader, so that the client's own reader stays fast.
func (c *Client) publish(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for s := range c.subscriptions {
		s.add(e, c.options.Backlog)
	}
	if !c.late && len(c.early) < c.options.Backlog {
		c.early = append(c.early, e)
	}
}

func (s *Subscription) add(e Event, backlog int) {
	s.queue.change(func(items []Event) []Event {
		update := e.Type == messageUpdate || e.Type == toolUpdate
		if n := len(items); update && n >= backlog && items[n-1].Type == e.Type {
			e.Missed = items[n-1].Missed + 1
			items[n-1] = e
			return items
		}
		return append(items, e)
	})
}

// Next waits for the next event. It fails with the context's cause, with
// ErrClosed after the last event of a client or subscription that was closed,
// and with an *EndedError after the last event of an agent that ended by
// itself.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	e, ok, err := s.queue.next(ctx)
	if err != nil {
		return Event{}, err
	}
	if !ok {
		return Event{}, s.client.endError()
	}
	if f := decoders[e.Type]; f != nil {
		e.Data = f(e.Raw)
	}
	return e, nil
}

// All ranges over the events. The error that ends them is Next's and comes as
// the last pair.
func (s *Subscription) All(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := s.Next(ctx)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Close ends the subscription; a Next in progress returns.
func (s *Subscription) Close() {
	s.client.mu.Lock()
	delete(s.client.subscriptions, s)
	s.client.mu.Unlock()
	s.queue.change(func([]Event) []Event { return nil })
	s.queue.close()
}
