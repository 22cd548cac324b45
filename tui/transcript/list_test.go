package transcript

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// counted is an item of a number of rows that counts its renderings.
type counted struct {
	name     string
	rows     int
	version  int
	rendered int
}

func (c *counted) Version() int { return c.version }

func (c *counted) Source() string { return c.name }

func (c *counted) Rows(width int) []flow.Row {
	c.rendered++
	// Narrow windows need more rows, as wrapped text does.
	n := c.rows * max(1, 40/width)
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s.%d", c.name, i)
	}
	return flow.Of(out...)
}

func filled(n, rows int) (*List, []*counted) {
	l := &List{}
	items := make([]*counted, n)
	for i := range items {
		items[i] = &counted{name: fmt.Sprint(i), rows: rows}
		l.Append(items[i])
	}
	l.SetSize(40, 10)
	return l, items
}

func show(l *List) string {
	rows, _ := l.Rows()
	return strings.Join(rows, " ")
}

func TestFollowsTheEnd(t *testing.T) {
	l, _ := filled(3, 4)
	if got := show(l); got != "0.2 0.3 1.0 1.1 1.2 1.3 2.0 2.1 2.2 2.3" {
		t.Fatalf("shows %s", got)
	}
	l.Append(&counted{name: "x", rows: 1})
	if got := show(l); !strings.HasSuffix(got, "2.3 x.0") {
		t.Errorf("a new item isn't shown: %s", got)
	}
}

// The reader's place is the reader's: nothing that is appended moves it.
func TestOutputDoesNotMoveAReader(t *testing.T) {
	l, items := filled(10, 4)
	l.Scroll(-7)
	before := show(l)
	for range 20 {
		l.Append(&counted{name: "new", rows: 3})
	}
	items[9].rows, items[9].version = 30, 1
	if got := show(l); got != before {
		t.Errorf("the window moved from\n%s to\n%s", before, got)
	}
	if _, more := l.Rows(); more == 0 {
		t.Error("nothing says that there is more below")
	}
	l.ToEnd()
	if got := show(l); !strings.HasSuffix(got, "new.2") {
		t.Errorf("the end isn't shown: %s", got)
	}
}

func TestScroll(t *testing.T) {
	l, _ := filled(5, 4) // 20 rows
	for _, step := range []struct {
		name   string
		do     func()
		want   string // first row
		follow bool
	}{
		{"one up", func() { l.Scroll(-1) }, "2.1", false},
		{"over an item's edge", func() { l.Scroll(-2) }, "1.3", false},
		{"page up", func() { l.Page(-1) }, "0.0", false},
		{"beyond the top", func() { l.Scroll(-100) }, "0.0", false},
		{"page down", func() { l.Page(1) }, "2.0", false},
		{"to the end by scrolling", func() { l.Scroll(100) }, "2.2", true},
		{"beyond the end", func() { l.Scroll(1) }, "2.2", true},
		{"top", l.ToTop, "0.0", false},
		{"end", l.ToEnd, "2.2", true},
	} {
		step.do()
		rows, _ := l.Rows()
		if rows[0] != step.want || l.Following() != step.follow {
			t.Errorf("%s: first row %s, following %v", step.name, rows[0], l.Following())
		}
	}
}

func TestShortListNeverScrolls(t *testing.T) {
	l, _ := filled(2, 2)
	l.Scroll(-3)
	if !l.Following() || show(l) != "0.0 0.1 1.0 1.1" {
		t.Errorf("following %v, %s", l.Following(), show(l))
	}
	l.ToTop()
	if !l.Following() {
		t.Error("a list that fits has no place but its end")
	}
}

// A change of the height alone renders nothing and keeps the place.
func TestHeightChange(t *testing.T) {
	l, items := filled(50, 4)
	l.Scroll(-60)
	first, _ := l.Rows()
	renders := func() (n int) {
		for _, it := range items {
			n += it.rendered
		}
		return n
	}
	before := renders()
	for _, h := range []int{6, 10, 3, 10} {
		l.SetSize(40, h)
		if rows, _ := l.Rows(); rows[0] != first[0] {
			t.Errorf("height %d: first row %s, was %s", h, rows[0], first[0])
		}
	}
	if got := renders(); got != before {
		t.Errorf("%d items were rendered again", got-before)
	}
}

// A change of the width reflows what is on the screen, and only that.
func TestWidthChange(t *testing.T) {
	l, items := filled(1000, 4)
	l.Scroll(-400)
	first, _ := l.Rows()
	for _, it := range items {
		it.rendered = 0
	}
	l.SetSize(20, 10)
	rows, _ := l.Rows()
	name := func(row string) string { n, _, _ := strings.Cut(row, "."); return n }
	if name(rows[0]) != name(first[0]) {
		t.Errorf("the reader was at %s and is at %s", first[0], rows[0])
	}
	n := 0
	for _, it := range items {
		n += it.rendered
	}
	if n > 10 {
		t.Errorf("%d items were reflowed for a window of 10 rows", n)
	}
}

func TestRemove(t *testing.T) {
	l, items := filled(5, 4)
	l.Scroll(-5)
	before := show(l)
	l.Remove(items[0])
	if got := show(l); got != before {
		t.Errorf("removing an item above moved the window: %s, was %s", got, before)
	}
	l.Remove(&counted{})
	for _, it := range items[1:] {
		l.Remove(it)
	}
	if rows, more := l.Rows(); len(rows) != 0 || more != 0 || !l.Following() {
		t.Errorf("an empty list shows %v", rows)
	}
}

func TestTail(t *testing.T) {
	l, _ := filled(3, 2)
	if got := strings.Join(l.Tail(3), " "); got != "1.1 2.0 2.1" {
		t.Errorf("Tail(3) = %s", got)
	}
	if got := len(l.Tail(100)); got != 6 {
		t.Errorf("Tail(100) has %d rows", got)
	}
}

// C-3: 10,000 messages cost what a screenful costs.
func TestTenThousandItemsRenderAScreenful(t *testing.T) {
	l, items := filled(10_000, 3)
	l.Rows()
	l.ToTop()
	l.Rows()
	for range 5000 { // read everything
		l.Page(1)
		l.Rows()
	}
	if !l.Following() {
		t.Error("reading to the end didn't reach it")
	}
	kept := 0
	for _, s := range l.slots {
		if s.rows != nil {
			kept++
		}
	}
	if kept > 2*keepCached {
		t.Errorf("%d items keep their rows", kept)
	}
	for i, it := range items {
		if it.rendered > 3 {
			t.Fatalf("item %d was rendered %d times", i, it.rendered)
		}
	}
	runtime.KeepAlive(items)
}
