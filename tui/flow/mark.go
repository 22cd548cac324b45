package flow

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Span is columns of a row, up to but without To.
type Span struct {
	From, To int
	Style    style.Style
}

// Mark paints spans of a row over what it has. Spans are in order and don't
// overlap. A cluster that begins in a span is marked whole.
func Mark(row string, spans []Span) string {
	if len(spans) == 0 {
		return row
	}
	l := line{pens: []pen{{}}}
	var w writer
	var run strings.Builder
	var over style.Style
	flush := func() {
		if run.Len() > 0 {
			w.use(pen{})
			w.WriteString(over.Render(run.String()))
			run.Reset()
		}
	}
	column, at := 0, 0
	for piece, isText := range pieces(row) {
		if !isText {
			l.switchPen(piece)
			continue
		}
		for it := graphemes.FromString(piece); it.Next(); {
			cluster := it.Value()
			for at < len(spans) && column >= spans[at].To {
				flush()
				at++
			}
			if at < len(spans) && column >= spans[at].From {
				over = spans[at].Style
				run.WriteString(cluster)
			} else {
				w.use(l.pens[len(l.pens)-1])
				w.WriteString(cluster)
			}
			column += width(cluster)
		}
	}
	flush()
	return w.end()
}
