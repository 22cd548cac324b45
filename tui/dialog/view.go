package dialog

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Shares of the height.
const (
	fieldMax  = 5 // rows of a field that is for a word or two
	fieldPart = 2 // one for many lines takes at most half
	textPart  = 3 // a third is the text's, however many choices there are
	textLeast = 4 // where that is so many rows
)

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
	foot := d.answers(width, d.answerRows(height), height-2-min(len(d.text), textLeast))
	rest := height - len(foot)

	var rows []string
	d.named = true
	if rest > 0 {
		var rule string
		rule, d.named = inset.Rule(d.styles, d.spec.Title, d.spec.From, width, d.bidi)
		rows = append(rows, rule)
		rest--
	}
	hint := rest > 1
	if hint {
		rest--
	}
	rows = append(rows, d.window(width, rest)...)
	if d.spec.Body != nil && len(d.text) < rest {
		rows = append(rows, "")
	}
	if d.caret.y >= 0 {
		d.caret.y += len(rows)
	}
	d.placed(len(rows))
	rows = append(rows, foot...)
	if hint {
		rows = append(rows, d.styles.Muted.Render(inset.Parts(style.Cut(d.hint(), width), d.bidi)))
	}
	return strings.Join(rows, "\n")
}

// Cursor returns the caret's place in the last View while something is
// written, else -1, -1.
func (d *Dialog) Cursor() (x, y int) { return d.caret.x, d.caret.y }

