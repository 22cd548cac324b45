package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// Bounds of a conversation.
const (
	maxWaiting  = 8  // requests in the queue
	defaultMost = 30 // user turns before the client is asked to go on
)

// conversation is a session as clients of the JSON protocol see it. Requests
// run one at a time; what they cause goes to whoever asked, and to watchers.
type conversation struct {
	server  *Server
	session *engine.Session
	sub     *engine.Subscription
	id      string          // of a kept one, else ""
	lent    bool            // the session is somebody else's, who closes it
	mode    permission.Mode // that it began with: clients can't loosen it
	ctx     context.Context
	cancel  context.CancelFunc
	pumped  chan struct{} // closed when no more frames come
	gone    chan struct{} // closed when the session is

	mu      sync.Mutex
	present map[member]bool
	waiting []*exchange
	wake    chan struct{}
	current *exchange // taken from the queue and not over yet
	telling *exchange // whose run the events are
	turns   int       // of the user, since the last reset
	journal journal
	leaving *time.Timer // ends a kept conversation that nobody is at
	closed  bool
}

// member is a connection, of the protocol or of the page.
type member interface {
	// dismiss ends the connection.
	dismiss(reason string)
}

// exchange is one request on its way.
type exchange struct {
	request
	conn   *conn // that asked; it may be gone
	story  *story
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed behind the last frame

	// Under the conversation's lock.

	started     bool // the session has it
	interrupted bool
	asked       *event.Question // the open question of its run
	turn        *turnQuestion
}

// over reports whether the last frame was given out.
func (x *exchange) over() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}

// turnQuestion waits for the client to go on.
type turnQuestion struct {
	frame  frame
	answer chan bool
}

// What a conversation puts into its own subscription, to keep the order.
type (
	began struct{ of *exchange }
	// said are frames of a request; last closes it.
	said struct {
		of     *exchange
		frames []frame
		last   bool
	}
	// reply is a frame for one connection, outside all that is replayed.
	reply struct {
		to    *conn
		frame frame
	}
)

// converse begins a conversation about a session. One with an id is kept under
// it; fresh means the session's own id.
func (s *Server) converse(session *engine.Session, id string, lent bool) (*conversation, error) {
	v, sub, err := session.Attach(s.ctx, engine.Client{Name: "remote", Shows: []event.QuestionKind{event.AskPermission}})
	if err != nil {
		return nil, err
	}
	c := &conversation{
		server: s, session: session, sub: sub, lent: lent, mode: permission.Mode(v.Mode),
		present: map[member]bool{}, wake: make(chan struct{}, 1), pumped: make(chan struct{}), gone: make(chan struct{}),
	}
	if c.id = id; id == fresh {
		c.id = v.SessionID
	}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		defer s.recovered(c)
		c.pump()
	}()
	go func() {
		defer s.recovered(c)
		c.work()
	}()
	return c, nil
}

func (c *conversation) kept() bool { return c.id != "" }

// pump takes what the session tells to the outboxes. It waits for nobody else.
func (c *conversation) pump() {
	defer close(c.pumped)
	for {
		batch, err := c.sub.Batch(c.ctx)
		for _, it := range batch {
			c.take(it)
		}
		if err != nil {
			c.ended(err)
			return
		}
	}
}

// ended dismisses everyone when the session is gone.
func (c *conversation) ended(err error) {
	reason := "the session has ended"
	if errors.Is(err, engine.ErrTooSlow) {
		reason = err.Error()
	}
	c.cancel()
	c.dismiss(reason)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closeSoon()
	}
}

// dismiss ends the connections.
func (c *conversation) dismiss(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := range c.present {
		m.dismiss(reason)
	}
}

func (c *conversation) take(it engine.Item) {
	switch v := it.Ack.(type) {
	case nil:
		c.event(it.Event)
	case began:
		c.mu.Lock()
		c.telling = v.of
		c.mu.Unlock()
	case said:
		c.send(v.of, v.last, v.frames...)
	case reply:
		c.answer(v.to, v.frame)
	}
}

// event gives an event to the story of the request whose run it belongs to.
func (c *conversation) event(ev event.Event) {
	if e, ok := ev.(event.ToolEnded); ok {
		c.server.log.Info("remote tool", "session", c.id, "tool", e.Name, "denied", e.Denied, "error", e.IsError, "ms", e.DurationMS)
	}
	c.mu.Lock()
	x := c.telling
	c.mu.Unlock()
	if x == nil {
		return // a run that was begun elsewhere
	}
	var frames []frame
	switch e := ev.(type) {
	case event.AskOpened:
		frames = c.opened(x, e.Question)
	case event.AskClosed:
		c.mu.Lock()
		if x.asked != nil && x.asked.ID == e.ID {
			x.asked = nil
		}
		c.mu.Unlock()
	default:
		frames = x.story.event(ev)
	}
	if x.story.ended {
		c.mu.Lock()
		c.telling = nil
		c.mu.Unlock()
	}
	c.send(x, x.story.ended, frames...)
}

// send gives frames of a request to those that they are for; last closes it.
func (c *conversation) send(x *exchange, last bool, frames ...frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range frames {
		f.id = x.id
		if c.kept() {
			f.session = c.id
			f.seq = c.journal.add(f)
		}
		for m := range c.present {
			if to, ok := m.(*conn); ok && (to.watches || to == x.conn || !c.present[x.conn]) {
				to.out.put(f)
			}
		}
	}
	if last {
		close(x.done)
	}
}

func (c *conversation) answer(to *conn, f frame) {
	if c.kept() {
		f.session = c.id
	}
	to.out.put(f)
}

// post has a frame written to one connection, behind all that came before.
func (c *conversation) post(to *conn, id string, f frame) {
	f.id = id
	c.sub.Post(reply{to, f})
}

