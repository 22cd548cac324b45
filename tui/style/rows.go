package style

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width returns the columns that a row takes on the screen, counting grapheme
// clusters. All components measure with it, so that they agree.
func Width(row string) int { return ansi.StringWidth(row) }

// Cut shortens a row to width columns; an ellipsis marks what is missing.
func Cut(row string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(row) <= width && isASCII(row) {
		return row
	}
	return ansi.Truncate(row, width, "…")
}

// Pad fills a row with spaces up to width columns, or cuts it.
func Pad(row string, width int) string {
	row = Cut(row, width)
	if gap := width - Width(row); gap > 0 {
		return row + strings.Repeat(" ", gap)
	}
	return row
}

// Wrap breaks text into rows of at most width columns: between words where
// there are some, inside a word that is longer than a row. Sequences that
// are open at the end of a row are not closed; paint the rows afterwards.
func Wrap(text string, width int) []string {
	width = max(width, 1)
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) <= width && isASCII(line) {
			rows = append(rows, line)
			continue
		}
		for row := range strings.SplitSeq(ansi.Wrap(line, width, ""), "\n") {
			// A grapheme wider than the row cannot be broken.
			rows = append(rows, strings.TrimRight(Cut(row, width), " "))
		}
	}
	return rows
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
