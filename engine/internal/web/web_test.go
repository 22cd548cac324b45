package web

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// only lets a client reach one server of the test, and checks all else.
func only(servers ...*httptest.Server) func(netip.AddrPort) string {
	return func(to netip.AddrPort) string {
		for _, s := range servers {
			if to == s.Listener.Addr().(*net.TCPAddr).AddrPort() {
				return ""
			}
		}
		return Public(to)
	}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, c *Client, text string) (*Response, error) {
	t.Helper()
	u, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c.Get(t.Context(), u)
}

func TestGet(t *testing.T) {
	var seen http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		w.Header().Set("Content-Type", "Text/HTML; charset=utf-8")
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprintf(w, "<p>%s", r.URL)
	})
	c := New(Options{UserAgent: "hoopoe/test", Refuse: only(s)})
	for range 2 {
		r, err := get(t, c, s.URL+"/a?b=c#d")
		if err != nil || r.Status != 200 || r.Type != "text/html" || r.Text() != "<p>/a?b=c" || r.Cut {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if seen.Get("User-Agent") != "hoopoe/test" || seen.Get("Cookie") != "" || seen.Get("Referer") != "" || seen.Get("Authorization") != "" {
		t.Errorf("sent %v", seen)
	}
}

// E-4: whatever name or address is asked for, this machine and its networks
// aren't reached.
func TestPublic(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.8.9.1", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "169.254.1.1",
		"100.64.0.1", "100.100.100.200", "100.127.255.255", "224.0.0.1", "239.255.255.250", "255.255.255.255", "240.0.0.1", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "168.63.129.16",
		"::", "::1", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "100::1", "3fff::1",
	} {
		if why := Public(netip.AddrPortFrom(netip.MustParseAddr(a), 80)); why == "" {
			t.Errorf("%s is taken for public", a)
		}
	}
	if Public(netip.AddrPort{}) == "" {
		t.Error("no address is taken for public")
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.63.255.255", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "198.17.0.1"} {
		if why := Public(netip.AddrPortFrom(netip.MustParseAddr(a), 80)); why != "" {
			t.Errorf("%s: %s", a, why)
		}
	}
}

// A name is judged by the address that it has when the connection is made.
func TestDialIsJudged(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was reached") })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := New(Options{})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		conn, err := c.dialer().DialContext(t.Context(), "tcp", host+":"+port)
		if err == nil {
			conn.Close()
			t.Errorf("%s was reached", host)
			continue
		}
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("%s: %v", host, err)
		}
	}
	// All the way through Get, where the name says nothing.
	c.options.Refuse = func(to netip.AddrPort) string {
		if to.Port() == 443 || to.Port() == 80 {
			return "" // as if the look-up before had given another answer
		}
		return Public(to)
	}
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:" + port, Path: "/"}
	if _, err := c.once(t.Context(), u); err == nil || !strings.Contains(err.Error(), "this machine") {
		t.Errorf("got %v", err)
	}
}

