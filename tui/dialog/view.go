package dialog

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// fieldMax is the rows of the text field.
const fieldMax = 5

// View returns at most height rows, joined by line feeds, none wider than
// width. Where there is no room for all, the choices come first, then the
// title, the text and last the hint. The text scrolls.
func (d *Dialog) View(width, height int) string {
	width, height = max(width, 1), max(height, 1)
	d.caret.x, d.caret.y = -1, -1
	if d.width != width {
		d.width = width
		d.text = d.textRows(width)
	}
	foot := d.answers(width, height)
	rest := height - len(foot)

	var rows []string
	if rest > 0 {
		rows = append(rows, d.title(width))
		rest--
	}
	hint := rest > 1
	if hint {
		rest--
	}
	rows = append(rows, d.window(width, rest)...)
	if d.field != nil && d.caret.y >= 0 {
		d.caret.y += len(rows)
	}
	rows = append(rows, foot...)
	if hint {
		rows = append(rows, d.styles.Muted.Render(style.Cut(d.hint(), width)))
	}
	return strings.Join(rows, "\n")
}

// Cursor returns the caret's place in the last View while something is
// written, else -1, -1.
func (d *Dialog) Cursor() (x, y int) { return d.caret.x, d.caret.y }

// textRows are the rows that scroll.
func (d *Dialog) textRows(width int) []string {
	var rows []string
	if d.spec.Why != "" {
		for _, row := range style.Wrap(d.spec.Why, width) {
			rows = append(rows, d.styles.Text.Render(row))
		}
	}
	if d.spec.Body == nil {
		return rows
	}
	if len(rows) > 0 {
		rows = append(rows, "")
	}
	return append(rows, d.spec.Body(width)...)
}

func (d *Dialog) title(width int) string {
	name := d.spec.Title
	if name == "" {
		return d.styles.Border.Render(strings.Repeat("─", width))
	}
	name = style.Cut(name, max(width-6, 1))
	line := max(width-style.Width(name)-4, 0)
	row := d.styles.Border.Render("──") + " " + d.styles.Bold.With(d.styles.Accent).Render(name) +
		" " + d.styles.Border.Render(strings.Repeat("─", line))
	return style.Cut(row, width)
}

// window cuts the text to what fits; a row tells how much is out of sight.
func (d *Dialog) window(width, height int) []string {
	if len(d.text) <= height {
		d.page, d.scroll = max(height, 1), 0
		return d.text
	}
	if height <= 0 {
		d.page = 1
		return nil
	}
	d.page = max(height-1, 1)
	d.Scroll(0)
	end := min(d.scroll+d.page, len(d.text))
	rows := append([]string{}, d.text[d.scroll:end]...)
	if height > 1 {
		more := fmt.Sprintf("rows %d–%d of %d · PgUp/PgDn", d.scroll+1, end, len(d.text))
		rows = append(rows, d.styles.Warning.Render(style.Cut(more, width)))
	}
	return rows
}

// answers are the rows of the field, or of the choices. When not even they
// fit, they are those around the selected one.
func (d *Dialog) answers(width, height int) []string {
	if d.field != nil {
		rows := strings.Split(d.field.View(width, min(fieldMax, height)), "\n")
		d.caret.x, d.caret.y = d.field.Cursor()
		return rows
	}
	var rows []string
	first, last := 0, 0 // rows of the selected choice
	for i, c := range d.spec.Choices {
		if i == d.at {
			first = len(rows)
		}
		rows = append(rows, d.choice(i, c, width)...)
		if i == d.at {
			last = len(rows)
		}
	}
	if len(rows) > height {
		from := min(max(last-height, 0), first)
		rows = rows[from:min(from+height, len(rows))]
	}
	return rows
}

func (d *Dialog) choice(i int, c Choice, width int) []string {
	mark := "  "
	if i == d.at {
		mark = "› "
	}
	label := c.Label
	if i < 9 {
		label = fmt.Sprintf("%d. %s", i+1, label)
	}
	if c.Key != "" {
		label += " (" + c.Key + ")"
	}
	margin := style.Cut(mark, max(width-1, 0))
	room := width - style.Width(margin)
	var rows []string
	for n, row := range style.Wrap(label, room) {
		if n > 0 {
			margin = strings.Repeat(" ", style.Width(margin))
		}
		paint := d.styles.Text
		if i == d.at {
			paint = d.styles.Selected
		}
		rows = append(rows, paint.Render(margin+row))
	}
	if c.Detail == "" {
		return rows
	}
	margin = strings.Repeat(" ", min(5, max(width-1, 0)))
	for _, row := range style.Wrap(c.Detail, width-len(margin)) {
		rows = append(rows, margin+d.styles.Muted.Render(row))
	}
	return rows
}

func (d *Dialog) hint() string {
	switch {
	case d.field != nil && d.reason >= 0:
		return "Enter to send · Esc to go back"
	case d.field != nil && d.spec.Field.Multiline:
		return "Enter to send · Ctrl+J for a new line · Esc to cancel"
	case d.field != nil:
		return "Enter to send · Esc to cancel"
	}
	for _, c := range d.spec.Choices {
		if c.ID == d.spec.Cancel && c.ID != "" {
			return "↑ ↓ and Enter, or a number · Esc: " + c.Label
		}
	}
	return "↑ ↓ and Enter, or a number · Esc to cancel"
}
