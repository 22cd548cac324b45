package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/markdown"
)

// tenKB is an answer of about 10 KB: prose, lists, code, a table. No two of
// its parts are equal, and every run has a new renderer, so nothing is kept.
var tenKB = func() string {
	var b strings.Builder
	for i := 0; b.Len() < 10<<10; i++ {
		b.WriteString(strings.ReplaceAll(sample, "a", fmt.Sprint("a", i)))
		b.WriteString("\n")
	}
	return b.String()
}()

// Goal: under 5 ms per delta (case 33).
func BenchmarkStream10KB(b *testing.B) {
	deltas := slices.Collect(slices.Chunk([]byte(tenKB), 50))
	for b.Loop() {
		s := markdown.New(styles(b, true, true)).Stream()
		for _, delta := range deltas {
			s.Append(string(delta))
			s.Rows(80)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(deltas)), "ns/delta")
}

// A long file in one fence: the lines that are there are not folded again.
func BenchmarkStreamCode60KB(b *testing.B) {
	r := markdown.New(styles(b, true, true))
	text := "```go\n" + strings.Repeat("\tfmt.Println(\"a line of code of usual length\", x, y, z)\n", 1100)
	deltas := slices.Collect(slices.Chunk([]byte(text), 50))
	for b.Loop() {
		s := r.Stream()
		for _, delta := range deltas {
			s.Append(string(delta))
			s.Rows(80)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(deltas)), "ns/delta")
}

func BenchmarkRender10KB(b *testing.B) {
	for b.Loop() {
		markdown.New(styles(b, true, true)).Render(tenKB, 80)
	}
}

func BenchmarkPlain(b *testing.B) {
	r := markdown.New(styles(b, true, true))
	for b.Loop() {
		r.Render("Hello! I can read, search and change the files of this project. What shall we do?", 80)
	}
}
