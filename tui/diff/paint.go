package diff

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

// painter turns lines into rows of one width.
type painter struct {
	o      Options
	width  int
	digits int
	out    Layout
}

// look is how a kind of line is painted.
type look struct {
	sign       string
	text, mark style.Style
	// code says that the text may have the colours of its syntax. Where nothing
	// is behind a changed line, only the colour of its text tells the kind.
	code bool
}

func (p *painter) look(k kind) look {
	s := p.o.Styles
	switch k {
	case kindAdded:
		return look{"+", s.Added, s.AddedMark, s.Colors.AddedBackground != ""}
	case kindRemoved:
		return look{"-", s.Removed, s.RemovedMark, s.Colors.RemovedBackground != ""}
	}
	return look{" ", s.Text, s.Text, true}
}

// full reports whether there is no room for more rows, and counts what comes
// as hidden.
func (p *painter) full(rest []line) bool {
	if p.o.Limit <= 0 || len(p.out.Rows) < p.o.Limit {
		return false
	}
	for _, l := range rest {
		p.out.Hidden += max(l.hidden, 1)
	}
	return true
}

// unified shows all lines in one column: numbers, sign, text.
func (p *painter) unified(lines []line) {
	gutter := 0
	if p.width >= numbersWidth {
		gutter = 2*p.digits + 2
	}
	for i, l := range lines {
		if p.full(lines[i:]) {
			return
		}
		if p.header(l) {
			continue
		}
		margin := ""
		if gutter > 0 {
			margin = fmt.Sprintf("%s %s ", number(l.old, p.digits), number(l.new, p.digits))
		}
		for k, row := range p.line(l, p.width-gutter) {
			if k > 0 {
				margin = strings.Repeat(" ", gutter)
			}
			row = row.Indent(p.o.Styles.LineNumber.Render(margin), gutter)
			if p.width-gutter < 2+tabWidth { // the sign and the widest cell
				row.Text = style.Cut(row.Text, p.width)
			}
			row.Text = strings.TrimRight(row.Text, " ")
			p.out.Rows = append(p.out.Rows, row)
		}
	}
}

// gap is between the files that stand side by side.
const gap = 2

// sideBySide shows the old file left and the new one right. Changed lines
// stand beside each other in their order.
func (p *painter) sideBySide(lines []line) {
	left := (p.width - gap) / 2
	right := p.width - gap - left
	for i := 0; i < len(lines); {
		if p.full(lines[i:]) {
			return
		}
		if p.header(lines[i]) {
			i++
			continue
		}
		if lines[i].kind == kindContext {
			p.pair(&lines[i], &lines[i], left, right)
			i++
			continue
		}
		removed, added := block(lines[i:])
		for k := range max(removed, added) {
			var a, b *line
			if k < removed {
				a = &lines[i+k]
			}
			if k < added {
				b = &lines[i+removed+k]
			}
			p.pair(a, b, left, right)
		}
		i += removed + added
	}
}

// pair adds the rows of two lines beside each other; either may be missing.
func (p *painter) pair(a, b *line, left, right int) {
	l, r := p.half(a, true, left), p.half(b, false, right)
	for i := range max(len(l), len(r)) {
		row := flow.Row{Lead: p.digits + 3, Bars: []int{left}}
		text := strings.Repeat(" ", left)
		if i < len(l) {
			text = style.Pad(l[i].Text, left)
		}
		text += strings.Repeat(" ", gap)
		if i < len(r) {
			text += r[i].Text
		}
		row.Text = strings.TrimRight(style.Cut(text, p.width), " ")
		p.out.Rows = append(p.out.Rows, row)
	}
}

func (p *painter) half(l *line, old bool, width int) []flow.Row {
	if l == nil {
		return nil
	}
	no := l.new
	if old {
		no = l.old
	}
	margin := number(no, p.digits) + " "
	rows := p.line(*l, width-len(margin))
	for i := range rows {
		if i > 0 {
			margin = strings.Repeat(" ", len(margin))
		}
		rows[i] = rows[i].Indent(p.o.Styles.LineNumber.Render(margin), len(margin))
	}
	return rows
}

// header adds the rows of a line that belongs to no file.
func (p *painter) header(l line) bool {
	paint := p.o.Styles.Muted
	switch l.kind {
	case kindHunk:
		paint = p.o.Styles.Hunk
	case kindFile:
		paint = p.o.Styles.Bold
	case kindNote, kindFold:
	default:
		return false
	}
	for _, row := range flow.Wrap(strings.ReplaceAll(l.text, "\t", " "), p.width, p.o.Bidi) {
		row = row.Paint(paint)
		row.Rule = l.kind == kindFold
		p.out.Rows = append(p.out.Rows, row)
	}
	return true
}

// line paints one line with its sign, over as many rows as it needs. With
// colour a changed row is filled, so that its background makes a block.
func (p *painter) line(l line, width int) []flow.Row {
	look := p.look(l.kind)
	room := max(width-2, 1)
	rows := flow.Fold(p.text(l, look), room, p.o.Bidi)
	fill := p.o.Styles.Color && (l.kind == kindAdded || l.kind == kindRemoved)
	sign := look.sign
	for i, row := range rows {
		if fill {
			row.Text += look.text.Render(strings.Repeat(" ", max(room-style.Width(row.Text), 0)))
		}
		rows[i] = row.Indent(look.text.Render(sign+" "), 2)
		sign = " "
	}
	return rows
}

// text paints a line's text: the code's colours, and over them what changed.
func (p *painter) text(l line, look look) string {
	var out, run strings.Builder
	var now style.Style
	flush := func() {
		out.WriteString(now.Render(run.String()))
		run.Reset()
	}
	column := 0
	code := runs{line: l.code}
	for it := graphemes.FromString(l.text); it.Next(); {
		text, w := it.Value(), 1
		switch {
		case text == "\t":
			w = tabWidth - column%tabWidth
			text = strings.Repeat(" ", w)
		case len(text) > 1:
			w = style.Width(text)
		}
		paint := look.text
		switch {
		case it.Start() >= l.from && it.End() <= l.to:
			paint = look.mark
		case look.code && l.code != nil:
			paint = paint.With(code.at(it.Start()))
		}
		if paint != now {
			flush()
			now = paint
		}
		run.WriteString(text)
		column += w
	}
	flush()
	return out.String()
}

// runs finds the style of a place in a line of code, from left to right.
type runs struct {
	line  syntax.Line
	start int // where the first run begins
}

func (r *runs) at(offset int) style.Style {
	for len(r.line) > 0 && offset >= r.start+len(r.line[0].Text) {
		r.start += len(r.line[0].Text)
		r.line = r.line[1:]
	}
	if len(r.line) == 0 {
		return style.Style{}
	}
	return r.line[0].Style
}

func number(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}
