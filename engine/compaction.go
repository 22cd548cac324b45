package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Errors of Compact; the wording is the protocol family's.
//
//lint:file-ignore ST1005 wire literals
var (
	errAlreadyCompacted = errors.New("Already compacted")
	errNothingToCompact = errors.New("Nothing to compact (session too small)")
	errCompactCancelled = errors.New("Compaction cancelled")
)

// compaction is one in progress.
type compaction struct {
	reason       string // manual, threshold, overflow
	instructions string
	old          []message.Message // what is summarised
	kept         string            // id of the first message that stays
	tokens       int
	model        llm.Model
	provider     llm.Provider
	// done is called on the owner when it is over.
	done func(event.CompactionResult, error)
}

// Compacted is how a compaction ended.
type Compacted struct {
	Result event.CompactionResult
	Err    error
}

// Compact summarises the conversation now and waits for the end of it; see
// StartCompact.
func (s *Session) Compact(ctx context.Context, instructions string) (event.CompactionResult, error) {
	select {
	case c := <-s.StartCompact(ctx, instructions):
		return c.Result, c.Err
	case <-ctx.Done():
		return event.CompactionResult{}, ctx.Err()
	}
}

// StartCompact has the conversation summarised; a run that is going is aborted
// first. Prompts that arrive meanwhile run afterwards. It returns when the
// session has taken it; the channel gives its end, once. When ctx ends before,
// it is cancelled. Inside a hook it is noted and carried out when the hook's
// step is over, and nobody learns its end.
func (s *Session) StartCompact(ctx context.Context, instructions string) <-chan Compacted {
	ended := make(chan Compacted, 1)
	if ext.Defer(ctx, func() { s.startCompact(s.ctx, instructions, func(Compacted) {}) }) {
		ended <- Compacted{}
		return ended
	}
	s.startCompact(ctx, instructions, func(c Compacted) { ended <- c })
	return ended
}

// CompactAck is StartCompact with the end told in a reader's stream: behind the
// compaction's own events and before what follows it, an abort's Ack included.
// reply makes the value; it may be called on the owner and must not wait.
func (s *Session) CompactAck(ctx context.Context, instructions string, sub *Subscription, reply func(Compacted) any) {
	s.startCompact(ctx, instructions, func(c Compacted) { sub.Post(reply(c)) })
}

// startCompact calls tell once.
func (s *Session) startCompact(ctx context.Context, instructions string, tell func(Compacted)) {
	var once sync.Once
	over := make(chan struct{})
	end := func(r event.CompactionResult, err error) {
		once.Do(func() { close(over); tell(Compacted{r, err}) })
	}
	if !s.in.do(func() {
		s.stopAll(nil, func() {
			if ctx.Err() != nil {
				end(event.CompactionResult{}, errCompactCancelled)
				return
			}
			s.compactNow(instructions, end)
		}, make(chan struct{}))
	}) {
		end(event.CompactionResult{}, ErrClosed)
		return
	}
	go func() {
		select {
		case <-over:
		case <-ctx.Done():
			s.in.do(s.cancelCompaction)
		}
		select {
		case <-over:
		case <-s.ended:
			end(event.CompactionResult{}, ErrClosed)
		}
	}()
}

func (s *Session) cancelCompaction() {
	if s.state == Compacting && s.stop != nil {
		s.stop(errAbort)
	}
}

func (s *Session) compactNow(instructions string, done func(event.CompactionResult, error)) {
	if s.summarised > 0 && s.summarised == len(s.messages) {
		done(event.CompactionResult{}, errAlreadyCompacted)
		return
	}
	cut, ok := s.env.compaction().PlanAll(s.messages)
	if !ok {
		done(event.CompactionResult{}, errNothingToCompact)
		return
	}
	if err := s.engine.usable(s.model); err != nil {
		if _, missing := errors.AsType[*catalog.MissingKeyError](err); missing {
			err = fmt.Errorf("No API key for %s", s.model.Provider)
		}
		done(event.CompactionResult{}, err)
		return
	}
	s.state, s.manual = Compacting, true
	s.compact("manual", instructions, cut, func(r event.CompactionResult, err error) {
		s.rest()
		s.state, s.manual = Idle, false
		s.endCompaction("manual", r, err, false)
		done(r, err)
		s.resumeIdle()
	})
}

