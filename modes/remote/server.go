package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Options are what the server needs.
type Options struct {
	Address Address
	// Token is what clients have to show; empty lets every program of this
	// machine in.
	Token string
	// Cert and Key are files; with them the server speaks TLS.
	Cert, Key string
	// Origins and Hosts are allowed besides the server's own.
	Origins, Hosts []string
	// Cwd is the folder of the sessions.
	Cwd string
	// Open opens a session: a new one, or that of a file. The server closes it.
	Open func(ctx context.Context, path string) (*engine.Session, error)
	// Library finds saved sessions for AllSessions and the page's list.
	Library slash.Library
	// AllSessions gives clients the saved sessions of the folder too.
	AllSessions bool
	Commands    *slash.Registry
	// Grace is how long a kept session goes on without any connection.
	Grace time.Duration
	// MaxConnections bounds them; 0 means 256.
	MaxConnections int
	// MaxMessage bounds a client's message in bytes; 0 means 32 MiB.
	MaxMessage int64
	Wire       Wire
	// Language is the user's, such as zh_CN.UTF-8: commands are described in it
	// where we can.
	Language string
	Version  string
	Log      *slog.Logger // audit: who connects and which tools run
	Now      func() time.Time

	// For tests, which have less time and memory; 0 means the constant.
	pingEvery time.Duration
	maxPiled  int
}

// Defaults of Options.
const (
	DefaultGrace          = 10 * time.Minute
	DefaultMaxConnections = 256
	defaultMaxMessage     = 32 << 20
)

// Bounds of what comes before a connection is one.
const (
	handshakeTime = 10 * time.Second
	maxHeader     = 16 << 10
	endTime       = 6 * time.Second
	farewellTime  = time.Second // for clients to answer that they are going
)

// Server serves conversations.
type Server struct {
	o     Options
	guard *guard
	log   *slog.Logger
	ctx   context.Context
	stop  context.CancelFunc

	running sync.WaitGroup // conversations and connections
	visits  sync.WaitGroup // connections

	opening sync.Mutex // held while a kept session is opened

	mu     sync.Mutex
	ending bool // no more connections
	conns  int
	talks  map[*conversation]bool // all that are open
	kept   map[string]*conversation
	files  map[string]string // of the kept sessions that this server made
}

// New returns a server that doesn't listen yet. Its errors are *ConfigError.
func New(o Options) (*Server, error) {
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	o.MaxConnections = cmp.Or(o.MaxConnections, DefaultMaxConnections)
	o.MaxMessage = cmp.Or(o.MaxMessage, defaultMaxMessage)
	o.Wire = cmp.Or(o.Wire, Both)
	o.pingEvery = cmp.Or(o.pingEvery, pingEvery)
	o.maxPiled = cmp.Or(o.maxPiled, maxPiled)
	if o.Now == nil {
		o.Now = time.Now
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, &ConfigError{"a certificate needs its key, and the key its certificate: give both"}
	}
	g, err := newGuard(o)
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, guard: g, log: o.Log, kept: map[string]*conversation{}, files: map[string]string{}, talks: map[*conversation]bool{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Serve takes connections until ctx ends, then ends those that there are and
// their sessions.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: handshakeTime, WriteTimeout: writeTime, IdleTimeout: handshakeTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := context.AfterFunc(ctx, func() { h.Close() })
	defer stopped()
	err := h.Serve(&limited{Listener: l, most: 2*s.o.MaxConnections + 64})
	s.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// Close ends all connections and the sessions that the server opened.
func (s *Server) Close() {
	s.farewell()
	s.stop()
	s.mu.Lock()
	for _, c := range s.kept {
		c.closeSoon()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(endTime):
		s.Kill()
	}
}

// farewell tells the connections that they end, and waits a moment for those
// that answer.
func (s *Server) farewell() {
	s.mu.Lock()
	s.ending = true
	talks := slices.Collect(maps.Keys(s.talks))
	s.mu.Unlock()
	for _, c := range talks {
		c.dismiss("the server ends")
	}
	gone := make(chan struct{})
	go func() {
		s.visits.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(farewellTime):
	}
}

// Kill ends the processes of all sessions at once, for a process that can't
// wait for Close.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.talks {
		if !c.lent {
			c.session.Kill()
		}
	}
}

// limited closes what comes over the limit at once: connections that aren't
// upgraded count too.
type limited struct {
	net.Listener
	most int
	mu   sync.Mutex
	open int
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		full := l.open >= l.most
		if !full {
			l.open++
		}
		l.mu.Unlock()
		if full {
			c.Close()
			continue
		}
		return &heldConn{Conn: c, of: l}, nil
	}
}

