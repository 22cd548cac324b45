package transcript

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/image"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Look is what all items of a list paint with. The app changes it in place
// and then calls List.Invalidate.
type Look struct {
	style.Styles
	// Bidi is what the terminal needs for right-to-left text; Markdown has its
	// own copy.
	flow.Bidi
	// Markdown renders answers; a new one for each change of the styles.
	Markdown *markdown.Renderer
	// Images shows pictures; nil: a line stands for each.
	Images *image.Screen
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

// Fold is the part of an item that remembers whether it alone is unfolded.
type Fold struct {
	open  bool
	turns int
}

// Unfold shows what the item folds, or folds it again.
func (f *Fold) Unfold(open bool) {
	if f.open != open {
		f.open = open
		f.turns++
	}
}

// Unfolded reports whether the item alone is unfolded.
func (f *Fold) Unfolded() bool { return f.open }

// Turns changes with each change; an item's version counts it.
func (f *Fold) Turns() int { return f.turns }

// Prompt is a message of the user's.
type Prompt struct {
	Fold
	Look *Look
	// Text may be of any size; Images counts the pictures sent along.
	Text   string
	Images int
	// Pictures are those that can be shown; without them there is a count.
	Pictures []*image.Picture
}

// Version implements Item.
func (p *Prompt) Version() int { return p.Turns() }

// Shown returns the pictures.
func (p *Prompt) Shown() []*image.Picture { return p.Pictures }

// Source implements Item.
func (p *Prompt) Source() string { return p.Text }

// Rows implements Item.
func (p *Prompt) Rows(width int) []flow.Row {
	inner := max(1, width-2)
	limit := promptRows
	expanded := p.Look.Expanded || p.Unfolded()
	if expanded {
		limit = expandedRows
	}
	rows, hidden := Head(p.Text, inner, limit, p.Look.Bidi)
	out := []flow.Row{{}}
	out = append(out, marked("›", p.Look.User.With(p.Look.Bold), p.Look.Bold, rows)...)
	if hidden > 0 {
		out = append(out, remark(p.Look, folded(hidden, expanded), width))
	}
	for _, picture := range p.Pictures {
		for _, row := range p.Look.Images.Rows(picture, inner, p.Look.Muted) {
			out = append(out, row.Indent("  ", 2))
		}
	}
	if p.Images > len(p.Pictures) {
		out = append(out, remark(p.Look, plural(p.Images, "picture"), width))
	}
	return out
}

// marked sets rows in behind a mark of one column, in one style. The mark stands
// where the text begins: on the right of text that is set flush right.
func marked(mark string, markPaint, paint style.Style, rows []flow.Row) []flow.Row {
	right := len(rows) > 0 && rows[0].Right
	for i, row := range rows {
		row = row.Paint(paint)
		switch {
		case right && i == 0:
			row.Text += " " + markPaint.Render(strings.Replace(mark, "›", "‹", 1))
		case right && row.Right:
		case i == 0:
			row = row.Indent(markPaint.Render(mark)+" ", 2)
		default:
			row = row.Indent("  ", 2)
		}
		rows[i] = row
	}
	return rows
}

// remark is a row of the program's own below an item.
func remark(look *Look, text string, width int) flow.Row {
	return flow.Row{Text: "  " + look.Muted.Render(style.Cut(text, max(1, width-2))), Rule: true}
}

// Thinking is what a model thinks before it answers.
type Thinking struct {
	Fold
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

// Ended reports whether the thinking is over.
func (t *Thinking) Ended() bool { return t.done }

// Version implements Item.
func (t *Thinking) Version() int { return t.version + t.Turns() }

// Source implements Item.
func (t *Thinking) Source() string { return t.text }

// Rows implements Item: the last rows while it streams, its first line
// afterwards, the whole text when expanded.
func (t *Thinking) Rows(width int) []flow.Row {
	in := Indent(width)
	inner := max(1, width-in)
	text := strings.TrimSpace(t.text)
	if text == "" {
		return nil
	}
	var rows []flow.Row
	title := flow.Row{Text: t.Look.Thinking.Render(style.Cut("Thinking", inner)), Rule: true}
	switch {
	case t.Look.Expanded || t.Unfolded():
		rows, _ = Head(text, inner, expandedRows, t.Look.Bidi)
	case !t.done:
		rows, _ = Tail(text, inner, thinkingRows, t.Look.Bidi)
	default:
		title = flow.Cut(t.folded(text, inner), inner, t.Look.Bidi)
		title.Lead += len("Thought: ")
	}
	for i, row := range rows {
		rows[i] = row.Paint(t.Look.Thinking.With(t.Look.Italic))
	}
	return apart(flow.Indent(append([]flow.Row{title}, rows...), in))
}

// folded is the row for all of a text: its first line, and how many there are.
func (t *Thinking) folded(text string, width int) string {
	more, keys := "", " · Ctrl+O"
	if n := strings.Count(text, "\n"); n > 0 {
		more = " · " + plural(n, "more line")
	}
	switch {
	case style.Width(more+keys) <= width/2:
		more += keys
	case style.Width(more) > width/2:
		more = ""
	}
	// What doesn't fit of a short text is no more lines.
	first, _, _ := strings.Cut(text[:min(len(text), 4*width+4)], "\n")
	first = sanitize.Line(strings.Trim(first, "*# "))
	const lead = "Thought: "
	first = lead + flow.Isolate(style.Cut(first, width-len(lead)-style.Width(more)))
	return t.Look.Thinking.With(t.Look.Italic).Render(first) + t.Look.Muted.Render(more)
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

// Source implements Item.
func (n *Notice) Source() string { return n.Text }

// Rows implements Item.
func (n *Notice) Rows(width int) []flow.Row {
	mark, paint := "·", n.Look.Muted
	switch n.Level {
	case Warning:
		mark, paint = "!", n.Look.Warning
	case Error:
		mark, paint = "✗", n.Look.Error
	}
	rows, hidden := Head(strings.TrimSpace(n.Text), max(1, width-2), expandedRows, n.Look.Bidi)
	out := append([]flow.Row{{}}, marked(mark, paint, paint, rows)...)
	if hidden > 0 {
		out = append(out, remark(n.Look, folded(hidden, true), width))
	}
	return out
}

// Summary stands for messages that a compaction or a branch put together.
type Summary struct {
	Fold
	Look  *Look
	Title string
	Text  string
}

// Version implements Item.
func (s *Summary) Version() int { return s.Turns() }

// Source implements Item.
func (s *Summary) Source() string { return s.Text }

// Rows implements Item: a rule with the title; the text when expanded.
func (s *Summary) Rows(width int) []flow.Row {
	title := style.Cut("── "+flow.Isolate(sanitize.Line(s.Title))+" ", width)
	rule := flow.Cut(s.Look.Muted.Render(title+strings.Repeat("─", max(0, width-style.Width(title)))), width, s.Look.Bidi)
	rule.Rule = true
	out := []flow.Row{{}, rule}
	if !s.Look.Expanded && !s.Unfolded() {
		return out
	}
	in := Indent(width)
	rows, _ := Head(s.Text, max(1, width-in), expandedRows, s.Look.Bidi)
	for i, row := range rows {
		rows[i] = row.Paint(s.Look.Muted)
	}
	return append(out, flow.Indent(rows, in)...)
}
