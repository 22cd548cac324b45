package markdown

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// segmentKind is what a run of lines in a block is.
type segmentKind int

const (
	paragraph segmentKind = iota // underlined headings too: whatever Glamour paints
	heading
	quote
	table
	note // a footnote
	code // set in by four columns
	rule
)

type segment struct {
	kind segmentKind
	text string
	gap  bool // a blank line stood before it
}

// segments cuts text without lists and fences.
func segments(text string) []segment {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var out []segment
	gap := false
	for i := 0; i < len(lines); {
		if strings.TrimSpace(lines[i]) == "" {
			gap = true
			i++
			continue
		}
		kind, n := segmentAt(lines[i:])
		if kind == heading && len(out) > 0 && out[len(out)-1].kind == paragraph {
			gap = true
		}
		out = append(out, segment{kind, strings.Join(lines[i:i+n], "\n"), gap})
		gap = false
		i += n
	}
	return out
}

// segmentAt tells what begins with the first line, and how many lines it has.
func segmentAt(lines []string) (segmentKind, int) {
	first := lines[0]
	switch {
	case indent(first) > 3:
		return code, count(lines, func(l string) bool { return indent(l) > 3 })
	case isHeading(first):
		return heading, 1
	case isQuote(first):
		return quote, count(lines, func(l string) bool { return isQuote(l) || lazy(l) })
	case isRule(strings.TrimLeft(first, " ")):
		return rule, 1
	case isNote(first):
		return note, count(lines[1:], func(l string) bool { return strings.TrimSpace(l) != "" && !isNote(l) }) + 1
	case isTable(lines):
		return table, count(lines, func(l string) bool { return strings.Contains(l, "|") })
	}
	for n := 1; n < len(lines); n++ {
		if l := lines[n]; strings.TrimSpace(l) == "" || isHeading(l) || isQuote(l) || isNote(l) || isTable(lines[n:]) {
			return paragraph, n
		}
	}
	return paragraph, len(lines)
}

func count(lines []string, in func(string) bool) int {
	for i, l := range lines {
		if !in(l) {
			return i
		}
	}
	return len(lines)
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(line, " ")
	words := strings.TrimLeft(rest, "#")
	marks := len(rest) - len(words)
	return indent(line) < 4 && marks > 0 && marks <= 6 && (words == "" || words[0] == ' ' || words[0] == '\t')
}

func isQuote(line string) bool {
	return indent(line) < 4 && strings.HasPrefix(strings.TrimLeft(line, " "), ">")
}

// lazy reports whether a line without a mark goes on with the paragraph of a
// quote.
func lazy(line string) bool {
	rest := strings.TrimSpace(line)
	return rest != "" && rest[0] != '#' && !strings.Contains(rest, "|") && !isRule(rest) && !isNote(line)
}

// quoteRows lays out a quote beside its bar. On a row that the terminal may
// reorder there is none: it would jump.
func (r *Renderer) quoteRows(text string, width, depth int) []flow.Row {
	var inner strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), ">"); ok {
			line = strings.TrimPrefix(rest, " ")
		}
		inner.WriteString(line + "\n")
	}
	bar := r.styles.Border.Render("│") + " "
	columns := 2
	if width < 8 {
		bar, columns = "", 0
	}
	rows := r.inQuote().document(inner.String(), width-columns, depth+1)
	right := r.Bidi.Reorder && flow.RightToLeft(inner.String())
	for i, row := range rows {
		switch {
		case right && columns > 0:
			gap := strings.Repeat(" ", max(width-columns-style.Width(row.Text), 0))
			rows[i].Text += gap + " " + r.styles.Border.Render("│")
		case row.RTL:
			rows[i] = row.Indent(strings.Repeat(" ", columns), columns)
		default:
			rows[i] = row.Indent(bar, columns)
		}
	}
	return rows
}

// inQuote is the renderer for what stands in quotes.
func (r *Renderer) inQuote() *Renderer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quoted == nil {
		s := r.styles
		s.Text, s.Colors.Text = s.Quote, s.Colors.Quote
		r.quoted = &Renderer{Bidi: r.Bidi, PlainLinks: r.PlainLinks, styles: s, syntax: r.syntax}
		r.quoted.quoted = r.quoted
	}
	return r.quoted
}

// isNote reports whether a line begins the text of a footnote.
func isNote(line string) bool {
	_, _, ok := cutNote(line)
	return ok
}

// cutNote reads "[^id]: text".
func cutNote(line string) (id, text string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "[^")
	if !ok {
		return "", "", false
	}
	id, text, ok = strings.Cut(rest, "]:")
	return id, strings.TrimLeft(text, " "), ok && isNoteID(id)
}

func isNoteID(id string) bool {
	return id != "" && len(id) < 40 && !strings.ContainsAny(id, " []^`\\")
}

// noteRows lays out a footnote beside its sign.
func (r *Renderer) noteRows(text string, width, depth int) []flow.Row {
	id, text, _ := cutNote(text)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimLeft(line, " "))
	}
	return r.beside(noteSign(id)+" ", strings.Join(lines, "\n"), width, depth)
}

// noteSign is how a footnote is referred to: by small digits, or its name.
func noteSign(id string) string {
	var b strings.Builder
	for _, c := range id {
		if c < '0' || c > '9' {
			return "[" + id + "]"
		}
		b.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[c-'0'])
	}
	return b.String()
}
