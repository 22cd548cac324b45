// Package direction orders text that runs from right to left: the part of the
// Unicode bidirectional algorithm that lies between the classes of characters
// and their places in a row, for whoever has cells of its own.
//
//	classes of a row or line ─ Levels ─▶ a level for each ─ Order ─▶ from the left
//
// Explicit codes are taken out of all text before it is drawn, so that there are
// no embeddings, and pairs of brackets (rule N0) aren't looked at.
package direction

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// Levels resolves classes, which it changes, in a paragraph whose level is base:
// the rules W1 to W7, N1, N2, I1 and I2. Even levels run from left to right.
func Levels(classes []bidi.Class, base int) []int {
	edge := bidi.L
	if base%2 == 1 {
		edge = bidi.R
	}
	weak(classes, edge)
	neutral(classes, edge)
	levels := make([]int, len(classes))
	for i, c := range classes {
		levels[i] = base
		switch {
		case base%2 == 0 && c == bidi.R, base%2 == 1 && c != bidi.R:
			levels[i]++
		case base%2 == 0 && (c == bidi.EN || c == bidi.AN):
			levels[i] += 2
		}
	}
	return levels
}

// Order lists the cells of a row as they stand on the screen, from the left: rule
// L2.
func Order(levels []int) []int {
	at := slices.Clone(levels)
	order := make([]int, len(at))
	highest := 0
	for i, level := range at {
		order[i] = i
		highest = max(highest, level)
	}
	for level := highest; level > 0; level-- {
		for i := 0; i < len(at); {
			j := i
			for j < len(at) && at[j] >= level {
				j++
			}
			slices.Reverse(order[i:j])
			slices.Reverse(at[i:j])
			i = max(j, i+1)
		}
	}
	return order
}

// weak resolves numbers and what belongs to them.
func weak(c []bidi.Class, edge bidi.Class) {
	strong, arabic := edge, false
	for i := range c { // W1 to W3
		switch c[i] {
		case bidi.NSM:
			c[i] = edge
			if i > 0 {
				c[i] = c[i-1]
			}
		case bidi.L, bidi.R:
			arabic = false
		case bidi.AL:
			arabic, c[i] = true, bidi.R
		case bidi.EN:
			if arabic {
				c[i] = bidi.AN
			}
		}
	}
	for i := 1; i+1 < len(c); i++ { // W4
		if c[i] == bidi.ES && c[i-1] == bidi.EN && c[i+1] == bidi.EN ||
			c[i] == bidi.CS && c[i-1] == c[i+1] && (c[i-1] == bidi.EN || c[i-1] == bidi.AN) {
			c[i] = c[i-1]
		}
	}
	for i := 0; i < len(c); { // W5
		j := i
		for j < len(c) && c[j] == bidi.ET {
			j++
		}
		if j == i {
			i++
			continue
		}
		if i > 0 && c[i-1] == bidi.EN || j < len(c) && c[j] == bidi.EN {
			for k := i; k < j; k++ {
				c[k] = bidi.EN
			}
		}
		i = j
	}
	for i := range c { // W6, W7
		switch c[i] {
		case bidi.L, bidi.R:
			strong = c[i]
		case bidi.EN:
			if strong == bidi.L {
				c[i] = bidi.L
			}
		case bidi.AN:
		default:
			c[i] = bidi.ON
		}
	}
}

// neutral gives what has no direction that of its neighbours, or the row's.
func neutral(c []bidi.Class, edge bidi.Class) {
	side := func(i int) bidi.Class {
		if i < 0 || i >= len(c) {
			return edge
		}
		if c[i] == bidi.L {
			return bidi.L
		}
		return bidi.R // numbers count as such
	}
	for i := 0; i < len(c); {
		j := i
		for j < len(c) && c[j] == bidi.ON {
			j++
		}
		if j == i {
			i++
			continue
		}
		to := edge
		if a := side(i - 1); a == side(j) {
			to = a
		}
		for k := i; k < j; k++ {
			c[k] = to
		}
		i = j
	}
}