// autoCompact makes room between two runs. Unfinished work goes on after it;
// finished work settles.
func (s *Session) autoCompact(reason string, unfinished bool) {
	plan := s.env.compaction().Plan
	if reason == "overflow" {
		plan = s.env.compaction().PlanAll
	}
	s.publish(event.CompactionStarted{Reason: reason})
	cut, ok := plan(s.messages)
	if !ok {
		s.fruitless = true
		s.publish(event.CompactionEnded{Reason: reason, Skipped: true})
		s.afterCompaction(reason, unfinished, errNothingToCompact)
		return
	}
	s.compact(reason, "", cut, func(r event.CompactionResult, err error) {
		s.rest()
		s.endCompaction(reason, r, err, err == nil && unfinished)
		s.fruitless = s.fruitless || err != nil || s.overLimit()
		s.afterCompaction(reason, unfinished, err)
	})
}

// compactBefore makes room for a prompt: the context may have been left too
// full, or another model may take less. It reports false when nothing can be
// summarised.
func (s *Session) compactBefore(in Input) bool {
	cut, ok := s.env.compaction().Plan(s.messages)
	if !ok {
		return false
	}
	in.Text = chosen(s.messages, in.Text)
	s.state = Compacting
	s.publish(event.CompactionStarted{Reason: "threshold"})
	s.compact("threshold", "", cut, func(r event.CompactionResult, err error) {
		s.rest()
		s.endCompaction("threshold", r, err, false)
		s.fruitless = err != nil || s.overLimit()
		if s.aborted || errors.Is(err, errCompactCancelled) {
			in.decide(Started)
			s.refuseWith([]message.Message{in.message(s.engine.now().UnixMilli())}, message.Aborted, "")
			return
		}
		s.enter(in)
	})
	return true
}

func (s *Session) afterCompaction(reason string, unfinished bool, err error) {
	switch {
	case s.aborted || errors.Is(err, errCompactCancelled):
		s.settle(outcome{reason: message.Aborted})
	case reason == "overflow" && err != nil:
		s.settle(outcome{reason: message.Error, err: "Context overflow recovery failed: " + err.Error(), kind: llm.Overflow})
	case unfinished && (s.env.settings.Compaction.AutoContinue || reason == "overflow"), s.waiting(Steer), s.waiting(FollowUp):
		s.continueRun()
	case err == nil && s.reminds():
		s.remind()
	default:
		s.settle(outcome{reason: message.Stop})
	}
}

// endCompaction tells how it went.
func (s *Session) endCompaction(reason string, r event.CompactionResult, err error, goesOn bool) {
	end := event.CompactionEnded{Reason: reason, WillRetry: goesOn}
	switch {
	case err == nil:
		end.Result, end.Messages = &r, s.messages
	case errors.Is(err, errCompactCancelled):
		end.Aborted = true
	case reason == "overflow":
		end.Error = "Context overflow recovery failed: " + err.Error()
	case reason == "threshold":
		end.Error = "Auto-compaction failed: " + err.Error()
	default:
		end.Error = err.Error()
	}
	s.publish(end)
	s.publish(s.usageEvent())
}

// compact starts the work off the owner; done comes back on it.
func (s *Session) compact(reason, instructions string, cut int, done func(event.CompactionResult, error)) {
	ctx := s.working()
	tokens, _ := compact.Tokens(s.messages, s.summarised)
	c := compaction{
		reason: reason, instructions: instructions, old: s.messages[:cut], kept: s.messages[cut].ID,
		tokens: tokens, model: s.model, provider: s.provider, done: done,
	}
	if reason == "manual" {
		s.publish(event.CompactionStarted{Reason: reason})
	}
	go func() {
		made, err := s.summarise(ctx, c)
		if ctx.Err() != nil {
			err = errCompactCancelled
		}
		s.in.post(item{fn: func() { s.compacted(c, made, err) }})
	}()
}

