package diff

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// painter turns lines into rows of one width.
type painter struct {
	o      Options
	width  int
	digits int
	rows   []string
}

// look is how a kind of line is painted.
type look struct {
	sign       string
	text, mark style.Style
}

func (p *painter) look(k kind) look {
	s := p.o.Styles
	switch k {
	case kindAdded:
		return look{"+", s.Added, s.AddedMark}
	case kindRemoved:
		return look{"-", s.Removed, s.RemovedMark}
	}
	return look{" ", s.Text, s.Text}
}

// unified shows all lines in one column: numbers, sign, text.
func (p *painter) unified(lines []line) []string {
	numbers := p.width >= numbersWidth
	gutter := 0
	if numbers {
		gutter = 2*p.digits + 2
	}
	for _, l := range lines {
		if p.header(l) {
			continue
		}
		margin := ""
		if numbers {
			margin = fmt.Sprintf("%s %s ", number(l.old, p.digits), number(l.new, p.digits))
		}
		for i, row := range p.line(l, p.width-gutter) {
			if i > 0 {
				margin = strings.Repeat(" ", gutter)
			}
			row = p.o.Styles.LineNumber.Render(margin) + row
			if p.width-gutter < 2+tabWidth { // the sign and the widest cell
				row = style.Cut(row, p.width)
			}
			p.rows = append(p.rows, strings.TrimRight(row, " "))
		}
	}
	return p.rows
}

// sideBySide shows the old file left and the new one right. Changed lines
// stand beside each other in their order.
func (p *painter) sideBySide(lines []line) []string {
	const gap = 2
	left := (p.width - gap) / 2
	right := p.width - gap - left
	for i := 0; i < len(lines); {
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
	return p.rows
}

// pair adds the rows of two lines beside each other; either may be missing.
func (p *painter) pair(a, b *line, left, right int) {
	l, r := p.half(a, true, left), p.half(b, false, right)
	for i := range max(len(l), len(r)) {
		row := strings.Repeat(" ", left)
		if i < len(l) {
			row = style.Pad(l[i], left)
		}
		row += "  "
		if i < len(r) {
			row += r[i]
		}
		p.rows = append(p.rows, strings.TrimRight(style.Cut(row, p.width), " "))
	}
}

func (p *painter) half(l *line, old bool, width int) []string {
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
		rows[i] = p.o.Styles.LineNumber.Render(margin) + rows[i]
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
	case kindNote:
	default:
		return false
	}
	for _, row := range style.Wrap(strings.ReplaceAll(l.text, "\t", " "), p.width) {
		p.rows = append(p.rows, paint.Render(row))
	}
	return true
}

// line paints one line with its sign, over as many rows as it needs. With
// colour a changed row is filled, so that its background makes a block.
func (p *painter) line(l line, width int) []string {
	look := p.look(l.kind)
	room := max(width-2, 1)
	var rows []string
	var row, run strings.Builder
	marked, used, column := false, 0, 0
	flush := func() {
		paint := look.text
		if marked {
			paint = look.mark
		}
		row.WriteString(paint.Render(run.String()))
		run.Reset()
	}
	endRow := func() {
		flush()
		if p.o.Styles.Color && (l.kind == kindAdded || l.kind == kindRemoved) {
			row.WriteString(look.text.Render(strings.Repeat(" ", max(room-used, 0))))
		}
		sign := look.sign
		if len(rows) > 0 {
			sign = " "
		}
		rows = append(rows, look.text.Render(sign+" ")+row.String())
		row.Reset()
		used = 0
	}
	for it := graphemes.FromString(l.text); it.Next(); {
		text, w := it.Value(), 1
		switch {
		case text == "\t":
			w = tabWidth - column%tabWidth
			text = strings.Repeat(" ", w)
		case len(text) > 1:
			w = style.Width(text)
		}
		if used+w > room && used > 0 {
			endRow()
		}
		if in := it.Start() >= l.from && it.End() <= l.to; in != marked {
			flush()
			marked = in
		}
		run.WriteString(text)
		used += w
		column += w
	}
	endRow()
	return rows
}

func number(n, digits int) string {
	if n == 0 {
		return strings.Repeat(" ", digits)
	}
	return fmt.Sprintf("%*d", digits, n)
}
