package card

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// todos shows a task list as it was after the call. With too little room, the
// rows are those around the task in hand.
func (c *Card) todos(width, limit int) []flow.Row {
	var list struct {
		Phases []message.TodoPhase `json:"phases"`
	}
	if json.Unmarshal(c.details, &list) != nil || len(list.Phases) == 0 {
		return c.text(c.look.Muted, transcript.Head, width, liveRows)
	}
	var rows []flow.Row
	current := -1
	for _, p := range list.Phases {
		if len(list.Phases) > 1 {
			rows = append(rows, flow.Cut(c.look.Bold.Render(sanitize.Line(p.Name)), width, c.look.Bidi))
		}
		for _, t := range p.Tasks {
			if t.Status == "in_progress" && current < 0 {
				current = len(rows)
			}
			rows = append(rows, c.task(t, width)...)
		}
	}
	if len(rows) <= limit+1 {
		return rows
	}
	from := min(max(current-limit/2, 0), len(rows)-limit)
	return append(rows[from:from+limit:from+limit], c.more(count(len(rows)-limit, "more row", "more rows"), width))
}

// TaskMark is what a task's status looks like.
func TaskMark(s style.Styles, status string) (mark string, paint style.Style) {
	switch status {
	case "in_progress":
		return "●", s.Accent
	case "completed":
		return "✓", s.Muted
	case "abandoned":
		return "✗", s.Muted
	}
	return "○", s.Text
}

// task is one task behind its mark.
func (c *Card) task(t message.Todo, width int) []flow.Row {
	mark, paint := TaskMark(c.look.Styles, t.Status)
	limit := taskRows
	if c.expanded() {
		limit = expandedRows
	}
	rows := c.some(sanitize.Line(t.Content), max(width-2, 1), limit)
	right := c.look.Bidi.Reorder && flow.RightToLeft(t.Content)
	for i, row := range rows {
		lead := "  "
		if i == 0 {
			lead = paint.Render(mark) + " "
		}
		switch rows[i] = row.Paint(paint); {
		case !right:
			rows[i] = rows[i].Indent(lead, 2)
		case i == 0: // such a text is flush right: the mark stands beside it
			rows[i].Text += " " + paint.Render(mark)
		}
	}
	return rows
}
