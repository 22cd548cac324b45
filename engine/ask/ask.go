// Package ask is the broker for every question to the user, whoever asks: a
// permission, the ask tool, a slash command, an extension.
//
//	Ask ─▶ queue ─▶ (judged again) ─▶ AskOpened ─▶ first Answer wins ─▶ AskClosed
//
// One question is open at a time; the rest wait in the order in which they
// came. A Broker belongs to a session's owner: no method is safe for
// concurrent use, and none waits.
package ask

import (
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// Question and Answer are the events' own.
type (
	Question = event.Question
	Answer   = event.Answer
)

// Result is how a question ended.
type Result struct {
	Answer Answer
	// Answered is false when the default was used.
	Answered bool
	// Nobody is true when no face could show the question.
	Nobody bool
	// TimedOut is true when nobody answered in time.
	TimedOut bool
}

// Broker holds the questions of one session.
type Broker struct {
	// Publish sends an event to the faces.
	Publish func(event.Event)
	// Shown reports whether a face that is attached, or held, can show a kind.
	Shown func(event.QuestionKind) bool
	// After calls fn on the owner when d has passed, until stopped.
	After func(d time.Duration, fn func()) (stop func())
	// Now is the clock for deadlines; nil leaves them out.
	Now func() time.Time
	// NewID allocates a question's id.
	NewID func() string

	open    *Pending
	waiting []*Pending
}

// Pending is one question on its way.
type Pending struct {
	Question Question
	// Again, if set, judges the question anew before it opens: an "always"
	// given to an earlier one may answer it.
	Again func() (Answer, bool)
	// Done gets the result, once, on the owner; it must not wait.
	Done func(Result)

	stop   func()
	closed bool
}

// Ask queues a question. It opens at once when no other is open.
func (b *Broker) Ask(p *Pending) {
	if p.Question.ID == "" {
		p.Question.ID = b.NewID()
	}
	b.waiting = append(b.waiting, p)
	if b.open != nil {
		b.queued()
	}
	b.next()
}

// queued tells how many wait behind the open question.
func (b *Broker) queued() {
	b.open.Question.Waiting = len(b.waiting)
	b.Publish(event.AskWaiting{ID: b.open.Question.ID, Count: len(b.waiting)})
}

// Open returns the question that is on screen.
func (b *Broker) Open() (Question, bool) {
	if b.open == nil {
		return Question{}, false
	}
	return b.open.Question, true
}

// Answer closes the open question. It reports false when another answer came
// first, or the id isn't the open question's.
func (b *Broker) Answer(id string, a Answer) bool {
	if b.open == nil || b.open.Question.ID != id {
		return false
	}
	b.close(b.open, Result{Answer: a, Answered: true})
	return true
}

// Cancel takes a question back, open or waiting; its default holds.
func (b *Broker) Cancel(p *Pending) {
	if p.closed {
		return
	}
	if b.open == p {
		b.close(p, Result{Answer: Answer{Cancelled: true}})
		return
	}
	for i, w := range b.waiting {
		if w == p {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			if b.open != nil {
				b.queued()
			}
			break
		}
	}
	b.finish(p, Result{Answer: Answer{Cancelled: true}})
}

// CancelAll takes all questions back.
func (b *Broker) CancelAll() {
	waiting := b.waiting
	b.waiting = nil
	for _, p := range waiting {
		b.finish(p, Result{Answer: Answer{Cancelled: true}})
	}
	if b.open != nil {
		b.close(b.open, Result{Answer: Answer{Cancelled: true}})
	}
}

// Recheck is called when a face has gone: an open question that nobody can
// show any more gets its default.
func (b *Broker) Recheck() {
	if b.open != nil && !b.Shown(b.open.Question.Kind) {
		b.close(b.open, Result{Answer: Answer{Cancelled: true}, Nobody: true})
	}
}

func (b *Broker) next() {
	for b.open == nil && len(b.waiting) > 0 {
		p := b.waiting[0]
		b.waiting = b.waiting[1:]
		if p.Again != nil {
			if a, ok := p.Again(); ok {
				b.finish(p, Result{Answer: a, Answered: true})
				continue
			}
		}
		if !b.Shown(p.Question.Kind) {
			b.finish(p, Result{Answer: Answer{Cancelled: true}, Nobody: true})
			continue
		}
		b.open = p
		if d := p.Question.Timeout; d > 0 {
			if b.Now != nil {
				p.Question.Deadline = b.Now().Add(d)
			}
			p.stop = b.After(d, func() {
				if b.open == p {
					b.close(p, Result{Answer: Answer{Cancelled: true}, TimedOut: true})
				}
			})
		}
		p.Question.Waiting = len(b.waiting)
		b.Publish(event.AskOpened{Question: p.Question})
	}
}

// close ends the open question and opens the next.
func (b *Broker) close(p *Pending, r Result) {
	b.open = nil
	if p.stop != nil {
		p.stop()
	}
	b.Publish(event.AskClosed{ID: p.Question.ID, Answer: r.Answer, Answered: r.Answered, TimedOut: r.TimedOut})
	b.finish(p, r)
	b.next()
}

func (b *Broker) finish(p *Pending, r Result) {
	p.closed = true
	p.Done(r)
}
