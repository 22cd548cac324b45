package picker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Shares of the height.
const (
	introPart = 3  // the intro takes at most a third
	panePart  = 4  // what is said of the selected item a quarter
	moreRows  = 4  // for what is said of the selected item
	spacious  = 8  // rows from which on there is room for that
	roomy     = 14 // and for a sample
	gap       = 2  // columns between columns
	narrowest = 6  // of the first cell
)

const now = "  ← current"

// none is a cell for which there is nothing to say.
const none = "–"

// widths are the columns that the items' parts take.
type widths struct {
	title int // with lead
	cells []int
	// beside says that there are items with cells and details. Where there are
	// none, details stand where the cells of others do.
	beside bool
}

// widest bounds the titles' column, so that one long title doesn't push the
// other columns out.
const widest = 60

func widthsOf(items []Item) widths {
	var w widths
	for _, it := range items {
		w.beside = w.beside || len(it.Cells) > 0 && it.Detail != ""
		// No text has more columns than bytes: most need not be measured.
		if n := len(it.Lead) + len(it.Before) + 1 + len(it.Title); n > w.title && w.title < widest {
			w.title = max(w.title, min(it.width(), widest))
		}
		for n, c := range it.Cells {
			if n == len(w.cells) {
				w.cells = append(w.cells, 0)
			}
			if len(c) > w.cells[n] {
				w.cells[n] = max(w.cells[n], style.Width(c))
			}
		}
	}
	return w
}

// View returns at most height rows, joined by line feeds, none wider than width.
func (p *Picker) View(width, height int) string {
	width, height = max(width, 1), max(height, 1)
	s := p.o.Styles
	var rows []string
	noted := p.o.Note == ""
	if height > 2 {
		var rule string
		rule, noted = inset.Rule(s, p.o.Title, p.o.Note, width, p.bidi)
		rows = append(rows, rule)
	}
	foot := 1 // the filter
	if height > 3 {
		foot++
	}
	if p.o.Sample != nil && height >= roomy {
		rows = append(rows, p.o.Sample(s, width)...)
	}
	rows = append(rows, p.introRows(width, (height-len(rows)-foot)/introPart)...)
	room := max(height-len(rows)-foot, 0)
	pane := 0
	if height >= spacious {
		pane = min(p.paneRows(width), room/panePart)
	}
	p.page = max(room-pane, 1)
	p.scroll()

	list := p.list(width, room-pane)
	p.first, p.shown = len(rows), len(list)
	rows = append(rows, list...)
	if pane > 0 {
		rows = append(rows, p.pane(width, pane)...)
	}
	p.caret.y = len(rows)
	rows = append(rows, p.filterRow(width))
	if foot > 1 {
		rows = append(rows, p.foot(width, noted))
	}
	return strings.Join(rows, "\n")
}

// list is the part of the list that is on the screen, in at most that many
// rows.
func (p *Picker) list(width, limit int) []string {
	columns := p.columns(width)
	rows := make([]string, max(min(limit, len(p.lines)-p.top), 0))
	for n := range rows {
		if line := p.lines[p.top+n]; line < 0 {
			rows[n] = p.o.Styles.Bold.Render(inset.Parts(style.Cut(p.items[p.found[^line]].Group, width), p.bidi))
		} else {
			rows[n] = p.row(line, width, columns)
		}
	}
	return rows
}

// filterRow is what has been typed, or that one can.
func (p *Picker) filterRow(width int) string {
	s, mark := p.o.Styles, style.Cut("› ", width)
	room := max(width-style.Width(mark)-1, 0)
	filter := tail(p.filter, room)
	p.caret.x = min(style.Width(mark+filter), width-1)
	if p.bidi.Reorder && flow.RightToLeft(filter) { // it goes on at its left
		p.caret.x = min(style.Width(mark), width-1)
	}
	if !strings.HasSuffix(filter, " ") {
		filter = inset.Text(filter, p.bidi)
	}
	row := s.Accent.Render(mark) + s.Text.Render(filter)
	if p.filter == "" {
		row += s.Muted.Render(style.Cut("type to filter", room))
	}
	return style.Cut(row, width)
}

