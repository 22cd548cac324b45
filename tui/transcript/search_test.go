package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// story is a list of a few items of each kind.
func story(t testing.TB, width, height int) *List {
	look := testLook(t)
	l := &List{Look: look}
	l.SetSize(width, height)
	for i := range 30 {
		l.Append(&Prompt{Look: look, Text: fmt.Sprintf("Question %d: where is the needle %d?", i, i)})
		th := &Thinking{Look: look}
		th.Set(fmt.Sprintf("First line.\nHidden Haystack %d is in a folded line.", i), true)
		l.Append(th)
		a := NewAnswer(look)
		a.Set(fmt.Sprintf("It is **here**, said `answer %d`.\n\nمرحبا بالعالم and 天地玄黄.", i), true)
		l.Append(a)
	}
	return l
}

func screen(l *List) string {
	rows, _ := l.Rows()
	return ansi.Strip(strings.Join(rows, "\n"))
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		query string
		total int
		shown string
	}{
		{"needle", 30, "needle 29"},
		{"NEEDLE 1", 11, "needle 19"}, // 1 and 10 to 19
		{"haystack 7", 1, "Hidden Haystack 7 "},
		{"天地", 30, "天地"},
		{"بالعالم", 30, "بالعالم"},
		{"answer 3`", 1, ""}, // a sign of Markdown that isn't on the screen
		{"nowhere", 0, ""},
		{"", 0, ""},
	} {
		t.Run(c.query, func(t *testing.T) {
			l := story(t, 60, 12)
			if got := l.Search(c.query); got != c.total {
				t.Errorf("%d matches, want %d", got, c.total)
			}
			if !strings.Contains(screen(l), c.shown) {
				t.Errorf("%q isn't shown:\n%s", c.shown, screen(l))
			}
		})
	}
}

func TestSearchGoesRound(t *testing.T) {
	l := story(t, 60, 12)
	for _, typed := range []string{"h", "ha", "hay", "haystack"} {
		l.Search(typed)
	}
	if n, total := l.Match(); n != 30 || total != 30 {
		t.Fatalf("at match %d of %d, want the last of 30", n, total)
	}
	for _, step := range []struct{ dir, want int }{{1, 1}, {-1, 30}, {-1, 29}, {1, 30}} {
		if !l.NextMatch(step.dir) {
			t.Fatal("no match")
		}
		if n, _ := l.Match(); n != step.want {
			t.Errorf("at match %d, want %d", n, step.want)
		}
		if want := fmt.Sprintf("Haystack %d ", step.want-1); !strings.Contains(screen(l), want) {
			t.Errorf("%q isn't shown:\n%s", want, screen(l))
		}
	}
	rows, _ := l.Rows()
	if !strings.Contains(strings.Join(rows, "\n"), l.Look.Found.Render("Haystack")) {
		t.Error("the match isn't marked")
	}
	l.Search("")
	if rows, _ := l.Rows(); strings.Contains(strings.Join(rows, "\n"), l.Look.Found.Render("Haystack")) {
		t.Error("the mark stays when the search is over")
	}
}

// A match is marked across the place where its line is wrapped.
func TestSearchAcrossWraps(t *testing.T) {
	l := &List{Look: testLook(t)}
	l.SetSize(30, 10)
	l.Append(&Prompt{Look: l.Look, Text: "some words go before the very long phrase that is wrapped"})
	if got := l.Search("the very long"); got != 1 {
		t.Fatalf("%d matches", got)
	}
	if got := painted(l, l.Look.Found); !slices.Equal(got, []string{"the", "very long"}) {
		t.Errorf("marked are %q", got)
	}
}

