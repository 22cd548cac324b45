package diff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

func styles(t testing.TB, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, true, color)
}

const before = `package main

func main() {
	fmt.Println("hello")
	fmt.Println("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏")
	return
}
`

const after = `package main

func main() {
	fmt.Println("hello, world")
	fmt.Println("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁")
	fmt.Println("👨‍👩‍👧‍👦 a new line that is rather long, so that it is wrapped on narrow screens")
}
`

func sample() string { return diff.Unified("a/main.go", "b/main.go", before, after) }

// E-5: golden text without colour, where signs alone carry the meaning.
func TestGolden(t *testing.T) {
	arabic := diff.Unified("a.md", "b.md", "شغّل الأمر go test ./...\nثابت\n", "شغّل الأمر go vet ./... ثم أعد المحاولة\nثابت\n")
	for _, c := range []struct {
		name, text string
		bidi       flow.Bidi
	}{
		{"code", sample(), flow.Bidi{}},
		{"chinese", diff.Unified("a/说明.md", "b/说明.md", "第一行没有改动\n运行 go test ./... 然后报告结果，不要改动别的文件\n", "第一行没有改动\n运行 go vet ./... 然后报告所有的结果，不要改动别的文件，谢谢\n"), flow.Bidi{}},
		{"arabic", arabic, flow.Bidi{}},
		{"arabic-reorder", arabic, flow.Bidi{Reorder: true}},
	} {
		for _, width := range []int{20, 40, 80, 200} {
			t.Run(fmt.Sprint(c.name, width), func(t *testing.T) {
				rows := diff.Render(c.text, diff.Options{Styles: styles(t, false), Bidi: c.bidi, Width: width})
				inside(t, rows, width)
				got := ansi.Strip(strings.Join(rows, "\n")) + "\n"
				file := filepath.Join("testdata", fmt.Sprintf("%s-%d.txt", c.name, width))
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("rows differ from %s (run with -update and look at the change):\n%s", file, got)
				}
			})
		}
	}
}

func inside(t testing.TB, rows []string, width int) {
	t.Helper()
	for _, row := range rows {
		if w := style.Width(row); w > width {
			t.Errorf("row %q has %d columns of %d", row, w, width)
		}
		if strings.ContainsAny(row, "\t\n") {
			t.Errorf("row %q has a tab or line feed", row)
		}
	}
}

func TestColour(t *testing.T) {
	s := styles(t, true)
	out := strings.Join(diff.Render("@@ -1 +1 @@\n-say hello now\n+say hallo now\n", diff.Options{Styles: s, Width: 60}), "\n")
	for _, want := range []string{s.RemovedMark.Render("e"), s.AddedMark.Render("a"), s.Removed.Render("llo now")} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	for _, width := range []int{1, 5, 20, 60, 119, 120, 300} {
		inside(t, diff.Render(sample(), diff.Options{Styles: s, Width: width}), width)
	}
}

// Where a terminal has nothing quiet to put behind a changed line, its text has
// the colour, over that of its syntax.
func TestColourOfFewer(t *testing.T) {
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	for profile, whole := range map[colorprofile.Profile]bool{colorprofile.TrueColor: false, colorprofile.ANSI256: true, colorprofile.ANSI: true} {
		s := style.For(theme, true, profile)
		out := strings.Join(diff.Render("@@ -1 +1 @@\n+return \"text\"\n", diff.Options{Styles: s, Width: 60, Syntax: syntax.New(s), Name: "a.go"}), "\n")
		if got := strings.Contains(out, s.Added.Render(`return "text"`)); got != whole {
			t.Errorf("%v: the line is of one colour: %v, want %v: %q", profile, got, whole, out)
		}
	}
}

// Right-to-left text is never in two columns: a terminal that reorders rows
// would mix them.
func TestRightToLeftIsUnified(t *testing.T) {
	text := "@@ -1 +1 @@\n-مرحبا\n+مرحبا بالعالم\n"
	rows := diff.Render(text, diff.Options{Styles: styles(t, false), Width: 200})
	if len(rows) != 3 {
		t.Errorf("rows %q", rows)
	}
}

// E-5: what a file would hold is shown, and reaches no terminal.
func TestHostile(t *testing.T) {
	text := "--- a\x1b]0;x\x07\n+++ b\n@@ -1,2 +1,2 @@\n-a\x1b[2J\n+b\u202ec\n c\u009b2J\rd\n"
	out := strings.Join(diff.Render(text, diff.Options{Styles: styles(t, false), Width: 80}), "\n")
	plain := ansi.Strip(out)
	for _, want := range []string{"a␛]0;x^G", "a␛[2J", `b\u202ec`, `c\u009b2J^Md`} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q lacks %q", plain, want)
		}
	}
	if strings.ContainsAny(out, "\a\r\u202e\u009b") || strings.Contains(out, "\x1b]") {
		t.Errorf("controls in %q", out)
	}
}

func TestParsing(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"no diff", "just text", "just text"},
		{"looks like a file name", "@@ -1 +1 @@\n--- x\n+++ y\n", "@@ -1 +1 @@\n1   - -- x\n  1 + ++ y"},
		{"two files", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n--- c\n+++ d\n@@ -9 +9 @@\n-x\n+y\n",
			"--- a\n+++ b\n@@ -1 +1 @@\n1   - x\n  1 + y\n--- c\n+++ d\n@@ -9 +9 @@\n9   - x\n  9 + y"},
		{"no final newline", "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n",
			"@@ -1 +1 @@\n1   - x\n\\ No newline at end of file\n  1 + x"},
		{"new file", "--- /dev/null\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+\n", "--- /dev/null\n+++ b\n@@ -0,0 +1,2 @@\n  1 + a\n  2 +"},
		{"crlf is no news", "@@ -1 +1 @@\n-x\r\n+y\r\n", "@@ -1 +1 @@\n1   - x\n  1 + y"},
		{"a change of line end is", "@@ -1 +1 @@\n-x\n+x\r\n", "@@ -1 +1 @@\n1   - x\n  1 + x^M"},
		{"nonsense in the header", "@@ -x,y +1 @@\n+a\n", "@@ -x,y +1 @@\n  1 + a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []string
			for _, row := range diff.Render(c.in, diff.Options{Styles: styles(t, false), Width: 60}) {
				rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
			}
			if got := strings.Join(rows, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if added, removed := diff.Stat(sample()); added != 3 || removed != 3 {
		t.Errorf("Stat = +%d -%d, want +3 -3", added, removed)
	}
}

func FuzzRender(f *testing.F) {
	f.Add(sample(), 40)
	f.Add("@@ -1,9 +1 @@\n-\x1b[31m\n+👨‍👩‍👧‍👦\t1️⃣", 121)
	s := styles(f, true)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 2 || width > 300 || len(text) > 2000 {
			return
		}
		inside(t, diff.Render(text, diff.Options{Styles: s, Width: width}), width)
	})
}

func BenchmarkRender2000Lines(b *testing.B) {
	var x, y strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&x, "\tline %d of a file with some text in it\n", i)
		fmt.Fprintf(&y, "\tline %d of a file with %d words in it\n", i, i)
	}
	text := diff.Unified("a", "b", x.String(), y.String())
	s := styles(b, true)
	for b.Loop() {
		diff.Render(text, diff.Options{Styles: s, Width: 100})
	}
}
