package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/agent"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Delivery says when a message reaches the model.
type Delivery string

const (
	// Auto starts a run; while one is going it is refused with ErrBusy.
	Auto Delivery = ""
	// Steer waits for the end of the running turn.
	Steer Delivery = "steer"
	// FollowUp waits until the model has nothing more to do.
	FollowUp Delivery = "followUp"

	nextPrompt = "prompt" // waits for the session to settle
)

// Where a message comes from, as extensions are told.
const (
	FromInteractive = "interactive" // a person at a terminal; the same as ""
	FromRPC         = "rpc"
	FromExtension   = "extension"
)

// Input is a prompt.
type Input struct {
	// Ref is the face's own name for it, repeated in PromptFailed.
	Ref  string
	Text string
	// Source is where it comes from.
	Source string
	// Images and other blocks that go with the text.
	Images   []message.Block
	Delivery Delivery
	// QueueOnly keeps an idle session from starting: the message rides along
	// with the next prompt.
	QueueOnly bool
	// Once are settings of this prompt alone. A message that is queued for a
	// prompt in progress doesn't change that prompt's.
	Once Once
	// Ack is placed before the first event that the prompt causes. When its Value
	// is a func(Disposition) any, what that returns is placed.
	Ack *Ack

	id       string // of the message that it will become
	sender   string // the extension that sent it
	screened bool   // extensions have been asked about it
	decided  chan Disposition
	custom   *message.Message // a message of an extension's own, in place of Text
}

var errEmptyPrompt = errors.New("the prompt is empty: write a message")

func (in Input) empty() bool { return strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 }

// Disposition says what became of a prompt.
type Disposition string

const (
	Started  Disposition = "started"
	QueuedUp Disposition = "queued"
	Handled  Disposition = "handled" // an extension has taken it away
)

// Accepted is the answer to a prompt.
type Accepted struct {
	// ID is the id of the user message that it becomes.
	ID          string
	Disposition Disposition
	// Decided is set when extensions have yet to be asked. It gives the final
	// Disposition, and is closed without one when the message was dropped before.
	// It says nothing any more once the session is closed.
	Decided <-chan Disposition
}

// Prompt gives the session a message. It returns once the session has taken
// it, never waiting for the model; how it goes on is told by events, up to
// RunSettled.
func (s *Session) Prompt(ctx context.Context, in Input) (Accepted, error) {
	if in.empty() {
		return Accepted{}, errEmptyPrompt
	}
	inside := ext.Inside(ctx)
	return do(ctx, s, func() (Accepted, error) { return s.accept(in, inside) })
}

func (s *Session) accept(in Input, fromHook bool) (Accepted, error) {
	in.id = s.ids.next()
	if s.host.Has(wantsInput) || s.extensions.pending() {
		in.decided = make(chan Disposition, 1)
	}
	switch {
	case fromHook && s.state == Settling:
		s.placeTaken(in.Ack, QueuedUp)
		s.sends = append(s.sends, in)
		return Accepted{in.id, QueuedUp, in.decided}, nil
	case fromHook && s.state != Idle && in.Delivery == Auto:
		in.Delivery = FollowUp // a hook can't know what is going on
	}
	if in.QueueOnly && in.Delivery == Auto {
		in.Delivery = FollowUp
	}
	d, err := s.route(in)
	if err != nil {
		return Accepted{}, err
	}
	return Accepted{in.id, d, in.decided}, nil
}

// route takes a message to where the state and its delivery want it.
func (s *Session) route(in Input) (Disposition, error) {
	switch {
	case s.state == Idle && !in.QueueOnly:
		s.placeTaken(in.Ack, Started)
		s.begin(in)
		return Started, nil
	case in.Delivery != Auto && (s.delivers() || in.QueueOnly):
		s.placeTaken(in.Ack, QueuedUp)
		if s.host.Has(wantsInput) && !in.screened {
			s.screen(in)
		} else {
			s.enqueue(string(in.Delivery), in)
			in.decide(QueuedUp)
		}
		return QueuedUp, nil
	case s.state.busy() && !s.aborted:
		return "", ErrBusy
	}
	// Between two prompts, the last of which may be on its way out: it runs when
	// what goes on there is over.
	s.placeTaken(in.Ack, QueuedUp)
	s.prompts = append(s.prompts, in)
	s.enqueue(nextPrompt, in)
	return QueuedUp, nil
}