// summary is what a compaction puts in place of messages.
type summary struct {
	text              string
	fromExtension     bool
	kept              string // "" for where the session would cut
	details, preserve json.RawMessage
}

// compacted puts the summary into the tree and rebuilds the context from it.
func (s *Session) compacted(c compaction, made summary, err error) {
	if err != nil {
		c.done(event.CompactionResult{}, err)
		return
	}
	details, files := compact.Details(c.old)
	if made.fromExtension {
		files = ""
	}
	if made.details != nil {
		details = made.details
	}
	if made.kept != "" {
		if _, ok := s.doc.Entry(made.kept); ok {
			c.kept = made.kept
		}
	}
	r := event.CompactionResult{Summary: made.text + files, FirstKeptEntryID: c.kept, TokensBefore: c.tokens, Details: details}
	id := s.ids.next()
	s.append(session.Entry{ID: id, Compaction: &session.Compaction{
		Summary: r.Summary, FirstKeptEntryID: r.FirstKeptEntryID, TokensBefore: r.TokensBefore, Details: details,
		PreserveData: made.preserve, FromExtension: made.fromExtension,
	}})
	s.rebuild(s.doc.Context())
	s.env.forget() // context files are read again
	if !s.host.Has(func(h ext.Hooks) bool { return h.Compacted != nil }) {
		c.done(r, nil)
		return
	}
	ctx := s.working()
	go func() {
		s.host.Compacted(ctx, ext.Compacted{EntryID: id, FromExtension: made.fromExtension})
		s.in.post(item{fn: func() { c.done(r, nil) }})
	}()
}

// summarise asks the extensions, then the model.
func (s *Session) summarise(ctx context.Context, c compaction) (summary, error) {
	reply := s.host.BeforeCompact(ctx, ext.BeforeCompact{
		Reason: c.reason, Instructions: c.instructions, Messages: c.old,
		FirstKeptID: c.kept, TokensBefore: c.tokens, PreviousSummary: previousSummary(c.old),
	})
	made := summary{preserve: reply.Preserve}
	switch {
	case reply.Cancel:
		return made, errCompactCancelled
	case reply.Summary != "":
		made.text, made.fromExtension, made.kept, made.details = reply.Summary, true, reply.FirstKeptID, reply.Details
		return made, nil
	}
	instructions := cmp.Or(reply.Prompt, c.instructions)
	if len(reply.Context) > 0 {
		instructions += "\n\nKeep this too:\n" + strings.Join(reply.Context, "\n")
	}
	var err error
	made.text, err = s.askSummary(ctx, c.provider, compact.Request(c.model, c.old, instructions))
	return made, err
}

// previousSummary is that of the compaction before, "" for none.
func previousSummary(old []message.Message) string {
	if len(old) > 0 && old[0].Role == message.CompactionSummary {
		return old[0].Summary
	}
	return ""
}

// askSummary has the model write a summary; transient failures are tried again
// like those of a run.
func (s *Session) askSummary(ctx context.Context, p llm.Provider, req llm.Request) (string, error) {
	retry := s.env.settings.Retry
	for attempt := 0; ; attempt++ {
		text, err := answerText(ctx, p, req)
		if err == nil || ctx.Err() != nil || !llm.Retryable(err) || attempt >= retry.MaxRetries {
			return text, err
		}
		select {
		case <-time.After(backOff(retry, attempt+1, err)):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// answerText makes one request and returns the answer's text.
func answerText(ctx context.Context, p llm.Provider, req llm.Request) (string, error) {
	m, err := answerOf(ctx, p, req)
	if err != nil {
		return "", err
	}
	return cmp.Or(m.Text(), "(the model gave no summary)"), nil
}
