package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Bounds of what extensions show around the editor.
const (
	guestKeys  = 64      // of each kind that are kept
	guestRows  = 10      // of one widget
	guestPart  = 3       // all widgets together take at most a third of the rows
	guestBytes = 4 << 10 // of one line that are looked at
)

// guests is what extensions show in the chat, in the order in which each key
// was first set.
type guests struct {
	statuses []event.StatusChanged
	widgets  []event.WidgetChanged
	title    string // of the window; "" leaves it to the chat
}

// status sets or takes away an item of the status line.
func (g *guests) status(e event.StatusChanged) {
	i := slices.IndexFunc(g.statuses, func(o event.StatusChanged) bool { return o.Extension == e.Extension && o.Key == e.Key })
	switch {
	case e.Text == nil && i >= 0:
		g.statuses = slices.Delete(g.statuses, i, i+1)
	case e.Text == nil:
	case i >= 0:
		g.statuses[i] = e
	case len(g.statuses) < guestKeys:
		g.statuses = append(g.statuses, e)
	}
}

// widget sets or takes away the lines of a widget.
func (g *guests) widget(e event.WidgetChanged) {
	i := slices.IndexFunc(g.widgets, func(o event.WidgetChanged) bool { return o.Extension == e.Extension && o.Key == e.Key })
	switch {
	case e.Lines == nil && i >= 0:
		g.widgets = slices.Delete(g.widgets, i, i+1)
	case e.Lines == nil:
	case i >= 0:
		g.widgets[i] = e
	case len(g.widgets) < guestKeys:
		g.widgets = append(g.widgets, e)
	}
}

// items are the texts for the status line.
func (g *guests) items() []string {
	var texts []string
	for _, s := range g.statuses {
		texts = append(texts, *s.Text)
	}
	return texts
}

// rows draws the widgets above and below the editor in at most limit rows
// together; where they are cut a row tells how much is missing.
func (g *guests) rows(s style.Styles, b flow.Bidi, width, limit int) (above, below []string) {
	var over, under cutting
	for _, w := range g.widgets {
		to := &over
		if w.Placement == "belowEditor" {
			to = &under
		}
		to.add(s, b, w.Lines, width)
	}
	room := min(len(under.rows), max(limit/2, limit-len(over.rows)))
	return over.cut(s, width, limit-room), under.cut(s, width, room)
}

// cutting is rows of which some may go.
type cutting struct {
	rows []string
	// stands is how many lines each row stands for.
	stands []int
}

// add draws one widget, of a long one the beginning.
func (c *cutting) add(s style.Styles, b flow.Bidi, lines []string, width int) {
	for i, line := range lines {
		if i == guestRows-1 && len(lines) > guestRows {
			c.rows = append(c.rows, more(s, len(lines)-i, width))
			c.stands = append(c.stands, len(lines)-i)
			return
		}
		c.rows = append(c.rows, guestLine(s, b, line, width))
		c.stands = append(c.stands, 1)
	}
}

// cut leaves at most limit rows, the last of which tells how many lines are
// missing.
func (c *cutting) cut(s style.Styles, width, limit int) []string {
	if len(c.rows) <= limit {
		return c.rows
	}
	if limit < 1 {
		return nil
	}
	missing := 0
	for _, n := range c.stands[limit-1:] {
		missing += n
	}
	return append(c.rows[:limit-1:limit-1], more(s, missing, width))
}

func more(s style.Styles, n, width int) string {
	return s.Muted.Render(style.Cut(fmt.Sprintf("… %d more", n), width))
}

// guestLine is one line of an extension's, with its own colours if it has any
// and colours are wanted.
func guestLine(s style.Styles, b flow.Bidi, line string, width int) string {
	line = strings.ReplaceAll(line[:min(len(line), guestBytes)], "\n", " ")
	if s.Color {
		if painted := sanitize.Tabs(sanitize.SGR(line), 4); strings.Contains(painted, "\x1b") {
			return flow.Cut(painted, width, b).Text
		}
	}
	line = sanitize.Line(line)
	if first, _ := utf8.DecodeRuneInString(line); flow.HasRTL(string(first)) { // prose, without a mark before it
		return s.Text.Render(inset.Text(style.Cut(line, width), b))
	}
	return flow.Cut(s.Text.Render(line), width, b).Text
}

// setDraft puts a text into the editor. Undo brings back what was there.
func (a *app) setDraft(text string) {
	if old := a.editor.Value(); strings.TrimSpace(old) != "" && old != text {
		a.hint = "Your text was replaced"
		if key := a.o.Keys.Key(keymap.Undo); key != "" {
			a.hint += "; " + key + " brings it back"
		}
	}
	a.editor.ReplaceAll(text)
	a.popup.close()
}
