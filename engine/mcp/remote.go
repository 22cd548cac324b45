package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/redact"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// refreshEvery is the least time between two lists of a server that says again
// and again that its tools have changed.
const refreshEvery = time.Second

// remote is one server: what is known of it, and its link while it has one.
type remote struct {
	m       *Manager
	conf    Server
	part    string // of its tools' names
	secrets *redact.Redactor

	mu      sync.Mutex
	state   State
	problem string // why it failed
	output  string // what it wrote to standard error by then
	since   time.Time
	tried   bool
	attempt *attempt // while connecting
	link    *link    // while ready
	offer   offer    // as listed last; kept when it fails
}

// attempt is one try to connect. Its link and err are read after done.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{}
	link   *link
	err    error
}

var (
	errDisabled = errors.New("it is disabled")
	errStopped  = errors.New("it was stopped while it started")
)

func newRemote(m *Manager, s Server, part string) *remote {
	r := &remote{m: m, conf: s, part: part, state: Idle, since: m.opts.Now(), secrets: redact.New()}
	if s.Disabled {
		r.state = Disabled
	}
	for _, v := range s.Headers {
		r.secrets.Add(v)
	}
	for k, v := range s.Env {
		if isSecret(k) {
			r.secrets.Add(v)
		}
	}
	if i := strings.IndexByte(s.URL, '?'); i >= 0 {
		r.secrets.Add(s.URL[i+1:])
	}
	return r
}

// isSecret tells by a variable's name whether its value must not be shown.
func isSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// set needs mu.
func (r *remote) set(s State, problem, output string) {
	r.state, r.problem, r.output, r.since = s, problem, output, r.m.opts.Now()
}

func (r *remote) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{
		Name: label(r.conf.Name), Type: r.conf.Type, State: r.state, Since: r.since,
		Error: r.problem, Output: r.output, Title: r.offer.title, Version: r.offer.version,
		Tools: len(r.offer.tools), Prompts: len(r.offer.prompts), Resources: r.offer.resources,
	}
	if r.link != nil {
		s.Output = r.secrets.String(r.link.output())
	}
	return s
}

// offered returns what the server was found to have.
func (r *remote) offered() offer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.offer
}

// first starts the server unless that was tried before.
func (r *remote) first(ctx context.Context) {
	r.mu.Lock()
	settled := r.tried && r.attempt == nil
	r.mu.Unlock()
	if !settled {
		_, _ = r.ensure(ctx) // a failure is told by whoever connects
	}
}

// ensure returns the server's link, connecting if there is none. It waits no
// longer than ctx; the attempt goes on without the caller.
func (r *remote) ensure(ctx context.Context) (*link, error) {
	a, l, err := r.begin()
	if a == nil {
		return l, err
	}
	select {
	case <-a.done:
		return a.link, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin returns the link, or the attempt to make one.
func (r *remote) begin() (*attempt, *link, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.m.ctx.Err() != nil:
		return nil, nil, errClosed
	case r.state == Disabled:
		return nil, nil, errDisabled
	case r.link != nil:
		return nil, r.link, nil
	case r.attempt != nil:
		return r.attempt, nil, nil
	}
	ctx, cancel := context.WithTimeout(r.m.ctx, r.m.opts.StartTimeout)
	a := &attempt{cancel: cancel, done: make(chan struct{})}
	r.attempt, r.tried = a, true
	r.set(Connecting, "", "")
	r.m.links.Go(func() {
		defer cancel()
		r.m.opts.OnChange()
		r.connect(ctx, a)
	})
	return a, nil, nil
}

// connect carries an attempt to its end.
func (r *remote) connect(ctx context.Context, a *attempt) {
	l, o, err := r.dial(ctx)
	r.tell(a, o, err)
	r.mu.Lock()
	current := r.attempt == a
	switch {
	case !current:
		a.err = errStopped
	case err != nil:
		a.err, r.attempt = err, nil
		r.set(Failed, err.Error(), output(err))
	default:
		a.link, r.attempt, r.link, r.offer = l, nil, l, o
		r.set(Ready, "", "")
		r.m.links.Go(func() { r.follow(l) })
		r.m.links.Go(func() { r.refresh(l) })
	}
	r.mu.Unlock()
	if !current && l != nil {
		l.close()
	}
	r.m.opts.OnChange()
	close(a.done)
}

// tell warns of how an attempt went, before that shows in the server's state:
// who finds no server on its way goes on at once, and has been told.
func (r *remote) tell(a *attempt, o offer, err error) {
	r.mu.Lock()
	current := r.attempt == a
	r.mu.Unlock()
	if current && err != nil {
		r.m.warn(r.conf.Name, "failed to start: "+err.Error())
	}
	for _, n := range o.notes {
		r.m.warn(r.conf.Name, n)
	}
}

// follow waits for the end of a link.
func (r *remote) follow(l *link) {
	err := r.explain(l, l.session.Wait())
	r.mu.Lock()
	current := r.link == l
	forgotten := errors.Is(err, sdk.ErrSessionMissing) // the next call begins a new one
	switch {
	case current && forgotten:
		r.link = nil
		r.set(Idle, "", "")
	case current:
		r.link = nil
		r.set(Failed, err.Error(), output(err))
	}
	r.mu.Unlock()
	if forgotten { // calls that are running learn by themselves that they were refused
		select {
		case <-r.m.ctx.Done():
		case <-time.After(drain):
		}
	}
	l.close()
	if current && !forgotten {
		r.m.warn(r.conf.Name, "has ended: "+err.Error())
	}
	if current {
		r.m.opts.OnChange()
	}
}

// refresh lists anew what the server says has changed.
func (r *remote) refresh(l *link) {
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-l.changed:
		}
		ctx, cancel := context.WithTimeout(l.ctx, r.m.opts.StartTimeout)
		o, err := r.list(ctx, l)
		cancel()
		if err != nil {
			r.m.opts.Log.Warn("list anew", "mcp", r.conf.Name, "error", err)
			continue
		}
		r.mu.Lock()
		current := r.link == l
		if current {
			r.offer = o
		}
		r.mu.Unlock()
		if current {
			r.m.opts.OnChange()
		}
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(refreshEvery):
		}
	}
}

