// Package footer draws the status line: one row, whatever its width.
//
//	Status ──▶ parts in reading order ──▶ dropped by rank until they fit ──▶ row
package footer

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Status is what the line shows. Empty fields are left out.
type Status struct {
	Mode     string // permission mode: ask, edit, full, plan
	Keys     string // the mode of the prompt's keys: insert, normal, visual; a command that isn't whole
	Model    string
	Thinking string  // thinking level
	Context  float64 // share of the context window in use, 0 to 1
	Window   int     // size of the context window in tokens; 0: unknown, no part
	Cost     float64 // so far, in US dollars; 0: no part
	Folder   string
	Branch   string
	Queued   int    // messages that wait
	Hint     string // what the user can do now: "Esc to stop"
	// Items are what extensions show, in their order. They go first where there
	// is no room, the last of them at once.
	Items []string
}

// warnAt and alarmAt are the shares of the context window from which its part
// changes colour.
const (
	warnAt  = 0.75
	alarmAt = 0.90
)

// part is a piece of the line. The one with the highest rank goes first when
// there is no room.
type part struct {
	text  string
	paint style.Style
	rank  int
}

// itemWidth bounds what an extension shows, in columns.
const itemWidth = 32

const separator = " · "

// Render draws the line. It has no line feed and at most width columns.
func Render(st Status, s style.Styles, b flow.Bidi, width int) string {
	left, right := parts(st, s)
	for length(left, right) > width && drop(&left, &right) {
	}
	row := paint(left, s)
	end := paint(right, s)
	gap := width - style.Width(row) - style.Width(end)
	switch {
	case end == "":
	case row == "":
		row = end
	default:
		row += strings.Repeat(" ", max(gap, 1)) + end
	}
	return flow.Cut(row, width, b).Text
}

// parts lists what is shown left and right, in reading order.
func parts(st Status, s style.Styles) (left, right []part) {
	add := func(to *[]part, rank int, paint style.Style, text string) {
		if text = strings.TrimSpace(sanitize.Line(text)); text != "" {
			*to = append(*to, part{text, paint, rank})
		}
	}
	add(&left, 1, s.Mode(st.Mode), st.Mode)
	add(&left, 2, s.Accent, st.Keys)
	add(&left, 0, s.Text, st.Model)
	add(&left, 6, s.Muted, st.Thinking)
	if st.Queued > 0 {
		add(&left, 2, s.Accent, fmt.Sprintf("%d queued", st.Queued))
	}
	add(&left, 3, s.Muted, st.Hint)
	if st.Window > 0 {
		add(&right, 4, contextPaint(st, s), fmt.Sprintf("context %d%%", int(st.Context*100+0.5)))
	}
	if st.Cost > 0 {
		add(&right, 5, s.Muted, Dollars(st.Cost))
	}
	add(&right, 7, s.Muted, st.Folder)
	add(&right, 8, s.Muted, st.Branch)
	for i, item := range st.Items {
		add(&left, 9+i, s.Text, style.Cut(strings.TrimSpace(sanitize.Line(item)), itemWidth))
	}
	return left, right
}

func contextPaint(st Status, s style.Styles) style.Style {
	switch {
	case st.Context >= alarmAt:
		return s.Error
	case st.Context >= warnAt:
		return s.Warning
	}
	return s.Muted
}

// Dollars formats a cost: small amounts keep their first digits.
func Dollars(cost float64) string {
	if cost < 0.1 {
		return fmt.Sprintf("$%.3f", cost)
	}
	return fmt.Sprintf("$%.2f", cost)
}

func length(left, right []part) int {
	n := width(left) + width(right)
	if len(left) > 0 && len(right) > 0 {
		n += 2
	}
	return n
}

func width(parts []part) int {
	n := max(len(parts)-1, 0) * style.Width(separator)
	for _, p := range parts {
		n += style.Width(p.text)
	}
	return n
}

// drop removes the part that matters least. The last one stays, to be cut.
func drop(left, right *[]part) bool {
	if len(*left)+len(*right) <= 1 {
		return false
	}
	from, at, rank := left, 0, -1
	for _, side := range []*[]part{left, right} {
		for i, p := range *side {
			if p.rank > rank {
				from, at, rank = side, i, p.rank
			}
		}
	}
	*from = append((*from)[:at], (*from)[at+1:]...)
	return true
}

func paint(parts []part, s style.Styles) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(s.Muted.Render(separator))
		}
		b.WriteString(p.paint.Render(flow.Isolate(p.text)))
	}
	return b.String()
}