type heldConn struct {
	net.Conn
	of   *limited
	once sync.Once
}

func (c *heldConn) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		c.of.open--
		c.of.mu.Unlock()
	})
	return c.Conn.Close()
}

// ServeHTTP is the only way in: the guard stands before every route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if bad := s.guard.screen(r); bad != nil {
		s.refuse(w, r, bad)
		return
	}
	switch {
	case upgrades(r):
		s.upgrade(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		s.refuse(w, r, &refusal{http.StatusMethodNotAllowed, "this server speaks WebSocket"})
	case r.URL.Path == "/healthz":
		_, _ = w.Write([]byte("ok\n"))
	case s.guard.secured && s.page(w, r):
	default:
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		http.Error(w, "this server speaks WebSocket", http.StatusUpgradeRequired)
	}
}

func upgrades(r *http.Request) bool {
	for _, line := range r.Header.Values("Upgrade") {
		if strings.Contains(strings.ToLower(line), "websocket") {
			return true
		}
	}
	return false
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, bad *refusal) {
	s.log.Warn("remote request refused", "peer", r.RemoteAddr, "status", bad.status, "why", bad.text)
	if bad.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="hoopoe"`)
	}
	http.Error(w, bad.text, bad.status)
}

// wishes are what a connection asks for in its query.
type wishes struct {
	session string // new, or the id of a kept one; "" for one of its own
	since   uint64
	replay  bool
	wire    Wire
	events  bool // for the page
}

func (s *Server) wishes(r *http.Request) (wishes, *refusal) {
	q := r.URL.Query()
	w := wishes{session: q.Get("session"), wire: s.o.Wire}
	if q.Has("since") {
		n, err := strconv.ParseUint(q.Get("since"), 10, 64)
		if err != nil || w.session == "" || w.session == fresh {
			return w, &refusal{http.StatusBadRequest, "since is the number of the last frame that you have, and goes with session=ID"}
		}
		w.since, w.replay = n, true
	}
	switch wire := Wire(q.Get("wire")); wire {
	case "":
	case Both, Seed, Upstream:
		w.wire = wire
	case "events":
		w.events = true
	default:
		return w, &refusal{http.StatusBadRequest, "wire is both, seed, upstream or events"}
	}
	return w, nil
}

// upgrade makes a connection of a request, when all is well.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	v, bad := s.guard.admit(r)
	var wants wishes
	if bad == nil {
		wants, bad = s.wishes(r)
	}
	if bad == nil && !s.enter() {
		bad = &refusal{http.StatusServiceUnavailable, "there are too many connections; --remote-max-connections raises the limit"}
	}
	if bad != nil {
		s.refuse(w, r, bad)
		return
	}
	defer s.leave()
	talk, bad := s.conversationFor(r.Context(), wants)
	unknown := bad != nil && wants.events && bad.status == http.StatusNotFound
	if bad != nil && !unknown {
		s.refuse(w, r, bad)
		return
	}
	origin, peer := r.Header.Get("Origin"), r.RemoteAddr
	r.Header.Del("Origin") // the guard has judged it
	options := &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled}
	if v.protocol != "" {
		options.Subprotocols = []string{v.protocol}
	}
	ws, err := websocket.Accept(w, r, options)
	if err != nil {
		if talk != nil {
			talk.left(nil)
		}
		return // it has answered
	}
	defer ws.CloseNow()
	if unknown {
		_ = ws.Close(statusUnknown, bad.text)
		return
	}
	ws.SetReadLimit(s.o.MaxMessage)
	s.log.Info("remote connection", "peer", peer, "origin", origin, "auth", v.auth, "session", talk.id)
	if wants.events {
		s.serveBrowser(s.ctx, ws, talk)
		return
	}
	c := &conn{ws: ws, out: newOutbox(s.o.maxPiled), wire: wants.wire, watches: wants.replay}
	if !talk.join(c, wants) {
		_ = ws.Close(websocket.StatusPolicyViolation, "the frames after that number are no longer kept: attach without since")
		talk.left(nil)
		return
	}
	defer talk.left(c)
	s.serve(s.ctx, ws, c, talk)
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns >= s.o.MaxConnections || s.ending {
		return false
	}
	s.conns++
	s.running.Add(1)
	s.visits.Add(1)
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	s.conns--
	s.mu.Unlock()
	s.visits.Done()
	s.running.Done()
}

// recovered keeps a fault in one conversation from the others.
func (s *Server) recovered(c *conversation) {
	if v := recover(); v != nil {
		s.log.Error("remote fault", "panic", fmt.Sprint(v))
		if c != nil {
			go c.close()
		}
	}
}