// finish closes a request with a frame.
func (c *conversation) finish(x *exchange, f frame) { c.sub.Post(said{x, []frame{f}, true}) }

// receive deals with a message of the client's, never waiting for a run.
func (c *conversation) receive(from *conn, data []byte) {
	r, err := parse(data)
	if err != nil {
		c.post(from, r.id, failure("Failed to parse request: "+err.Error()))
		return
	}
	switch in := r.input.(type) {
	case toolResponse:
		c.answerTool(from, r.id, in)
	case turnResponse:
		c.answerTurn(from, r.id, in)
	case unit:
		switch in {
		case interrupt:
			c.interrupt(from, r.id)
			return
		case getCommands:
			c.post(from, r.id, textFrame(c.listCommands()))
			return
		}
		c.enqueue(from, r)
	default:
		c.enqueue(from, r)
	}
}

func (c *conversation) enqueue(from *conn, r request) {
	x := &exchange{request: r, conn: from, story: newStory(r.stream), done: make(chan struct{})}
	x.ctx, x.cancel = context.WithCancel(c.ctx)
	c.mu.Lock()
	full := len(c.waiting) >= maxWaiting
	if !full {
		c.waiting = append(c.waiting, x)
	}
	c.mu.Unlock()
	if full {
		x.cancel()
		c.post(from, r.id, failure(fmt.Sprintf("busy: %d requests are waiting already; send this one again when one of them is answered", maxWaiting)))
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// work carries out the queue.
func (c *conversation) work() {
	for {
		c.mu.Lock()
		if len(c.waiting) > 0 {
			c.current = c.waiting[0]
			c.waiting = c.waiting[1:]
		}
		x := c.current
		c.mu.Unlock()
		if x != nil {
			c.perform(x)
			x.cancel()
			c.mu.Lock()
			c.current = nil
			c.mu.Unlock()
			if c.ctx.Err() == nil {
				continue
			}
		}
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return
		}
	}
}

// perform carries out one request and returns behind its last frame.
func (c *conversation) perform(x *exchange) {
	defer func() {
		if v := recover(); v != nil {
			c.server.log.Error("remote request failed", "panic", v)
			c.finish(x, failure(fmt.Sprintf("Processing error: internal error: %v", v)))
		}
	}()
	var f frame
	var over bool
	switch in := x.input.(type) {
	case instruction:
		f, over = c.instruct(x, in)
	case unit:
		if in == clearContext {
			f, over = c.clear(x), true
			break
		}
		over = !c.start(x, func() error {
			return c.session.Regenerate(x.ctx, once(x.request), &engine.Ack{Sub: c.sub, Value: began{x}})
		}, &f)
	default:
		f, over = c.chat(x)
	}
	if over {
		c.finish(x, f)
	}
	select {
	case <-x.done:
	case <-c.pumped:
	}
}

// chat runs a prompt. over is true when nothing runs and f ends the request.
func (c *conversation) chat(x *exchange) (f frame, over bool) {
	if text, ok := x.input.(textInput); ok {
		if f, ok := c.command(x, string(text)); ok {
			return f, true
		}
	}
	in, err := promptOf(x.ctx, x.request)
	if err == nil && in.Text != "" {
		in.Text, err = c.server.o.Commands.Expand(x.ctx, c.session, in.Text)
	}
	if err != nil {
		return failure(processing(err.Error())), true
	}
	if f, stop := c.countTurn(x); stop {
		return f, true
	}
	in.Ref = x.id
	in.Ack = &engine.Ack{Sub: c.sub, Value: began{x}}
	return f, !c.start(x, func() error {
		_, err := c.session.Prompt(x.ctx, in)
		return err
	}, &f)
}

// start gives a request to the session when that is free: a run that was begun
// elsewhere comes to its end first. It reports whether the session has it; else
// f ends the request.
func (c *conversation) start(x *exchange, begin func() error, f *frame) bool {
	for {
		if err := c.session.Settled(x.ctx); err != nil && !x.stopped(c) {
			*f = failure(processing(err.Error()))
			return false
		}
		c.mu.Lock()
		if x.interrupted {
			c.mu.Unlock()
			*f = x.interruption()
			return false
		}
		// An interrupt that comes from now on finds the run: both take the road
		// through the session's inbox.
		err := begin()
		x.started = err == nil
		c.mu.Unlock()
		if err == nil {
			return true
		}
		if !errors.Is(err, engine.ErrBusy) {
			*f = failure(processing(err.Error()))
			return false
		}
	}
}

func (x *exchange) stopped(c *conversation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return x.interrupted
}

// interruption ends a request that was stopped before anything ran.
func (x *exchange) interruption() frame {
	if x.stream {
		return frame{kind: kindComplete, value: complete{nil, true}}
	}
	return textFrame("")
}

// interrupt stops the request in progress, whatever it waits for. Those behind
// it stay in the queue.
func (c *conversation) interrupt(from *conn, id string) {
	const done = "Model output interrupted successfully"
	f := textFrame(done)
	f.id = id
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.current
	if x != nil && x.over() {
		x = nil // its last frame is out: the client knows that it has ended
	}
	if x == nil && len(c.waiting) > 0 {
		x = c.waiting[0]
	}
	if x == nil {
		f = failure("No active model output to interrupt")
		f.id = id
		c.sub.Post(reply{from, f})
		return
	}
	x.interrupted = true
	if !x.started {
		x.cancel()
		c.sub.Post(reply{from, f})
		return
	}
	if err := c.session.AbortAck(&engine.Ack{Sub: c.sub, Value: reply{from, f}}); err != nil {
		c.sub.Post(reply{from, f})
	}
}
