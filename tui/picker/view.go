package picker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Shares of the height.
const (
	introPart = 3 // the intro takes at most a third
	moreRows  = 3 // for what is said of the selected item
	spacious  = 8 // rows from which on there is room for that
	gap       = 2 // columns between columns
)

const now = "  ← current"

// widths are the columns that the items' parts take.
type widths struct {
	title int // with lead
	cells []int
	whole int  // of a row with everything
	more  bool // some item has More
}

// widest bounds the titles' column, so that one long title doesn't push the
// other columns out.
const widest = 60

func widthsOf(items []Item) widths {
	var w widths
	for _, it := range items {
		// No text has more columns than bytes: most need not be measured.
		if n := len(it.Lead) + len(it.Title); n > w.title && w.title < widest {
			w.title = max(w.title, min(style.Width(it.Lead+it.Title), widest))
		}
		row := it.Lead + it.Title + it.Detail
		for n, c := range it.Cells {
			if n == len(w.cells) {
				w.cells = append(w.cells, 0)
			}
			if len(c) > w.cells[n] {
				w.cells[n] = max(w.cells[n], style.Width(c))
			}
			row += c
		}
		if extra := gap * (2 + len(it.Cells)); len(row)+extra > w.whole {
			w.whole = max(w.whole, style.Width(row)+extra)
		}
		w.more = w.more || it.More != ""
	}
	return w
}

// View returns at most height rows, joined by line feeds, none wider than width.
func (p *Picker) View(width, height int) string {
	width, height = max(width, 1), max(height, 1)
	rows, noted := p.head(width, height)
	foot := 0
	if height > 2 {
		foot = 1
	}
	intro := p.introRows(width, (height-len(rows))/introPart)
	room := height - len(rows) - foot - len(intro)
	pane := 0
	if height >= spacious && (p.wide.more || p.wide.whole > width) {
		pane = min(moreRows, room/introPart)
	}
	p.page = max(room-pane, 1)
	p.scroll()

	rows = append(rows, intro...)
	rows = append(rows, p.list(width)...)
	if pane > 0 {
		rows = append(rows, p.pane(width, pane)...)
	}
	if foot > 0 {
		rows = append(rows, p.foot(width, noted))
	}
	return strings.Join(rows[:min(len(rows), height)], "\n")
}

// list is the part of the list that is on the screen. A filter makes it no
// shorter, so that nothing jumps while one types.
func (p *Picker) list(width int) []string {
	columns := p.columns(width)
	rows := make([]string, min(p.page, max(p.most, len(p.lines))))
	for n := range rows {
		if p.top+n >= len(p.lines) {
			break
		}
		if line := p.lines[p.top+n]; line < 0 {
			rows[n] = p.o.Styles.Bold.Render(style.Cut(p.items[p.found[^line]].Group, width))
		} else {
			rows[n] = p.row(line, width, columns)
		}
	}
	return rows
}

// head is the title with the filter, at its end the note. A title that takes
// more than half of a row has rows of its own, where there is room. noted says
// that the note is there.
func (p *Picker) head(width, height int) (rows []string, noted bool) {
	s := p.o.Styles
	title := p.o.Title
	if style.Width(title) > width/2-2 && height >= spacious {
		rows = style.Wrap(title, width)
		if len(rows) > 2 {
			rows = []string{rows[0], style.Cut(rows[1]+" "+rows[2], width)}
		}
		for i := range rows {
			rows[i] = s.Accent.Render(rows[i])
		}
		title = "›"
	} else if strings.TrimRight(title, "?!:.…؟？：。") == title && title != "" {
		title += ":"
	}
	title = style.Cut(title, width/2)
	if title != "" {
		title += " "
	}
	filter := tail(p.filter, max(width-style.Width(title)-1, 0))
	p.caret.x, p.caret.y = min(style.Width(title)+style.Width(filter), max(width-1, 0)), len(rows)
	row := s.Accent.Render(title) + s.Text.Render(filter)
	left := width - style.Width(title+filter) - 1
	if p.filter == "" {
		hint := style.Cut("type to filter", left)
		row += s.Muted.Render(hint)
		left -= style.Width(hint)
	}
	if note := style.Width(p.o.Note); note > 0 && note+gap <= left {
		row += strings.Repeat(" ", left-note+1) + s.Muted.Render(p.o.Note)
		noted = true
	}
	return append(rows, style.Cut(row, width)), noted
}

