package editor

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/bidi"
)

// shown is a line in the order of the eyes.
func shown(text string) string {
	e := New(Options{Reorder: true})
	e.SetValue(text)
	return strings.Trim(e.View(200, 1), " ")
}

// Case 31: what a terminal that doesn't reorder must be given. The letters
// here are in logical order in the source, whatever an editor shows.
func TestReorder(t *testing.T) {
	const alef, bet, gimel = "\u05d0", "\u05d1", "\u05d2"
	const ain = "\u0627" // an Arabic letter
	for _, c := range []struct{ name, in, want string }{
		{"latin", "abc 123", "abc 123"},
		{"hebrew", alef + bet + gimel, gimel + bet + alef},
		{"hebrew in latin", "a " + alef + bet + " c", "a " + bet + alef + " c"},
		{"latin in hebrew", alef + " go test " + bet, bet + " go test " + alef},
		{"number in hebrew", alef + " 12 " + bet, bet + " 12 " + alef},
		{"number between hebrew in latin", "x " + alef + " 12 " + bet + " y", "x " + bet + " 12 " + alef + " y"},
		{"number in arabic", ain + " 1,5 " + ain, ain + " 1,5 " + ain},
		{"percent", alef + " 5%", "5% " + alef},
		{"sign at the end", alef + "!", "!" + alef},
		{"brackets turn", alef + "(" + bet + ")", "(" + bet + ")" + alef},
		{"mark stays on its letter", alef + "\u05b8" + bet, bet + alef + "\u05b8"},
		{"path", alef + " ./x/y " + bet, bet + " ./x/y " + alef},
		{"command", alef + " go test ./..., " + bet, bet + " ,go test ./... " + alef},
		{"option", alef + " -v", "-v " + alef},
		{"dash", alef + " - " + bet, bet + " - " + alef},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(c.in); got != c.want {
				t.Errorf("%q is shown as %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// The caret is beside the letter that it is behind, and the text is at the
// right side if its first letter is.
func TestReorderCaret(t *testing.T) {
	const alef, bet = "\u05d0", "\u05d1"
	for _, c := range []struct {
		name, text string
		want       []int // the caret's column, from the start of the text on
	}{
		{"hebrew", alef + bet, []int{19, 18, 17}},
		{"latin", "ab", []int{0, 1, 2}},
		{"hebrew behind latin", "a" + alef + bet, []int{0, 3, 2, 1}},
		{"latin behind hebrew", alef + "ab", []int{19, 16, 17, 18}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := New(Options{Reorder: true})
			e.SetValue(c.text)
			for col, want := range c.want {
				e.cursor = pos{0, col}
				e.View(20, 1)
				if x, _ := e.Cursor(); x != want {
					t.Errorf("at %d the caret is in column %d, want %d", col, x, want)
				}
			}
		})
	}
}

// FuzzLevels compares directions with the library, which gives them for whole
// runs only and so can't be asked for the order.
func FuzzLevels(f *testing.F) {
	for _, s := range []string{
		"abc", "אבג", "a אב c", "א 12 ב", "ا 12 ب", "x א 12 ב y", "5% א", "א-5", "1,2 א 3.4", "مرحبا abc 12", "a א! b", "א+1+ב", "$5 א 5$", "٣ א ٤",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := strings.Map(func(r rune) rune {
			if strings.ContainsRune("abאבגاب 0123456789٣٤,.:;+-$%!?/#*\u05b8", r) {
				return r
			}
			return -1
		}, s)
		if text == "" || len(text) > 100 {
			return
		}
		var classes []bidi.Class
		for _, r := range text {
			properties, _ := bidi.LookupRune(r)
			classes = append(classes, properties.Class())
		}
		levels := levelsOf(classes, nil)[1:]
		var p bidi.Paragraph
		if _, err := p.SetString(text); err != nil {
			t.Skip(err)
		}
		order, err := p.Order()
		if err != nil {
			t.Skip(err)
		}
		runes := []rune(text)
		for i := range order.NumRuns() {
			run := order.Run(i)
			from, to := run.Pos()
			for k := from; k <= to && k < len(runes); k++ {
				want := run.Direction() == bidi.RightToLeft
				// Blanks at the end of a line have its direction; visual sees to that.
				if strings.Trim(string(runes[k:]), " ") == "" {
					continue
				}
				if got := levels[k]%2 == 1; got != want {
					t.Fatalf("%q: %q at %d runs right to left: %v, the library says %v", text, runes[k], k, got, want)
				}
			}
		}
	})
}
