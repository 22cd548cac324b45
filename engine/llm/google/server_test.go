package google_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}

func serve(t testing.TB, h http.HandlerFunc) (url string, client *http.Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func TestConformance(t *testing.T) {
	calls := streams(t)["calls"]
	url, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "missing") {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error":{"code":404,"message":"models/missing is not found","status":"NOT_FOUND"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(calls)
	})
	subject := func(id string) func(*testing.T) (llm.Provider, llm.Request) {
		return func(*testing.T) (llm.Provider, llm.Request) {
			req := request()
			req.Model.ID, req.Model.BaseURL = id, url+"/v1beta"
			return google.New(google.Options{Model: req.Model, Key: key("secret"), HTTP: client}), req
		}
	}
	llmtest.Run(t, llmtest.Subject{New: subject("gemini"), Failing: subject("missing")})
}

// A stop of the caller or the end of the context closes the connection: the
// server's handler sees its request end.
func TestAbort(t *testing.T) {
	events := strings.SplitAfter(string(streams(t)["calls"]), "\n\n")
	for stage := range len(events) {
		for _, way := range []string{"cancel", "break"} {
			if way == "break" && stage < 2 {
				continue // there is no part yet to stop at
			}
			t.Run(fmt.Sprintf("%s after %d events", way, stage), func(t *testing.T) {
				sent, closed := make(chan struct{}), make(chan struct{})
				url, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					io.WriteString(w, strings.Join(events[:stage], ""))
					http.NewResponseController(w).Flush()
					close(sent)
					<-r.Context().Done()
					close(closed)
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := google.New(google.Options{Model: llm.Model{BaseURL: url}, Key: key("k"), HTTP: client})
				if way == "break" {
					for range p.Stream(ctx, request()) {
						break
					}
				} else {
					go func() { <-sent; cancel() }()
					_, end := llmtest.Collect(t, p.Stream(ctx, request()))
					if !errors.Is(end.Err, context.Canceled) || end.Message.StopReason != message.Aborted {
						t.Errorf("%v, %s", end.Err, end.Message.StopReason)
					}
				}
				select {
				case <-closed:
				case <-time.After(10 * time.Second):
					t.Error("the connection is still open")
				}
			})
		}
	}
}

// A server that falls silent is given up after the idle time, counted from
// its last byte.
func TestStall(t *testing.T) {
	for name, before := range map[string]string{"before the headers": "", "inside the stream": "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"so\"}]}}]}\n\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, end := ask(t, transport(func(r *http.Request) (*http.Response, error) {
					if before == "" {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					pr, pw := io.Pipe()
					go func() {
						for range 3 {
							time.Sleep(4 * time.Minute) // on the bubble's clock
							io.WriteString(pw, before)
						}
						<-r.Context().Done()
						pw.CloseWithError(r.Context().Err())
					}()
					return &http.Response{StatusCode: 200, Body: pr, Header: http.Header{}}, nil
				}))
				want := 5 * time.Minute
				if before != "" {
					want += 12 * time.Minute
				}
				if got := time.Since(start); got != want {
					t.Errorf("given up after %v, want %v", got, want)
				}
				if llm.KindOf(end.Err) != llm.Unavailable || !strings.Contains(end.Err.Error(), "no data for 5m0s") {
					t.Error(end.Err)
				}
				if before != "" && end.Message.Text() != "sososo" {
					t.Errorf("text %q", end.Message.Text())
				}
			})
		})
	}
}

// A caller that takes its time isn't the server's fault.
func TestSlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := iotest.OneByteReader(bytes.NewReader(streams(t)["text"]))
		var end llm.Finished
		for p := range over(replay(200, body)).Stream(t.Context(), request()) {
			time.Sleep(time.Hour) // on the bubble's clock
			end, _ = p.(llm.Finished)
		}
		if end.Err != nil || end.Message.StopReason != message.Stop {
			t.Errorf("%v, %s", end.Err, end.Message.StopReason)
		}
	})
}

