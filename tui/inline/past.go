package inline

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// past is what was printed above the live rows since the screen last had
// another size or owner.
type past struct {
	rows  []string // the last of it, at most keptRows
	count int      // of all rows
	end   int      // rows from the first one to the lowest that was ever drawn
	again []string // the last rows, as they are to look now
}

// keptRows is more than a window has.
const keptRows = 300

func (p *past) add(rows []string) {
	p.count += len(rows)
	p.rows = append(p.rows, rows...)
	if over := len(p.rows) - keptRows; over > 0 {
		p.rows = append([]string(nil), p.rows[over:]...)
	}
}

// Repaint gives what was printed other colours, as far as it is still on the
// screen; the scrollback keeps those that it has. Rows are the last that were
// printed, as they look now: one that reads otherwise is left alone.
func (s *Screen) Repaint(rows []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past.again = rows
}

// repaint rewrites rows in place. The screen has scrolled by as many rows as
// were drawn beyond its height, if the first one was printed at its top, and by
// more if it wasn't; either way the last rows are where count and end say.
func (s *Screen) repaint(b *strings.Builder) {
	again := s.past.again
	s.past.again = nil
	n := min(len(again), len(s.past.rows), s.past.count-max(0, s.past.end-s.height))
	if n <= 0 {
		return
	}
	old := s.past.rows[len(s.past.rows)-n:]
	live := n // where the live rows begin, counted from the first of these
	at := live + s.y
	for i, row := range again[len(again)-n:] {
		if row == old[i] || ansi.Strip(row) != ansi.Strip(old[i]) {
			continue
		}
		b.WriteString(move(at, i) + "\r")
		at = i
		s.writeRow(b, row)
		old[i] = row
	}
	if at < live {
		b.WriteString(move(at, live) + "\r")
		s.y = 0
	}
}
