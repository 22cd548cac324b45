package transcript

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// many is a transcript of 10,000 messages of a few hundred bytes, as a long
// session has them.
func many(b *testing.B) *List {
	look := testLook(b)
	l := &List{Look: look}
	l.SetSize(120, 40)
	for i := range 5000 {
		l.Append(&Prompt{Look: look, Text: fmt.Sprintf("Question %d: what does func%d in file%d.go do?", i, i, i%97)})
		a := NewAnswer(look)
		a.Set(fmt.Sprintf("It does **thing %d** with `code%d`.\n\n- first, it reads the file\n- then it writes 天地玄黄\n\n```go\nfunc f%d() int { return %d }\n```\n\nAnd that is all, مرحبا.", i, i, i, i), true)
		l.Append(a)
	}
	return l
}

// frame measures one step and the frame after it; the worst one counts.
func frames(b *testing.B, l *List, step func(n int)) {
	n := 0
	for b.Loop() {
		step(n)
		l.Rows()
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/frame")
}

func BenchmarkTenThousandOpen(b *testing.B) {
	l := many(b)
	frames(b, l, func(int) { l.Invalidate(); l.ToEnd() })
}

func BenchmarkTenThousandScroll(b *testing.B) {
	l := many(b)
	l.ToTop()
	frames(b, l, func(int) {
		if l.Page(1); l.Following() {
			l.ToTop()
		}
	})
}

func BenchmarkTenThousandResize(b *testing.B) {
	l := many(b)
	l.Scroll(-5000)
	frames(b, l, func(n int) { l.SetSize(80+n%60, 40) })
}

// Each keystroke of a query, and each step to another match.
func BenchmarkTenThousandSearch(b *testing.B) {
	l := many(b)
	query := "func 4321 in file nowhere"
	frames(b, l, func(n int) { l.Search(query[:1+n%len(query)]) })
}

func BenchmarkTenThousandNextMatch(b *testing.B) {
	l := many(b)
	l.Search("code")
	frames(b, l, func(int) { l.NextMatch(-1) })
}

// What a message costs when all were read once: its text and its place.
func BenchmarkTenThousandMemory(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		l := many(b)
		for l.ToTop(); !l.Following(); l.Page(1) {
			l.Rows()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(l.Len()), "bytes/message")
		runtime.KeepAlive(l)
	}
}

// A 60 KB answer of all kinds of blocks, in deltas of 60 bytes.
func BenchmarkStreamed60KB(b *testing.B) {
	look := testLook(b)
	part := "Some prose with `code` and **bold** words, 天地玄黄宇宙洪荒, شغّل الأمر `go test` ثم أعد.\n\n- an item\n  - nested\n- another\n\n| a | b |\n|---|---|\n| one | two |\n\n```go\nfunc main() { fmt.Println(1) }\n```\n\n"
	text := ""
	for i := 0; len(text) < 60<<10; i++ {
		text += strings.ReplaceAll(part, "one", fmt.Sprint("one", i))
	}
	n := 0
	for b.Loop() {
		a := NewAnswer(look)
		for at := 60; at < len(text); at += 60 {
			a.Set(text[:at], false)
			a.Rows(80)
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/delta")
}
