package sanitize

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Tabs replaces each tab by spaces up to the next stop, every width columns
// from the start of its line. Colour sequences take no columns. A tab that
// reaches the terminal raw moves the cursor by a number of columns that the
// layout did not count, so every row passes through here before it is
// measured. A width below one counts as one.
func Tabs(s string, width int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	width = max(width, 1)
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	column, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			b.WriteString(s[start : i+1])
			column, start = 0, i+1
		case '\t':
			column += ansi.StringWidth(s[start:i])
			b.WriteString(s[start:i])
			gap := width - column%width
			for range gap {
				b.WriteByte(' ')
			}
			column += gap
			start = i + 1
		}
	}
	b.WriteString(s[start:])
	return b.String()
}
