package client

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// Options are what a client needs besides its two pipes.
type Options struct {
	// HostTools are offered to the model from the start.
	HostTools []HostTool
	// OnUI answers the dialogs of extensions and permission questions. Without
	// it every dialog is cancelled.
	OnUI UIHandler
	// ReadyTimeout bounds the wait for the ready frame; 0 means 30 seconds.
	ReadyTimeout time.Duration
	// Backlog is how many events may wait in a subscription before updates are
	// merged; 0 means DefaultBacklog.
	Backlog int
	// Grace is how long Close waits for the agent to end by itself, and again
	// after asking it to; 0 means a second.
	Grace time.Duration
	// ProtocolError is told what the client can't place: lines that are no
	// frames and failures without id. Such a failure belongs to the only call
	// that waits for an answer to its command, or, when the agent couldn't tell
	// the command, to the only call that waits at all; it comes here if there
	// are none or several. It must return at once.
	ProtocolError func(error)
}

const (
	defaultReadyTimeout = 30 * time.Second
	defaultGrace        = time.Second
)

// Client is a connection to one agent.
type Client struct {
	options Options
	in      io.ReadCloser
	out     io.WriteCloser
	process *process // nil on pipes
	outbox  *queue[outgoing]

	ready   chan struct{} // closed at the ready frame
	over    chan struct{} // closed when the agent takes and says nothing more
	read    chan struct{} // closed when the reader has left
	written chan struct{} // closed when the writer has left

	// handlers bounds host tools and dialogs; stop ends it.
	handlers context.Context
	stop     context.CancelFunc
	// exchange is held while a set of host tools is exchanged.
	exchange chan struct{}

	closing sync.Once
	exit    error // what Close returns

	mu            sync.Mutex
	version       string
	lastID        int
	pending       map[string]*call
	turns         turns
	subscriptions map[*Subscription]bool
	early         []Event
	late          bool // early events are no longer kept
	tools         map[string]HostTool
	open          map[string]context.CancelFunc // host tool calls and dialogs
	closed        bool                          // Close was called
	err           error                         // set before over is closed
}

// outgoing is a line for the agent. written, if any, is closed when it has been.
type outgoing struct {
	line    []byte
	written chan struct{}
}

// New speaks to an agent over its output and its input. It waits for the ready
// frame and registers the host tools; ctx bounds this alone. Both pipes are the
// client's, which closes them when New fails or Close is called.
func New(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) (*Client, error) {
	return connect(ctx, in, out, o, nil)
}

func connect(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options, p *process) (*Client, error) {
	o.Backlog = cmp.Or(o.Backlog, DefaultBacklog)
	o.ReadyTimeout = cmp.Or(o.ReadyTimeout, defaultReadyTimeout)
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	if o.ProtocolError == nil {
		o.ProtocolError = func(error) {}
	}
	c := &Client{
		options: o, in: in, out: out, process: p, outbox: newQueue[outgoing](),
		ready: make(chan struct{}), over: make(chan struct{}),
		read: make(chan struct{}), written: make(chan struct{}),
		exchange: make(chan struct{}, 1),
		pending:  map[string]*call{}, subscriptions: map[*Subscription]bool{},
		tools: map[string]HostTool{}, open: map[string]context.CancelFunc{},
	}
	c.handlers, c.stop = context.WithCancel(context.Background())
	go c.reader()
	go c.writer()
	if err := c.greet(ctx); err != nil {
		_ = c.Close() // err says more
		return nil, err
	}
	return c, nil
}

// greet waits for the agent and tells it what the host offers.
func (c *Client) greet(ctx context.Context) error {
	late := fmt.Errorf("the agent wasn't ready within %v", c.options.ReadyTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.ReadyTimeout, late)
	defer cancel()
	select {
	case <-c.ready:
	case <-c.over:
		return c.endError()
	case <-ctx.Done():
		return fmt.Errorf("start the agent: %w%s", context.Cause(ctx), c.lastWords())
	}
	if len(c.options.HostTools) == 0 {
		return nil
	}
	_, err := c.SetHostTools(ctx, c.options.HostTools...)
	return err
}

// Version is the agent's, as its ready frame says it.
func (c *Client) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Done is closed when the agent has ended or the client is closed.
func (c *Client) Done() <-chan struct{} { return c.over }

func (c *Client) reader() {
	defer close(c.read)
	lines := jsonl.NewReader(c.in, 0)
	for {
		line, err := lines.Next()
		if err != nil {
			c.end(err)
			return
		}
		c.dispatch(bytes.Clone(line.Data))
	}
}

func (c *Client) writer() {
	defer close(c.written)
	defer func() { _ = c.out.Close() }()
	for {
		o, ok, _ := c.outbox.next(context.Background())
		if !ok {
			return
		}
		if _, err := c.out.Write(o.line); err != nil {
			// An agent that dies breaks this pipe first; what killed it is known
			// to the reader a moment later.
			if !within(c.options.Grace, c.over) {
				c.end(fmt.Errorf("write to the agent: %w", err))
			}
			return
		}
		if o.written != nil {
			close(o.written)
		}
	}
}

// send gives the agent a frame that has no answer.
func (c *Client) send(frame any, written chan struct{}) error {
	line, err := jsonl.Marshal(frame)
	if err != nil {
		return err
	}
	if !c.outbox.push(outgoing{line, written}) {
		return c.endError()
	}
	return nil
}

// end fails everything that waits for the agent. Only the first call counts.
func (c *Client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if c.err = ErrClosed; !c.closed {
		c.err = &EndedError{Err: err, Stderr: c.process.lastWords()}
	}
	for id, w := range c.pending {
		w.reply <- reply{err: fmt.Errorf("%s: %w", w.command, c.err)}
		delete(c.pending, id)
	}
	c.turns.end(c.err)
	for s := range c.subscriptions {
		s.queue.close()
	}
	clear(c.subscriptions)
	c.stop()
	c.outbox.close()
	close(c.over)
}

// endError says why the client is of no more use.
func (c *Client) endError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.err, ErrClosed)
}

func (c *Client) lastWords() string {
	if words := c.process.lastWords(); words != "" {
		return "; its last words: " + words
	}
	return ""
}

// Close ends the agent: it closes the agent's input, after what waits to be
// written, and gives it Options.Grace to leave. A process that stays is asked
// to terminate, and killed after another Grace. Host tools and dialogs have
// their contexts cancelled; Close doesn't wait for them. It returns how the
// process ended, nil for exit code 0 and on pipes. Further calls return the
// same.
func (c *Client) Close() error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.stop()
		c.outbox.close()
		if c.process != nil {
			c.exit = c.process.end(c.options.Grace)
		} else if !within(c.options.Grace, c.read) {
			_ = c.in.Close()
		}
		// The last frames still reach their readers. Pipes which Close doesn't
		// wake keep their goroutine, and nothing else.
		within(c.options.Grace, c.read)
		c.end(ErrClosed)
		_ = c.out.Close() // by now, in the usual case, for the second time
		within(c.options.Grace, c.written)
	})
	return c.exit
}

// within waits for done, and reports whether it came in time.
func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
