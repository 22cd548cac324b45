package transcript

import (
	"bufio"
	"io"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/image"
)

// Inline mode writes what is over into the terminal's own scrollback, in order
// and once, and keeps the rest in a live area below. An answer settles block
// by block, since it may be longer than the screen.

// taken is what TakeSettled has handed out: whole items, and a part of the
// next one.
type taken struct {
	items int
	part  int // of item items, as the item counts
}

func (t *taken) removed(i int) {
	switch {
	case i < t.items:
		t.items--
	case i == t.items:
		t.part = 0
	}
}

// ending is an item that changes until it is over.
type ending interface{ Ended() bool }

// growing is an item whose beginning is over before its end.
type growing interface {
	ending
	// Settled returns the rows of the parts from a number on that will never
	// change, and the number of the first part that isn't among them.
	Settled(width, from int) (rows []flow.Row, to int)
	// Live returns the rows of the parts from a number on.
	Live(width, from int) []flow.Row
}

// TakeSettled returns the rows of what is over and hasn't been taken yet, up to
// the first item that still changes.
func (l *List) TakeSettled() []string {
	var out []string
	for l.taken.items < len(l.slots) {
		i := l.taken.items
		item := l.slots[i].item
		if g, ok := item.(growing); ok && (l.taken.part > 0 || !g.Ended()) {
			rows, to := g.Settled(l.width, l.taken.part)
			out = append(out, flow.Texts(rows)...)
			l.taken.part = to
			if !g.Ended() {
				return out
			}
		} else if e, ok := item.(ending); ok && !e.Ended() {
			return out
		} else {
			out = append(out, l.printed(item, l.width)...)
		}
		l.taken = taken{items: i + 1}
	}
	return out
}

// Live returns the last rows, at most limit, of what TakeSettled hasn't
// returned.
func (l *List) Live(limit int) []string {
	var out []string
	for i := len(l.slots) - 1; i >= l.taken.items && len(out) < limit; i-- {
		var rows []flow.Row
		if g, ok := l.slots[i].item.(growing); ok && i == l.taken.items && l.taken.part > 0 {
			rows = g.Live(l.width, l.taken.part)
		} else {
			rows = l.rows(i)
		}
		out = append(flow.Texts(rows), out...)
	}
	return out[max(0, len(out)-limit):]
}

// Taken returns the last rows, at least n if there are as many, of what
// TakeSettled has returned, as they look now. It is nil where more has settled
// since.
func (l *List) Taken(n int) []string {
	var out []string
	if l.taken.part > 0 {
		g, ok := l.slots[l.taken.items].item.(growing)
		if !ok {
			return nil
		}
		rows, to := g.Settled(l.width, 0)
		if to != l.taken.part {
			return nil
		}
		out = flow.Texts(rows)
	}
	for i := l.taken.items - 1; i >= 0 && len(out) < n; i-- {
		out = append(l.printed(l.slots[i].item, l.width), out...)
	}
	return out
}

// TakeAgain lets TakeSettled start from the beginning.
func (l *List) TakeAgain() { l.taken = taken{} }

// Dump writes the whole transcript, with its colours, a row a line, for a
// normal screen of the given width. It keeps nothing of what it renders.
func (l *List) Dump(width int, w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, s := range l.slots {
		for _, line := range l.printed(s.item, max(width, 1)) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.Flush()
}

// printed are an item's lines where text is printed for good: a line for each
// picture, and the picture below.
func (l *List) printed(item Item, width int) []string {
	if l.Look == nil || l.Look.Images == nil {
		return flow.Texts(item.Rows(width))
	}
	screen := l.Look.Images
	l.Look.Images = nil
	lines := flow.Texts(item.Rows(width))
	l.Look.Images = screen
	return append(lines, l.drawn(item, width)...)
}

// drawn are the lines that draw an item's pictures below it, where text is
// printed for good.
func (l *List) drawn(item Item, width int) (lines []string) {
	p, ok := item.(interface{ Shown() []*image.Picture })
	if !ok || l.Look.Images.Protocol == image.None {
		return nil
	}
	screen := l.Look.Images
	for _, picture := range p.Shown() {
		cols, rows := picture.Fit(width, screen.Cell)
		// A damaged one has its line already.
		if drawn, err := picture.Direct(screen.Protocol, cols, rows, screen.Cell); err == nil && picture.Shown() {
			lines = append(lines, drawn...)
		}
	}
	return lines
}