// placeTaken places the Ack of a prompt.
func (s *Session) placeTaken(a *Ack, d Disposition) {
	if a == nil {
		return
	}
	of, ok := a.Value.(func(Disposition) any)
	if !ok {
		s.place(a)
		return
	}
	s.place(&Ack{Sub: a.Sub, Value: of(d)})
}

// delivers reports whether the prompt in progress will still take messages
// from the queue.
func (s *Session) delivers() bool {
	if s.aborted {
		return false
	}
	return s.state.busy() || (s.state == Compacting && !s.manual)
}

func (s *Session) enqueue(delivery string, in Input) {
	s.queue = append(s.queue, event.Queued{ID: in.id, Delivery: delivery, Message: in.message(s.engine.now().UnixMilli())})
	s.queueChanged()
}

func (in Input) message(at int64) message.Message {
	if in.custom != nil {
		m := *in.custom
		m.ID, m.Timestamp = in.id, at
		return m
	}
	m := message.Message{ID: in.id, Role: message.User, Attribution: "user", Timestamp: at}
	if in.Text != "" {
		m.Content = append(m.Content, message.TextOf(in.Text))
	}
	m.Content = append(m.Content, in.Images...)
	return m
}

// open forgets what belonged to the prompt before.
func (s *Session) open(once Once) {
	s.aborted, s.overflowed, s.fruitless, s.attempt = false, false, false, 0
	s.flushBash()
	s.system = ""
	s.limits.begin(s.at)
	s.watch.begin()
	s.just(once)
}

// begin opens a prompt: hooks first, off the owner, then the run. The first one
// waits for the MCP servers.
func (s *Session) begin(in Input) {
	s.open(in.Once)
	if err := s.engine.usable(s.model); err != nil {
		kind := llm.Unavailable
		if missing, ok := errors.AsType[*catalog.MissingKeyError](err); ok {
			kind = llm.Auth
			//lint:ignore ST1005 the beginning is the protocol family's
			err = fmt.Errorf("No API key found for %s. %w", s.model.Provider, missing)
		}
		in.decide(Started)
		s.publish(event.PromptFailed{Ref: in.Ref, Error: err.Error()})
		s.settle(outcome{reason: message.Error, err: err.Error(), kind: kind})
		return
	}
	if s.auto.compaction && s.overLimit() && s.compactBefore(in) {
		return
	}
	in.Text = chosen(s.messages, in.Text)
	s.enter(in)
}

// enter takes a prompt past the servers and extensions that have a say in it.
func (s *Session) enter(in Input) {
	wait, load := s.servers.pending(), s.extensions.pending()
	asks := in.custom == nil && s.host.Has(func(h ext.Hooks) bool { return wantsInput(h) || h.BeforeRun != nil })
	if !wait && !load && !asks {
		s.startRun(append([]message.Message{in.message(s.engine.now().UnixMilli())}, s.rides()...))
		return
	}
	s.state = Starting
	ctx := s.working()
	go func() {
		if wait {
			s.servers.await(ctx)
		}
		if load {
			s.extensions.start(ctx)
		}
		s.beforeRun(ctx, in)
	}()
}

// beforeRun asks the extensions about a prompt, then posts what they decided.
func (s *Session) beforeRun(ctx context.Context, in Input) {
	in, reply := s.consult(ctx, in)
	var more ext.BeforeRunReply
	if !reply.Handled && !reply.Block && in.custom == nil {
		more = s.host.BeforeRun(ctx, ext.BeforeRun{Prompt: in.Text, Images: in.Images, System: s.env.system()})
	}
	s.in.post(item{fn: func() {
		if reply.Handled {
			in.decide(Handled)
			s.delivered(in.id)
			s.settle(outcome{reason: message.Stop})
			return
		}
		in.decide(Started)
		messages := append([]message.Message{in.message(s.engine.now().UnixMilli())}, s.sealed(more.Messages)...)
		switch {
		case reply.Block:
			s.refuse(messages[:1], reply.Reason)
		case more.Block:
			s.refuse(messages[:1], more.Reason)
		case ctx.Err() != nil:
			s.refuseWith(messages[:1], message.Aborted, "")
		default:
			s.system = more.System
			s.startRun(append(messages, s.rides()...))
		}
	}})
}

