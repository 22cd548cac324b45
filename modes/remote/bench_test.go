//go:build unix

package remote

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// cpu is the time that this process has computed.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFirstFrame: from the dial to the answer of a request, with a session
// opened in between.
func BenchmarkFirstFrame(b *testing.B) {
	p := serve(b, hello)
	for b.Loop() {
		ws, _, err := p.dial("", nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := ws.Write(b.Context(), websocket.MessageText, []byte(`{"request_id":"a","input":"GetCommands"}`)); err != nil {
			b.Fatal(err)
		}
		if _, _, err := ws.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
		ws.CloseNow()
	}
}

const benchChunks = 20_000

// BenchmarkChunks streams 20,000 chunks from the model to the client, and in the
// same run the same frames through a bare WebSocket: what is left is our own.
func BenchmarkChunks(b *testing.B) {
	script := fmt.Sprintf("-- turn --\ntimes: always\n-- text piece=4 repeat=%d --\nabcd\n", benchChunks)
	var ours, bare, oursCPU, bareCPU time.Duration
	frames := 0
	for b.Loop() {
		p := serve(b, script)
		ws, _, err := p.dial("", nil)
		if err != nil {
			b.Fatal(err)
		}
		ws.SetReadLimit(maxFrame)
		var got [][]byte
		began, computed := time.Now(), cpu()
		if err := ws.Write(b.Context(), websocket.MessageText, []byte(`{"request_id":"a","input":{"Text":"go"},"stream":true}`)); err != nil {
			b.Fatal(err)
		}
		for last := false; !last; {
			_, data, err := ws.Read(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			got = append(got, data)
			last = bytes.Contains(data, []byte(`"Complete"`))
		}
		ours += time.Since(began)
		oursCPU += cpu() - computed
		ws.CloseNow()
		frames += len(got)
		passed, used := echo(b, got)
		bare += passed
		bareCPU += used
	}
	n := float64(b.N)
	b.ReportMetric(float64(benchChunks)*n/ours.Seconds(), "chunks/s")
	b.ReportMetric(float64(frames)/n, "frames")
	b.ReportMetric(ours.Seconds()*1000/n, "ms")
	b.ReportMetric(bare.Seconds()*1000/n, "bare-ms")
	b.ReportMetric(oursCPU.Seconds()*1000/n, "cpu-ms")
	b.ReportMetric(bareCPU.Seconds()*1000/n, "bare-cpu-ms")
	b.ReportMetric(0, "ns/op")
}

// echo sends frames over a bare WebSocket and takes them back.
func echo(b *testing.B, frames [][]byte) (passed, used time.Duration) {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ws.SetReadLimit(maxFrame)
		for {
			kind, data, err := ws.Read(context.Background())
			if err != nil || ws.Write(context.Background(), kind, data) != nil {
				return
			}
		}
	}))
	defer server.Close()
	ws, _, err := websocket.Dial(b.Context(), server.URL, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxFrame)
	began, computed := time.Now(), cpu()
	go func() {
		for _, f := range frames {
			if ws.Write(context.Background(), websocket.MessageText, f) != nil {
				return
			}
		}
	}()
	for range frames {
		if _, _, err := ws.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began), cpu() - computed
}
