package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Defaults of the options.
const (
	DefaultStartTimeout = 30 * time.Second
	DefaultCallTimeout  = 5 * time.Minute
)

// Options of a Manager. All funcs may be called from any goroutine; Notify,
// OnChange and OnActivate must not wait for anything.
type Options struct {
	Servers []Server
	// Environ is the environment of stdio servers, as "NAME=value"; a server's
	// own Env comes after it.
	Environ []string
	// Dir is the session's working directory, absolute.
	Dir string
	// Roots returns the session's folders, absolute, for servers that ask. Nil
	// means Dir alone.
	Roots func() []string
	// Version of this program, for servers.
	Version string
	// Elicit puts a server's question to the user. Nil means that nobody can
	// be asked, and servers are told so.
	Elicit func(ctx context.Context, e Elicitation) (Reply, error)
	// Notify tells the user what went wrong, in one line. The level is
	// "warning".
	Notify func(level, text string)
	// OnChange is called when Tools, Visible, Prompts or Status may have
	// changed.
	OnChange func()
	// OnActivate is called when a search has put tools into the model's
	// context, with all that are active: see Manager.Active.
	OnActivate func(names []string)
	// HTTP sends the requests to servers on the network; nil means a transport
	// of the Manager's own.
	HTTP http.RoundTripper
	Log  *slog.Logger
	Now  func() time.Time
	// StartTimeout bounds the start of a server; 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxVisible and MaxTokens bound what goes into the model's context before
	// a search takes its place; 0 means DefaultVisible and DefaultTokens.
	MaxVisible, MaxTokens int
}

// Manager has the servers of one session. It is safe for concurrent use.
type Manager struct {
	opts   Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	links  sync.WaitGroup // goroutines of links and attempts
	remote []*remote      // by position in Options.Servers
	web    *http.Transport

	mu      sync.Mutex
	active  []string          // names of tools that a search has shown, oldest first
	running map[*process]bool // to be killed
}

// New returns a manager of the servers; none is started yet. A server that
// can't be used is left out and told.
func New(o Options) *Manager {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Notify == nil {
		o.Notify = func(string, string) {}
	}
	if o.OnChange == nil {
		o.OnChange = func() {}
	}
	if o.OnActivate == nil {
		o.OnActivate = func([]string) {}
	}
	if o.Roots == nil {
		o.Roots = func() []string { return []string{o.Dir} }
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, DefaultStartTimeout)
	o.MaxVisible, o.MaxTokens = cmp.Or(o.MaxVisible, DefaultVisible), cmp.Or(o.MaxTokens, DefaultTokens)
	m := &Manager{opts: o}
	if o.HTTP == nil {
		m.web = http.DefaultTransport.(*http.Transport).Clone()
		m.opts.HTTP = m.web
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	for _, s := range o.Servers {
		if err := m.add(s); err != nil {
			o.Notify("warning", err.Error())
		}
	}
	return m
}

func (m *Manager) add(s Server) error {
	s, err := s.Check()
	if err != nil {
		return err
	}
	part := serverPart(s.Name)
	for _, r := range m.remote {
		if r.conf.Name == s.Name || r.part == part {
			return fmt.Errorf("MCP server %q is there twice: the second one is left out", label(s.Name))
		}
	}
	m.remote = append(m.remote, newRemote(m, s, part))
	return nil
}

// Start starts every server that hasn't been tried yet, all at once, and waits
// until each is ready or has failed, or ctx is done. Failures are told through
// Options.Notify; the others work. It may be called any number of times.
func (m *Manager) Start(ctx context.Context) {
	var wg sync.WaitGroup
	for _, r := range m.remote {
		wg.Go(func() { r.first(ctx) })
	}
	wg.Wait()
}

// State of a server.
type State string

const (
	Idle       State = "idle" // not needed so far
	Connecting State = "connecting"
	Ready      State = "ready"
	Failed     State = "failed"
	Disabled   State = "disabled"
)

// Status is what there is to tell of a server. Its texts are clean and short.
type Status struct {
	Name  string    `json:"name"`
	Type  string    `json:"type"` // Stdio or HTTP
	State State     `json:"state"`
	Since time.Time `json:"since"`
	// Error says why it has failed, in one line.
	Error string `json:"error,omitempty"`
	// Output is the end of what a stdio server wrote to standard error.
	Output string `json:"output,omitempty"`
	// Title and Version are the server's own words.
	Title     string `json:"title,omitempty"`
	Version   string `json:"version,omitempty"`
	Tools     int    `json:"tools"`
	Prompts   int    `json:"prompts"`
	Resources bool   `json:"resources,omitempty"`
}

// Status lists all servers in their order.
func (m *Manager) Status() []Status {
	list := make([]Status, 0, len(m.remote))
	for _, r := range m.remote {
		list = append(list, r.status())
	}
	return list
}

// Restart ends a server if it runs and starts it anew. It waits for the
// outcome; the error says why it has failed.
func (m *Manager) Restart(ctx context.Context, name string) error {
	r, err := m.find(name)
	if err != nil {
		return err
	}
	r.stop(Idle)
	_, err = r.ensure(ctx)
	return err
}

// Enable lets a disabled server be used and starts it: see Restart.
func (m *Manager) Enable(ctx context.Context, name string) error {
	r, err := m.find(name)
	if err != nil {
		return err
	}
	r.enable()
	_, err = r.ensure(ctx)
	return err
}

// Disable ends a server and takes its tools away.
func (m *Manager) Disable(name string) error {
	r, err := m.find(name)
	if err != nil {
		return err
	}
	r.stop(Disabled)
	return nil
}

func (m *Manager) find(name string) (*remote, error) {
	for _, r := range m.remote {
		if r.conf.Name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q", label(name))
}

var errClosed = errors.New("the session is closing")

// Close ends all servers and what they have started. Calls that are running
// fail. It returns when all is gone, at the latest when ctx is done.
func (m *Manager) Close(ctx context.Context) error {
	m.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wg sync.WaitGroup
		for _, r := range m.remote {
			wg.Go(func() { r.stop(Disabled) })
		}
		wg.Wait()
		m.links.Wait()
		if m.web != nil {
			m.web.CloseIdleConnections()
		}
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close MCP servers: %w", ctx.Err())
	}
}

// Kill ends what stdio servers run at once, without any grace. It is for a
// process that is about to exit and can't wait for Close.
func (m *Manager) Kill() {
	m.cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range m.running {
		p.group.Kill()
	}
}

// started keeps a process for Kill until it is over. It is too late for one
// when the manager is closed.
func (m *Manager) started(p *process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running == nil {
		m.running = map[*process]bool{}
	}
	m.running[p] = true
	if m.ctx.Err() != nil {
		p.group.Kill()
	}
}

func (m *Manager) stopped(p *process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, p)
}

// warn tells of a server's failure in one line.
func (m *Manager) warn(name, text string) {
	m.opts.Notify("warning", fmt.Sprintf("MCP server %q %s", label(name), clip(sanitize.Line(text), maxNotice)))
}

// maxNotice bounds the text of a notice, in bytes.
const maxNotice = 500
