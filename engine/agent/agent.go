// Package agent is the loop: one attempt to answer, over a provider, tools,
// hooks and two message queues. It knows no disk, no screen and no settings;
// all of that is given as funcs.
//
//	prompts ─▶ turn: request ─▶ stream ─▶ tool calls ─▶ results ─┐
//	             ▲                                              │
//	             └──── steering, follow-ups, more tool calls ◀──┘
//
// Run owns the attempt's goroutines: when it returns, none is left. Every
// event goes through Config.Emit in the order in which things happened. Run
// never retries; it says how the attempt ended and its caller decides.
package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// AbortedText is what an answer or a tool call that was stopped by the user
// says. The wording is the protocol family's, clients look for it.
const AbortedText = "Request was aborted"

// Config is everything an attempt needs. Funcs may be called from the
// attempt's goroutine only, unless said otherwise.
type Config struct {
	// Prompts open the attempt: they are announced before the first request.
	Prompts []message.Message
	// History is the context before the prompts. Run doesn't change it.
	History []message.Message
	// Model is named by an answer that ended before its request was built.
	Model llm.Model
	// Request builds the next request for the history so far.
	Request func(ctx context.Context, history []message.Message) (llm.Provider, llm.Request, error)
	// Find looks a tool up by name or alias.
	Find func(name string) (tool.Tool, bool)
	// Prepare decides whether a call may run. It is called in call order and
	// may wait for the user.
	Prepare func(ctx context.Context, t tool.Tool, c *tool.Call) Verdict
	// After may change a result. It is called from the call's goroutine.
	After func(ctx context.Context, c tool.Call, r tool.Result, failed bool) (tool.Result, bool)
	// Steer and FollowUp take waiting messages; both may return none.
	Steer, FollowUp func(ctx context.Context) []message.Message
	// Interrupts reports whether a waiting steering message should cut the
	// turn's remaining calls. Called after each call, from any goroutine.
	Interrupts func() bool
	// Emit publishes. Safe for concurrent use; it may block.
	Emit func(event.Event)
	// NewID allocates a message id; CallID makes a provider's call id unique
	// in the session.
	NewID  func() string
	CallID func(providerID string) string
	Now    func() time.Time
	// Between is asked after each turn that may be followed by another: more is
	// true when tool results wait for an answer. It returns "" to go on, or the
	// reason to stop with; the queues are then left alone, so that what waits
	// there isn't lost. It may wait for the user. nil always goes on.
	Between func(ctx context.Context, turns int, more bool, answer message.Message) message.StopReason
	// Watch, if set, sees every answer while it streams and may cut it off.
	Watch Watcher
	// Parallel limits the calls that run at once; 0 means 8.
	Parallel int
}

// Watcher follows answers. A cut ends an answer as an abort would, and the
// attempt with it: what had been said stays in its message, no tool call runs.
type Watcher interface {
	// Begin announces another answer.
	Begin()
	// Delta sees news of a block when they have been published.
	Delta(event.MessageDelta) (cut bool)
	// End is called when the model has said all, before its tool calls run. An
	// answer that failed has no End.
	End() (cut bool)
}

// Verdict is Prepare's answer.
type Verdict struct {
	Allowed bool
	// Reason goes to the model when the call isn't allowed; Denied says who
	// refused it, empty when the call was merely wrong.
	Reason, Denied string
	// Running is published when the call starts; its call fields are filled in.
	Running event.ToolRunning
}

// Outcome is how the attempt ended.
type Outcome struct {
	Reason message.StopReason
	// Err is the provider's failure, or nil.
	Err error
	// Messages were added by the attempt, in order.
	Messages []message.Message
	// Turns is the number of model calls made.
	Turns int
	// Cut says that the watcher ended the attempt. Reason is Aborted then, or
	// what Between said.
	Cut bool
}

// Last returns the last assistant message of the attempt.
func (o Outcome) Last() (message.Message, bool) {
	for i := len(o.Messages) - 1; i >= 0; i-- {
		if o.Messages[i].Role == message.Assistant {
			return o.Messages[i], true
		}
	}
	return message.Message{}, false
}

