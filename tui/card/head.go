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
	out = append(out, c.head(width))
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
func (c *Card) head(width int) flow.Row {
	mark, paint, word := c.mark()
	if word == needsApproval && width < 30 {
		word = "asks you"
	}
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
	room := max(width-2, 1)
	note = fitted(strings.Join(notes, separator), room, style.Width(c.title))
	title := c.fittedTitle(max(1, room-style.Width(note)-2))
	verb, rest, _ := strings.Cut(title, " ")
	row := paint.Render(mark) + " " + c.look.Tool.With(c.look.Bold).Render(verb)
	if rest != "" {
		row += " " + flow.Isolate(rest)
	}
	if note != "" {
		row += "  " + paintNote(c, paint).Render(flow.Isolate(note))
	}
	r := flow.Cut(row, width, c.look.Bidi)
	r.Lead += 2
	return r
}

// separator parts what a note tells.
const separator = " · "

// titleWidth is what a note leaves for a title.
const titleWidth = 16

// fitted drops the last parts of a note until it leaves room for a title, or
// half of it.
func fitted(note string, room, title int) string {
	most := max(room-2-min(title, titleWidth), room/2)
	for style.Width(note) > most {
		note = note[:max(strings.LastIndex(note, separator), 0)]
	}
	return note
}

// fittedTitle is the title in at most room columns. Of a path the end stays, of
// an address the host.
func (c *Card) fittedTitle(room int) string {
	if style.Width(c.title) <= room {
		return c.title
	}
	verb, target, _ := strings.Cut(c.title, " ")
	left := room - style.Width(verb) - 1
	switch {
	case onPath[c.name] && left > 3:
		return verb + " " + style.CutPath(target, left)
	case c.kind == "fetch":
		return style.Cut(verb+" "+strings.TrimPrefix(target, "https://"), room)
	}
	return style.Cut(c.title, room)
}

// onPath are the tools whose target is a path.
var onPath = map[string]bool{"read": true, "write": true, "edit": true, "ls": true}

func paintNote(c *Card, paint style.Style) style.Style {
	if c.state == Done || c.state == Running {
		return c.look.Muted
	}
	return paint
}

const needsApproval = "needs your approval"

func (c *Card) mark() (mark string, paint style.Style, word string) {
	if c.questioned {
		return "?", c.look.Warning, needsApproval
	}
	switch c.state {
	case Asking:
		return "?", c.look.Warning, needsApproval
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