// stop ends the link or the attempt and leaves the server in a state.
func (r *remote) stop(next State) {
	r.mu.Lock()
	a, l := r.attempt, r.link
	r.attempt, r.link = nil, nil
	if next == Disabled {
		r.offer = offer{}
	}
	if r.state != Disabled {
		r.set(next, "", "")
	}
	r.mu.Unlock()
	if a != nil {
		a.cancel()
		<-a.done
	}
	if l != nil {
		l.stopped.Store(true)
		l.abort()
		l.close()
	}
	r.m.opts.OnChange()
}

// drop gives up a link that turned out to be dead.
func (r *remote) drop(l *link) {
	r.mu.Lock()
	if r.link == l {
		r.link = nil
		r.set(Idle, "", "")
	}
	r.mu.Unlock()
	l.close()
}

func (r *remote) enable() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == Disabled {
		r.set(Idle, "", "")
	}
}

// failure is why a server can't be used, with what it wrote.
type failure struct {
	text   string
	output string
	cause  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

func output(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return f.output
	}
	return ""
}

// maxQuoted bounds what an error quotes of standard error, in bytes.
const maxQuoted = 200

// explain says in one line why a link has ended or didn't come up.
func (r *remote) explain(l *link, err error) error {
	f := &failure{cause: err}
	text := "the connection was closed"
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text = fmt.Sprintf("it wasn't ready within %s", r.m.opts.StartTimeout)
	case errors.Is(err, errTooLong):
		text = errTooLong.Error()
	case refusal(err) != nil:
		text = fmt.Sprintf("it refused: %s (code %d)", clip(refusal(err).Message, maxError), refusal(err).Code)
	case l.process != nil && (err == nil || broken(err)):
		text = "it closed its output"
		if how := l.process.ending(); how != "" {
			text = "it exited (" + how + ")"
		}
	case err != nil:
		text = err.Error() + hint(err.Error())
	}
	if l.process != nil {
		f.output = r.secrets.String(l.process.tail.String())
	}
	if f.output != "" {
		text += "; it wrote: " + lastLine(f.output)
	}
	f.text = sanitize.Line(r.secrets.String(text))
	return f
}

// hint is what to look at after an answer of HTTP, by the SDK's words for it.
func hint(text string) string {
	switch {
	case strings.HasSuffix(text, "Unauthorized"), strings.HasSuffix(text, "Forbidden"):
		return " (check the headers that it needs)"
	case strings.HasSuffix(text, "Not Found"), strings.HasSuffix(text, "Method Not Allowed"):
		return " (is this the address of a streamable HTTP server?)"
	}
	return ""
}

// lastLine returns the end of a text that isn't blank, at most maxQuoted bytes.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 && len(s)-i > 20 {
		s = s[i+1:]
	}
	if over := len(s) - maxQuoted; over > 0 {
		s = "…" + strings.ToValidUTF8(s[over:], "")
	}
	return s
}
