package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Tables are laid out here: each cell is painted by itself and wrapped to its
// column. Where the columns would get too narrow to read, each row becomes a
// record of lines "head: cell".

// columnsMax bounds the columns of a table; one with more stays text.
const columnsMax = 100

// grid is a table that has been read.
type grid struct {
	align []byte       // 'l', 'c' or 'r' of each column
	rows  [][][]string // painted lines of each cell; the first row is the head
}

// isTable reports whether the first two lines are a table's head and the line
// below it.
func isTable(lines []string) bool {
	if len(lines) < 2 || !strings.Contains(lines[0], "|") || !strings.Contains(lines[1], "|") || !strings.Contains(lines[1], "-") {
		return false
	}
	under := cells(lines[1])
	for _, c := range under {
		if _, ok := alignment(c); !ok {
			return false
		}
	}
	return len(under) == len(cells(lines[0])) && len(under) <= columnsMax
}

// alignment reads a cell of the line below the head.
func alignment(cell string) (byte, bool) {
	bare := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
	if bare == "" || strings.Trim(bare, "-") != "" {
		return 0, false
	}
	switch left, right := cell[0] == ':', cell[len(cell)-1] == ':'; {
	case left && right:
		return 'c', true
	case right:
		return 'r', true
	}
	return 'l', true
}

// cells cuts a line of a table at its bars, but for those behind a backslash.
func cells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	var out []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" || !strings.HasSuffix(line, "|") {
		out = append(out, rest)
	}
	return out
}

func (r *Renderer) tableRows(text string, width int) []flow.Row {
	lines := strings.Split(text, "\n")
	var g grid
	for _, c := range cells(lines[1]) {
		a, _ := alignment(c)
		g.align = append(g.align, a)
	}
	for i, line := range lines {
		if i == 1 {
			continue
		}
		row := make([][]string, len(g.align))
		for k, c := range cells(line) {
			if k == len(row) { // more than the head has: nothing is lost
				row[k-1] = append(row[k-1], r.cell(c)...)
				break
			}
			row[k] = r.cell(c)
		}
		g.rows = append(g.rows, row)
	}
	if widths := g.fit(width); widths != nil && (r.Bidi.Reorder || !g.adjacentRTL()) {
		return r.columns(g, widths)
	}
	return r.records(g, width)
}

// cell paints the lines of a cell; <br> parts them.
func (r *Renderer) cell(text string) []string {
	var lines []string
	for _, part := range breaks(text) {
		if isPlain(part) {
			lines = append(lines, r.styles.Text.Render(part))
			continue
		}
		// The mark keeps "- x" and "# x" from being a list and a heading.
		painted, ok := r.painted(string(cellMark) + part)
		if !ok {
			painted = []string{r.styles.Text.Render(part)}
		}
		for _, line := range painted {
			lines = append(lines, strings.Replace(line, string(cellMark), "", 1))
		}
	}
	return lines
}

const cellMark = '\uf8f2'