func TestCheck(t *testing.T) {
	c := New(Options{})
	for text, allowed := range map[string]bool{
		"https://go.dev/doc": true, "http://example.com:8080/": true, "https://1.1.1.1/": true, "https://[2606:4700:4700::1111]/": true, "https://bücher.example/": true, "https://a.b.co": true,
		"http://localhost/": false, "http://LOCALHOST./": false, "http://a.localhost/": false, "http://router/": false, "http://printer.local/": false, "http://db.internal/": false, "http://metadata.google.internal/": false, "http://nas.home.arpa/": false,
		"http://127.0.0.1/": false, "http://[::1]/": false, "http://[::ffff:127.0.0.1]/": false, "http://[fe80::1%25eth0]/": false, "http://169.254.169.254/latest/": false,
		"http://2130706433/": false, "http://0x7f000001/": false, "http://0177.0.0.1/": false, "http://127.1/": false, "http://0x7f.1/": false, "http://1.2.3.4.5/": false, "http://999.1.1.1/": false, "http://127.0.0.1./": false, "http://１２７.0.0.1/": false,
	} {
		u, err := Parse(text)
		if err == nil {
			err = c.Check(u)
		}
		if (err == nil) != allowed {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		" https://Go.Dev:443/Doc?q=1#x ": "https://go.dev/Doc?q=1",
		"http://go.dev:80":               "http://go.dev",
		"http://go.dev:8080/":            "http://go.dev:8080/",
		"https://bücher.example/ü":       "https://xn--bcher-kva.example/%C3%BC",
		"https://go.dev.":                "https://go.dev",
		"https://[2606:4700::1]:443/":    "https://[2606:4700::1]/",
		"go.dev":                         "error: no scheme",
		"":                               "error: no scheme",
		"file:///etc/passwd":             "error: only http and https",
		"javascript:alert(1)":            "error: only http and https",
		"gopher://x":                     "error: only http and https",
		"https://go.dev@evil.example/":   "error: user or password",
		"https://a:b@evil.example/":      "error: user or password",
		"https:///x":                     "error: no host",
		"https:go.dev":                   "error: no host",
		"http://go.dev。/":                "http://go.dev/",
		"http://0x7f../":                 "error: is no name",
		"http://localhost。./":            "error: is no name",
		"http://a..b/":                   "error: is no name",
		"http://./":                      "error: is no name",
		"http://a b/":                    "error: can't be read",
		"http://a\nb/":                   "error: can't be read",
		"https://go.dev:99999999/":       "error: port",
		"https://go.dev:0/":              "error: port",
		"https://go_dev..x/":             "error: no name",
		"https://x.example/" + strings.Repeat("x", maxURL): "error: longer",
	} {
		u, err := Parse(text)
		if rest, ok := strings.CutPrefix(want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), rest) {
				t.Errorf("%.60s: %v, %v; want %q", text, u, err, rest)
			}
			continue
		}
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, u, err, want)
		}
	}
}

func TestRedirects(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the other site was reached") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{
			"/a": "/b", "/b": "c?x=1", "/loop": "/loop", "/away": other.URL + "/x", "/file": "file:///etc/passwd",
			"/user": "https://a:b@go.dev/", "/bad": "http://[", "/meta": "http://169.254.169.254/",
		}[r.URL.Path]
		if to == "" {
			fmt.Fprint(w, "at "+r.URL.String())
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	c := New(Options{Refuse: only(s, other)})
	r, err := get(t, c, s.URL+"/a")
	if err != nil || r.Text() != "at /c?x=1" || r.URL.Path != "/c" {
		t.Errorf("%+v, %v", r, err)
	}
	for path, want := range map[string]string{"/away": other.URL + "/x", "/meta": "http://169.254.169.254/"} {
		if r, err := get(t, c, s.URL+path); err != nil || r.Moved == nil || r.Moved.String() != want || len(r.Body) > 0 {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
	for path, want := range map[string]string{"/loop": "more than 5 times", "/file": "only http and https", "/user": "user or password", "/bad": "can't be read"} {
		if r, err := get(t, c, s.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", path, r, err, want)
		}
	}
}

func TestUpgrade(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.example/", "https://a.example/x", true}, {"https://a.example/", "http://a.example/", false},
		{"http://a.example:8080/", "https://a.example/", false}, {"http://a.example/", "https://a.example:8443/", false},
	} {
		from, _ := Parse(c.from)
		to, _ := Parse(c.to)
		if upgrade(from, to) != c.want {
			t.Errorf("%s to %s: want %v", c.from, c.to, c.want)
		}
	}
}

// E-4, E-2: bodies that don't end, explode, or aren't text.
func TestBodies(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/endless":
			h.Set("Content-Type", "text/plain")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		case "/bomb":
			h.Set("Content-Type", "text/html")
			h.Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for range 100 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			z.Close()
		case "/brotli":
			h.Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		case "/png":
			h.Set("Content-Type", "image/png")
			h.Set("Content-Length", "12345")
		case "/unsaid":
			h["Content-Type"] = nil
			w.Write([]byte("\x89PNG\r\n\x1a\n\x00\x00"))
		case "/unsaid-text":
			h["Content-Type"] = nil
			fmt.Fprint(w, "<!doctype html><p>x")
		case "/short":
			h.Set("Content-Type", "text/plain")
			h.Set("Content-Length", "100")
			fmt.Fprint(w, "only this")
		case "/headers":
			h.Set("X", strings.Repeat("x", 2*maxHeader))
		case "/gone":
			h.Set("Content-Type", "image/png")
			w.WriteHeader(http.StatusGone)
		}
	})
	c := New(Options{Refuse: only(s)})
	for path, cut := range map[string]bool{"/endless": true, "/bomb": true, "/short": true, "/unsaid-text": false, "/gone": false} {
		r, err := get(t, c, s.URL+path)
		if err != nil || r.Cut != cut || len(r.Body) > MaxBody {
			t.Errorf("%s: %v, cut %v", path, err, r != nil && r.Cut)
		}
	}
	for path, want := range map[string]string{"/brotli": "encoding that wasn't asked for", "/png": "no text but image/png, 12345 bytes", "/unsaid": "no text but image/png, 10 bytes", "/headers": "could not be fetched"} {
		if r, err := get(t, c, s.URL+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}

// A body that only trickles ends with the time.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			io.ReadFull(server, make([]byte, 10))
			go io.Copy(io.Discard, server)
			io.WriteString(server, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
			for {
				time.Sleep(time.Second)
				if _, err := io.WriteString(server, "x"); err != nil {
					return
				}
			}
		}()
		ctx, cancel := context.WithTimeoutCause(t.Context(), Timeout, errors.New("time is up"))
		defer cancel()
		tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return client, nil }, DisableKeepAlives: true}
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://x.example/", nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		r := &Response{Type: "text/plain"}
		if err := r.read(resp.Body); err == nil || ctx.Err() == nil {
			t.Errorf("got %v", err)
		}
		server.Close()
		<-stopped
	})
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user stopped it")
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel(why)
		<-r.Context().Done()
	})
	u, _ := Parse(s.URL)
	if _, err := New(Options{Refuse: only(s)}).Get(ctx, u); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// With a proxy the proxy connects; names and what they resolve to here are
