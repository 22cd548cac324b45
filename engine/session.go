package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Errors that faces branch on.
var (
	// ErrBusy refuses a prompt while a run is going. The text is the protocol
	// family's.
	//
	//lint:ignore ST1005 a wire literal
	ErrBusy   = errors.New("Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.")
	ErrClosed = errors.New("the session is closed")
)

// State is what a session is doing.
type State string

const (
	Idle       State = "idle"
	Starting   State = "starting"   // hooks before the first request
	Running    State = "running"    // the agent loop
	Retrying   State = "retrying"   // waiting to try again
	Compacting State = "compacting" // summarising
	Settling   State = "settling"   // hooks after the last run; takes prompts
	Replacing  State = "replacing"  // the document is being exchanged; takes prompts
)

// busy reports whether a prompt must be queued explicitly.
func (s State) busy() bool { return s == Starting || s == Running || s == Retrying }

// Session is one conversation and the door to it. It lives as long as its
// face; what is behind it on disk, the document, can be replaced. Every
// method is safe for concurrent use.
type Session struct {
	engine *Engine
	opts   OpenOptions
	in     *inbox
	ended  chan struct{} // the owner has left
	ctx    context.Context
	cancel context.CancelFunc
	env    *environment
	tools  *toolset
	host   *ext.Host
	// extensions are those of the user's own session; nil for sub-agents.
	extensions *extensions
	number     uint64   // of the process's sessions
	awaited    []string // tools on the options' list that may be an extension's
	policy     *gate
	// servers are the MCP servers; nil without any, and for sub-agents, who have
	// the tools of their caller's.
	servers *servers
	caller  *caller // nil for the user's own session
	seats   seats   // of all sub-agents below the user's session
	seat    *seat   // a sub-agent's own
	calls   taskCalls
	// ids hands out entry ids; it follows the document.
	ids idSource
	// shutdown is closed when an extension asks for the process's end.
	shutdown   chan struct{}
	askedToEnd sync.Once

	// What follows is touched by the owner alone.

	doc      *session.Document
	messages []message.Message // the context; readers share its prefix
	// summarised is how many of messages the last compaction left.
	summarised int
	inflight   *inflight
	running    []event.ToolRunning
	callIDs    map[string]bool

	state      State
	runs       int
	stop       context.CancelCauseFunc // ends what Starting, Running or Compacting does
	aborted    bool                    // the user stopped the prompt in progress
	attempt    int                     // of the retry series in progress
	failure    string                  // the failure that Retrying waits on
	stopTimer  func()
	overflowed bool   // the prompt in progress was already compacted for overflow
	manual     bool   // the compaction in progress belongs to no prompt
	fruitless  bool   // compacting the prompt in progress made no room: don't again
	system     string // replaces the system prompt for the prompt in progress
	settled    []chan struct{}
	stopped    []func() // aborts that wait for the end of what they stop
	once       Once     // settings of the prompt in progress
	prompts    []Input  // accepted, waiting for a settled session
	owed       int      // ends of prompts that were dropped while they waited
	sends      []Input  // from end-of-run hooks, continue the prompt in progress

	screenings   []*screening // messages on their way into the queue
	waitScreened []func()     // called when there are none

	queue   []event.Queued
	taken   map[string]bool // queued messages given to the run, not yet announced
	bash    *userBash
	talk    int               // grows with each document that isn't a copy of the one before
	pending []message.Message // finished user commands that wait for the run's end

	model    llm.Model
	provider llm.Provider
	thinking llm.Level
	modes    queueModes
	auto     struct{ compaction, retry bool }
	limits   limits
	todos    taskList
	watch    watch // see there whose it is
	shows    shows
	riding   []Input // messages of extensions that go with the next prompt
	usage    message.Usage
	saveErr  string // the last save failure that was told

	broker *ask.Broker
	faces  map[*Subscription]Client
	held   map[event.QuestionKind]int
	seq    uint64
	at     time.Time // of the round in progress: one clock reading for all its events
}

type queueModes struct{ steering, followUp, interrupt string }

type outcome struct {
	reason message.StopReason
	err    string
	kind   llm.Kind // of err
	// retries closes a retry series that is going, with this error.
	retries string
}

// own is the session's owner: the only goroutine that touches its state and
// the only one that publishes.
func (s *Session) own() {
	defer close(s.ended)
	var commands []func()
	var events []item
	for ok := true; ok; {
		commands, events, ok = s.in.take(commands, events)
		s.at = s.engine.now()
		for _, fn := range commands {
			s.guard(fn)
		}
		for i := range events {
			if ev := events[i].event; ev != nil {
				s.apply(ev)
			} else {
				s.guard(events[i].fn)
			}
		}
	}
}

