package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/bidi"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     string // rows, with ~ after a wrap in a word and _ at a blank
	}{
		{"fits", "one two", 10, "one two"},
		{"words", "one two three", 8, "one two_three"},
		{"an indent stays", "    one two", 8, "    one_two"},
		{"a long word", "see abcdefghij", 6, "see_abcdef~ghij"},
		{"Chinese", "天地玄黄宇宙", 5, "天地~玄黄~宇宙"},
		{"no row begins with a closing sign", "天地玄，黄", 6, "天地~玄，黄"},
		{"none ends with an opening one", "天地（玄黄）", 6, "天地~（玄~黄）"},
		{"Latin words in Chinese", "打开vault文件", 9, "打开vault~文件"},
		{"a hyphen between letters", "a well-known thing", 7, "a well-~known_thing"},
		{"options stay whole", "run --flag now", 8, "run_--flag_now"},
		{"wide in one column", "天a", 1, "…~a"},
		{"blanks at the end", "one   ", 10, "one"},
		{"many blanks", "one      two", 5, "one_two"},
		{"empty", "", 10, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, r := range Wrap(c.in, c.width, Bidi{}) {
				b.WriteString([]string{"", "_", "~"}[r.Join])
				b.WriteString(r.Text)
			}
			if b.String() != c.want {
				t.Errorf("%q, want %q", b.String(), c.want)
			}
		})
	}
}

// Each row opens and closes its own colours and links.
func TestWrapPainted(t *testing.T) {
	rows := Wrap("a \x1b[1mbold one \x1b[31mred\x1b[m \x1b]8;;http://x.example/\aa link here\x1b]8;;\a", 8, Bidi{})
	want := []string{"a \x1b[1mbold\x1b[m", "\x1b[1mone \x1b[m\x1b[1m\x1b[31mred\x1b[m", "\x1b]8;;http://x.example/\aa link\x1b]8;;\a", "\x1b]8;;http://x.example/\ahere\x1b]8;;\a"}
	if got := Texts(rows); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRightToLeft(t *testing.T) {
	line := "شغّل الأمر " + string(IsolateStart) + "go test ./..." + string(IsolateEnd) + " ثم أعد"
	for _, c := range []struct {
		name string
		in   string
		bidi Bidi
		want string
	}{
		{"left as it is", line, Bidi{}, "شغّل الأمر go test ./... ثم أعد"},
		{"isolated", line, Bidi{Isolate: true}, line},
		{"reordered, flush right", line, Bidi{Reorder: true}, strings.Repeat(" ", 10) + "دعأ مث go test ./... رمألا لغّش"},
		{"a word in an English line", "say مرحبا now", Bidi{Reorder: true}, "say ابحرم now"},
		{"numbers keep their order", "عام 2024 كان", Bidi{Reorder: true}, strings.Repeat(" ", 28) + "ناك 2024 ماع"},
		{"brackets face the other way", "قال (نعم) لا", Bidi{Reorder: true}, strings.Repeat(" ", 28) + "ال (معن) لاق"},
		{"paths are found", "افتح src/main.go الآن", Bidi{Isolate: true}, "افتح \u2066src/main.go\u2069 الآن"},
		{"a command is found whole", "شغّل (go test -run 5 ./...) مرة 7", Bidi{Isolate: true}, "شغّل (\u2066go test -run 5 ./...\u2069) مرة 7"},
		{"a number beside it is none of it", "في main.go 12 مرة", Bidi{Isolate: true}, "في \u2066main.go\u2069 12 مرة"},
		{"Latin words alone", "كتاب go test هنا", Bidi{Isolate: true}, "كتاب go test هنا"},
		{"the sentence's own full stop", "استخدم main.go.", Bidi{Isolate: true}, "استخدم \u2066main.go\u2069."},
		{"no letters from right to left", "src/main.go", Bidi{Isolate: true, Reorder: true}, "src/main.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := Wrap(Isolated(c.in), 40, c.bidi)
			if len(rows) != 1 {
				t.Fatalf("%d rows", len(rows))
			}
			if rows[0].Text != c.want {
				t.Errorf("%q, want %q", rows[0].Text, c.want)
			}
			plain := strings.NewReplacer("\u2066", "", "\u2069", "").Replace(c.in)
			if got := rows[0].Whole(); got != plain {
				t.Errorf("read as %q, want %q", got, plain)
			}
		})
	}
}