// refuse runs a prompt that an extension blocked: its answer is the reason.
func (s *Session) refuse(prompt []message.Message, reason string) {
	s.refuseWith(prompt, message.Refusal, refusal(reason))
}

func refusal(reason string) string { return cmp.Or(reason, "An extension refused this prompt.") }

func (s *Session) refuseWith(prompt []message.Message, stop message.StopReason, reason string) {
	s.runs++
	s.publish(event.RunStarted{Run: s.runs})
	s.publish(event.TurnStarted{})
	answer := message.Message{
		ID: s.ids.next(), Role: message.Assistant, Timestamp: s.engine.now().UnixMilli(), StopReason: stop, ErrorMessage: reason,
		API: s.model.API, Provider: s.model.Provider, Model: s.model.ID,
	}
	if reason != "" {
		answer.Content = []message.Block{message.TextOf(reason)}
	}
	if stop == message.Aborted {
		answer.ErrorMessage = agent.AbortedText
	}
	all := append(slices.Clone(prompt), answer)
	for _, m := range all {
		s.publish(event.MessageStarted{ID: m.ID, Message: m})
		s.keep(m)
	}
	s.publish(event.TurnEnded{Message: answer, ToolResults: []message.Message{}})
	s.finish(outcome{reason: stop, err: reason}, all)
}

// next starts what waits for a settled session.
func (s *Session) next() {
	if len(s.prompts) == 0 || s.state != Idle {
		return
	}
	in := s.prompts[0]
	s.prompts = s.prompts[1:]
	s.begin(in)
}

// take gives the run the waiting messages of one delivery, as the mode says:
// one, or all.
func (s *Session) take(delivery Delivery, mode string) []message.Message {
	var out []message.Message
	for _, q := range s.queue {
		if q.Delivery != string(delivery) || s.taken[q.ID] {
			continue
		}
		m := q.Message
		m.ID, m.Timestamp = q.ID, s.engine.now().UnixMilli()
		s.taken[q.ID] = true
		out = append(out, m)
		if mode != "all" {
			break
		}
	}
	return out
}

// waiting reports whether a message of that delivery waits.
func (s *Session) waiting(delivery Delivery) bool {
	return slices.ContainsFunc(s.queue, func(q event.Queued) bool { return q.Delivery == string(delivery) && !s.taken[q.ID] })
}

// poll takes queued messages for the run, from the run's goroutine. It keeps
// its place behind the events that the run has emitted.
func (s *Session) poll(ctx context.Context, delivery Delivery) []message.Message {
	ch := make(chan []message.Message, 1)
	take := func() {
		if s.aborted || ctx.Err() != nil { // queues survive an abort
			ch <- nil
			return
		}
		mode := s.modes.steering
		if delivery == FollowUp {
			mode = s.modes.followUp
		}
		ch <- s.take(delivery, mode)
	}
	// Messages about which extensions are being asked still belong to this run.
	if !s.in.post(item{fn: func() { s.whenScreened(take) }}) {
		return nil
	}
	select {
	case m := <-ch:
		return m
	case <-ctx.Done():
		return nil // what was taken in this moment is let go when the run ends
	case <-s.ended:
		return nil
	}
}

// chosen turns a lone number into the text of the option that it stands for,
// when the last answer was a question with numbered options.
func chosen(messages []message.Message, text string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), "."))
	if err != nil || len(messages) < 2 || messages[len(messages)-1].Role != message.Assistant {
		return text
	}
	asked := messages[len(messages)-2]
	var d struct{ Options []string }
	if asked.Role != message.ToolResult || asked.ToolName != "ask" || json.Unmarshal(asked.Details, &d) != nil || n < 1 || n > len(d.Options) {
		return text
	}
	return d.Options[n-1]
}

// sealed gives messages of extensions what a message has to have.
func (s *Session) sealed(messages []message.Message) []message.Message {
	messages = slices.Clone(messages)
	for i := range messages {
		m := &messages[i]
		if m.Timestamp == 0 {
			m.Timestamp = s.engine.now().UnixMilli()
		}
		m.ID = ""
	}
	return messages
}