// Every match in the window has the theme's colours of matches, the one that is
// shown others, whatever the script, the item and the terminal.
func TestMatchesArePainted(t *testing.T) {
	for _, c := range []struct {
		name, query string
		reorder     bool
		text        string
		found       string   // the one that is shown
		others      []string // from the top, and from the left in a row
	}{
		{"words", "go", false, "Go on, let it go", "go", []string{"Go"}},
		{"wide", "天地", false, "天地玄黄 and 天地", "天地", []string{"天地"}},
		{"wide, within", "地玄", false, "天地玄黄，天地玄黄，天地玄黄", "地玄", []string{"地玄", "地玄"}},
		{"a family", "👨‍👩‍👧‍👦", false, "👨‍👩‍👧‍👦 and 👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦", []string{"👨‍👩‍👧‍👦"}},
		{"code", "fo", false, "`foo` and **foo**", "fo", []string{"fo"}},
		{"code block", "func", false, "```go\nfunc a() {}\nfunc b() {}\n```", "func", []string{"func"}},
		{"table", "one", false, "| a | b |\n|---|---|\n| one | two one |", "one", []string{"one"}},
		{"link", "docs", false, "[the docs](https://x.test/docs) docs", "docs", []string{"docs"}},
		{"wrapped", "a very long line", false, strings.Repeat("words and ", 3) + "a very long line, a very long line", "a very long line", []string{"a", "very long line"}},
		{"arabic", "بالعالم", false, "مرحبا بالعالم، مرحبا بالعالم", "بالعالم", []string{"بالعالم"}},
		{"arabic, put in order", "مرحبا", true, "مرحبا بالعالم، مرحبا go", "ابحرم", []string{"ابحرم"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			look := testLook(t)
			look.Bidi.Reorder, look.Markdown.Bidi.Reorder = c.reorder, c.reorder
			l := &List{Look: look}
			l.SetSize(36, 12)
			a := NewAnswer(look)
			a.Set(c.text, true)
			l.Append(a)
			if n := l.Search(c.query); n < 2 {
				t.Fatalf("%d matches", n)
			}
			if got := strings.Join(painted(l, look.Found), " "); got != c.found {
				t.Errorf("shown is %q, want %q", got, c.found)
			}
			if got := painted(l, look.Match); !slices.Equal(got, c.others) {
				t.Errorf("the others are %q, want %q", got, c.others)
			}
			l.Search("")
			if got := append(painted(l, look.Found), painted(l, look.Match)...); len(got) > 0 {
				t.Errorf("%q stay painted", got)
			}
		})
	}
}

// Without colours the match that is shown differs from the others too.
func TestFoundWithoutColour(t *testing.T) {
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, colour := range []bool{true, false} {
		s := style.New(theme, true, colour)
		if s.Found == s.Match || s.Found.Plain() || s.Match.Plain() {
			t.Errorf("with colour %v: %q and %q", colour, s.Found.Render("x"), s.Match.Render("x"))
		}
	}
}

// painted are the texts in a style on the screen.
func painted(l *List, s style.Style) []string {
	open, end, _ := strings.Cut(s.Render("x"), "x")
	rows, _ := l.Rows()
	var texts []string
	for _, row := range rows {
		for _, part := range strings.Split(row, open)[1:] {
			text, _, _ := strings.Cut(part, end)
			texts = append(texts, text)
		}
	}
	return texts
}

// What comes while a search is open is counted too.
func TestSearchSeesChanges(t *testing.T) {
	l := story(t, 60, 12)
	l.Search("needle")
	a := NewAnswer(l.Look)
	l.Append(a)
	a.Set("needle needle", false)
	if _, total := l.Match(); total != 32 {
		t.Errorf("%d matches, want 32", total)
	}
	l.Remove(a)
	if _, total := l.Match(); total != 30 {
		t.Errorf("%d matches, want 30", total)
	}
}

func TestJumpPrompt(t *testing.T) {
	l := story(t, 60, 12)
	first := func() string { return strings.Split(screen(l), "\n")[0] }
	l.JumpPrompt(-1)
	if !strings.Contains(first(), "Question 2") {
		t.Fatalf("on top is %q", first())
	}
	before := first()
	l.JumpPrompt(-1)
	l.JumpPrompt(1)
	if first() != before {
		t.Errorf("back and forth leads from %q to %q", before, first())
	}
	for l.JumpPrompt(1) {
	}
	if !l.Following() {
		t.Error("after the last message comes the end")
	}
	l.ToTop()
	if l.JumpPrompt(-1) && !strings.Contains(first(), "Question 0") {
		t.Errorf("before the first message is %q", first())
	}
}

func TestToggle(t *testing.T) {
	l := story(t, 60, 40)
	y := -1
	for i, row := range strings.Split(screen(l), "\n") {
		if strings.Contains(row, "Thought: First line.") {
			y = i
		}
	}
	if y < 0 || !l.Toggle(y) || !strings.Contains(screen(l), "Hidden Haystack 29") {
		t.Errorf("not unfolded:\n%s", screen(l))
	}
}
