//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/creack/pty"
)

// BenchmarkChatStart is the time from the start to the first frame, and that of
// --version in the same run, turn by turn: the machine's mood is in both.
func BenchmarkChatStart(b *testing.B) {
	w := newBench(b)
	var frame, version time.Duration
	for b.Loop() {
		begun := time.Now()
		t := w.chat()
		t.until("›")
		frame += time.Since(begun)
		t.stop()
		begun = time.Now()
		if err := w.command("--version").Run(); err != nil {
			b.Fatal(err)
		}
		version += time.Since(begun)
	}
	b.ReportMetric(float64(frame.Microseconds())/1000/float64(b.N), "frame-ms")
	b.ReportMetric(float64(version.Microseconds())/1000/float64(b.N), "version-ms")
	b.ReportMetric(float64(frame)/float64(version), "frame/version")
}

// BenchmarkChatTenThousand is what 10,000 messages cost on the screen: the
// processor's time of a frame while the user scrolls from the top to the end,
// searches and changes the window's size. Goals: 16 ms, 150 MB, nothing when
// idle.
func BenchmarkChatTenThousand(b *testing.B) {
	w := newBench(b)
	path := w.session(10_000)
	for b.Loop() {
		t := w.chat("--session", path)
		t.until("9999")
		t.quiet()
		t.cost("top-ms", 1, func(int) { t.keys("\x1b[1;5H") })
		t.cost("page-ms", 200, func(int) { t.keys("\x1b[6~") })
		t.cost("end-ms", 1, func(int) { t.keys("\x1b[1;5F") })
		t.cost("search-ms", 1, func(int) { t.keys("\x1bOR4321") })
		t.keys("\x1b")
		t.cost("resize-ms", 20, func(i int) {
			if err := pty.Setsize(t.pty, &pty.Winsize{Rows: 50, Cols: uint16(120 + 4*i)}); err != nil {
				b.Fatal(err)
			}
		})
		t.idle(b, 5*time.Second)
		t.stop()
	}
}

func (t *counted) keys(text string) {
	if _, err := t.pty.WriteString(text); err != nil {
		t.b.Fatal(err)
	}
}

// cost reports the processor's time of n steps, each of which draws something.
func (t *counted) cost(unit string, n int, step func(i int)) {
	before := t.cpu()
	for i := range n {
		step(i)
		select {
		case <-t.read:
		case <-time.After(guard):
			t.b.Fatalf("%s: step %d draws nothing", unit, i)
		}
	}
	t.quiet()
	t.b.ReportMetric(float64((t.cpu()-before).Microseconds())/1000/float64(n), unit)
}
