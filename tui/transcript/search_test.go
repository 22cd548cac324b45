package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
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
	if !strings.Contains(strings.Join(rows, "\n"), l.Look.Selected.With(l.Look.Bold).Render("Haystack")) {
		t.Error("the match isn't marked")
	}
	l.Search("")
	if rows, _ := l.Rows(); strings.Contains(strings.Join(rows, "\n"), l.Look.Selected.With(l.Look.Bold).Render("Haystack")) {
		t.Error("the mark stays when the search is over")
	}
}

// A match is marked across the place where its line is wrapped.
func TestSearchAcrossWraps(t *testing.T) {
	l := &List{Look: testLook(t)}
	l.SetSize(30, 10)
	l.Append(&Prompt{Look: l.Look, Text: "some words go before the very long phrase that is wrapped"})
	if got := l.Search("long phrase that"); got != 1 {
		t.Fatalf("%d matches", got)
	}
	rows, _ := l.Rows()
	marked := 0
	for _, row := range rows {
		if strings.Contains(row, l.Look.Selected.With(l.Look.Bold).Render("x")[:6]) {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d rows are marked, want 2: %q", marked, rows)
	}
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