// run is one attempt in progress.
type run struct {
	Config
	history []message.Message
	added   []message.Message
	cut     bool // by the watcher
}

// Run makes one attempt. It returns when the model has nothing more to do,
// when it fails, or when ctx ends.
func Run(ctx context.Context, c Config) (out Outcome) {
	r := &run{Config: c, history: c.History[:len(c.History):len(c.History)]}
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{Reason: message.Error, Err: fmt.Errorf("agent loop panicked: %v\n%s", p, debug.Stack()), Messages: r.added}
		}
	}()
	r.Emit(event.TurnStarted{})
	for _, m := range c.Prompts {
		r.announce(m)
	}
	for _, m := range r.Steer(ctx) {
		r.announce(m)
	}
	for turns := 1; ; turns++ {
		reason, next, err := r.turn(ctx, turns)
		out = Outcome{Reason: reason, Err: err, Messages: r.added, Turns: turns, Cut: r.cut}
		if next == nil {
			return out
		}
		r.Emit(event.TurnStarted{})
		for _, m := range next {
			r.announce(m)
		}
	}
}

// turn makes one model call and runs its tool calls. next is nil when the
// attempt is over; else it holds the messages that open the next turn, maybe
// none.
func (r *run) turn(ctx context.Context, turns int) (reason message.StopReason, next []message.Message, err error) {
	answer, err := r.answer(ctx)
	results, ends := r.calls(ctx, answer)
	r.Emit(event.TurnEnded{Message: answer, ToolResults: results})
	switch {
	case r.cut:
		return r.afterCut(ctx, turns, answer), nil, nil
	case answer.StopReason == message.Error || answer.StopReason == message.Aborted || answer.StopReason == message.Refusal:
		return answer.StopReason, nil, err
	case ends != "":
		r.say(answer, ends)
		return message.Stop, nil, nil
	}
	more := len(results) > 0
	if r.Between != nil && ctx.Err() == nil {
		if stop := r.Between(ctx, turns, more, answer); stop != "" {
			return stop, nil, nil
		}
	}
	switch {
	case ctx.Err() != nil && more: // the next answer records the abort
		return answer.StopReason, []message.Message{}, nil
	case ctx.Err() != nil:
		return answer.StopReason, nil, nil
	}
	if next = r.Steer(ctx); len(next) > 0 {
		return answer.StopReason, next, nil
	}
	if more {
		return answer.StopReason, []message.Message{}, nil
	}
	return answer.StopReason, r.FollowUp(ctx), nil
}

// afterCut says how an attempt ends that the watcher cut: its caller will make
// another, unless a limit is reached.
func (r *run) afterCut(ctx context.Context, turns int, answer message.Message) message.StopReason {
	if r.Between != nil && ctx.Err() == nil {
		if stop := r.Between(ctx, turns, true, answer); stop != "" && stop != message.ToolUse {
			return stop
		}
	}
	return message.Aborted
}

// say ends an attempt with words that a tool gave, as a turn of the model's
// own: the question of a face that can only speak text.
func (r *run) say(as message.Message, text string) {
	m := message.Message{
		ID: r.NewID(), Role: message.Assistant, API: as.API, Provider: as.Provider, Model: as.Model,
		StopReason: message.Stop, Content: []message.Block{message.TextOf(text)}, Timestamp: r.Now().UnixMilli(),
	}
	r.Emit(event.TurnStarted{})
	r.announce(m)
	r.Emit(event.TurnEnded{Message: m, ToolResults: []message.Message{}})
}

// announce publishes a complete message and adds it to the history.
func (r *run) announce(m message.Message) {
	if m.ID == "" {
		m.ID = r.NewID()
	}
	if m.Timestamp == 0 {
		m.Timestamp = r.Now().UnixMilli()
	}
	r.Emit(event.MessageStarted{ID: m.ID, Message: m})
	r.end(m)
}

func (r *run) end(m message.Message) {
	r.Emit(event.MessageEnded{ID: m.ID, Message: m})
	r.history = append(r.history, m)
	r.added = append(r.added, m)
}
