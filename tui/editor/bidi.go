package editor

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"github.com/hoopoe-agent/hoopoe/tui/direction"
)

// lineLevels returns the levels of a line's cells, after the Unicode
// bidirectional algorithm without explicit codes, which sanitize takes out,
// and without pairs of brackets. The paragraph, a line here, has the
// direction of its first strong letter: base is 0 or 1.
func (e *Editor) lineLevels(line int) (levels []int, base int) {
	l := e.fresh()
	levels, ok := l.levels[line]
	if !ok {
		levels = resolve(e.buf.lines[line])
		l.levels[line] = levels
	}
	return levels[1:], levels[0]
}

// direction returns the class of a cell: that of its first rune. A label is a
// word of Latin letters.
func (c cell) direction() bidi.Class {
	switch {
	case c.held != nil:
		return bidi.L
	case c.text[0] < utf8.RuneSelf && (c.text[0]|0x20 >= 'a' && c.text[0]|0x20 <= 'z'):
		return bidi.L
	}
	p, _ := bidi.LookupString(c.text)
	return p.Class()
}

// resolve returns the base level and the levels of all cells, behind it.
func resolve(cells []cell) []int {
	classes := make([]bidi.Class, len(cells))
	for i, c := range cells {
		classes[i] = c.direction()
	}
	return levelsOf(classes, cells)
}

// levelsOf resolves classes, which it changes. Without cells no word is code.
func levelsOf(classes []bidi.Class, cells []cell) []int {
	levels := make([]int, len(classes)+1)
	base, rtl, strong := 0, false, false
	for _, c := range classes {
		switch c {
		case bidi.L:
			strong = true
		case bidi.R, bidi.AL:
			if !strong {
				base = 1
			}
			strong, rtl = true, true
		case bidi.AN:
			rtl = true
		}
	}
	levels[0] = base
	if !rtl {
		return levels
	}
	code(classes, cells)
	return append(levels[:1], direction.Levels(classes, base)...)
}

// code takes words that are paths, options or names of code as a whole for
// text from left to right: "./..." would else begin with its end.
func code(classes []bidi.Class, cells []cell) {
	for i := 0; i < len(cells); i++ {
		from, letter, sign := i, false, false
		plain := true
		for ; i < len(cells) && !cells[i].space(); i++ {
			c := cells[i].text[0]
			plain = plain && cells[i].held == nil && c < utf8.RuneSelf
			letter = letter || classes[i] == bidi.L
			sign = sign || c == '/' || c == '\\' || c == '_'
			inside := i > from && i+1 < len(cells) && !cells[i+1].space()
			sign = sign || c == '-' && i == from && i+1 < len(cells) && !cells[i+1].space()
			sign = sign || letter && inside && (c == '.' || c == '=' || c == ':')
		}
		to := i
		for to > from && strings.Contains(",;:!?)", cells[to-1].text) {
			to--
		}
		for k := from; k < to && plain && sign; k++ {
			classes[k] = bidi.L
		}
	}
}

// visual returns the order in which the cells of a row are shown, from left
// to right.
func visual(levels []int, base int, cells []cell) []int {
	at := slices.Clone(levels[:len(cells)])
	for i := len(cells) - 1; i >= 0 && cells[i].space(); i-- {
		at[i] = base // blanks at the end of a row stay there
	}
	return direction.Order(at)
}

// mirrored returns a bracket as it looks in right-to-left text.
func (c cell) mirrored() string {
	if c.held != nil || len(c.text) != 1 {
		return c.text
	}
	return bidi.ReverseString(c.text)
}
