package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// live is an open session.
type live struct {
	id      string
	server  *server
	client  clientCapabilities
	session *engine.Session
	sub     *engine.Subscription
	editor  *editor
	lane    lane
	ctx     context.Context // ends with the session
	end     context.CancelFunc
	told    chan struct{} // closed when the teller has left
	once    sync.Once
	known   chan struct{} // closed when the editor has spoken of the session

	mu   sync.Mutex
	turn *turn
	now  settings

	// What follows is the teller's.

	projection *projection
	asking     map[string]*asked // open questions by id
	running    bool              // a run is going on
	named      bool              // the editor knows a title
	warnings   []string          // that wait for a turn to be told in
}

// turn is a prompt that has yet to be answered.
type turn struct {
	request *wire.Request
	text    string // for a title
	done    chan struct{}
	ctx     context.Context // ends when it is cancelled, or answered
	stop    context.CancelFunc

	mu        sync.Mutex
	cancelled bool

	// The teller's: begun is set when the run that comes next is this turn's.
	begun bool
	// others are runs that were going on when the prompt was accepted.
	others bool
}

func (t *turn) wasCancelled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cancelled
}

// Values that hold a place in the session's stream.
type (
	// beginning is where a turn's events begin.
	beginning struct{ turn *turn }
	// ending answers a turn that has no run.
	ending struct {
		turn  *turn
		reply string // for people, before the end
		err   *wire.Error
	}
	// shown is something to tell in its place.
	shown struct{ update any }
	// inTerminal says in which terminal a call's output is.
	inTerminal struct{ call, terminal string }
)

// reserve takes the session's only place for a turn.
func (l *live) reserve(r *wire.Request, text string) (*turn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn != nil || l.ctx.Err() != nil {
		return nil, false
	}
	t := &turn{request: r, text: text, done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(l.ctx)
	l.turn = t
	return t, true
}

// current is the turn in progress, nil if there is none.
func (l *live) current() *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turn
}

// cancel stops the turn in progress. It never waits.
func (l *live) cancel() {
	if t := l.current(); t != nil {
		l.cancelTurn(t)
	}
}

func (l *live) cancelTurn(t *turn) {
	t.mu.Lock()
	again := t.cancelled
	t.cancelled = true
	t.mu.Unlock()
	t.stop()
	if !again && l.current() == t {
		_ = l.session.AbortAck(nil) // closed: nothing runs
	}
}

// tell is the teller: it sends what the session does, in its order.
func (l *live) tell() {
	defer close(l.told)
	for {
		batch, err := l.sub.Batch(l.server.ctx)
		if err != nil {
			l.lost(err)
			return
		}
		for _, it := range batch {
			l.item(it)
		}
	}
}

// lost ends the teller when the session has ended, or was too fast for the
// editor. That has missed what was said then, so its connection ends too.
func (l *live) lost(err error) {
	slow := errors.Is(err, engine.ErrTooSlow)
	if slow {
		err = fmt.Errorf("session %s: %w: the editor doesn't read", l.id, err)
		defer l.server.fail(err)
	}
	if t := l.current(); t != nil {
		if t.wasCancelled() || !slow {
			l.finish(t, promptResult{"cancelled"}, nil)
		} else {
			l.finish(t, nil, failure(wire.InternalError, codeInternal, err))
		}
	}
	for _, a := range l.asking {
		a.withdraw()
	}
}

func (l *live) item(it engine.Item) {
	switch v := it.Ack.(type) {
	case nil:
		l.event(it.Event)
	case beginning:
		v.turn.begun, v.turn.others = true, l.running
		l.warn()
	case ending:
		l.warn()
		if v.reply != "" {
			l.update(chunk{"agent_message_chunk", textContent(v.reply), ""})
		}
		switch {
		case v.turn.wasCancelled():
			l.finish(v.turn, promptResult{"cancelled"}, nil)
		case v.err != nil:
			l.finish(v.turn, nil, v.err)
		default:
			l.finish(v.turn, promptResult{"end_turn"}, nil)
		}
	case shown:
		l.update(v.update)
	case inTerminal:
		for _, u := range l.projection.inTerminal(v.call, v.terminal) {
			l.update(u)
		}
	}
}

