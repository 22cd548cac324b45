// Package inset lays text out that stands beside something else in a row: a
// title in a rule, the columns of a list, an answer behind its number.
//
//	text ──▶ Text, Code, Parts (one row), Rows (a block), Prose
//	      ──▶ as the terminal shows it
//
// Each such piece has the direction of its own first letter, a path that of
// code, and takes no more columns than its text has: what stands beside it keeps
// its place, whatever the direction. Prose is for what has its rows for itself.
//
// The text has been cleaned. It is not painted yet.
package inset

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Text is one row of text. Blanks at its end go.
func Text(text string, b flow.Bidi) string {
	text = strings.TrimRight(text, " ")
	switch {
	case !flow.HasRTL(text):
		return text
	case path(text):
		return Code(text, b)
	}
	return Prose(text, style.Width(text), b)[0].Text
}

// Code is one row of code: it runs from left to right.
func Code(text string, b flow.Bidi) string {
	return flow.Cut(flow.Isolate(text), style.Width(text), b).Text
}

// Prose wraps a line that has its rows for itself. Its direction is that of its
// first letter: what runs from right to left is flush right.
func Prose(line string, width int, b flow.Bidi) []flow.Row {
	if flow.RightToLeft(line) {
		return flow.Wrap(flow.Isolated(line), width, b)
	}
	return flow.Wrap(flow.Isolate(line), width, b)
}

// separator is what the parts of a row are kept apart by.
const separator = " · "

// Parts is Text for each of the parts that " · " keeps apart; they stay in
// their order.
func Parts(text string, b flow.Bidi) string {
	if !flow.HasRTL(text) {
		return text
	}
	text, cut := strings.CutSuffix(text, more)
	parts := strings.Split(text, separator)
	for i := range parts {
		parts[i] = Text(parts[i], b)
	}
	text = strings.Join(parts, separator)
	if cut {
		text += more
	}
	return text
}

// more is how a row ends that was cut behind a part.
const more = " ·…"

// Rows wraps text, in lines, at width. What runs from right to left is flush
// right in a block as narrow as it can be. Of more than limit rows the first are
// left; an ellipsis ends the last.
func Rows(text string, width, limit int, b flow.Bidi) []string {
	var rows []flow.Row
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, block(line, width, b)...)
	}
	texts := flow.Texts(rows)
	if len(texts) > limit {
		texts = texts[:limit]
		texts[limit-1] = Parts(style.Cut(rows[limit-1].Whole()+" …", width), b)
	}
	return texts
}

func block(line string, width int, b flow.Bidi) []flow.Row {
	switch {
	case path(line):
		return flow.Wrap(flow.Isolate(line), width, b)
	case strings.Contains(line, separator) && style.Width(line) <= width:
		return flow.Of(Parts(line, b))
	case strings.Contains(line, separator):
		parts := strings.Split(line, separator)
		for i := range parts {
			parts[i] = flow.Isolate(parts[i])
		}
		return flow.Wrap(strings.Join(parts, separator), width, b)
	}
	rows, widest := Prose(line, width, b), 1
	for _, row := range rows {
		widest = max(widest, style.Width(row.Text)-row.Lead)
	}
	if widest == width || !flow.HasRTL(line) {
		return rows
	}
	return Prose(line, widest, b) // the same breaks
}

// Rule is the rule with a title that begins a panel.
func Rule(s style.Styles, title, note string, width int, b flow.Bidi) (row string, whole bool) {
	return s.Rule(Text(style.Cut(title, style.TitleRoom(width)), b), Parts(note, b), width)
}

// path reports whether text is a path: one word with a slash in it.
func path(text string) bool {
	return strings.ContainsAny(text, `/\`) && !strings.Contains(text, " ")
}