// introRows are the part of the intro that is on the screen, the last row
// telling that there is more.
func (p *Picker) introRows(width, limit int) []string {
	p.more = 0
	if p.o.Intro == "" || limit < 1 {
		return nil
	}
	rows := style.Wrap(p.o.Intro, width)
	for i := range rows {
		rows[i] = p.o.Styles.Text.Render(rows[i])
	}
	if len(rows) > limit {
		page := max(limit-1, 1)
		p.intro = min(p.intro, len(rows)-page)
		p.more = len(rows) - page - p.intro
		note := fmt.Sprintf("rows %d–%d of %d · Shift+↑/↓", p.intro+1, p.intro+page, len(rows))
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
		if room -= c + gap; room < 0 {
			break
		}
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
	s := p.o.Styles
	mark := "  "
	switch {
	case i == p.at && !it.Disabled:
		mark = "› "
	case it.Current:
		mark = "• "
	}
	title := it.Lead + it.Title
	cells := ""
	for n, c := range columns[1:] {
		cell := ""
		if n < len(it.Cells) {
			cell = it.Cells[n]
		}
		cells += strings.Repeat(" ", gap) + style.Pad(cell, c)
	}
	if len(columns) > 1 || it.Detail != "" && style.Width(title) < columns[0] && p.aligned() {
		title = style.Pad(title, columns[0])
	}
	text := style.Cut(mark+title, width-style.Width(cells))
	rest := strings.TrimRight(cells, " ")
	if it.Current && style.Width(text+rest)+style.Width(now) <= width {
		rest += now
	}
	if room := width - style.Width(text+rest) - gap; it.Detail != "" && room > 3 {
		rest += strings.Repeat(" ", gap) + style.Cut(it.Detail, room)
	}
	rest = style.Cut(strings.TrimRight(rest, " "), width-style.Width(text))
	if rest == "" {
		text = strings.TrimRight(text, " ")
	}
	switch {
	case i == p.at && !it.Disabled:
		return s.Selected.Render(text + rest)
	case it.Disabled || it.Dim:
		return s.Muted.Render(text + rest)
	}
	return s.Text.Render(text) + s.Muted.Render(rest)
}

// aligned reports whether details stand in a column of their own: where the
// titles are short enough for it.
func (p *Picker) aligned() bool { return p.wide.title <= widest/2 }

// pane tells what the selected item's row has no room for, and more of it, in
// exactly that many rows, so that the list doesn't jump.
func (p *Picker) pane(width, height int) []string {
	it, _ := p.Selected()
	columns := p.columns(width)
	room := width - 2 - style.Width(it.Lead)
	for _, c := range columns[1:] {
		room -= c + gap
	}
	var whole []string
	if style.Width(it.Title) > room || len(columns) > 1 && style.Width(it.Lead+it.Title) > columns[0] {
		whole = append(whole, it.Title)
	}
	whole = append(whole, it.Cells[min(len(it.Cells), len(columns)-1):]...)
	if taken := style.Width(it.Title) + 2*gap + style.Width(it.Detail); it.Detail != "" && it.More == "" && taken > room {
		whole = append(whole, it.Detail)
	}
	text := strings.Trim(strings.Join(whole, "  ")+"\n"+it.More, "\n")
	rows := style.Wrap(text, max(width-2, 1))
	if len(rows) > height {
		rows = rows[:height]
		rows[height-1] = style.Cut(rows[height-1]+" …", max(width-2, 1))
	}
	out := make([]string, height)
	for i, row := range rows {
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
	return p.o.Styles.Muted.Render(style.Cut(text, width))
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
