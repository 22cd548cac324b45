package card

import (
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Rows implements transcript.Item.
func (c *Card) Rows(width int) []flow.Row {
	var out []flow.Row
	if !c.tight {
		out = append(out, flow.Row{})
	}
	out = append(out, flow.Row{Text: c.head(width), Lead: 2})
	lead, columns := "  "+c.look.Border.Render("│")+" ", 4
	if width-columns < 16 {
		lead, columns = "", 0
	}
	rows := c.body(max(1, width-columns))
	for _, p := range c.pictures {
		rows = append(rows, c.look.Images.Rows(p, max(1, width-columns), c.look.Muted)...)
	}
	for _, row := range rows {
		if row.RTL { // the bar would jump where the terminal reorders the row
			out = append(out, row.Indent(strings.Repeat(" ", columns), columns))
			continue
		}
		if row.Text == "" && columns > 0 {
			row.Text, row.Lead = lead[:len(lead)-1], columns
			out = append(out, row)
			continue
		}
		out = append(out, row.Indent(lead, columns))
	}
	return out
}

// head is the card's first row: mark, title, note.
func (c *Card) head(width int) string {
	mark, paint, word := c.mark()
	var notes []string
	note := c.note
	if c.state == Running {
		note = c.progress()
	}
	for _, s := range []string{word, note} {
		if s != "" && !(s == "failed" && strings.HasPrefix(c.note, "exit")) {
			notes = append(notes, s)
		}
	}
	if c.hidden {
		notes = append(notes, "not shown to the model")
	}
	note = strings.Join(notes, " · ")
	room := width - 2
	if note != "" && room-style.Width(note)-3 < 12 {
		note = style.Cut(note, max(0, room/2))
	}
	title := style.Cut(c.title, max(1, room-style.Width(note)-2))
	verb, rest, _ := strings.Cut(title, " ")
	row := paint.Render(mark) + " " + c.look.Tool.With(c.look.Bold).Render(verb)
	if rest != "" {
		row += " " + rest
	}
	if note != "" {
		row += "  " + paintNote(c, paint).Render(note)
	}
	return style.Cut(row, width)
}

func paintNote(c *Card, paint style.Style) style.Style {
	if c.state == Done || c.state == Running {
		return c.look.Muted
	}
	return paint
}

func (c *Card) mark() (mark string, paint style.Style, word string) {
	if c.questioned {
		return "?", c.look.Warning, "needs your approval"
	}
	switch c.state {
	case Asking:
		return "?", c.look.Warning, "needs your approval"
	case Running:
		return "●", c.look.Accent, ""
	case Done:
		return "✓", c.look.Success, ""
	case Failed:
		return "✗", c.look.Error, "failed"
	case Denied:
		return "⊘", c.look.Warning, "denied"
	case Stopped:
		return "■", c.look.Warning, "stopped"
	}
	return "○", c.look.Muted, ""
}

// progress is the note of a running call: what its sub-agent has done, and how
// long it runs.
func (c *Card) progress() string {
	var parts []string
	if c.agent != nil {
		parts = c.agent.work()
	}
	if c.elapsed >= time.Second {
		parts = append(parts, c.elapsed.String())
	}
	return strings.Join(parts, " · ")
}
