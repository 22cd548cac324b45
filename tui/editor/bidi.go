package editor

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// level is a depth of direction: even runs from left to right, odd from right
// to left.
type level uint8

// lineLevels returns the levels of a line's cells, after the Unicode
// bidirectional algorithm without explicit codes, which sanitize takes out,
// and without pairs of brackets. The paragraph, a line here, has the
// direction of its first strong letter: base is 0 or 1.
func (e *Editor) lineLevels(line int) (levels []level, base level) {
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
func resolve(cells []cell) []level {
	classes := make([]bidi.Class, len(cells))
	for i, c := range cells {
		classes[i] = c.direction()
	}
	return levelsOf(classes, cells)
}

// levelsOf resolves classes, which it changes. Without cells no word is code.
func levelsOf(classes []bidi.Class, cells []cell) []level {
	levels := make([]level, len(classes)+1)
	base, rtl, strong := level(0), false, false
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
	weak(classes, base)
	neutral(classes, base)
	for i, c := range classes {
		levels[i+1] = base
		switch {
		case c == bidi.R:
			levels[i+1] = 1
		case c == bidi.L && base == 1, c == bidi.AN, c == bidi.EN:
			levels[i+1] = 2
		}
	}
	return levels
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

// weak settles numbers and what belongs to them (rules W1 to W7).
func weak(classes []bidi.Class, base level) {
	side := bidi.L
	if base == 1 {
		side = bidi.R
	}
	last, strong := side, side // the class before; the strong one before
	for i, c := range classes {
		switch c {
		case bidi.NSM:
			classes[i] = last
		case bidi.L, bidi.R, bidi.AL:
			strong = c
		case bidi.EN:
			if strong == bidi.AL {
				classes[i] = bidi.AN
			}
		}
		if last = classes[i]; last == bidi.AL {
			classes[i] = bidi.R
		}
	}
	for i, c := range classes {
		if i == 0 || i+1 == len(classes) || c != bidi.ES && c != bidi.CS {
			continue
		}
		if before, after := classes[i-1], classes[i+1]; before == after && (before == bidi.EN || before == bidi.AN && c == bidi.CS) {
			classes[i] = before
		}
	}
	for i := 0; i < len(classes); i++ { // signs of currency and percent beside a number
		j := i
		for j < len(classes) && classes[j] == bidi.ET {
			j++
		}
		number := i > 0 && classes[i-1] == bidi.EN || j < len(classes) && classes[j] == bidi.EN
		for ; i < j; i++ {
			classes[i] = bidi.ON
			if number {
				classes[i] = bidi.EN
			}
		}
	}
	strong = side
	for i, c := range classes {
		switch c {
		case bidi.L, bidi.R:
			strong = c
		case bidi.EN:
			if strong == bidi.L {
				classes[i] = bidi.L
			}
		case bidi.AN:
		default:
			classes[i] = bidi.ON
		}
	}
}

// neutral gives what has no direction that of both sides if they agree, else
// the paragraph's (rules N1 and N2). A number counts as right to left.
func neutral(classes []bidi.Class, base level) {
	side := bidi.L
	if base == 1 {
		side = bidi.R
	}
	of := func(i int) bidi.Class {
		switch {
		case i < 0 || i >= len(classes):
			return side
		case classes[i] == bidi.L:
			return bidi.L
		}
		return bidi.R
	}
	for i := 0; i < len(classes); i++ {
		j := i
		for j < len(classes) && classes[j] == bidi.ON {
			j++
		}
		to := side
		if before := of(i - 1); before == of(j) {
			to = before
		}
		for ; i < j; i++ {
			classes[i] = to
		}
	}
}

// visual returns the order in which the cells of a row are shown, from left
// to right (rules L1 and L2).
func visual(levels []level, base level, cells []cell) []int {
	order := make([]int, len(cells))
	at := make([]level, len(cells))
	copy(at, levels)
	for i := len(cells) - 1; i >= 0 && cells[i].space(); i-- {
		at[i] = base // blanks at the end of a row stay there
	}
	for i := range order {
		order[i] = i
	}
	for depth := level(2); depth > 0; depth-- {
		for i := 0; i < len(at); i++ {
			j := i
			for j < len(at) && at[j] >= depth {
				j++
			}
			for a, b := i, j-1; a < b; a, b = a+1, b-1 {
				order[a], order[b] = order[b], order[a]
			}
			i = max(i, j-1)
		}
	}
	return order
}

// mirrored returns a bracket as it looks in right-to-left text.
func (c cell) mirrored() string {
	if c.held != nil || len(c.text) != 1 {
		return c.text
	}
	return bidi.ReverseString(c.text)
}
