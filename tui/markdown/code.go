package markdown

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// A fence that is a block of its own is shown without Glamour. Its lines are
// folded at the last column and keep their margin, and they are the same rows
// while it is open as when it is closed and coloured: nothing jumps.

// openFence is a fence that grows. Its whole lines are folded once.
type openFence struct {
	text string // lines that are in rows
	rows []flow.Row
}

// add folds what is new in text, which begins with the fence's first line,
// and returns all rows.
func (f *openFence) add(r *Renderer, text string, width int) []flow.Row {
	_, code, _ := strings.Cut(text, "\n")
	whole := code[:strings.LastIndexByte(code, '\n')+1]
	if !strings.HasPrefix(whole, f.text) {
		*f = openFence{}
	}
	if fresh := whole[len(f.text):]; fresh != "" {
		f.text = whole
		f.rows = append(f.rows, r.one(strings.TrimSuffix(fresh, "\n"), width)...)
	}
	rows := f.rows[:len(f.rows):len(f.rows)]
	if rest := code[len(whole):]; rest != "" {
		rows = append(rows, r.one(rest, width)...)
	}
	return stripBlank(rows)
}

// one folds code in one colour.
func (r *Renderer) one(code string, width int) []flow.Row {
	var rows []flow.Row
	for line := range strings.SplitSeq(sanitize.Tabs(code, codeTab), "\n") {
		rows = append(rows, r.fold(r.styles.Code.Render(line), width)...)
	}
	return rows
}

// fold breaks a painted line of code into rows with a margin.
func (r *Renderer) fold(line string, width int) []flow.Row {
	width = max(width, 1)
	margin := min(codeMargin, width-1)
	rows := flow.Fold(line, width-margin, r.Bidi)
	for i := range rows {
		rows[i] = rows[i].Indent(strings.Repeat(" ", margin), margin)
	}
	return rows
}

// fenced returns the rows of a fence without its marks.
func (r *Renderer) fenced(text string, width int, highlight bool) []flow.Row {
	first, code, _ := strings.Cut(text, "\n")
	f := opens(first, false)
	code = strings.TrimRight(code, "\n")
	if at := strings.LastIndexByte(code, '\n') + 1; f.closedBy(code[at:]) {
		code = strings.TrimRight(code[:at], "\n")
	}
	language, _, _ := strings.Cut(strings.TrimLeft(first, " ")[f.length:], " ")
	if highlight {
		if lines := r.syntax.Code(sanitize.Tabs(code, codeTab), strings.TrimSpace(language)); lines != nil {
			var rows []flow.Row
			for _, line := range lines {
				rows = append(rows, r.fold(line.Paint(), width)...)
			}
			return stripBlank(rows)
		}
	}
	return stripBlank(r.one(code, width))
}
