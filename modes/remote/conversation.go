package remote

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
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
