// Package picker is a list to choose from, filtered while one types: models,
// sessions, branches, settings, the options of a question.
//
//	key ──▶ Update ──▶ filter, place ──▶ View(width, height)
//	                └▶ Result: the chosen item, a key of the owner's, or cancelled
//
// From top to bottom a view has the title with the filter, a text that says
// what is chosen, the part of the list around the selection, what is to be
// said of the selected item, and a row of counts and keys. What has no room
// goes, the list last.
package picker

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Options configure a Picker. Texts are cleaned here.
type Options struct {
	Title  string
	Note   string // at the end of the first row: who asks
	Intro  string // above the list; may have many lines
	Hint   string // in the last row: what other keys do
	Styles style.Styles
	// Ordered keeps the items' order under a filter; else the best come first.
	Ordered bool
	// Keys are the strokes that the owner handles, as tea.Key.Keystroke has them.
	Keys []string
}

// Item is one row of the list.
type Item struct {
	ID     string
	Lead   string // before the title, not searched: the lines of a tree
	Title  string
	Cells  []string // columns after the title, the most wanted first; searched
	Detail string   // after them, muted; searched
	Group  string   // heads the items that follow each other with the same one
	// More is shown below the list while the item is selected.
	More     string
	Current  bool // marked as the one that holds now
	Dim      bool // muted: it can be selected, but there is something about it
	Disabled bool // shown, but the selection passes over it
}

// Result is how the picker ended, or which key is for the owner.
type Result struct {
	Item      Item // the selected one; zero when there is none
	Key       string
	Cancelled bool
}

// Picker is a filtered list. It is not safe for concurrent use.
type Picker struct {
	o      Options
	items  []Item
	texts  []string // what is searched, by item, in lower case
	wide   widths
	filter string
	found  []int // shown items
	lines  []int // rows of the list: an index in found, or ^index for its group's heading
	at     int   // the selected one, in found
	top    int   // first row on the screen, in lines
	page   int   // rows of the list in the last View
	intro  int   // first row of the intro on the screen
	more   int   // rows of the intro beyond the screen
	most   int   // rows that the list had at its longest
	caret  struct{ x, y int }
}

// New returns a picker with the first item that can be chosen selected.
func New(o Options, items []Item) *Picker {
	o.Title, o.Note, o.Hint = sanitize.Line(o.Title), sanitize.Line(o.Note), sanitize.Line(o.Hint)
	o.Intro = sanitize.Tabs(sanitize.Text(o.Intro), 4)
	p := &Picker{o: o, page: 1}
	p.SetItems(items)
	return p
}

// SetItems replaces the list. The filter stays, and so does the selection if
// its ID is still there.
func (p *Picker) SetItems(items []Item) {
	selected, had := p.Selected()
	p.items = slices.Clone(items)
	p.texts = make([]string, len(items))
	for i := range p.items {
		it := &p.items[i]
		it.Title, it.Detail, it.Group = sanitize.Line(it.Title), sanitize.Line(it.Detail), sanitize.Line(it.Group)
		it.More = sanitize.Tabs(sanitize.Text(it.More), 4)
		it.Cells = slices.Clone(it.Cells)
		for n := range it.Cells {
			it.Cells[n] = sanitize.Line(it.Cells[n])
		}
		p.texts[i] = strings.ToLower(strings.Join(append([]string{it.Title, it.Detail, it.Group}, it.Cells...), " "))
	}
	p.wide = widthsOf(p.items)
	p.search()
	if had {
		p.Select(selected.ID)
	}
}

// maxFilter bounds the filter in bytes: a paste may be of any size.
const maxFilter = 400

// SetFilter sets the text that filters the list; of a long one the beginning.
func (p *Picker) SetFilter(text string) {
	if len(text) > maxFilter {
		text = strings.ToValidUTF8(text[:maxFilter], "")
	}
	p.filter = sanitize.Line(text)
	p.search()
}

// Filter returns the text that filters the list.
func (p *Picker) Filter() string { return p.filter }

// SetHint changes what the last row says of keys.
func (p *Picker) SetHint(hint string) { p.o.Hint = sanitize.Line(hint) }

// SetTitle changes the title.
func (p *Picker) SetTitle(title string) { p.o.Title = sanitize.Line(title) }

// SetNote changes what stands at the end of the first row.
func (p *Picker) SetNote(note string) { p.o.Note = sanitize.Line(note) }

// SetStyles changes the colours.
func (p *Picker) SetStyles(s style.Styles) { p.o.Styles = s }

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

// Update handles one key. It reports true when the picker is done, or when the
// key is one of the owner's.
func (p *Picker) Update(key tea.KeyPressMsg) (Result, bool) {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	stroke := key.Keystroke()
	if slices.Contains(p.o.Keys, stroke) {
		it, _ := p.Selected()
		return Result{Item: it, Key: stroke}, true
	}
	if key.Text != "" && key.Mod&^tea.ModShift == 0 {
		p.SetFilter(p.filter + key.Text)
		return Result{}, false
	}
	switch stroke {
	case "esc", "ctrl+c":
		return Result{Cancelled: true}, true
	case "enter":
		if it, ok := p.Selected(); ok {
			return Result{Item: it}, true
		}
	case "up", "ctrl+p", "shift+tab":
		p.Move(-1)
	case "down", "ctrl+n", "tab":
		p.Move(+1)
	case "pgup":
		p.Move(-p.page)
	case "pgdown":
		p.Move(+p.page)
	case "home":
		p.Move(-len(p.found))
	case "end":
		p.Move(+len(p.found))
	case "shift+up":
		p.intro = max(p.intro-1, 0)
	case "shift+down":
		p.intro += min(p.more, 1)
	case "backspace":
		if p.filter != "" {
			p.SetFilter(dropLast(p.filter))
		}
	case "ctrl+w", "alt+backspace":
		rest := strings.TrimRight(p.filter, " ")
		p.SetFilter(rest[:strings.LastIndexByte(rest, ' ')+1])
	case "ctrl+u":
		p.SetFilter("")
	}
	return Result{}, false
}

// Paste adds pasted text to the filter.
func (p *Picker) Paste(text string) { p.SetFilter(p.filter + text) }

// Move moves the selection by that many items; it stops at both ends.
func (p *Picker) Move(by int) {
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

// Cursor returns the caret's place in the last View: the end of the filter.
func (p *Picker) Cursor() (x, y int) { return p.caret.x, p.caret.y }
