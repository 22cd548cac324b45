package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// patience is a guard: nothing here takes that long unless it hangs.
const patience = 30 * time.Second

// noLibrary has no sessions.
type noLibrary struct{}

func (noLibrary) Sessions(context.Context, string) ([]session.Summary, error) { return nil, nil }
func (noLibrary) FindSession(context.Context, string, string) (string, error) {
	return "", session.ErrNotFound
}
func (noLibrary) Spending(context.Context, time.Time, func(session.Spending)) error { return nil }

// logged is a log that tests can search.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// place is a server in this process.
type place struct {
	t      testing.TB
	server *Server
	addr   string
	dir    string // where its sessions work
	home   string
	log    *logged
}

// serve starts a server whose model plays the script.
func serve(t testing.TB, script string, change ...func(*Options)) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), home: t.TempDir(), log: &logged{}}
	file := filepath.Join(t.TempDir(), "model.script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	paths, _ := config.FindPaths(config.Places{
		Getenv: func(string) string { return "" }, Home: func() (string, error) { return p.home, nil }, Cwd: p.dir,
	})
	e := engine.New(engine.Options{Paths: paths, Environ: os.Environ(), Offline: true})
	mode := "ask"
	o := Options{
		Address: Address{Host: "127.0.0.1", Port: "0"}, Cwd: p.dir, Library: noLibrary{},
		Commands: slash.Builtins(slash.Options{Library: noLibrary{}, Now: time.Now, More: slash.Files}),
		Log:      slog.New(slog.NewTextHandler(p.log, nil)),
	}
	o.Open = func(ctx context.Context, path string) (*engine.Session, error) {
		s, _, err := e.Open(ctx, engine.OpenOptions{Cwd: p.dir, Model: "script/" + file, Mode: mode, Path: path})
		return s, err
	}
	for _, fn := range change {
		fn(&o)
	}
	if strings.HasPrefix(o.Version, "mode=") {
		mode = strings.TrimPrefix(o.Version, "mode=")
	}
	var err error
	if p.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l, err := Listen(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	p.addr = l.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- p.server.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the server didn't end")
		}
	})
	return p
}

// inMode lets sessions run in a permission mode.
func inMode(mode string) func(*Options) { return func(o *Options) { o.Version = "mode=" + mode } }

// client is a connection, seen from the client.
type client struct {
	t  testing.TB
	ws *websocket.Conn

	mu     sync.Mutex
	frames []got
	raw    []string
	next   int
	came   chan struct{}
	err    error // that ended it
}

// got is a decoded frame.
type got struct {
	ID       string                     `json:"request_id"`
	Response map[string]json.RawMessage `json:"response"`
	Error    *string                    `json:"error"`
	Usage    *usage                     `json:"token_usage"`
	Seq      uint64                     `json:"seq"`
	Session  string                     `json:"session"`
}

func (g got) kind() string {
	for _, k := range []string{kindComplete, "StreamComplete"} {
		if _, ok := g.Response[k]; ok {
			return kindComplete
		}
	}
	for k := range g.Response {
		return k
	}
	return ""
}

func (g got) text() string {
	var s string
	_ = json.Unmarshal(g.Response[g.kind()], &s)
	return s
}

func (g got) err() string {
	if g.Error == nil {
		return ""
	}
	return *g.Error
}

func (g got) interrupted() bool {
	var c complete
	_ = json.Unmarshal(g.Response["Complete"], &c)
	return c.Interrupted
}

// ends holds for a frame that closes its request.
func (g got) ends() bool { return g.kind() == kindText || g.kind() == kindComplete }

func (p *place) dial(query string, o *websocket.DialOptions) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return websocket.Dial(ctx, "ws://"+p.addr+"/"+query, o)
}

// connect opens a connection and reads what comes.
func (p *place) connect(query string) *client {
	p.t.Helper()
	ws, _, err := p.dial(query, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return read(p.t, ws)
}

func read(t testing.TB, ws *websocket.Conn) *client {
	ws.SetReadLimit(maxFrame)
	c := &client{t: t, ws: ws, came: make(chan struct{}, 1)}
	t.Cleanup(func() { ws.CloseNow() })
	go func() {
		for {
			_, data, err := ws.Read(context.Background())
			c.mu.Lock()
			if err != nil {
				c.err = err
			} else {
				var g got
				if e := json.Unmarshal(data, &g); e != nil {
					t.Errorf("%v: %s", e, excerpt(string(data), 200))
				}
				c.frames, c.raw = append(c.frames, g), append(c.raw, string(data))
			}
			c.mu.Unlock()
			select {
			case c.came <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.ws.Write(ctx, websocket.MessageText, []byte(format)); err != nil {
		c.t.Fatal(err)
	}
}

// take returns the next frame; ok is false when the connection has ended.
func (c *client) take() (g got, ok bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		if c.next < len(c.frames) {
			c.next++
			g := c.frames[c.next-1]
			c.mu.Unlock()
			return g, true
		}
		err := c.err
		c.mu.Unlock()
		if err != nil {
			return got{}, false
		}
		select {
		case <-c.came:
		case <-deadline:
			c.t.Fatalf("nothing came for %v after %v", patience, c.tail())
		}
	}
}

func (c *client) tail() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw[max(0, len(c.raw)-10):]
}

// until takes frames up to the first that fits.
func (c *client) until(what string, fits func(got) bool) got {
	c.t.Helper()
	for {
		g, ok := c.take()
		if !ok {
			c.t.Fatalf("the connection ended (%v) before %s: %v", c.err, what, c.tail())
		}
		if fits(g) {
			return g
		}
	}
}

// end takes frames up to the one that closes a request.
func (c *client) end(id string) got {
	c.t.Helper()
	return c.until("the end of "+id, func(g got) bool { return g.ID == id && g.ends() })
}

func (c *client) untilKind(kind string) got {
	c.t.Helper()
	return c.until(kind, func(g got) bool { return g.kind() == kind })
}

// ask sends a text and returns its last frame.
func (c *client) ask(id, text string) got {
	c.t.Helper()
	c.send(`{"request_id":%q,"input":{"Text":%q}}`, id, text)
	return c.end(id)
}

// closed waits for the end of the connection and returns its code.
func (c *client) closed() websocket.StatusCode {
	c.t.Helper()
	for {
		if _, ok := c.take(); !ok {
			c.mu.Lock()
			defer c.mu.Unlock()
			var end websocket.CloseError
			if errors.As(c.err, &end) {
				return end.Code
			}
			return -1
		}
	}
}

// eventually waits for something that no frame tells of.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		if holds() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never happened: %s", what)
		}
	}
}

// request sends a plain HTTP request over its own connection.
func (p *place) request(method, path string, header map[string]string) (status int, body string) {
	p.t.Helper()
	c, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	host := p.addr
	if h, ok := header["Host"]; ok {
		host = h
	}
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host)
	for name, value := range header {
		if name != "Host" {
			fmt.Fprintf(c, "%s: %s\r\n", name, value)
		}
	}
	fmt.Fprint(c, "\r\n")
	var answer []byte
	buf := make([]byte, 4096)
	for !strings.Contains(string(answer), "\r\n\r\n") {
		n, err := c.Read(buf)
		answer = append(answer, buf[:n]...)
		if err != nil {
			break
		}
	}
	_, _ = fmt.Sscanf(string(answer), "HTTP/1.1 %d", &status)
	return status, string(answer)
}

// shake is the header of a handshake.
func shake(more map[string]string) map[string]string {
	h := map[string]string{
		"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
	}
	for k, v := range more {
		h[k] = v
	}
	return h
}
