package anthropic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// E-4: an abort closes the connection at each stage: before the headers, behind
// them, in the middle of a block.
func TestAbort(t *testing.T) {
	stream := recorded(t, "thinking")
	for name, n := range map[string]int{"before headers": -1, "after headers": 0, "in a block": bytes.Index(stream, []byte("see.")) + 100} {
		t.Run(name, func(t *testing.T) {
			reached, closed := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // else the end of the connection isn't seen
				if n >= 0 {
					w.Header().Set("Content-Type", "text/event-stream")
					w.Write(stream[:n])
					w.(http.Flusher).Flush()
				}
				close(reached)
				<-r.Context().Done()
				close(closed)
			}))
			defer server.Close()
			m := sonnet
			m.BaseURL = server.URL
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-reached
				cancel()
			}()
			_, end := llmtest.Collect(t, New(Options{Model: m}).Stream(ctx, ask(m)))
			if end.Message.StopReason != message.Aborted || !errors.Is(end.Err, context.Canceled) {
				t.Errorf("%s, %v", end.Message.StopReason, end.Err)
			}
			select {
			case <-closed:
			case <-t.Context().Done():
				t.Error("the connection stayed open")
			}
		})
	}
}

// A caller that stops ranging frees the connection, too.
func TestStopRanging(t *testing.T) {
	stream := recorded(t, "thinking")
	closed := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream[:len(stream)/2])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(closed)
	}))
	defer server.Close()
	m := sonnet
	m.BaseURL = server.URL
	for range New(Options{Model: m}).Stream(t.Context(), ask(m)) {
		break
	}
	<-closed
}

// An answer is read to its end, so that the next request needs no new connection.
func TestConnectionIsUsedAgain(t *testing.T) {
	stream := recorded(t, "text")
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream)
		w.(http.Flusher).Flush() // the end of the body is sent on its own
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	m := sonnet
	m.BaseURL = server.URL
	p := New(Options{Model: m, HTTP: server.Client()})
	for range 3 {
		if _, end := finish(t, p, ask(m)); end.Err != nil {
			t.Fatal(end.Err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 3 requests", n)
	}
}

// E-5: a service that falls silent, before its headers or in the middle, ends
// the stream after the idle time, and pings or a slow caller don't.
func TestIdle(t *testing.T) {
	stream := recorded(t, "text")
	middle := bytes.Index(stream, []byte("event: message_delta"))
	silence := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	// paced sends what it is given a minute apart, and falls silent.
	paced := func(chunks ...[]byte) roundTrip {
		return func(req *http.Request) (*http.Response, error) {
			r, w := io.Pipe()
			go func() {
				for _, c := range chunks {
					time.Sleep(time.Minute)
					w.Write(c)
				}
				<-req.Context().Done()
				w.CloseWithError(req.Context().Err())
			}()
			return response(200, nil, r), nil
		}
	}
	ping := []byte("event: ping\ndata: {\"type\":\"ping\"}\n\n")
	for name, c := range map[string]struct {
		service roundTrip
		want    string // text of the error
		after   time.Duration
	}{
		"no headers":           {silence, "anthropic: no data for 5m0s", 5 * time.Minute},
		"nothing behind them":  {paced(), "anthropic: no data for 5m0s", 5 * time.Minute},
		"in the middle":        {paced(stream[:middle]), "anthropic: no data for 5m0s", 6 * time.Minute},
		"pings keep it going":  {paced(stream[:middle], ping, ping, ping, ping, ping, ping, stream[middle:]), "", 8*time.Minute + grace},
		"no end of the stream": {paced(stream), "", time.Minute + grace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, end := finish(t, at(sonnet, c.service), ask(sonnet))
				got := ""
				if end.Err != nil {
					got = end.Err.Error()
				}
				if got != c.want || (c.want != "" && llm.KindOf(end.Err) != llm.Unavailable) {
					t.Errorf("error %q, want %q", got, c.want)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("ended after %v, want %v", took, c.after)
				}
			})
		})
	}
	t.Run("a slow caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := sending(func() io.Reader { return bytes.NewReader(stream) })
			var last llm.Part
			for last = range p.Stream(t.Context(), ask(sonnet)) {
				time.Sleep(time.Hour)
			}
			if end := last.(llm.Finished); end.Err != nil {
				t.Error(end.Err)
			}
		})
	})
}