// breaks cuts a cell at each <br> outside code.
func breaks(text string) []string {
	var parts []string
	start, inCode := 0, false
	for i := 0; i < len(text); i++ {
		switch n := lineBreak(text[i:]); {
		case text[i] == '`':
			inCode = !inCode
		case n > 0 && !inCode:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + n
			i += n - 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

const (
	bar     = " │ "
	barWide = 3
	// A column that is narrower than its text has at least columnMin columns,
	// and room for its words up to wordMin.
	columnMin = 8
	wordMin   = 14
)

// fit returns the widths of the columns, or nil if they would be too narrow:
// the widest give way until the table fits.
func (g grid) fit(width int) []int {
	widths, words := make([]int, len(g.align)), make([]int, len(g.align))
	room := width - barWide*(len(widths)-1)
	for _, row := range g.rows {
		for i, c := range row {
			for _, line := range c {
				widths[i] = max(widths[i], style.Width(line), 1)
				words[i] = max(words[i], longestWord(ansi.Strip(line)))
			}
		}
	}
	most := share(widths, room)
	for i := range widths {
		if widths[i] <= most {
			continue
		}
		if most < columnMin || most < wordMin && words[i] > most {
			return nil
		}
		widths[i] = most
	}
	return widths
}

// share finds how wide a column may be for all to fit.
func share(widths []int, room int) int {
	sorted := slices.Sorted(slices.Values(widths))
	for i, w := range sorted {
		left := len(sorted) - i
		if w*left > room {
			return room / left
		}
		room -= w
	}
	return room + sorted[len(sorted)-1]
}

// longestWord measures the longest run that can't be wrapped.
func longestWord(text string) int {
	longest := 0
	for word := range strings.FieldsSeq(text) {
		if w := style.Width(word); w < 2*len([]rune(word)) { // no Chinese
			longest = max(longest, w)
		}
	}
	return longest
}

// adjacentRTL reports whether two cells beside each other have right-to-left
// text: a terminal that reorders rows would swap them.
func (g grid) adjacentRTL() bool {
	for _, row := range g.rows {
		before := false
		for _, c := range row {
			now := slices.ContainsFunc(c, flow.HasRTL)
			if now && before {
				return true
			}
			before = now
		}
	}
	return false
}

// columns lays out a table whose cells stand beside each other.
func (r *Renderer) columns(g grid, widths []int) []flow.Row {
	var bars []int
	at := 0
	var under []string
	for i, w := range widths {
		if i > 0 {
			bars = append(bars, at+1)
			at += barWide
		}
		at += w
		under = append(under, strings.Repeat("─", w))
	}
	var rows []flow.Row
	for i, row := range g.rows {
		cols := make([][]flow.Row, len(widths))
		height := 1
		for k, c := range row {
			for _, line := range c {
				if i == 0 {
					line = bold(line, r.styles)
				}
				cols[k] = append(cols[k], r.wrap(line, widths[k])...)
			}
			height = max(height, len(cols[k]))
		}
		for y := range height {
			rows = append(rows, r.tableRow(g, cols, widths, bars, y))
		}
		if i == 0 {
			rows = append(rows, flow.Row{Text: r.styles.Border.Render(strings.Join(under, "─┼─")), Rule: true})
		}
	}
	return rows
}

// tableRow puts row y of each cell beside the others.
func (r *Renderer) tableRow(g grid, cols [][]flow.Row, widths, bars []int, y int) flow.Row {
	row := flow.Row{Bars: bars}
	for _, c := range cols {
		row.RTL = row.RTL || y < len(c) && c[y].RTL
	}
	line := r.styles.Border.Render(bar)
	if row.RTL || r.styles.Border.Plain() {
		line = bar
	}
	if row.RTL { // a bar would jump
		line, row.Bars = strings.Repeat(" ", barWide), nil
	}
	var b strings.Builder
	for k, c := range cols {
		if k > 0 {
			b.WriteString(line)
		}
		text := ""
		if y < len(c) {
			text = c[y].Text
		}
		gap := widths[k] - style.Width(text)
		left := 0
		switch g.align[k] {
		case 'r':
			left = gap
		case 'c':
			left = gap / 2
		}
		b.WriteString(strings.Repeat(" ", max(left, 0)) + text)
		if k < len(cols)-1 {
			b.WriteString(strings.Repeat(" ", max(gap-left, 0)))
		}
	}
	row.Text = strings.TrimRight(b.String(), " ")
	return row
}

// records lays out a table as one block of lines for each row.
func (r *Renderer) records(g grid, width int) []flow.Row {
	var rows []flow.Row
	hang := 2
	if width < 12 {
		hang = 0
	}
	body := g.rows[1:]
	if len(body) == 0 {
		body = g.rows
	}
	for i, record := range body {
		if i > 0 {
			rows = append(rows, flow.Row{Text: r.styles.Border.Render(strings.Repeat("─", min(width, 24))), Rule: true})
		}
		for k, c := range record {
			if len(c) == 0 || strings.Join(c, "") == "" {
				continue
			}
			name := strings.Join(g.rows[0][k], " ")
			if name != "" && len(g.rows) > 1 {
				c = append([]string{bold(name, r.styles) + ": " + c[0]}, c[1:]...)
			}
			first := true
			for _, line := range c {
				for _, row := range r.wrap(line, max(width-hang, 1)) {
					if !first {
						row = row.Indent(strings.Repeat(" ", hang), hang)
					}
					rows = append(rows, row)
					first = false
				}
			}
		}
	}
	return rows
}

// bold paints a line that may be painted already.
func bold(line string, s style.Styles) string {
	return flow.Mark(line, []flow.Span{{From: 0, To: style.Width(line), Style: s.Text.With(s.Bold)}})
}
