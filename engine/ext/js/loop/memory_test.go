//go:build !race

// The heap is measured, which the race detector would be most of.

package loop

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"
)

// E-4: whatever an extension keeps, the loop is ended and the memory is free
// again.
func TestMemory(t *testing.T) {
	const budget = 32 << 20
	for _, c := range []struct{ name, src, failure string }{
		{"string doubling", `let s = "x"; for (;;) s += s`, "of memory"},
		{"array push", `const a = []; for (;;) a.push({})`, "of memory"},
		{"leak in a timer", `globalThis.kept = []; setTimeout(() => { for (let i = 0; i < 1000; i++) kept.push({ n: i }) }, 0, true); new Promise(() => {})`, "holds more than 32 MB"},
		{"leak in closures", `let last; setTimeout(() => { for (let i = 0; i < 1000; i++) { const before = last, x = { i }; last = () => [before, x] } }, 0, true); new Promise(() => {})`, "holds more than 32 MB"},
		{"leak in a map", `const m = new Map(); setTimeout(() => { for (let i = 0; i < 1000; i++) m.set(i + m.size, "v" + i) }, 0, true); new Promise(() => {})`, "holds more than 32 MB"},
		{"leak in a waiting function", `(async () => { const a = []; for (;;) { for (let i = 0; i < 200; i++) a.push({ i }); await new Promise(ok => setTimeout(ok, 0)) } })()`, "of memory|mostly in the extension"},
		{"buffers", `const b = []; for (;;) b.push(new Uint8Array(1 << 20))`, "of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, Options{Memory: budget})
			peak, stop := watchHeap()
			_, err := p.eval(t.Context(), c.src)
			if err == nil || !containsAny(err.Error(), c.failure) {
				t.Errorf("error %v, want one with %q", err, c.failure)
			}
			stop()
			p.close()
			t.Logf("%v; peak of the heap %d MB", err, peak()>>20)
			// Doubling a string outruns the watch on a machine that is busy.
			if peak() > 32*budget {
				t.Errorf("the heap rose to %d MB", peak()>>20)
			}
		})
	}
}

// What a script drops again doesn't count.
func TestGarbageIsFree(t *testing.T) {
	p := open(t, Options{Memory: 64 << 20, Slice: time.Minute})
	p.want(`let n = 0; for (let i = 0; i < 300000; i++) n += [i, {}, "x" + i].length; n`, "900000", "")
	p.want(`let s; for (let i = 0; i < 300; i++) s = "x".repeat(1 << 20); s.length`, "1048576", "")
}

func TestNativeBounds(t *testing.T) {
	p := open(t, Options{Memory: 32 << 20})
	for src, failure := range map[string]string{
		`"x".repeat(2 ** 30)`:                      "repeat would make more than 8 MB",
		`"xy".repeat(2 ** 53)`:                     "repeat would make more than 8 MB",
		`"x".padStart(1e9)`:                        "padStart would make more",
		`new Array(1e9).fill(0)`:                   "fill would make more",
		`new Array(1e9).join("x")`:                 "join would make more",
		`String(new Array(1e9))`:                   "join would make more",
		`Array.from({ length: 1e9 })`:              "from would make more",
		`"x".repeat(-1)`:                           "RangeError",
		`[1, 2].fill(3).join("-") + "a".repeat(2)`: "",
	} {
		value := ""
		if failure == "" {
			value = "3-3aa"
		}
		p.want(src, value, failure)
	}
}

func containsAny(s, alternatives string) bool {
	for a := range strings.SplitSeq(alternatives, "|") {
		if strings.Contains(s, a) {
			return true
		}
	}
	return false
}

// watchHeap tells the largest heap until stop.
func watchHeap() (peak func() uint64, stop func()) {
	runtime.GC()
	var most uint64
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, heapBytes())
			select {
			case <-quit:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { return most }, sync.OnceFunc(func() { close(quit); <-done })
}

// What the count says is near what the collector says.
func TestCountIsReal(t *testing.T) {
	p := open(t, Options{})
	before := make(chan uint64, 1)
	_ = p.Do(t.Context(), func(*sobek.Runtime) error { before <- p.reaches(); return nil })
	runtime.GC()
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	p.want(`globalThis.kept = []; for (let i = 0; i < 50000; i++) kept.push({ a: i, b: ["x" + i], c: () => i }); 0`, "0", "")
	runtime.GC()
	runtime.ReadMemStats(&m1)
	after := make(chan uint64, 1)
	_ = p.Do(t.Context(), func(*sobek.Runtime) error { after <- p.reaches(); return nil })
	counted, real := <-after-<-before, m1.HeapAlloc-m0.HeapAlloc
	t.Logf("counted %d KB, collector says %d KB", counted>>10, real>>10)
	if counted < real/2 || counted > real*2 {
		t.Errorf("counted %d bytes, the collector says %d", counted, real)
	}
}