// textRows are the rows that scroll. A title that the rule cuts stands here
// whole.
func (d *Dialog) textRows(width int) []string {
	var rows []string
	if style.Width(d.spec.Title) > style.TitleRoom(width) {
		rows = painted(d.styles.Bold, inset.Prose(d.spec.Title, width, d.bidi))
	}
	if d.spec.Why != "" {
		for line := range strings.SplitSeq(d.spec.Why, "\n") {
			rows = append(rows, d.paragraph(line, width)...)
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

// paragraph is a line of Why in rows, what follows a bullet set in.
func (d *Dialog) paragraph(line string, width int) []string {
	point, ok := strings.CutPrefix(line, bullet)
	columns := style.Width(bullet)
	if !ok || width < 2*columns {
		return painted(d.styles.Text, inset.Prose(line, width, d.bidi))
	}
	rows := flow.Indent(flow.Wrap(flow.Isolate(point), width-columns, d.bidi), columns)
	rows[0].Text = bullet + strings.TrimPrefix(rows[0].Text, strings.Repeat(" ", columns))
	return painted(d.styles.Text, rows)
}

func painted(s style.Style, rows []flow.Row) []string {
	texts := flow.Texts(rows)
	for i := range texts {
		texts[i] = s.Render(texts[i])
	}
	return texts
}

// bullet begins a line of Why that is a point of a list.
const bullet = "• "

// answerRows are the rows that the answers may take: the title is left where
// there is room for two of them.
func (d *Dialog) answerRows(height int) int {
	switch part := height / textPart; {
	case part >= textLeast && len(d.text) > 0:
		return height - min(part, len(d.text)+2)
	case height > 2:
		return height - 1
	}
	return height
}

// placed notes that the answers begin in a row.
func (d *Dialog) placed(first int) {
	before := make([]int, first)
	for i := range before {
		before[i] = -1
	}
	d.places = append(before, d.places...)
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
		more := fmt.Sprintf("rows %d–%d of %d · %s", d.scroll+1, end, len(d.text), d.spec.Keys.Pair(keymap.SelectPageUp, keymap.SelectPageDown))
		rows = append(rows, d.styles.Warning.Render(style.Cut(more, width)))
	}
	return rows
}

// answers are the rows of the field, or of the choices. When these are more than
// the height, they are those around the selected one, and a row tells how many
// choices there are. Over enough rows nothing is told of the other choices, so
// that a little of the text can be read.
func (d *Dialog) answers(width, height, enough int) []string {
	d.places = nil
	if d.secret != nil {
		row, caret := d.secret.view(d.styles, d.bidi, d.spec.Field.Placeholder, width)
		d.caret.x, d.caret.y = caret, 0
		return []string{row}
	}
	if d.field != nil {
		limit := fieldMax
		if d.spec.Field.Multiline && d.reason < 0 {
			limit = max(limit, height/fieldPart)
		}
		rows := strings.Split(d.field.View(width, min(limit, height)), "\n")
		d.caret.x, d.caret.y = d.field.Cursor()
		return rows
	}
	rows, first, last := d.choices(width, true)
	if len(rows) > min(height, enough) { // the details of the others go before a choice does
		rows, first, last = d.choices(width, false)
	}
	if len(rows) <= height {
		return rows
	}
	note := height > 4
	if note {
		height--
	}
	from := min(max(last-height, 0), first)
	rows = rows[from:min(from+height, len(rows))]
	d.places = d.places[from:min(from+height, len(d.places))]
	if note {
		rows = append(rows[:len(rows):len(rows)], d.styles.Warning.Render(style.Cut(fmt.Sprintf("choice %d of %d · %s", d.at+1, len(d.spec.Choices), d.spec.Keys.Pair(keymap.SelectUp, keymap.SelectDown)), width)))
	}
	return rows
}

// choices are the rows of all choices, and which are the selected one's. Without
// details only that has its own.
func (d *Dialog) choices(width int, details bool) (rows []string, first, last int) {
	d.places = nil
	for i, c := range d.spec.Choices {
		if i == d.at {
			first = len(rows)
		} else if !details {
			c.Detail = ""
		}
		rows = append(rows, d.choice(i, c, width)...)
		for len(d.places) < len(rows) {
			d.places = append(d.places, i)
		}
		if i == d.at {
			last = len(rows)
		}
	}
	return rows, first, last
}

func (d *Dialog) choice(i int, c Choice, width int) []string {
	mark := "  "
	if i == d.at {
		mark = "› "
	}
	if i < 9 {
		mark += fmt.Sprintf("%d. ", i+1)
	}
	label := c.Label
	if c.Key != "" {
		label += " (" + c.Key + ")"
	}
	margin := style.Cut(mark, width/2)
	var rows []string
	for n, row := range inset.Rows(label, width-style.Width(margin), math.MaxInt, d.bidi) {
		if n > 0 {
			margin = strings.Repeat(" ", style.Width(margin))
		}
		if i == d.at {
			rows = append(rows, d.styles.Selected.Render(style.Pad(margin+row, width)))
			continue
		}
		rows = append(rows, d.styles.Text.Render(margin+row))
	}
	if c.Detail == "" {
		return rows
	}
	margin = strings.Repeat(" ", min(5, max(width-1, 0)))
	for _, row := range inset.Rows(c.Detail, width-len(margin), math.MaxInt, d.bidi) {
		rows = append(rows, margin+d.styles.Muted.Render(row))
	}
	return rows
}

// hint tells the keys; before them, how long there is to answer, and who asks
// where the title has no room for it.
func (d *Dialog) hint() string {
	text := d.keys()
	if !d.spec.Deadline.IsZero() {
		text = Countdown(d.spec.Deadline.Sub(d.spec.Now())) + " left · " + text
	}
	if !d.named {
		text = d.spec.From + " · " + text
	}
	return text
}

// Countdown says how long there is, in whole seconds, those below 0 as 0.
func Countdown(left time.Duration) string {
	seconds := int(max(left+time.Second-1, 0) / time.Second)
	if seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
}

func (d *Dialog) keys() string {
	send := d.key(keymap.Submit, "Enter")
	leave := d.key(keymap.SelectCancel, "Ctrl+C")
	switch {
	case d.field != nil && d.reason >= 0:
		return send + " to send · " + leave + " to go back"
	case d.field != nil && d.spec.Field.Multiline:
		return send + " to send · " + d.newLine() + " for a new line · " + leave + " to cancel"
	case d.field != nil || d.secret != nil:
		return send + " to send · " + leave + " to cancel"
	}
	text := d.spec.Keys.Pair(keymap.SelectUp, keymap.SelectDown) + " and " + d.key(keymap.SelectConfirm, "Enter") + ", or a number · " + leave
	for _, c := range d.spec.Choices {
		if c.ID == d.spec.Cancel && c.ID != "" {
			return text + ": " + c.Label
		}
	}
	return text + " to cancel"
}

// key is an action's first key; other is for one without any.
func (d *Dialog) key(action keymap.Action, other string) string {
	return cmp.Or(d.spec.Keys.Key(action), other)
}

// newLine is the key for a new line: the one that every terminal sends, if it
// does it.
func (d *Dialog) newLine() string {
	if d.spec.Keys.Action("ctrl+j", keymap.Editor) == keymap.NewLine {
		return "Ctrl+J"
	}
	return d.key(keymap.NewLine, "a \\ and Enter")
}