// judged before.
func TestProxy(t *testing.T) {
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "by the proxy")
	})
	env := map[string]string{"http_proxy": proxy.URL, "NO_PROXY": "direct.example.invalid"}
	c := New(Options{Getenv: func(name string) string { return env[name] }})
	r, err := get(t, c, "http://some-name.invalid/x")
	if err != nil || r.Text() != "by the proxy" {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, text := range []string{"http://localhost/", "http://127.0.0.1:1/", "http://169.254.169.254/", "http://router/"} {
		if _, err := get(t, c, text); err == nil {
			t.Errorf("%s went to the proxy", text)
		}
	}
	u := &url.URL{Scheme: "http", Host: "localhost:1"}
	if err := c.resolve(t.Context(), u); err == nil {
		t.Error("a name that resolves to this machine is left to the proxy")
	}
	if len(asked) != 1 || asked[0] != "http://some-name.invalid/x" {
		t.Errorf("the proxy was asked for %v", asked)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ name, header, body, want string }{
		{"plain", "text/plain", "café", "café"},
		{"a mark of its order", "text/html", "\xef\xbb\xbfcafé", "café"},
		{"by the header", "text/html; charset=windows-1256", "\xe3\xd1\xcd\xc8\xc7", "مرحبا"},
		{"by the page", "text/html", "<meta charset=gb2312><p>\xc4\xe3\xba\xc3", "<meta charset=gb2312><p>你好"},
		{"UTF-16", "text/plain", "\xff\xfeh\x00i\x00", "hi"},
		{"by what it is", "text/plain", "caf\xe9", "café"},
		{"the header is wrong", "text/html; charset=iso-8859-1", "你好", "你好"},
		{"no such charset", "text/html; charset=klingon", "caf\xe9", "café"},
		{"a header that is none", ";;;", "a\xff\xfeb", "aÿþb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Response{Body: []byte(c.body), contentType: c.header}
			if got := r.Text(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	r := &Response{Body: []byte("你好")[:5], Cut: true, contentType: "text/plain"}
	if got := r.Text(); got != "你\uFFFD" && got != "你" {
		t.Errorf("a cut character: %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"https://go.dev/", "http://[::1%25a]:80/", "http://0x7f.1", "https://ａ.example", "http://a@b", "http:////x", "https://xn--a/", "http://Xn--"} {
		f.Add(seed)
	}
	c := New(Options{})
	f.Fuzz(func(t *testing.T, text string) {
		u, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(u.String())
		if err != nil || again.String() != u.String() || u.User != nil || u.Hostname() == "" {
			t.Errorf("%q became %q and then %v, %v", text, u, again, err)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && c.Check(u) == nil && Public(netip.AddrPortFrom(addr, 1)) != "" {
			t.Errorf("%q is let through", u)
		}
	})
}
