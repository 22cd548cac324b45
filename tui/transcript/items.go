package transcript

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Look is what all items of a list paint with. The app changes it in place
// and then calls List.Invalidate.
type Look struct {
	style.Styles
	// Markdown renders answers; a new one for each change of the styles.
	Markdown *markdown.Renderer
	// Expanded shows what is folded otherwise: long prompts, thinking, tool
	// output.
	Expanded bool
}

// Limits in rows. An expanded item is bounded too: the export has it whole.
const (
	promptRows   = 12
	thinkingRows = 4
	expandedRows = 5000
)

// Indent is the columns that texts keep clear for an item's mark.
func Indent(width int) int {
	if width < 24 {
		return 0
	}
	return 2
}

// Prompt is a message of the user's.
type Prompt struct {
	Look *Look
	// Text may be of any size; Images counts the pictures sent along.
	Text   string
	Images int
}

// Version implements Item: a prompt doesn't change.
func (p *Prompt) Version() int { return 0 }

// Lines implements Item.
func (p *Prompt) Lines(width int) []string {
	inner := max(1, width-2)
	limit := promptRows
	if p.Look.Expanded {
		limit = expandedRows
	}
	rows, hidden := Head(p.Text, inner, limit)
	out := make([]string, 0, len(rows)+3)
	out = append(out, "")
	mark := p.Look.User.With(p.Look.Bold)
	for i, row := range rows {
		lead := "  "
		if i == 0 {
			lead = mark.Render("›") + " "
		}
		out = append(out, lead+p.Look.Bold.Render(row))
	}
	if hidden > 0 {
		out = append(out, "  "+p.Look.Muted.Render(style.Cut(folded(hidden, p.Look.Expanded), inner)))
	}
	if p.Images > 0 {
		out = append(out, "  "+p.Look.Muted.Render(style.Cut(plural(p.Images, "picture"), inner)))
	}
	return out
}

// Thinking is what a model thinks before it answers.
type Thinking struct {
	Look    *Look
	text    string
	done    bool
	version int
}

// Set replaces the text; done says that no more will come.
func (t *Thinking) Set(text string, done bool) {
	if t.text == text && t.done == done {
		return
	}
	t.text, t.done = text, done
	t.version++
}

// Finish says that no more text comes.
func (t *Thinking) Finish() { t.Set(t.text, true) }

// Version implements Item.
func (t *Thinking) Version() int { return t.version }

// Lines implements Item: the last rows while it streams, one row afterwards,
// the whole text when expanded.
func (t *Thinking) Lines(width int) []string {
	in := Indent(width)
	inner := max(1, width-in)
	pad := strings.Repeat(" ", in)
	text := strings.TrimSpace(t.text)
	if text == "" {
		return nil
	}
	var rows []string
	title := "Thinking"
	switch {
	case t.Look.Expanded:
		rows, _ = Head(text, inner, expandedRows)
	case !t.done:
		rows, _ = Tail(text, inner, thinkingRows)
	default:
		title = "Thought"
		if n := strings.Count(text, "\n") + 1; n > 1 {
			title += fmt.Sprintf(" · %d lines", n)
		}
		title += " · Ctrl+O shows it"
	}
	out := []string{"", pad + t.Look.Thinking.Render(style.Cut(title, inner))}
	for _, row := range rows {
		out = append(out, pad+t.Look.Thinking.With(t.Look.Italic).Render(row))
	}
	return out
}

// Level ranks a notice.
type Level string

// Levels, as the engine names them.
const (
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
)

// Notice is a remark of the program's, not part of the conversation.
type Notice struct {
	Look  *Look
	Level Level
	Text  string
}

// Version implements Item: a notice doesn't change.
func (n *Notice) Version() int { return 0 }

// Lines implements Item.
func (n *Notice) Lines(width int) []string {
	mark, paint := "·", n.Look.Muted
	switch n.Level {
	case Warning:
		mark, paint = "!", n.Look.Warning
	case Error:
		mark, paint = "✗", n.Look.Error
	}
	rows, hidden := Head(strings.TrimSpace(n.Text), max(1, width-2), expandedRows)
	out := []string{""}
	for i, row := range rows {
		lead := "  "
		if i == 0 {
			lead = paint.Render(mark) + " "
		}
		out = append(out, lead+paint.Render(row))
	}
	if hidden > 0 {
		out = append(out, "  "+n.Look.Muted.Render(style.Cut(folded(hidden, true), max(1, width-2))))
	}
	return out
}

// Summary stands for messages that a compaction or a branch put together.
type Summary struct {
	Look  *Look
	Title string
	Text  string
}

// Version implements Item: a summary doesn't change.
func (s *Summary) Version() int { return 0 }

// Lines implements Item: a rule with the title; the text when expanded.
func (s *Summary) Lines(width int) []string {
	title := style.Cut("── "+sanitize.Line(s.Title)+" ", width)
	rule := title + strings.Repeat("─", max(0, width-style.Width(title)))
	out := []string{"", s.Look.Muted.Render(rule)}
	if !s.Look.Expanded {
		return out
	}
	in := Indent(width)
	rows, _ := Head(s.Text, max(1, width-in), expandedRows)
	for _, row := range rows {
		out = append(out, strings.Repeat(" ", in)+s.Look.Muted.Render(row))
	}
	return out
}
