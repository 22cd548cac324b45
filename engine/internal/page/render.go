package page

import (
	"bytes"
	"slices"
	"strings"
)

// renderer is the state between two tokens.
type renderer struct {
	Options
	data []bool // see dataTables; those that are yet to come

	out     []byte
	pending int  // line ends before the next text, 2 for an empty line
	space   bool // a space before the next text
	boxes   []box
	spans   []span
	code    *codeBlock

	table *table

	title      strings.Builder
	inTitle    bool
	titled     bool
	refresh    string
	main, rest int // where the main part begins and ends in out; 0 without one
	mainFound  bool
}

// box is an element whose every line begins in a way of its own.
type box struct {
	tag         string
	first, rest string // of its first line, and of the others
	written     bool   // the first line is out
	count       int    // of the items of a numbered list; -1 in other lists
}

// text takes a piece of text.
func (r *renderer) text(s string) {
	switch {
	case r.inTitle:
		if r.title.Len() < maxAttribute {
			r.title.WriteString(s)
		}
		return
	case r.table != nil && r.table.cell != nil:
		r.table.cell.text(s)
		return
	case r.code != nil:
		r.code.text = append(r.code.text, s...)
		return
	}
	for i, word := range strings.FieldsFunc(s, isSpace) {
		if i > 0 || isSpace(rune(s[0])) {
			r.space = true
		}
		r.put(word)
	}
	if s != "" && isSpace(rune(s[len(s)-1])) {
		r.space = true
	}
}

// isSpace holds for what HTML takes for a gap between words. A no-break space
// isn't one.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' }

// put writes text that goes on in the line, after the gap that is due.
func (r *renderer) put(s string) {
	switch {
	case r.pending > 0 || len(r.out) == 0:
		r.breakLine()
	case r.space:
		r.out = append(r.out, ' ')
	}
	r.space = false
	for i := range r.spans {
		if r.spans[i].at < 0 {
			r.spans[i].at = len(r.out)
		}
	}
	r.out = append(r.out, s...)
}

// breakLine begins a line, with the marks of the lists and quotes it is in.
func (r *renderer) breakLine() {
	if len(r.out) > 0 {
		r.out = append(r.out, '\n')
		if r.pending > 1 {
			start := len(r.out)
			for _, b := range r.boxes {
				if b.written {
					r.out = append(r.out, b.rest...)
				}
			}
			r.out = append(r.out[:start], bytes.TrimRight(r.out[start:], " ")...)
			r.out = append(r.out, '\n')
		}
	}
	r.pending, r.space = 0, false
	for i := range r.boxes {
		b := &r.boxes[i]
		if b.written {
			r.out = append(r.out, b.rest...)
		} else {
			r.out = append(r.out, b.first...)
		}
		b.written = true
	}
}

// line ends the line that there is.
func (r *renderer) line() { r.pending = max(r.pending, 1) }

// block puts an empty line between what was and what comes; in lists, a line
// end.
func (r *renderer) block() {
	if slices.ContainsFunc(r.boxes, func(b box) bool { return b.tag == "li" }) {
		r.line()
		return
	}
	r.pending = 2
}

// maxBoxes bounds the nesting. What is deeper is text like the rest.
const maxBoxes = 16

func (r *renderer) push(b box) {
	if len(r.boxes) < maxBoxes {
		r.boxes = append(r.boxes, b)
	}
}

// pop closes the innermost box of a tag, with what is in it, but not across one
// of within.
func (r *renderer) pop(tag string, within ...string) {
	for i, b := range slices.Backward(r.boxes) {
		if b.tag == tag {
			r.boxes = r.boxes[:i]
			return
		}
		if slices.Contains(within, b.tag) {
			return
		}
	}
}

// mark is a mark of Markdown, none in plain text.
func (r *renderer) mark(s string) string {
	if r.Plain {
		return ""
	}
	return s
}

// page ends what is open and gives the result.
func (r *renderer) page() Page {
	cut := len(r.out) >= maxText
	r.closeTable()
	r.endCode()
	text := r.out
	if r.mainFound {
		end := r.rest
		if end < 0 {
			end = len(text)
		}
		if part := bytes.TrimSpace(text[r.main:max(end, r.main)]); len(part) >= minMain {
			text = part
		}
	}
	if len(text) > maxText {
		text, cut = bytes.ToValidUTF8(text[:maxText], nil), true
	}
	title := strings.Join(strings.Fields(r.title.String()), " ")
	return Page{Title: title, Refresh: r.refresh, Text: string(bytes.TrimSpace(text)), Cut: cut}
}
