package flow

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// cell is one cluster of a line.
type cell struct {
	text  string
	pen   int // index in line.pens
	width int
	kind  kind
}

// kind is what matters of a cluster when a line is wrapped.
type kind uint8

const (
	letter kind = iota
	blank
	wide   // may be parted from its neighbours: Chinese, Japanese, emoji
	opens  // wide, but stays with what follows
	closes // wide, but stays with what comes before
	isolate
	isolateEnd
)

// Direction characters that a line may hold.
const (
	IsolateStart = '\u2066'
	IsolateEnd   = '\u2069'
)

func isIsolate(s string) bool { return s == string(IsolateStart) || s == string(IsolateEnd) }

// pen is what is switched on while a cell is written.
type pen struct{ color, link string }

// line is a painted line in pieces.
type line struct {
	cells []cell
	pens  []pen
	rtl   bool // some of it runs from right to left
}

const reset = "\x1b[m"

// read cuts a painted line into cells.
func read(text string) line {
	l := line{cells: make([]cell, 0, len(text)), pens: []pen{{}}}
	for piece, isText := range pieces(text) {
		if !isText {
			l.switchPen(piece)
			continue
		}
		at := len(l.pens) - 1
		for i := 0; i < len(piece); {
			// A byte before a byte is a cluster: most of all text.
			if piece[i] < 0x80 && (i+1 == len(piece) || piece[i+1] < 0x80) {
				k := letter
				if piece[i] == ' ' {
					k = blank
				}
				l.cells = append(l.cells, cell{piece[i : i+1], at, width(piece[i : i+1]), k})
				i++
				continue
			}
			it := graphemes.FromString(piece[i:])
			it.Next()
			cluster := it.Value()
			l.add(cluster, at)
			i += len(cluster)
		}
	}
	return l
}

func (l *line) add(cluster string, pen int) {
	if cluster == "\u00ad" { // a soft hyphen: terminals don't agree on its width
		return
	}
	c := cell{text: cluster, pen: pen, width: width(cluster)}
	switch {
	case cluster == " ":
		c.kind = blank
	case cluster == string(IsolateStart):
		c.kind, c.width = isolate, 0
	case cluster == string(IsolateEnd):
		c.kind, c.width = isolateEnd, 0
	case c.width >= 2 && strings.ContainsAny(cluster, "，。、；：？！）》」』】〕〉”’…·％"):
		c.kind = closes
	case c.width >= 2 && strings.ContainsAny(cluster, "（《「『【〔〈“‘"):
		c.kind = opens
	case c.width >= 2:
		c.kind = wide
	}
	l.rtl = l.rtl || HasRTL(cluster)
	l.cells = append(l.cells, c)
}

// switchPen notes an escape sequence.
func (l *line) switchPen(seq string) {
	p := l.pens[len(l.pens)-1]
	switch {
	case seq == reset || seq == "\x1b[0m":
		p.color = ""
	case strings.HasPrefix(seq, "\x1b["):
		p.color += seq
	case strings.HasPrefix(seq, "\x1b]8;"):
		p.link = seq
		if seq == ansi.ResetHyperlink() || seq == "\x1b]8;;\x1b\\" {
			p.link = ""
		}
	default:
		return
	}
	l.pens = append(l.pens, p)
}

// writer writes cells, switching pens as needed.
type writer struct {
	strings.Builder
	pens []pen
	now  pen
}

func (w *writer) put(text string, at int) {
	w.use(w.pens[at])
	w.WriteString(text)
}

func (w *writer) use(p pen) {
	if p == w.now {
		return
	}
	if w.now.color != p.color {
		if w.now.color != "" {
			w.WriteString(reset)
		}
		w.WriteString(p.color)
	}
	if w.now.link != p.link {
		if p.link == "" {
			w.WriteString(ansi.ResetHyperlink())
		}
		w.WriteString(p.link)
	}
	w.now = p
}

// end closes what is open and returns the row.
func (w *writer) end() string {
	w.use(pen{})
	return w.String()
}