// event tells an event, and what follows from it.
func (l *live) event(e event.Event) {
	switch e := e.(type) {
	case event.RunStarted:
		l.running = true
	case event.AskOpened:
		l.open(e.Question)
		return
	case event.AskClosed:
		l.closed(e)
		return
	case event.RunSettled:
		l.running = false
		l.settled(e)
		return
	case event.Notice:
		l.keepWarning(e)
	case event.SessionNamed:
		l.named = true
	case event.ModelChanged, event.ThinkingChanged:
		l.changed(e)
		return
	case event.CommandsChanged:
		l.update(l.commands())
		return
	}
	turn := l.current()
	if ofTurn(e) && (turn == nil || !turn.begun) {
		return // nobody waits for it: editors take it for a mistake
	}
	for _, u := range l.projection.event(e, l.server.options.Now()) {
		l.update(u)
	}
	if m, ok := e.(event.ModeChanged); ok {
		l.changed(m)
	}
}

// ofTurn reports whether an event belongs to a turn alone.
func ofTurn(e event.Event) bool {
	switch e.(type) {
	case event.MessageDelta, event.MessageEnded, event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded, event.TodosChanged:
		return true
	}
	return false
}

// settled answers the turn whose last run has ended.
func (l *live) settled(e event.RunSettled) {
	t := l.current()
	if t == nil || !t.begun {
		return
	}
	if t.others {
		t.others = false // of a run before it
		return
	}
	l.title(t)
	switch reason, ok := stops[e.Reason]; {
	case t.wasCancelled() || e.Reason == message.Aborted:
		// What was to steer the run is no beginning of the next.
		_, _ = l.session.ClearQueue(l.ctx)
		l.finish(t, promptResult{"cancelled"}, nil)
	case ok:
		l.finish(t, promptResult{reason}, nil)
	default:
		l.finish(t, nil, runFailed(e, len(l.server.authMethods(l.client)) > 0))
	}
}

// stops are the reasons of the protocol.
var stops = map[message.StopReason]string{
	message.Stop: "end_turn", message.ToolUse: "end_turn", message.Length: "max_tokens", message.Budget: "max_tokens",
	message.StepLimit: "max_turn_requests", message.Refusal: "refusal",
}

// finish makes room for the next turn and answers this one.
func (l *live) finish(t *turn, result any, failed *wire.Error) {
	l.mu.Lock()
	if l.turn == t {
		l.turn = nil
	}
	l.mu.Unlock()
	if failed != nil {
		t.request.Fail(failed)
	} else {
		t.request.Reply(result)
	}
	t.stop()
	close(t.done)
}

// title gives an editor something to call the session.
func (l *live) title(t *turn) {
	u := infoUpdate{SessionUpdate: "session_info_update", UpdatedAt: l.server.options.Now().UTC().Format(time.RFC3339)}
	if !l.named && t.text != "" {
		l.named = true
		u.Title = titleOf(t.text)
	}
	l.update(u)
}

// keepWarning keeps what an editor without notices has to be told.
func (l *live) keepWarning(n event.Notice) {
	if n.Level == "info" || bool(l.client.Session.Notices) {
		return
	}
	if t := l.current(); t != nil && t.begun {
		l.update(chunk{"agent_message_chunk", textContent(warning(n.Text)), ""})
		return
	}
	l.warnings = append(l.warnings, n.Text)
}

// warn tells what has waited for a turn.
func (l *live) warn() {
	for _, w := range l.warnings {
		l.update(chunk{"agent_message_chunk", textContent(warning(w)), ""})
	}
	l.warnings = nil
}

func warning(text string) string { return "> " + text + "\n\n" }

// update sends one update, when the editor has room for it.
func (l *live) update(u any) {
	_ = l.server.peer.Send(l.server.ctx, l.notification(u))
}

func (l *live) notification(u any) wire.Notification {
	return wire.Notify("session/update", sessionUpdate{l.id, u})
}

// close stops the turn, waits for its answer and closes the session.
func (l *live) close(ctx context.Context) {
	if t := l.current(); t != nil {
		l.cancelTurn(t)
		select {
		case <-t.done:
		case <-ctx.Done():
		}
	}
	l.end()
	if err := l.session.Close(ctx); err != nil {
		l.server.options.Notify("session " + l.id + ": " + err.Error())
	}
	select {
	case <-l.told:
	case <-ctx.Done():
	}
	if l.server.options.Closed != nil {
		l.server.options.Closed(l.session)
	}
}