// guard keeps a fault in one command from ending the session.
func (s *Session) guard(fn func()) {
	defer func() {
		if p := recover(); p != nil {
			s.engine.log.Error("session command panicked", "panic", p, "stack", string(debug.Stack()))
			s.publish(event.Notice{Level: "error", Text: fmt.Sprintf("internal error: %v", p)})
		}
	}()
	fn()
}

// do runs fn on the owner and returns its result. A cancelled ctx stops the
// wait, not the command.
func do[T any](ctx context.Context, s *Session, fn func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	ch := make(chan result, 1)
	if !s.in.do(func() {
		v, err := fn()
		ch <- result{v, err}
	}) {
		var zero T
		return zero, ErrClosed
	}
	select {
	case r := <-ch:
		return r.v, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	case <-s.ended:
		select {
		case r := <-ch:
			return r.v, r.err
		default:
			var zero T
			return zero, ErrClosed
		}
	}
}

// set is do for a command without a result.
func (s *Session) set(ctx context.Context, fn func() error) error {
	_, err := do(ctx, s, func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

// after calls fn on the owner when d has passed.
func (s *Session) after(d time.Duration, fn func()) (stop func()) {
	t := time.AfterFunc(d, func() { s.in.do(fn) })
	return func() { t.Stop() }
}

// idSource hands out entry ids while documents come and go.
type idSource struct {
	mu  sync.Mutex
	doc *session.Document
}

func (i *idSource) use(d *session.Document) {
	i.mu.Lock()
	i.doc = d
	i.mu.Unlock()
}

func (i *idSource) next() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.doc.NewID()
}

// Start starts the MCP servers and doesn't wait for them, reads skills, templates
// and rules, tells what is wrong with them, loads the extensions and runs their
// start hooks. Call it once the face can show questions; until then no foreign
// code has run.
func (s *Session) Start(ctx context.Context) error {
	s.servers.start()
	s.env.guidance()
	s.extensions.start(ctx)
	return ctx.Err()
}

// Settled waits until nothing runs and nothing waits to run. Inside a hook it
// is an error: the run may be waiting for that hook.
func (s *Session) Settled(ctx context.Context) error {
	if ext.Inside(ctx) {
		return errors.New("waiting for the session from inside a hook would never end; return from the hook first")
	}
	ch := make(chan struct{})
	if !s.in.do(func() { s.whenSettled(ch) }) {
		return ErrClosed
	}
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ended:
		return ErrClosed
	}
}

func (s *Session) whenSettled(ch chan struct{}) {
	s.settled = append(s.settled, ch)
	s.wake()
}

// wake lets those go on who wait for a settled session, if it is.
func (s *Session) wake() {
	if s.state != Idle || len(s.prompts) > 0 || len(s.screenings) > 0 {
		return
	}
	for _, ch := range s.settled {
		close(ch)
	}
	s.settled = nil
}

// Kill ends the session's processes at once, without any grace. It is for a
// process that is about to exit and can't wait for Close.
func (s *Session) Kill() {
	s.servers.kill()
	s.env.runner.Close(0)
	s.env.programs.Close(0)
}

// closeTime bounds how long an ending session waits for a run to stop: a tool
// or hook that ignores its context must not keep the process alive.
const closeTime = 5 * time.Second

// Halt is Abort for a session that will be closed: its processes, the user's
// command and MCP servers among them, have 300 ms to end, and no more are
// started. Faces still hear of all that.
func (s *Session) Halt(ctx context.Context) error {
	stopped := s.abort(ctx, nil)
	_ = s.set(ctx, func() error { return nil }) // it is heard of before processes end, as if by themselves
	var ending sync.WaitGroup
	ending.Go(func() { s.servers.close(ctx) })
	s.env.close()
	ending.Wait()
	return stopped()
}

// Close ends the session in order: it is halted, the end of the run is
// published, shutdown hooks run, what extensions have started ends, the file is
// flushed and unlocked. The error is the flush's.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = s.Halt(ctx)
	s.extensions.close(ctx)
	s.cancel()
	s.env.closePrograms()
	err := s.set(ctx, func() error {
		s.broker.CancelAll()
		err := s.doc.Close()
		for sub := range s.faces {
			sub.end(errEnd, false)
		}
		s.in.close()
		return err
	})
	if errors.Is(err, ErrClosed) {
		return nil // closed before
	}
	<-s.ended
	return err
}
