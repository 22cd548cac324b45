package flow

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/hoopoe-agent/hoopoe/tui/direction"
)

// HasRTL reports whether text has a character that runs from right to left.
func HasRTL(text string) bool {
	for i := 0; i < len(text); i++ {
		// Hebrew begins at U+0590, the forms for presentation at U+FB1D, and
		// some scripts of old are in the plane from U+10800.
		if c := text[i]; c < 0xd6 {
			continue
		}
		return strings.ContainsFunc(text[i:], isRTL)
	}
	return false
}

func isRTL(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// RightToLeft reports the direction of a paragraph: that of its first letter.
func RightToLeft(text string) bool {
	l := read(text)
	return l.rtl && firstStrong(l.cells)
}

// firstStrong reports whether the first letter outside isolates runs from
// right to left.
func firstStrong(cells []cell) bool {
	depth := 0
	for _, c := range cells {
		switch c.kind {
		case isolate:
			depth++
		case isolateEnd:
			depth--
		default:
			if depth > 0 {
				continue
			}
			switch class(c) {
			case bidi.L:
				return false
			case bidi.R, bidi.AL:
				return true
			}
		}
	}
	return false
}

func anyRTL(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool { return len(c.text) > 1 && HasRTL(c.text) })
}

// class is the bidirectional class of a cluster.
func class(c cell) bidi.Class {
	p, _ := bidi.LookupString(c.text)
	return p.Class()
}

// reordered writes a row in the order of the screen.
func reordered(cells []cell, w *writer, width int, right bool) Row {
	base := 0
	if right {
		base = 1
	}
	r := Row{Right: right}
	used := 0
	for _, c := range cells {
		used += min(c.width, width)
	}
	if right && used < width {
		r.Lead = width - used
		w.WriteString(strings.Repeat(" ", r.Lead))
	}
	at := r.Lead
	for _, v := range visual(cells, base) {
		c := cells[v.cell]
		if c.kind == isolate || c.kind == isolateEnd {
			continue
		}
		text := fit(c, width)
		if v.mirrored {
			text = bidi.ReverseString(text[:1]) + text[1:]
		}
		r.order = append(r.order, cluster{c.text, at, min(c.width, width), v.cell})
		at += min(c.width, width)
		w.put(text, c.pen)
	}
	r.Text = w.end()
	return r
}

// inOrder are the clusters of a reordered row as they are read.
func (r Row) inOrder() []cluster {
	return slices.SortedFunc(slices.Values(r.order), func(a, b cluster) int { return a.rank - b.rank })
}

// seen is a cell where it stands on the screen.
type seen struct {
	cell     int
	mirrored bool // a bracket that faces the other way
}

// visual orders cells as the Unicode bidirectional algorithm does for one row
// of a paragraph with the given level; isolates are the only embeddings.
func visual(cells []cell, base int) []seen {
	levels := levelsOf(cells, base)
	order := make([]seen, len(cells))
	for k, i := range direction.Order(levels) {
		mirrored := levels[i]%2 == 1 && len(cells[i].text) == 1 && strings.ContainsAny(cells[i].text, "()[]{}<>")
		order[k] = seen{i, mirrored}
	}
	return order
}

// levelsOf resolves the level of each cell, blanks at the row's end (rule L1)
// included. An isolate counts as a neutral character outside, and its inside,
// which is left to right, starts anew.
func levelsOf(cells []cell, base int) []int {
	levels := make([]int, len(cells))
	var outer []int // cells of this level
	for i := 0; i < len(cells); i++ {
		outer = append(outer, i)
		if cells[i].kind != isolate {
			continue
		}
		end := i + 1
		for end < len(cells) && cells[end].kind != isolateEnd {
			end++
		}
		inside := (base + 2) &^ 1 // the next even level
		for k, level := range levelsOf(cells[i+1:end], 0) {
			levels[i+1+k] = level + inside
		}
		i = end - 1
	}
	classes := make([]bidi.Class, len(outer))
	for k, i := range outer {
		switch classes[k] = class(cells[i]); {
		case cells[i].kind == isolate || cells[i].kind == isolateEnd:
			classes[k] = bidi.ON
		}
	}
	for k, level := range direction.Levels(classes, base) {
		levels[outer[k]] = level
	}
	for k := len(outer) - 1; k >= 0 && cells[outer[k]].kind == blank; k-- {
		levels[outer[k]] = base
	}
	return levels
}
