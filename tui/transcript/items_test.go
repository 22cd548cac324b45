package transcript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var widths = []int{20, 40, 80, 200}

func testLook(t testing.TB) *Look {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	s := style.New(theme, true, true)
	return &Look{Styles: s, Markdown: markdown.New(s)}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update if it should); got\n%s", path, got)
	}
}

// hostile are texts that must not drive a terminal (E-4) and that are hard to
// measure (E-5).
var hostile = []string{
	"\x1b]52;c;aGk=\x07clip \x1b[2J\u009b2J\u202eevil\x07",
	"شغّل الأمر `go test ./...` ثم أعد المحاولة",
	"天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳",
	"👨‍👩‍👧‍👦👍🏽❤️ emoji 👨‍👩‍👧‍👦👍🏽❤️🇩🇪",
	"a\tb\tc\r50%\r100%",
	strings.Repeat("x", 10_000),
}

func items(look *Look, text string) map[string]Item {
	answer, open := NewAnswer(look), NewAnswer(look)
	answer.Set(text, true)
	open.Set("Intro\n\n"+text, false)
	thinking, thought := &Thinking{Look: look}, &Thinking{Look: look}
	thinking.Set(text, false)
	thought.Set(text, true)
	return map[string]Item{
		"answer": answer, "open answer": open, "thinking": thinking, "thought": thought,
		"prompt":  &Prompt{Look: look, Text: text, Images: 1},
		"notice":  &Notice{Look: look, Level: Error, Text: text},
		"summary": &Summary{Look: look, Title: text, Text: text},
	}
}

func TestRowsAreHarmlessAndFit(t *testing.T) {
	for _, expanded := range []bool{false, true} {
		look := testLook(t)
		look.Expanded = expanded
		for i, text := range hostile {
			for name, item := range items(look, text) {
				for _, w := range append([]int{1, 2, 7}, widths...) {
					for _, row := range flow.Texts(item.Rows(w)) {
						// A cluster of two columns can't be cut in half.
						if got := style.Width(row); got > w && w > 3 {
							t.Errorf("%s, text %d, width %d: row of %d columns %q", name, i, w, got, row)
						}
						if plain := ansi.Strip(row); strings.ContainsAny(plain, "\x1b\a\r\t\n\u009b\u202e") || strings.Contains(row, "]52") {
							t.Errorf("%s, text %d, width %d: hostile row %q", name, i, w, row)
						}
					}
				}
			}
		}
	}
}

func TestGolden(t *testing.T) {
	look := testLook(t)
	thinking, thought, answer := &Thinking{Look: look}, &Thinking{Look: look}, NewAnswer(look)
	thinking.Set("First I read the file.\nThen I look at the tests.\nThen the callers.\nThen the docs.\nThen I decide what to change.", false)
	thought.Set("One line.\nAnother.", true)
	answer.Set("It has **two** parts:\n\n1. the loop in `agent`\n2. the session\n\n```go\nfunc main() {}\n```\n", true)
	all := []Item{
		&Prompt{Look: look, Text: "Replace foo with bar in main.go, and run the tests afterwards, please."},
		thought, answer,
		&Notice{Look: look, Level: Warning, Text: "The provider is overloaded."},
		&Notice{Look: look, Level: Info, Text: "Stopped."},
		&Summary{Look: look, Title: "earlier messages were summarised", Text: "They spoke of foo."},
		&Prompt{Look: look, Text: strings.Repeat("many lines\n", 40)},
		thinking,
	}
	var b strings.Builder
	for _, expanded := range []bool{false, true} {
		look.Expanded = expanded
		for _, w := range widths {
			fmt.Fprintf(&b, "== width %d, expanded %v\n", w, expanded)
			for _, item := range all {
				for _, row := range flow.Texts(item.Rows(w)) {
					b.WriteString(ansi.Strip(row) + "\n")
				}
			}
		}
	}
	golden(t, "items", b.String())
}

func TestHeadAndTail(t *testing.T) {
	text := "one\ntwo words here\nthree\nfour\n"
	for _, c := range []struct {
		name         string
		cut          func(string, int, int, flow.Bidi) ([]flow.Row, int)
		width, limit int
		want         string
		hidden       int
	}{
		{"all", Head, 20, 9, "one|two words here|three|four", 0},
		{"head", Head, 20, 2, "one|two words here", 2},
		{"head cuts a line", Head, 9, 2, "one|two words", 3},
		{"all from the end", Tail, 20, 9, "one|two words here|three|four", 0},
		{"tail", Tail, 20, 2, "three|four", 2},
		{"tail cuts a line", Tail, 9, 3, "here|three|four", 1},
		{"no rows", Head, 20, 0, "", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, hidden := c.cut(text, c.width, c.limit, flow.Bidi{})
			if got := strings.Join(flow.Texts(rows), "|"); got != c.want || hidden != c.hidden {
				t.Errorf("%q with %d hidden, want %q with %d", got, hidden, c.want, c.hidden)
			}
		})
	}
}

// What is folded costs nothing, whatever its size.
func BenchmarkFoldedPrompt(b *testing.B) {
	p := &Prompt{Look: testLook(b), Text: strings.Repeat("a line of a big paste\n", 12_000)}
	for b.Loop() {
		p.Rows(80)
	}
}

// A 60 KB answer that streams in pieces of 60 bytes, rendered at each.
func BenchmarkStreamedAnswer(b *testing.B) {
	look := testLook(b)
	text := strings.Repeat("Some prose with `code` and **bold** words that go on for a while.\n\n- an item\n- another\n\n", 700)
	frames := 0
	for b.Loop() {
		a := NewAnswer(look)
		for n := 60; n < len(text); n += 60 {
			a.Set(text[:n], false)
			a.Rows(80)
			frames++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(frames), "µs/frame")
}

func BenchmarkRowsOf10000(b *testing.B) {
	look := testLook(b)
	l := &List{}
	l.SetSize(80, 40)
	for i := range 10_000 {
		a := NewAnswer(look)
		a.Set(fmt.Sprintf("Answer **%d** with `code`.\n\nAnd a second paragraph.", i), true)
		l.Append(a)
	}
	for b.Loop() {
		l.Rows()
	}
}
