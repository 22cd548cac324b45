// Package picker is a list to choose from, filtered while one types: models,
// sessions, files.
//
//	key ──▶ Update ──▶ filter, place ──▶ View(width, height)
//	                └▶ Result: the chosen item, or cancelled
package picker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Item is one row of the list.
type Item struct {
	ID       string
	Title    string
	Detail   string // shown after the title, muted; searched too
	Disabled bool   // shown, but cannot be chosen
}

// Result is how the picker ended.
type Result struct {
	Item      Item
	Cancelled bool
}

// Picker is a filtered list. It is not safe for concurrent use.
type Picker struct {
	title  string
	styles style.Styles
	items  []Item
	texts  []string // what is searched, by item
	filter string
	found  []int // shown items, best first
	at     int   // the chosen one, in found
	top    int   // first on the screen, in found
	page   int   // items on the screen in the last View
	caret  struct{ x, y int }
}

// New returns a picker with the first item that can be chosen selected.
func New(title string, items []Item, s style.Styles) *Picker {
	p := &Picker{title: sanitize.Line(title), styles: s, page: 1}
	p.SetItems(items)
	return p
}

// SetItems replaces the list, for one that is still being loaded. The filter
// stays, and so does the selection if its ID is still there.
func (p *Picker) SetItems(items []Item) {
	selected, had := p.Selected()
	p.items = slices.Clone(items)
	p.texts = make([]string, len(items))
	for i := range p.items {
		it := &p.items[i]
		it.Title, it.Detail = sanitize.Line(it.Title), sanitize.Line(it.Detail)
		p.texts[i] = it.Title + " " + it.Detail
	}
	p.search()
	if had {
		p.Select(selected.ID)
	}
}

// SetFilter sets the text that filters the list.
func (p *Picker) SetFilter(text string) {
	p.filter = sanitize.Line(text)
	p.search()
}

// Filter returns the text that filters the list.
func (p *Picker) Filter() string { return p.filter }

// Select moves to the item with this ID, if it is shown.
func (p *Picker) Select(id string) {
	for i, n := range p.found {
		if p.items[n].ID == id {
			p.at = i
			return
		}
	}
}

// Selected returns the selected item, if one can be chosen.
func (p *Picker) Selected() (Item, bool) {
	if p.at >= len(p.found) {
		return Item{}, false
	}
	it := p.items[p.found[p.at]]
	return it, !it.Disabled
}

// SetStyles changes the colours.
func (p *Picker) SetStyles(s style.Styles) { p.styles = s }

// search finds the items that have every word of the filter, best first.
func (p *Picker) search() {
	p.at, p.top = 0, 0
	words := strings.Fields(p.filter)
	if len(words) == 0 {
		p.found = every(len(p.items))
	} else {
		scores := make([]int, len(p.items))
		p.found = every(len(p.items))
		for _, word := range words {
			var left []int
			for _, m := range fuzzy.FindFromNoSort(word, subset{p.texts, p.found}) {
				i := p.found[m.Index]
				scores[i] += m.Score
				left = append(left, i)
			}
			p.found = left
		}
		slices.SortFunc(p.found, func(a, b int) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
		})
	}
	p.skip(+1)
}

func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// subset is the texts of some items, for the matcher.
type subset struct {
	texts []string
	of    []int
}

func (s subset) String(i int) string { return s.texts[s.of[i]] }
func (s subset) Len() int            { return len(s.of) }

// skip moves on over items that cannot be chosen, and back if there are none.
func (p *Picker) skip(step int) {
	for _, dir := range []int{step, -step} {
		for i := p.at; i >= 0 && i < len(p.found); i += dir {
			if !p.items[p.found[i]].Disabled {
				p.at = i
				return
			}
		}
	}
}

