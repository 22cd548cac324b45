// Package picker is a list to choose from, filtered while one types: models,
// sessions, branches, settings, the options of a question.
//
//	key ──▶ Update ──▶ filter, place ──▶ View(width, height)
//	                └▶ Result: the chosen item, a key of the owner's, or cancelled
//
// From top to bottom a view has the title in a rule, a text that says what is
// chosen, the part of the list around the selection, what is to be said of the
// selected item, the filter, and a row of counts and keys. What has no room
// goes, the filter and the list last. The filter stands below the list, where
// the prompt was: it stays in its place when the list gets shorter.
package picker

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Options configure a Picker. Texts are cleaned here.
type Options struct {
	Title  string
	Note   string // at the end of the first row: who asks
	Intro  string // above the list; may have many lines
	Hint   string // in the last row: what other keys do
	Styles style.Styles
	// Sample, if set, draws rows between the title and the list, where there is
	// room for them.
	Sample func(s style.Styles, width int) []string
	// Ordered keeps the items' order under a filter; else the best come first.
	Ordered bool
	// Numbers are the cells whose texts are set flush right.
	Numbers []int
	Keys    *keymap.Map // what keys do; default keymap.Default()
	// Own is the context of the actions that the owner handles; "" has none.
	Own keymap.Context
}

// Item is one row of the list.
type Item struct {
	ID     string
	Lead   string // at the start, not searched: the lines of a tree
	Before string // before the title: who says it; searched
	Title  string
	Cells  []string // columns after the title, the most wanted first; searched
	Detail string   // after them, muted; searched
	Group  string   // heads the items that follow each other with the same one
	// More is shown below the list while the item is selected; searched for whole
	// words.
	More     string
	Current  bool // marked as the one that holds now
	Dim      bool // muted: it can be selected, but there is something about it
	Disabled bool // shown, but the selection passes over it
}

// Result is how the picker ended, or which action is for the owner.
type Result struct {
	Item      Item // the selected one; zero when there is none
	Action    keymap.Action
	Cancelled bool
}

// Picker is a filtered list. It is not safe for concurrent use.
type Picker struct {
	o      Options
	items  []Item
	texts  []string // what is searched, by item, in lower case
	mores  []string // and further by words
	wide   widths
	filter string
	found  []int // shown items
	lines  []int // rows of the list: an index in found, or ^index for its group's heading
	at     int   // the selected one, in found
	top    int   // first row on the screen, in lines
	page   int   // rows of the list in the last View
	intro  int   // first row of the intro on the screen
	more   int   // rows of the intro beyond the screen
	first  int   // row of the last View that the list begins in
	shown  int   // rows of the list in it
	tall   need  // rows for what is said of the selected item
	bidi   flow.Bidi
	caret  struct{ x, y int }
}

// New returns a picker with the first item that can be chosen selected.
func New(o Options, items []Item) *Picker {
	if o.Keys == nil {
		o.Keys = keymap.Default()
	}
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
	p.texts, p.mores = make([]string, len(items)), make([]string, len(items))
	for i := range p.items {
		it := &p.items[i]
		it.Before, it.Title, it.Detail, it.Group = sanitize.Line(it.Before), sanitize.Line(it.Title), sanitize.Line(it.Detail), sanitize.Line(it.Group)
		it.More = sanitize.Tabs(sanitize.Text(it.More), 4)
		it.Cells = slices.Clone(it.Cells)
		for n := range it.Cells {
			it.Cells[n] = sanitize.Line(it.Cells[n])
		}
		p.texts[i] = strings.ToLower(strings.Join(append([]string{it.Title, it.Before, it.Detail, it.Group}, it.Cells...), " "))
		p.mores[i] = strings.ToLower(it.More)
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

// SetBidi says what the terminal needs for right-to-left text.
func (p *Picker) SetBidi(b flow.Bidi) { p.bidi = b }

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

// Found returns the items that are shown, in their order.
func (p *Picker) Found() []Item {
	found := make([]Item, len(p.found))
	for i, n := range p.found {
		found[i] = p.items[n]
	}
	return found
}

// Update handles one key. It reports true when the picker is done, or when the
// key is one of the owner's. Ctrl+C cancels whatever the keys are.
func (p *Picker) Update(key tea.KeyPressMsg) (Result, bool) {
	key.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	if key.Text != "" && key.Mod&^tea.ModShift == 0 {
		p.SetFilter(p.filter + key.Text)
		return Result{}, false
	}
	stroke := keymap.Stroke(key)
	if stroke == "ctrl+c" {
		return Result{Cancelled: true}, true
	}
	if own := p.o.Keys.Action(stroke, p.o.Own); own != "" && p.o.Own != "" {
		it, _ := p.Selected()
		return Result{Item: it, Action: own}, true
	}
	for _, action := range p.o.Keys.Actions(stroke, keymap.List, keymap.Editor) {
		switch action {
		case keymap.SelectCancel:
			return Result{Cancelled: true}, true
		case keymap.SelectConfirm:
			return p.take()
		}
		if p.moves(action) || p.edits(action) {
			break
		}
	}
	return Result{}, false
}

// take chooses the selected item.
func (p *Picker) take() (Result, bool) {
	if it, ok := p.Selected(); ok {
		return Result{Item: it}, true
	}
	return Result{}, false
}

func (p *Picker) moves(action keymap.Action) bool {
	switch action {
	case keymap.SelectUp:
		p.Move(-1)
	case keymap.SelectDown:
		p.Move(+1)
	case keymap.SelectPageUp:
		p.Move(-p.page)
	case keymap.SelectPageDown:
		p.Move(+p.page)
	case keymap.SelectFirst:
		p.Move(-len(p.found))
	case keymap.SelectLast:
		p.Move(+len(p.found))
	case keymap.TextUp:
		p.intro = max(p.intro-1, 0)
	case keymap.TextDown:
		p.intro += min(p.more, 1)
	default:
		return false
	}
	return true
}

// edits changes the filter, at its end.
func (p *Picker) edits(action keymap.Action) bool {
	switch action {
	case keymap.DeleteCharBackward:
		if p.filter != "" {
			p.SetFilter(dropLast(p.filter))
		}
	case keymap.DeleteBlankWord, keymap.DeleteWordBackward:
		rest := strings.TrimRight(p.filter, " ")
		p.SetFilter(rest[:strings.LastIndexByte(rest, ' ')+1])
	case keymap.DeleteToLineStart:
		p.SetFilter("")
	default:
		return false
	}
	return true
}

// Click selects the item in a row of the last View. A click on the selected one
// chooses it.
func (p *Picker) Click(row int) (Result, bool) {
	n := p.top + row - p.first
	if row < p.first || row >= p.first+p.shown || n >= len(p.lines) || p.lines[n] < 0 {
		return Result{}, false
	}
	if p.lines[n] == p.at {
		return p.take()
	}
	if !p.items[p.found[p.lines[n]]].Disabled {
		p.at = p.lines[n]
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