// introRows are the part of the intro that is on the screen, the last row
// telling that there is more.
func (p *Picker) introRows(width, limit int) []string {
	p.more = 0
	text := p.o.Intro
	if style.Width(p.o.Title) > style.TitleRoom(width) { // the rule has a part of it
		text = strings.TrimRight(p.o.Title+"\n"+text, "\n")
	}
	if text == "" || limit < 1 {
		return nil
	}
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, row := range inset.Prose(line, width, p.bidi) {
			rows = append(rows, p.o.Styles.Text.Render(row.Text))
		}
	}
	if len(rows) > limit {
		page := max(limit-1, 1)
		p.intro = min(p.intro, len(rows)-page)
		p.more = len(rows) - page - p.intro
		note := fmt.Sprintf("rows %d–%d of %d · %s", p.intro+1, p.intro+page, len(rows), p.o.Keys.Pair(keymap.TextUp, keymap.TextDown))
		rows = rows[p.intro : p.intro+page]
		if limit > 1 {
			rows = append(slices.Clip(rows), p.o.Styles.Warning.Render(style.Cut(note, width)))
		}
	}
	return rows
}

// scroll moves the list so that the selected item is on the screen, with the
// heading of its group if that is right above it.
func (p *Picker) scroll() {
	line := slices.Index(p.lines, p.at)
	if line < 0 {
		p.top = 0
		return
	}
	first := line
	if first > 0 && p.lines[first-1] < 0 && p.page > 1 {
		first--
	}
	p.top = min(max(p.top, line-p.page+1), first)
	p.top = max(min(p.top, len(p.lines)-p.page), 0)
}

// columns are the widths of the title and of the cells that fit beside it.
func (p *Picker) columns(width int) []int {
	columns := []int{p.wide.title}
	room := width - 2 - min(p.wide.title, max(width/2, 12))
	for _, c := range p.wide.cells {
		if room -= gap; c > room {
			if len(columns) == 1 && room >= narrowest {
				columns = append(columns, room) // the pane has it whole
			}
			break
		}
		room -= c
		columns = append(columns, c)
	}
	for _, c := range columns[1:] {
		width -= c + gap
	}
	columns[0] = max(min(p.wide.title, width-2), 1)
	return columns
}

func (p *Picker) row(i, width int, columns []int) string {
	it := p.items[p.found[i]]
	s, selected := p.o.Styles, i == p.at && !p.items[p.found[i]].Disabled
	mark := "  "
	switch {
	case selected:
		mark = "› "
	case it.Current:
		mark = "• "
	}
	cells := ""
	if len(it.Cells) > 0 || p.wide.beside {
		cells = p.cells(it, columns)
	}
	text := p.head(it, mark, width-style.Width(cells), columns)
	rest := cells
	if it.Detail == "" {
		rest = strings.TrimRight(rest, " ")
	}
	if it.Current && style.Width(text+rest)+style.Width(now) <= width {
		rest += now
	}
	if room := width - style.Width(text+rest) - gap; it.Detail != "" && room > 3 {
		rest += strings.Repeat(" ", gap) + inset.Text(style.Cut(it.Detail, room), p.bidi)
	}
	rest = style.Cut(strings.TrimRight(rest, " "), width-style.Width(text))
	if rest == "" {
		text = strings.TrimRight(text, " ")
	}
	switch {
	case selected:
		return s.Selected.Render(style.Pad(text+rest, width))
	case it.Disabled || it.Dim:
		return s.Muted.Render(text + rest)
	}
	return s.Text.Render(text) + s.Muted.Render(rest)
}

// head is a row up to its cells, in at most that many columns.
func (p *Picker) head(it Item, mark string, width int, columns []int) string {
	lead := style.Cut(mark+it.lead(p.bidi), width)
	room := width - style.Width(lead)
	if len(columns) > 1 {
		room = min(room, columns[0]+style.Width(mark)-style.Width(lead))
	}
	text := lead + inset.Text(style.Cut(it.Title, room), p.bidi)
	if len(columns) > 1 || it.Detail != "" && it.width() < columns[0] && p.aligned() {
		return style.Pad(text, min(width, columns[0]+style.Width(mark)))
	}
	return text
}

