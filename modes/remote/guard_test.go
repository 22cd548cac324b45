package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

const hello = "-- turn --\ntimes: always\n-- text --\nHello.\n"

const secret = "a-secret-of-the-test"

func withToken(o *Options) { o.Token = secret }

// W-10, CVE-2026-22812, CVE-2025-52882, CVE-2025-66414, CVE-2026-42559: a web
// page gets in neither by its own name nor by a rebound one, whatever the peer's
// address is.
func TestWhoMayConnect(t *testing.T) {
	open := serve(t, hello)
	allowing := serve(t, hello, func(o *Options) {
		o.Origins = []string{"http://localhost:3000", "https://ide.example", "tauri://localhost"}
		o.Hosts = []string{"agent.example"}
	})
	secured := serve(t, hello, withToken)
	port := strings.TrimPrefix(open.addr, "127.0.0.1:")
	bearer := "Bearer " + secret
	for _, c := range []struct {
		name   string
		to     *place
		header map[string]string
		want   int
	}{
		{"a program", open, nil, 101},
		{"a foreign page", open, map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page without an origin of its own", open, map[string]string{"Origin": "null"}, 403},
		{"an empty origin", open, map[string]string{"Origin": ""}, 403},
		{"another page of this machine", open, map[string]string{"Origin": "http://localhost:3000"}, 403},
		{"our own name without a token", open, map[string]string{"Origin": "http://127.0.0.1:" + port}, 403},
		{"a rebound name", open, map[string]string{"Host": "rebind.example:" + port}, 403},
		{"a rebound name with its page", open, map[string]string{"Host": "rebind.example:" + port, "Origin": "http://rebind.example:" + port}, 403},
		{"a name that begins like an address", open, map[string]string{"Host": "127.0.0.1.evil.example"}, 403},
		{"another address", open, map[string]string{"Host": "10.0.0.1:" + port}, 403},
		{"a proxy's word for a rebound name", open, map[string]string{"Host": "rebind.example", "X-Forwarded-Host": "127.0.0.1:" + port}, 403},
		{"a proxy's word for a foreign page", open, map[string]string{"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example"}, 403},
		{"no host", open, map[string]string{"Host": ""}, 403},
		{"localhost", open, map[string]string{"Host": "localhost:" + port}, 101},
		{"localhost without a port", open, map[string]string{"Host": "LocalHost"}, 101},
		{"loopback in six", open, map[string]string{"Host": "[::1]:" + port}, 101},
		{"loopback in six without a port", open, map[string]string{"Host": "[::1]"}, 101},
		{"another loopback address", open, map[string]string{"Host": "127.8.8.8"}, 101},

		{"an allowed origin", allowing, map[string]string{"Origin": "http://localhost:3000"}, 101},
		{"another port than the allowed one", allowing, map[string]string{"Origin": "http://localhost:3001"}, 403},
		{"another scheme than the allowed one", allowing, map[string]string{"Origin": "https://localhost:3000"}, 403},
		{"the default port, given", allowing, map[string]string{"Origin": "https://ide.example:443"}, 101},
		{"the default port of another scheme", allowing, map[string]string{"Origin": "http://ide.example:443"}, 403},
		{"an app's own scheme", allowing, map[string]string{"Origin": "tauri://localhost"}, 101},
		{"an allowed host", allowing, map[string]string{"Host": "agent.example:1234"}, 101},
		{"below an allowed host", allowing, map[string]string{"Host": "x.agent.example"}, 403},

		{"no token", secured, nil, 401},
		{"a wrong token", secured, map[string]string{"Authorization": "Bearer " + secret + "x"}, 401},
		{"the token", secured, map[string]string{"Authorization": bearer}, 101},
		{"the token of another scheme", secured, map[string]string{"Authorization": "Basic " + secret}, 401},
		{"our own page with the token", secured, map[string]string{"Authorization": bearer, "Origin": "http://" + secured.addr}, 101},
		{"our own page without it", secured, map[string]string{"Origin": "http://" + secured.addr}, 401},
		{"a foreign page with the token", secured, map[string]string{"Authorization": bearer, "Origin": "https://evil.example"}, 403},
		{"a rebound page with the token", secured, map[string]string{"Authorization": bearer, "Host": "rebind.example", "Origin": "http://rebind.example"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			if status, answer := c.to.request("GET", "/", shake(c.header)); status != c.want {
				t.Errorf("status %d, want %d:\n%s", status, c.want, answer)
			}
		})
	}
}

// W-10, coder/code-server#6048: who is refused can see why, in the answer and in
// the log: what was given, what it was held against, and how to do better.
func TestRefusalsExplain(t *testing.T) {
	open, secured := serve(t, hello), serve(t, hello, withToken)
	for _, c := range []struct {
		to     *place
		header map[string]string
		want   []string
	}{
		{open, map[string]string{"Origin": "https://evil.example"}, []string{"evil.example", open.addr, "--remote-allow-origin"}},
		{open, map[string]string{"Host": "rebind.example"}, []string{"rebind.example", "--remote-allow-host"}},
		{secured, nil, []string{"Authorization: Bearer", "?token=", "bearer."}},
	} {
		_, answer := c.to.request("GET", "/", shake(c.header))
		log := c.to.log.String()
		for _, want := range c.want {
			if !strings.Contains(answer, want) || !strings.Contains(log, want) {
				t.Errorf("%s is missing in\n%s\nor the log\n%s", want, answer, log)
			}
		}
	}
}

// W-10: there is one guard in front of all routes, and behind it nothing but
// what a server without a page needs.
func TestRoutes(t *testing.T) {
	open, secured := serve(t, hello), serve(t, hello, withToken)
	evil := map[string]string{"Origin": "https://evil.example"}
	for _, c := range []struct {
		method, path string
		header       map[string]string
		want         int
	}{
		{"GET", "/ws", shake(evil), 403},
		{"GET", "/healthz", shake(evil), 403},
		{"GET", "/debug/pprof", shake(evil), 403},
		{"GET", "/healthz", nil, 200},
		{"GET", "/healthz", evil, 403},
		{"GET", "/healthz", map[string]string{"Host": "rebind.example"}, 403},
		{"GET", "/", nil, 426},
		{"GET", "/app.js", nil, 426},
		{"GET", "/ws", nil, 426},
		{"GET", "/debug/pprof", nil, 426},
		{"GET", "/debug/pprof", evil, 403},
		{"POST", "/", nil, 405},
		{"POST", "/healthz", nil, 405},
		{"OPTIONS", "/", evil, 403},
	} {
		t.Run(c.method+c.path, func(t *testing.T) {
			status, answer := open.request(c.method, c.path, c.header)
			if status != c.want || strings.Contains(answer, "Access-Control") {
				t.Errorf("status %d, want %d:\n%s", status, c.want, answer)
			}
		})
	}
	for path, want := range map[string]int{"/": 200, "/app.js": 200, "/healthz": 200, "/ws": 426, "/debug/pprof": 426} {
		if status, _ := secured.request("GET", path, nil); status != want {
			t.Errorf("with a token %s: %d, want %d", path, status, want)
		}
		if status, _ := secured.request("GET", path, evil); status != 403 {
			t.Errorf("with a token, from a foreign page, %s: %d", path, status)
		}
		if status, _ := secured.request("POST", path, map[string]string{"Authorization": "Bearer " + secret}); status != 405 {
			t.Errorf("with a token, as a form, %s: %d", path, status)
		}
	}
}

// W-10, CVE-2026-25253: a token comes by three roads, and stays out of answers
// and logs.
func TestToken(t *testing.T) {
	p := serve(t, hello, withToken)
	code := base64.RawURLEncoding.EncodeToString([]byte(secret))
	for _, c := range []struct {
		name, query string
		protocols   []string
		chosen      string
		fails       bool
	}{
		{"query", "?token=" + secret, nil, "", false},
		{"subprotocol", "", []string{"hoopoe", "bearer." + code}, "hoopoe", false},
		{"a wrong subprotocol", "", []string{"hoopoe", "bearer." + code + "AA"}, "", true},
		{"a wrong query", "?token=" + secret[1:], nil, "", true},
		{"an empty query", "?token=", nil, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, r, err := p.dial(c.query, &websocket.DialOptions{Subprotocols: c.protocols})
			if c.fails {
				if err == nil || r == nil || r.StatusCode != 401 || r.Header.Get("WWW-Authenticate") == "" {
					t.Errorf("the connection: %v, %v", r, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if ws.Subprotocol() != c.chosen {
				t.Errorf("subprotocol %q, want %q", ws.Subprotocol(), c.chosen)
			}
			cl := read(t, ws)
			if g := cl.ask("a", "hi"); g.text() != "Hello." {
				t.Errorf("answer %q", g.text())
			}
			for name, values := range r.Header {
				if strings.Contains(strings.Join(values, " "), secret) || strings.Contains(strings.Join(values, " "), code) {
					t.Errorf("the answer's %s holds the token", name)
				}
			}
		})
	}
	if log := p.log.String(); strings.Contains(log, secret) || strings.Contains(log, code) || !strings.Contains(log, "remote connection") {
		t.Errorf("the log:\n%s", log)
	}
	err := filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if data, _ := os.ReadFile(path); strings.Contains(string(data), secret) {
				t.Errorf("%s holds the token", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// W-10: the port is never opened to other machines without a token.
func TestListenRules(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"} {
		a, err := ParseAddress(addr)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Listen(context.Background(), Options{Address: a})
		if l != nil {
			l.Close()
		}
		if _, ok := errors.AsType[*ConfigError](err); !ok || !strings.Contains(err.Error(), "--remote-token-file") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for text, want := range map[string]string{
		"": "127.0.0.1:8080", "9": "127.0.0.1:9", "[::1]:7": "[::1]:7", "localhost:1": "localhost:1", ":5": ":5", "unix:/x/y": "unix:/x/y",
	} {
		if a, err := ParseAddress(text); err != nil || a.String() != want {
			t.Errorf("%q is %v, %v, want %s", text, a, err, want)
		}
	}
	for _, text := range []string{"unix:", "host", "host:port", "1.2.3.4:70000", "-1"} {
		if a, err := ParseAddress(text); err == nil {
			t.Errorf("%q is %v", text, a)
		}
	}
}

// W-10: a unix socket is its user's alone, replaces one of a dead server and
// nothing else, and is gone at the end.
func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	o := Options{Address: Address{Unix: path}}
	l, err := Listen(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if second, err := Listen(context.Background(), o); err == nil {
		second.Close()
		t.Error("a second server took the socket away")
	}
	l.Close()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(context.Background(), o); err == nil {
		t.Error("a file was replaced")
	}
}

// W-10: a token is made once, for its user alone; an empty one is refused.
func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	token, made, err := ReadToken(path)
	if err != nil || !made || len(token) != 43 {
		t.Fatal(token, made, err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if again, made, err := ReadToken(path); again != token || made || err != nil {
		t.Error(again, made, err)
	}
	for _, text := range []string{"", " \n", "two words", "ü", strings.Repeat("x", maxToken+1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadToken(path); err == nil {
			t.Errorf("the token %q was taken", text)
		}
	}
}

// W-10: too many connections are refused before the upgrade, and one that ends
// makes room.
func TestMaxConnections(t *testing.T) {
	p := serve(t, hello, func(o *Options) { o.MaxConnections = 2 })
	first := p.connect("")
	p.connect("")
	if status, _ := p.request("GET", "/", shake(nil)); status != 503 {
		t.Errorf("status %d", status)
	}
	first.ws.CloseNow()
	eventually(t, "a place is free", func() bool {
		status, _ := p.request("GET", "/", shake(nil))
		return status == 101
	})
}