func TestRefused(t *testing.T) {
	const quota = `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	for name, c := range map[string]struct {
		status int
		header string // Retry-After, or in ms
		body   string
		kind   llm.Kind
		after  time.Duration
		text   string
	}{
		"quota":              {429, "", quota, llm.RateLimit, 34500 * time.Millisecond, "google: You exceeded your current quota. (HTTP 429)"},
		"seconds":            {429, "7", `{"error":{"code":429,"message":"slow down"}}`, llm.RateLimit, 7 * time.Second, "google: slow down (HTTP 429)"},
		"milliseconds":       {429, "1500ms", `{"error":{"code":429,"message":"slow down"}}`, llm.RateLimit, 1500 * time.Millisecond, ""},
		"a date":             {503, "Fri, 15 Jan 2027 08:00:30 GMT", `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`, llm.Overloaded, 30 * time.Second, "google: busy (HTTP 503)"},
		"a past date":        {503, "Fri, 15 Jan 1999 08:00:30 GMT", `{"error":{"code":503,"message":"busy"}}`, llm.Overloaded, 0, "google: busy (HTTP 503)"},
		"a wild delay":       {429, "4000000000", `{}`, llm.RateLimit, patience.Longest, "google: {} (HTTP 429)"},
		"no number":          {429, "soon", `{"error":{"code":429,"message":"slow down"}}`, llm.RateLimit, 0, "google: slow down (HTTP 429)"},
		"bad key":            {400, "", `{"error":{"code":400,"message":"API key not valid: secret.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, llm.Auth, 0, "google: API key not valid: (key). (HTTP 400)"},
		"forbidden":          {403, "", `{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}`, llm.Auth, 0, "google: no (HTTP 403)"},
		"overflow":           {400, "", `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, llm.Overflow, 0, ""},
		"bad request":        {400, "", `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`, llm.BadRequest, 0, "google: no (HTTP 400)"},
		"internal":           {500, "", `{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}`, llm.Unavailable, 0, ""},
		"gateway's page":     {502, "", "<html>bad gateway</html>", llm.Unavailable, 0, "google: <html>bad gateway</html> (HTTP 502)"},
		"no body":            {504, "", "", llm.Unavailable, 0, ""},
		"redirect":           {307, "", "", llm.Unknown, 0, ""},
		"an endless body":    {500, "", strings.Repeat("x", 1<<20), llm.Unavailable, 0, "google: " + strings.Repeat("x", 2000) + "… (HTTP 500)"},
		"a page, not SSE":    {200, "", "<html>\n\n</html>", llm.Unavailable, 0, "google: the server sent an event that can't be read"},
		"null candidates":    {200, "", "data: {\"candidates\":[null]}\n\n", llm.Unavailable, 0, "google: the server sent an event that can't be read"},
		"not even an object": {200, "", "data: []\n\n", llm.Unavailable, 0, "google: the server sent an event that can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, end := ask(t, transport(func(r *http.Request) (*http.Response, error) {
				resp, err := replay(c.status, strings.NewReader(c.body))(r)
				if ms, ok := strings.CutSuffix(c.header, "ms"); ok {
					resp.Header.Set("Retry-After-Ms", ms)
				} else if c.header != "" {
					resp.Header.Set("Retry-After", c.header)
				}
				return resp, err
			}))
			var e *llm.Error
			if !errors.As(end.Err, &e) {
				t.Fatalf("%T %v", end.Err, end.Err)
			}
			if e.Kind != c.kind || e.RetryAfter != c.after {
				t.Errorf("%s after %v: %v", e.Kind, e.RetryAfter, e)
			}
			if c.text != "" && e.Error() != c.text {
				t.Errorf("says %q, want %q", e, c.text)
			}
			if strings.Contains(e.Error(), "secret") {
				t.Error("the key is in the error")
			}
		})
	}
}

func TestNoConnection(t *testing.T) {
	_, end := ask(t, transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }))
	if llm.KindOf(end.Err) != llm.Unavailable || end.Err.Error() != "google: connection refused" {
		t.Error(end.Err)
	}
}

func TestNoKey(t *testing.T) {
	p := google.New(google.Options{
		Key:  func(context.Context) (string, error) { return "", errors.New("the command \"pass\" failed") },
		HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) { t.Error("asked"); return nil, io.EOF })},
	})
	_, end := llmtest.Collect(t, p.Stream(t.Context(), request()))
	if llm.KindOf(end.Err) != llm.Auth {
		t.Error(end.Err)
	}
}