// What stands beside an isolated piece stays there, and what is missing of it
// is missing at its end.
func TestCutRow(t *testing.T) {
	const word = "\u05d0\u05d1\u05d2\u05d3"
	for _, c := range []struct {
		name, in string
		width    int
		bidi     Bidi
		want     string
	}{
		{"fits", "a b", 3, Bidi{}, "a b"},
		{"cut", "a b c", 3, Bidi{}, "a …"},
		{"nothing", "", 3, Bidi{}, ""},
		{"number after it", Isolate(word) + "  2", 9, Bidi{Reorder: true}, "\u05d3\u05d2\u05d1\u05d0  2"},
		{"without", word + "  2", 9, Bidi{Reorder: true}, "2  \u05d3\u05d2\u05d1\u05d0"},
		{"cut and in order", "x " + Isolate(word), 5, Bidi{Reorder: true}, "x \u05d1\u05d0…"},
		{"left to the terminal", "x " + Isolate(word), 9, Bidi{}, "x " + word},
		{"told to the terminal", "x " + Isolate(word), 9, Bidi{Isolate: true}, "x \u2066" + word + "\u2069"},
		{"nothing to isolate", Isolate("abc"), 9, Bidi{Isolate: true}, "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Cut(c.in, c.width, c.bidi).Text; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestIsolateOverRows(t *testing.T) {
	line := "شغّل \u2066go test ./...\u2069 ثم"
	if got, want := strings.Join(Texts(Wrap(line, 12, Bidi{Isolate: true})), "|"), "شغّل \u2066go test\u2069|\u2066./...\u2069 ثم"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Wrap(line, 12, Bidi{Reorder: true})[1].Text, "    مث ./..."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The levels of random text are those of golang.org/x/text, which has no
// isolates of ours.
func FuzzLevels(f *testing.F) {
	f.Add("abc שלום 12 def", true)
	f.Add("١٢ ab, (גד) 3%", false)
	f.Fuzz(func(t *testing.T, text string, right bool) {
		if len(text) > 200 || strings.ContainsAny(text, "()[]{}<>") { // pairs of brackets are theirs alone
			return
		}
		var cells []cell
		for _, r := range text {
			p, _ := bidi.LookupRune(r)
			switch p.Class() {
			case bidi.L, bidi.R, bidi.AL, bidi.EN, bidi.ES, bidi.ET, bidi.AN, bidi.CS, bidi.ON:
			default:
				return
			}
			if p.IsBracket() {
				return
			}
			cells = append(cells, cell{text: string(r)})
		}
		if len(cells) == 0 {
			return
		}
		base, direction := 0, bidi.LeftToRight
		if right {
			base, direction = 1, bidi.RightToLeft
		}
		if !right && firstStrong(cells) { // x/text guesses then
			return
		}
		levels := levelsOf(cells, base)
		var p bidi.Paragraph
		if _, err := p.SetString(text, bidi.DefaultDirection(direction)); err != nil {
			return
		}
		order, err := p.Order()
		if err != nil {
			return
		}
		k := 0
		for i := range order.NumRuns() {
			run := order.Run(i)
			for range []rune(run.String()) {
				if odd := run.Direction() == bidi.RightToLeft; odd != (levels[k]%2 == 1) {
					t.Fatalf("%q, base %d: level %d of character %d, x/text says right to left %v", text, base, levels[k], k, odd)
				}
				k++
			}
		}
	})
}

// lone is a mark that has no letter to sit on.
var lone = regexp.MustCompile(`(^|\s)\p{M}`)

// No row is wider than asked for, nothing is lost, every row closes what it opens.
func FuzzWrap(f *testing.F) {
	f.Add("one two three 天地玄黄 👨‍👩‍👧‍👦 شغّل الأمر go", 7, true)
	f.Add("a-b --flag \x1b[1mbold", 3, false)
	f.Fuzz(func(t *testing.T, text string, width int, reorder bool) {
		if width < 2 || width > 200 || len(text) > 500 || strings.ContainsFunc(text, func(r rune) bool {
			return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0xad || r == 0xfffd || r >= 0x2028 && r <= 0x202f || r >= 0x2066 && r <= 0x206f
		}) {
			return
		}
		if lone.MatchString(text) { // a mark without a letter goes with the blanks around it
			return
		}
		for _, rows := range [][]Row{Wrap(text, width, Bidi{Reorder: reorder}), Fold(text, width, Bidi{Reorder: reorder})} {
			var b strings.Builder
			for _, r := range rows {
				if w := style.Width(r.Text); w > width {
					t.Errorf("row %q has %d columns of %d", r.Text, w, width)
				}
				b.WriteString(r.Whole())
			}
			squash := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if got := squash(b.String()); got != squash(text) && !strings.Contains(got, "…") {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

func TestMark(t *testing.T) {
	s := style.Foreground("#ff0000")
	for _, c := range []struct {
		in       string
		from, to int
		want     string
	}{
		{"hello", 1, 3, "h" + s.Render("el") + "lo"},
		{"\x1b[1mhello\x1b[m", 1, 3, "\x1b[1mh\x1b[m" + s.Render("el") + "\x1b[1mlo\x1b[m"},
		{"天地玄", 2, 4, "天" + s.Render("地") + "玄"},
		{"ab", 5, 9, "ab"},
	} {
		if got := Mark(c.in, []Span{{c.from, c.to, s}}); got != c.want {
			t.Errorf("Mark(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestQuery(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        int
	}{
		{"go", "Go goes to GOGO", 4}, {"é", "École é", 2}, {"straße", "STRAßE", 1}, {"天地", "天地玄黄天地", 2},
		{"k", "K is Kelvin", 2}, {"", "x", 0}, {"aa", "aaa", 1}, {"x", "", 0},
	} {
		q := NewQuery(c.query)
		if got := q.Count(c.text); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.query, c.text, got, c.want)
		}
	}
	q := NewQuery("two three")
	m := q.Find(Wrap("one two three", 8, Bidi{}))
	if want := "[[{0 {4 7 {}}} {1 {0 5 {}}}]]"; fmt.Sprint(m) != want {
		t.Errorf("found %v, want %s", m, want)
	}
}

func TestRowsInsideOthers(t *testing.T) {
	row := Row{Text: ansi.Style{}.Bold().Styled("ab") + " │ cd", Bars: []int{3}}.Indent("> ", 2)
	if got := row.Whole(); got != "ab\tcd" {
		t.Errorf("copied %q", got)
	}
	if got := row.Plain(0, 4); got != "ab" {
		t.Errorf("copied %q", got)
	}
}

func BenchmarkWrap10KB(b *testing.B) {
	line := strings.Repeat("some words of \x1b[1mprose\x1b[m that are wrapped ", 250)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Wrap(line, 80, Bidi{})
	}
}
