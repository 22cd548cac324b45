package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Inline mode: every row goes to the scrollback once and in order, however the
// text comes, and what is there is what the whole list would show.
func TestTakeSettled(t *testing.T) {
	look := testLook(t)
	text := strings.Repeat("A paragraph of **some** words.\n\n- item\n- item\n\n```go\nx := 1\n\ny := 2\n```\n\n", 5)
	for _, size := range []int{1, 7, 300} {
		l := &List{Look: look}
		l.SetSize(40, 10)
		var taken []string
		take := func() {
			taken = append(taken, l.TakeSettled()...)
			if again := l.Taken(9); !slices.Equal(again, taken[len(taken)-len(again):]) || len(again) < min(9, len(taken)) {
				t.Fatalf("deltas of %d: again\n%s\nwant the end of\n%s", size, strings.Join(again, "\n"), strings.Join(taken, "\n"))
			}
			if live := l.Live(6); len(live) > 6 {
				t.Fatalf("the live area has %d rows", len(live))
			}
		}
		l.Append(&Prompt{Look: look, Text: "Go"})
		think := &Thinking{Look: look}
		l.Append(think)
		think.Set("I think", false)
		take()
		a := NewAnswer(look)
		l.Append(a)
		think.Finish()
		settledEarly := 0
		for n := size; n < len(text); n += size {
			a.Set(text[:n], false)
			take()
			settledEarly = len(taken)
		}
		a.Set(text, true)
		l.Append(&Notice{Look: look, Text: "Done."})
		take()
		if live := l.Live(6); len(live) != 0 {
			t.Errorf("deltas of %d: %q is live when all is over", size, live)
		}
		if settledEarly < len(taken)/2 {
			t.Errorf("deltas of %d: only %d of %d rows settled before the end", size, settledEarly, len(taken))
		}
		if want := l.Tail(1000); !slices.Equal(taken, want) {
			t.Errorf("deltas of %d: taken\n%s\nwant\n%s", size, strings.Join(taken, "\n"), strings.Join(want, "\n"))
		}
		if more := l.TakeSettled(); len(more) != 0 {
			t.Errorf("taken twice: %q", more)
		}
	}
}

func TestTakeSettledWaitsInOrder(t *testing.T) {
	look := testLook(t)
	l := &List{Look: look}
	l.SetSize(40, 10)
	open := NewAnswer(look)
	l.Append(open)
	l.Append(&Notice{Look: look, Text: "Later."})
	if got := l.TakeSettled(); len(got) != 0 {
		t.Errorf("taken %q before what stands above is over", got)
	}
	if live := ansi.Strip(strings.Join(l.Live(5), "|")); live != "|· Later." {
		t.Errorf("live %q", live)
	}
	l.Remove(open)
	if got := ansi.Strip(strings.Join(l.TakeSettled(), "|")); got != "|· Later." {
		t.Errorf("taken %q", got)
	}
	l.TakeAgain()
	if got := len(l.TakeSettled()); got != 2 {
		t.Errorf("%d rows when taken again", got)
	}
}

func TestDump(t *testing.T) {
	l := story(t, 60, 12)
	var b bytes.Buffer
	if err := l.Dump(60, &b); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSuffix(b.String(), "\n"), strings.Join(l.Tail(1<<20), "\n"); got != want {
		t.Error("the dump differs from the rows")
	}
}
