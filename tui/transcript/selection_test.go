package transcript

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// find returns the cell of a text on the screen.
func find(t *testing.T, l *List, text string) (x, y int) {
	t.Helper()
	for y, row := range strings.Split(screen(l), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return style.Width(before), y
		}
	}
	t.Fatalf("%q isn't on the screen:\n%s", text, screen(l))
	return 0, 0
}

const wrapped = "A first line with so many words that it is wrapped.\n\n- an item that is long enough to be wrapped as well\n- path/to/a/very/long/name/that/is/wrapped.go\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| one | two |\n\n天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"

func answered(t *testing.T, look *Look, text string) *List {
	l := &List{Look: look}
	l.SetSize(32, 40)
	l.Append(&Prompt{Look: look, Text: "Why?"})
	a := NewAnswer(look)
	a.Set(text, true)
	l.Append(a)
	l.Append(&Prompt{Look: look, Text: "And then?"})
	return l
}

// Case 35: soft wraps are joined, without padding, margins and borders.
func TestSelection(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"in a row", "first", "line", "first line"},
		{"backwards", "line", "first", "first l"}, // up to the cell where it began
		{"over a wrap", "words", "wrapped", "words that it is w"},
		{"from prose to a list", "wrapped.", "item", "wrapped.\n\n• an i"},
		{"Chinese over a wrap", "天地", "收冬", "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收"},
		{"code without its margin", "func", "main", "func m"},
		{"cells without their bar", "one", "two", "one\tt"},
		{"over items", "Why", "first", "Why?\n\nA f"},
		{"a whole item is its source", "Why", "then", "Why?\n\n" + wrapped + "\n\nAnd t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := answered(t, testLook(t), wrapped)
			x, y := find(t, l, c.from)
			l.SelectStart(x, y)
			x, y = find(t, l, c.to)
			if l.SelectTo(x, y) {
				t.Error("scrolls inside the window")
			}
			want := c.want
			if c.name == "in a row" {
				want = "first l"
			}
			if got := l.SelectEnd(); got != want {
				t.Errorf("selected %q, want %q", got, want)
			}
		})
	}
}

func TestWordAndLine(t *testing.T) {
	for _, c := range []struct{ name, at, word, line string }{
		{"word", "first", "first", "A first line with so many words that it is wrapped."},
		{"wrapped path", "very", "path/to/a/very/long/name/that/is/wrapped.go", "path/to/a/very/long/name/that/is/wrapped.go"},
		{"code", "main", "main", "func main() {}"},
		{"sign", "() {", "(", "func main() {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := answered(t, testLook(t), wrapped)
			x, y := find(t, l, c.at)
			l.SelectWord(x, y)
			if got := l.SelectEnd(); got != c.word {
				t.Errorf("word %q, want %q", got, c.word)
			}
			l.SelectLine(x, y)
			if got := strings.TrimPrefix(l.SelectEnd(), "• "); got != c.line {
				t.Errorf("line %q, want %q", got, c.line)
			}
		})
	}
}

// Text that was put in the screen's order is copied in the order of reading.
func TestSelectionOfReorderedText(t *testing.T) {
	look := testLook(t)
	look.Bidi = flow.Bidi{Reorder: true}
	look.Markdown.Bidi = look.Bidi
	l := answered(t, look, "شغّل الأمر `go test ./...` ثم أعد المحاولة")
	x, y := find(t, l, "go test")
	l.SelectLine(x, y)
	if got, want := l.SelectEnd(), "شغّل الأمر go test ./... ثم أعد المحاولة"; got != want {
		t.Errorf("selected %q, want %q", got, want)
	}
}

// The mark on the right of a prompt isn't text of it.
func TestSelectionOfReorderedPrompt(t *testing.T) {
	look := testLook(t)
	look.Bidi = flow.Bidi{Reorder: true}
	prompt := &Prompt{Look: look, Text: "شغّل الأمر\nمرة"}
	rows := prompt.Rows(30)
	if shown := ansi.Strip(rows[1].Text); !strings.HasSuffix(shown, " ‹") || style.Width(shown) != 30 {
		t.Errorf("the first row is %q", shown)
	}
	if got := flow.Copy(rows, 0, 30); got != "\n"+prompt.Text {
		t.Errorf("copied %q", got)
	}
}

// The selection stays on its text while output comes, and marks it.
func TestSelectionStaysWhileOutputComes(t *testing.T) {
	l := answered(t, testLook(t), wrapped)
	l.SetSize(32, 8)
	rows, _ := l.Rows()
	l.SelectStart(2, 7)
	l.SelectTo(4, 7)
	l.Append(&Prompt{Look: l.Look, Text: "More\nand more\nand more"})
	now, _ := l.Rows()
	if flow.Of(rows[0])[0].Whole() != flow.Of(now[0])[0].Whole() {
		t.Error("the window moved under the mouse")
	}
	if !strings.Contains(strings.Join(now, "\n"), l.Look.Selected.Render("And")) {
		t.Errorf("nothing is marked in %q", now)
	}
	if got := l.SelectEnd(); got != "And" || !l.Following() {
		t.Errorf("selected %q, following %v", got, l.Following())
	}
	l.ClearSelection()
	if l.Selected() != "" {
		t.Error("something is selected still")
	}
}

func TestSelectionScrollsAtTheEdges(t *testing.T) {
	l := answered(t, testLook(t), wrapped)
	l.SetSize(32, 6)
	l.SelectStart(5, 3)
	again := 0
	for l.SelectTo(0, -1) && again < 100 {
		again++
	}
	if again != 100 || !strings.Contains(screen(l), "Why?") {
		t.Errorf("asked %d times; shown\n%s", again, screen(l))
	}
	if got := l.SelectEnd(); !strings.HasPrefix(got, "Why?\n\nA first line") {
		t.Errorf("selected %q", got)
	}
}

func TestSelectionOfWhatGoes(t *testing.T) {
	l := answered(t, testLook(t), wrapped)
	l.SelectStart(2, 1)
	l.SelectTo(9, 5)
	l.Remove(l.Item(1))
	if got := l.SelectEnd(); got != "" {
		t.Errorf("selected %q of an item that is gone", got)
	}
	l.Reset()
	l.SelectStart(3, 3)
	l.SelectTo(5, 5)
	l.SelectWord(1, 1)
	if got := l.SelectEnd(); got != "" {
		t.Errorf("selected %q of nothing", got)
	}
}
