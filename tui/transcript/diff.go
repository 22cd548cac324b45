package transcript

import (
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// diffRows is how many rows of a diff are shown until it is unfolded.
const diffRows = 60

// Diff is a unified diff that the program shows.
type Diff struct {
	Fold
	Look *Look
	Text string
}

// Version implements Item.
func (d *Diff) Version() int { return d.Turns() }

// Source implements Item.
func (d *Diff) Source() string { return d.Text }

// Rows implements Item.
func (d *Diff) Rows(width int) []flow.Row {
	o := diff.Options{Styles: d.Look.Styles, Bidi: d.Look.Bidi, Width: width, Context: 3, Limit: diffRows}
	expanded := d.Look.Expanded || d.Unfolded()
	if expanded {
		o.Context, o.Limit = 0, expandedRows
	}
	if d.Look.Markdown != nil {
		o.Syntax = d.Look.Markdown.Syntax()
	}
	l := diff.Lay(d.Text, o)
	rows := append([]flow.Row{{}}, l.Rows...)
	if l.Hidden > 0 {
		rows = append(rows, flow.Row{Text: d.Look.Muted.Render(style.Cut(folded(l.Hidden, expanded), width)), Rule: true})
	}
	return rows
}
