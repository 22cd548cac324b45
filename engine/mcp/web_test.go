package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// site is a server on the loopback that h answers for, unless it reports
// false: then the good server does.
func site(t *testing.T, h func(w http.ResponseWriter, r *http.Request, body string) bool) Server {
	t.Helper()
	good := goodServer()
	next := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if h(w, r, string(body)) {
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return Server{Name: "good", URL: s.URL}
}

func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	var bad []string
	s := site(t, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer abcdefgh" || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.Method != http.MethodDelete {
			bad = append(bad, fmt.Sprint(r.Method, r.Header))
		}
		return false
	})
	s.Headers = map[string]string{"Authorization": "Bearer abcdefgh", "accept": "text/plain"}
	m, _ := manage(t, Options{Servers: []Server{s}})
	m.Start(t.Context())
	if _, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(bad) > 0 {
		t.Errorf("without the headers: %v", bad)
	}
}

func TestWebFailures(t *testing.T) {
	var reached bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer elsewhere.Close()
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"unauthorized", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "Bearer topsecret1 is wrong", http.StatusUnauthorized)
		},
			"Unauthorized (check the headers that it needs)"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
			"which isn't its own address"},
		{"html", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }, `unsupported content type "text/html"`},
		{"flood", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			chunk := strings.Repeat("x", 1<<20)
			for range 2 * maxMessage >> 20 {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}, "the answer is too large"},
		{"endless event", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: ")
			chunk := strings.Repeat("x", 1<<20)
			for range 2 * maxMessage >> 20 {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}, "exceeded"},
		{"hangs", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "it wasn't ready within 2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := site(t, func(w http.ResponseWriter, r *http.Request, _ string) bool {
				c.h(w, r)
				return true
			})
			s.Headers = map[string]string{"Authorization": "Bearer topsecret1"}
			s.URL += "/?key=topsecret2"
			m, notices := manage(t, Options{Servers: []Server{s}, StartTimeout: 2 * time.Second})
			m.Start(t.Context())
			got := notices.String()
			if !strings.Contains(got, c.want) || strings.Contains(got, "topsecret") || strings.Contains(got, "\n") {
				t.Errorf("told %q", got)
			}
		})
	}
	if reached {
		t.Error("the headers went elsewhere")
	}
}

// A server that has forgotten the session gets a new one and the call again.
func TestForgottenSession(t *testing.T) {
	var mu sync.Mutex
	forget := false
	s := site(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
		mu.Lock()
		defer mu.Unlock()
		if !forget || !strings.Contains(body, "tools/call") {
			return false
		}
		forget = false
		http.Error(w, "session not found", http.StatusNotFound)
		return true
	})
	m, notices := manage(t, Options{Servers: []Server{s}})
	m.Start(t.Context())
	mu.Lock()
	forget = true
	mu.Unlock()
	res, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil)
	if err != nil || message.Text(res.Content) != "you said {}" || notices.String() != "" {
		t.Errorf("%+v, %v, %s", res, err, notices)
	}
}

// An error of one request leaves the link alone.
func TestTransientError(t *testing.T) {
	s := site(t, func(w http.ResponseWriter, r *http.Request, body string) bool {
		if !strings.Contains(body, `"busy"`) {
			return false
		}
		http.Error(w, "", http.StatusServiceUnavailable)
		return true
	})
	m, _ := manage(t, Options{Servers: []Server{s}})
	m.Start(t.Context())
	if _, err := run(t.Context(), t, m, "mcp__good__echo", `{"text":"busy"}`, nil); err == nil || !strings.Contains(err.Error(), "Service Unavailable") {
		t.Error(err)
	}
	if _, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil); err != nil {
		t.Error(err)
	}
}

// A server that never answers the request for a standing stream has none.
func TestSilentStream(t *testing.T) {
	s := site(t, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
		}
		return true
	})
	c, err := newWeb(s, http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	w := c.Transport.(web)
	w.listen = 50 * time.Millisecond
	c.Transport = w
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := map[string]int{http.MethodGet: 405, http.MethodPost: 200}[method]; resp.StatusCode != want {
			t.Errorf("%s: status %d", method, resp.StatusCode)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := c.Do(r); err == nil {
		resp.Body.Close()
		t.Error("a cancelled request has an answer")
	}
}

// A server that hangs when it is left holds up nobody.
func TestSilentFarewell(t *testing.T) {
	s := site(t, func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodDelete {
			<-r.Context().Done()
		}
		return false
	})
	m, _ := manage(t, Options{Servers: []Server{s}})
	m.Start(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // the SDK alone takes five
	defer cancel()
	if err := m.Close(ctx); err != nil {
		t.Error(err)
	}
}