// Update handles one key. It reports true when the picker is done.
func (p *Picker) Update(key tea.KeyPressMsg) (Result, bool) {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	if key.Text != "" && key.Mod&^tea.ModShift == 0 {
		p.SetFilter(p.filter + key.Text)
		return Result{}, false
	}
	switch key.Keystroke() {
	case "esc", "ctrl+c":
		return Result{Cancelled: true}, true
	case "enter":
		if it, ok := p.Selected(); ok {
			return Result{Item: it}, true
		}
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
	case "down", "ctrl+n", "tab":
		p.move(+1)
	case "pgup":
		p.move(-p.page)
	case "pgdown":
		p.move(+p.page)
	case "home":
		p.move(-len(p.found))
	case "end":
		p.move(+len(p.found))
	case "backspace":
		if p.filter != "" {
			p.SetFilter(dropLast(p.filter))
		}
	case "ctrl+w", "alt+backspace":
		p.SetFilter(strings.TrimRight(p.filter, " ")[:strings.LastIndexByte(strings.TrimRight(p.filter, " "), ' ')+1])
	case "ctrl+u":
		p.SetFilter("")
	}
	return Result{}, false
}

// Paste adds pasted text to the filter.
func (p *Picker) Paste(text string) { p.SetFilter(p.filter + text) }

func (p *Picker) move(by int) {
	if len(p.found) == 0 {
		return
	}
	step := 1
	if by < 0 {
		step = -1
	}
	p.at = min(max(p.at+by, 0), len(p.found)-1)
	p.skip(step)
}

// View returns at most height rows, joined by line feeds: the title with the
// filter, then the part of the list around the selection, then how much of it
// there is. No row is wider than width.
func (p *Picker) View(width, height int) string {
	height = max(height, 1)
	head := p.title
	if head != "" {
		head += ": "
	}
	head = style.Cut(head, width/2)
	filter := tail(p.filter, max(width-style.Width(head)-1, 0))
	p.caret.x, p.caret.y = min(style.Width(head)+style.Width(filter), max(width-1, 0)), 0
	hint := ""
	if p.filter == "" {
		hint = style.Cut("type to filter", width-style.Width(head)-1)
	}
	rows := []string{style.Cut(p.styles.Accent.Render(head)+p.styles.Text.Render(filter)+p.styles.Muted.Render(hint), width)}

	p.page = max(height-2, 1)
	p.top = min(max(p.top, p.at-p.page+1), p.at)
	p.top = max(min(p.top, len(p.found)-p.page), 0)
	for i := p.top; i < min(p.top+p.page, len(p.found)) && len(rows) < height; i++ {
		rows = append(rows, p.row(i, width))
	}
	if len(rows) < height {
		rows = append(rows, p.styles.Muted.Render(style.Cut(p.count(), width)))
	}
	return strings.Join(rows, "\n")
}

func (p *Picker) row(i, width int) string {
	it := p.items[p.found[i]]
	mark := "  "
	if i == p.at && !it.Disabled {
		mark = "› "
	}
	text := style.Cut(mark+it.Title, width)
	detail := ""
	if room := width - style.Width(text) - 2; it.Detail != "" && room > 3 {
		detail = "  " + style.Cut(it.Detail, room)
	}
	switch {
	case it.Disabled:
		return p.styles.Muted.Render(text + detail)
	case i == p.at:
		return p.styles.Selected.Render(text + detail)
	}
	return p.styles.Text.Render(text) + p.styles.Muted.Render(detail)
}

func (p *Picker) count() string {
	switch {
	case len(p.items) == 0:
		return "  nothing to choose from"
	case len(p.found) == 0:
		return fmt.Sprintf("  nothing matches, of %d", len(p.items))
	case len(p.found) < len(p.items):
		return fmt.Sprintf("  %d of %d", len(p.found), len(p.items))
	case len(p.found) > p.page:
		return fmt.Sprintf("  %d–%d of %d", p.top+1, min(p.top+p.page, len(p.found)), len(p.items))
	}
	return fmt.Sprintf("  %d in all", len(p.items))
}

// Cursor returns the caret's place in the last View: the end of the filter.
func (p *Picker) Cursor() (x, y int) { return p.caret.x, p.caret.y }
