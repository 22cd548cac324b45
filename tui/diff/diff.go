// Package diff shows changes of files.
//
//	old, new ──▶ Unified ──▶ unified diff text ──▶ Lay(text, options) ──▶ rows
//
// Lay takes diff text from anywhere: tools return it, approvals show it.
// It is unified on narrow screens and side by side on wide ones, with line
// numbers, and within a changed line it marks what changed. Long lines are
// wrapped, never cut: an approval shows everything. Control characters are
// shown, since a reader approves what the file will hold.
//
// Signs tell added from removed, so a diff reads the same without colour.
package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

// SideBySideWidth is the width in columns from which Lay shows the old and
// the new file beside each other.
const SideBySideWidth = 120

// tabWidth is the columns between tab stops.
const tabWidth = 4

// numbersWidth is the width from which there are line numbers.
const numbersWidth = 30

// Options say how a diff is shown.
type Options struct {
	Styles  style.Styles
	Bidi    flow.Bidi
	Width   int  // columns; no row is wider
	Unified bool // never side by side
	// Context folds unchanged lines that are farther from a change than so
	// many; 0 shows them all.
	Context int
	// Limit is the most rows that are laid out; 0 is no limit.
	Limit int
	// Syntax colours code by the name of its file, which is Name where the
	// diff has none; it may be nil.
	Syntax *syntax.Painter
	Name   string
}

// Layout is a diff on the screen.
type Layout struct {
	Rows []flow.Row
	// Hidden is how many lines of the diff are beyond the limit.
	Hidden int
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

// NameOf returns the name of the file that a unified diff of one file leads to.
func NameOf(text string) string {
	_, path, ok := strings.Cut("\n"+text, "\n+++ ")
	if !ok {
		return ""
	}
	path, _, _ = strings.Cut(path, "\n")
	path, _, _ = strings.Cut(path, "\t")
	return strings.TrimSuffix(path, "\r")
}

// Render returns the rows of a unified diff as they are shown.
func Render(text string, o Options) []string { return flow.Texts(Lay(text, o).Rows) }

// Lay lays a unified diff out.
func Lay(text string, o Options) Layout {
	lines := parse(text)
	p := painter{o: o, width: max(o.Width, 1), digits: digits(lines)}
	if o.Context > 0 {
		lines = folded(lines, o.Context)
	}
	if o.Syntax != nil && o.Styles.Color {
		colour(lines, o.Syntax, o.Name)
	}
	if o.Width >= SideBySideWidth && !o.Unified && (o.Bidi.Reorder || !flow.HasRTL(text)) {
		p.sideBySide(lines)
	} else {
		p.unified(lines)
	}
	return p.out
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
