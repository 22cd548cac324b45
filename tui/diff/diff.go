// Package diff shows changes of files.
//
//	old, new ──▶ Unified ──▶ unified diff text ──▶ Render(text, options) ──▶ rows
//
// Render takes diff text from anywhere: tools return it, approvals show it.
// It is unified on narrow screens and side by side on wide ones, with line
// numbers, and within a changed line it marks what changed. Long lines are
// wrapped, never cut: an approval shows everything. Control characters are
// shown, since a reader approves what the file will hold.
//
// Signs tell added from removed, so a diff reads the same without colour.
package diff

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// SideBySideWidth is the width in columns from which Render shows the old and
// the new file beside each other.
const SideBySideWidth = 120

// tabWidth is the columns between tab stops.
const tabWidth = 4

// numbersWidth is the width from which there are line numbers.
const numbersWidth = 30

// Options say how a diff is shown.
type Options struct {
	Styles  style.Styles
	Width   int  // columns; no row is wider
	Unified bool // never side by side
}

// Unified compares two texts. It is empty if they are equal.
func Unified(oldName, newName, before, after string) string {
	return udiff.Unified(oldName, newName, before, after)
}

// Stat counts the added and removed lines of a unified diff.
func Stat(text string) (added, removed int) {
	for _, l := range parse(text) {
		switch l.kind {
		case kindAdded:
			added++
		case kindRemoved:
			removed++
		}
	}
	return added, removed
}

// Render returns the rows of a unified diff.
func Render(text string, o Options) []string {
	lines := parse(text)
	p := painter{o: o, width: max(o.Width, 1), digits: digits(lines)}
	if o.Width >= SideBySideWidth && !o.Unified && !rightToLeft(text) {
		return p.sideBySide(lines)
	}
	return p.unified(lines)
}

// digits is the width of the largest line number.
func digits(lines []line) int {
	largest := 0
	for _, l := range lines {
		largest = max(largest, l.old, l.new)
	}
	n := 1
	for ; largest >= 10; largest /= 10 {
		n++
	}
	return n
}

// rightToLeft reports whether a terminal could reorder a row of the text. Two
// columns in one row would then run into each other.
func rightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r >= 0x0590 && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}
