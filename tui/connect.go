package tui

import (
	"errors"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// open makes the session; what follows is opened, attach, attached, and then
// batch after batch.
func (a *app) open() tea.Cmd {
	return func() tea.Msg {
		s, notices, err := a.o.Open(a.ctx)
		return openedMsg{s, notices, err}
	}
}

func (a *app) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		// Without a session the chat can do nothing: say so where it stays.
		a.err = msg.err
		return a.leave(1)
	}
	a.session, a.notices = msg.session, msg.notices
	return a.attach()
}

func (a *app) attach() tea.Cmd {
	s := a.session
	return func() tea.Msg {
		view, stream, err := s.Attach(a.ctx)
		return attachedMsg{view, stream, err}
	}
}

func (a *app) attached(msg attachedMsg) tea.Cmd {
	if msg.err != nil {
		a.err = msg.err
		return a.leave(1)
	}
	a.stream = msg.stream
	a.replace(msg.view)
	if a.started {
		return a.next()
	}
	a.started = true
	for _, n := range a.notices {
		a.story.notice("warning", n)
	}
	first := []tea.Cmd{a.do("start the session", a.session.Start)}
	for _, s := range a.waiting {
		first = append(first, a.send(s))
	}
	a.waiting = nil
	return tea.Batch(a.next(), tea.Sequence(first...))
}

// replace shows another picture of the session.
func (a *app) replace(v event.View) {
	a.view = v
	a.queue = v.Queue
	a.guests = guests{statuses: slices.Clone(v.Statuses), widgets: slices.Clone(v.Widgets), title: v.Title}
	a.story.show(v)
	a.busy.from(v, a.o.Now())
	a.question = nil
	if v.Question != nil {
		a.openQuestion(*v.Question)
	}
	a.view.Messages, a.view.InFlight = nil, nil // the list has them
}

// frameTime is the least time between two batches: more would not be seen.
const frameTime = steady

// next takes the stream's next batch. It waits out the frame of the last one
// first, so that what comes meanwhile merges.
func (a *app) next() tea.Cmd {
	// A frame that is dear to draw, of one huge block, comes less often, so
	// that keys are answered between two of them.
	pause := min(max(frameTime, 3*a.last.cost), time.Second)
	stream, ctx, ready := a.stream, a.ctx, a.lastBatch.Add(pause)
	return func() tea.Msg {
		if wait := time.Until(ready); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		events, err := stream.Batch(ctx)
		return batchMsg{stream, events, err}
	}
}

func (a *app) batch(msg batchMsg) tea.Cmd {
	if msg.stream != a.stream {
		msg.stream.Close()
		return nil
	}
	a.lastBatch = time.Now()
	// A merged delta stands where its first part was and has the number of its
	// last: numbers don't order a batch, the batch does.
	settled := false
	var tell tea.Cmd
	for _, e := range msg.events {
		a.apply(e.Event)
		switch e := e.Event.(type) {
		case event.RunSettled:
			settled = true
			if !e.Aborted {
				tell = a.notify(ending(e))
			}
		case event.AskOpened:
			tell = a.notify("Your answer is needed: " + e.Question.Title)
		}
	}
	return tea.Batch(tell, a.following(msg.err, settled))
}

// following is what comes after a batch: the next one, or another picture.
func (a *app) following(err error, settled bool) tea.Cmd {
	switch {
	case err == nil && settled && a.o.Branch != nil:
		return tea.Batch(a.next(), a.readBranch()) // the run may have changed it
	case err == nil:
		return a.next()
	case errors.Is(err, io.EOF) || a.ctx.Err() != nil:
		return nil
	}
	// We fell too far behind: a new picture has it all.
	return a.attach()
}
