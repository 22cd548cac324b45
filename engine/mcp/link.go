package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// stable is the version of the protocol that is asked for first: a server may
// die of the question that finds out about later ones.
const stable = "2025-11-25"

// link is a session with a server.
type link struct {
	session *sdk.ClientSession
	process *process        // nil on the network
	gone    func()          // called when it is
	ctx     context.Context // ends with the link
	cancel  context.CancelFunc
	calls   context.Context // ends when the link is to end, not when it has: the SDK knows better why a call failed then
	abort   context.CancelFunc
	stopped atomic.Bool   // on purpose
	changed chan struct{} // the server has other tools, prompts or resources

	mu     sync.Mutex
	tokens map[string]*progress // of running calls
	serial int

	asking atomic.Int32 // questions that the user is thinking about
}

// dial connects to the server and lists what it has.
func (r *remote) dial(ctx context.Context) (*link, offer, error) {
	l, err := r.open(ctx, stable)
	if refusal(err) != nil {
		if later, e := r.open(ctx, ""); e == nil {
			l, err = later, nil
		}
	}
	if err != nil {
		return nil, offer{}, err
	}
	o, err := r.list(ctx, l)
	if err != nil {
		err = r.explain(l, err)
		l.close()
		return nil, offer{}, err
	}
	return l, o, nil
}

// open makes a link that speaks a version of the protocol, "" for the latest.
func (r *remote) open(ctx context.Context, version string) (*link, error) {
	l := &link{changed: make(chan struct{}, 1), tokens: map[string]*progress{}}
	l.ctx, l.cancel = context.WithCancel(r.m.ctx)
	l.calls, l.abort = context.WithCancel(r.m.ctx)
	transport, err := r.transport(l)
	if err != nil {
		l.close()
		return nil, err
	}
	type outcome struct {
		session *sdk.ClientSession
		err     error
	}
	ch := make(chan outcome, 1)
	client := r.client(l)
	go func() {
		session, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
		ch <- outcome{session, err}
	}()
	var got outcome
	select {
	case got = <-ch:
	case <-ctx.Done():
		got.err = ctx.Err()
		go func() {
			if late := <-ch; late.session != nil {
				_ = late.session.Close()
			}
		}()
	}
	if got.err != nil {
		err := r.explain(l, got.err)
		l.close()
		return nil, err
	}
	l.session = got.session
	return l, nil
}

func (r *remote) transport(l *link) (sdk.Transport, error) {
	if r.conf.Type == HTTP {
		client, err := newWeb(r.conf, r.m.opts.HTTP)
		if err != nil {
			return nil, err
		}
		return &sdk.StreamableClientTransport{Endpoint: r.conf.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
	}
	p, err := start(r.conf, r.m.opts.Dir, r.m.opts.Environ)
	if err != nil {
		return nil, err
	}
	l.process = p
	r.m.started(p)
	l.gone = func() { r.m.stopped(p) }
	var once sync.Once
	return newPipe(p, r.m.opts.Now, func(line []byte) {
		once.Do(func() {
			r.m.opts.Log.Warn("a line on standard output is no message", "mcp", r.conf.Name, "line", sanitize.Line(clip(string(line), maxQuoted)))
		})
	}), nil
}

func (r *remote) client(l *link) *sdk.Client {
	stale := func() {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}
	o := &sdk.ClientOptions{
		Logger:                      r.m.opts.Log.With("mcp", r.conf.Name),
		Capabilities:                capabilities(),
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { stale() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { stale() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { stale() },
		ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) { l.report(p.Params) },
	}
	if r.m.opts.Elicit != nil {
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
		o.ElicitationHandler = func(ctx context.Context, q *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return r.elicit(ctx, l, q.Params)
		}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "hoopoe", Title: "Hoopoe", Version: r.m.opts.Version}, o)
	addRoots(c, r.m.opts.Roots())
	return c
}

// close ends the link and its process. It may be called again. Calls that are
// still running are to be aborted before.
func (l *link) close() {
	l.cancel()
	defer l.abort()
	if l.process != nil {
		l.process.stop()
		l.gone()
	}
	if l.session == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.session.Close() // on the network it says goodbye, which may take
	}()
	select {
	case <-done:
	case <-time.After(grace):
	}
}

// output is what a stdio server has written to standard error.
func (l *link) output() string {
	if l.process == nil {
		return ""
	}
	return l.process.tail.String()
}