// lead is what stands before an item's title.
func (it Item) lead(b flow.Bidi) string {
	if it.Before == "" {
		return it.Lead
	}
	return it.Lead + inset.Text(it.Before, b) + " "
}

// width is how many columns an item's title takes, with what stands before it.
func (it Item) width() int { return style.Width(it.lead(flow.Bidi{}) + it.Title) }

// cells are an item's columns after the title.
func (p *Picker) cells(it Item, columns []int) string {
	var cells strings.Builder
	for n, c := range columns[1:] {
		cell := ""
		if n < len(it.Cells) {
			cell = inset.Text(style.Cut(it.Cells[n], c), p.bidi)
		}
		blank := strings.Repeat(" ", c-style.Width(cell))
		cells.WriteString(strings.Repeat(" ", gap))
		if slices.Contains(p.o.Numbers, n) {
			cells.WriteString(blank + cell)
		} else {
			cells.WriteString(cell + blank)
		}
	}
	return cells.String()
}

// aligned reports whether details stand in a column of their own: where the
// titles are short enough for it.
func (p *Picker) aligned() bool { return p.wide.title <= widest/2 }

// need is how many rows the pane takes at one width.
type need struct{ width, rows int }

// paneRows is how many rows the pane needs for the shown item with most to say,
// so that the list doesn't jump while the selection moves.
func (p *Picker) paneRows(width int) int {
	if p.tall.width == width {
		return p.tall.rows
	}
	columns := p.columns(width)
	p.tall = need{width: width}
	for _, n := range p.found {
		if p.tall.rows == moreRows {
			break
		}
		// Most have nothing; no text has more columns than bytes.
		text := p.said(p.items[n], width, columns)
		if text == "" || p.tall.rows > 0 && len(text) < width && !strings.Contains(text, "\n") {
			continue
		}
		p.tall.rows = max(p.tall.rows, len(inset.Rows(text, max(width-2, 1), moreRows, p.bidi)))
	}
	return p.tall.rows
}

// said is what an item's row has no room for, and more of it.
func (p *Picker) said(it Item, width int, columns []int) string {
	room := width - 2 - style.Width(it.lead(p.bidi))
	for _, c := range columns[1:] {
		room -= c + gap
	}
	var whole []string
	if style.Width(it.Title) > room || len(columns) > 1 && it.width() > columns[0] {
		whole = append(whole, it.Title)
	}
	for n, cell := range it.Cells {
		if cell != none && (n+1 >= len(columns) || style.Width(cell) > columns[n+1]) {
			whole = append(whole, cell)
		}
	}
	if taken := style.Width(it.Title) + 2*gap + style.Width(it.Detail); it.Detail != "" && it.More == "" && taken > room {
		whole = append(whole, it.Detail)
	}
	between := "  "
	if slices.ContainsFunc(whole, flow.HasRTL) { // each in its own direction
		between = "\n"
	}
	return strings.Trim(strings.Join(whole, between)+"\n"+it.More, "\n")
}

// pane tells of the selected item in exactly that many rows.
func (p *Picker) pane(width, height int) []string {
	it, _ := p.Selected()
	out := make([]string, height)
	for i, row := range inset.Rows(p.said(it, width, p.columns(width)), max(width-2, 1), height, p.bidi) {
		if row != "" {
			out[i] = style.Cut("  "+p.o.Styles.Muted.Render(row), width)
		}
	}
	return out
}

func (p *Picker) foot(width int, noted bool) string {
	text := "  " + p.count()
	if p.o.Note != "" && !noted {
		text += " · " + p.o.Note
	}
	if p.o.Hint != "" {
		text += " · " + p.o.Hint
	}
	return p.o.Styles.Muted.Render(inset.Parts(style.Cut(text, width), p.bidi))
}

func (p *Picker) count() string {
	switch {
	case len(p.items) == 0:
		return "nothing to choose from"
	case len(p.found) == 0:
		return fmt.Sprintf("nothing matches, of %d", len(p.items))
	case len(p.found) < len(p.items):
		return fmt.Sprintf("%d of %d", len(p.found), len(p.items))
	case len(p.lines) > p.page:
		return fmt.Sprintf("%d of %d", p.at+1, len(p.items))
	}
	return fmt.Sprintf("%d in all", len(p.items))
}
