package picker

import (
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// dropLast removes the last grapheme cluster.
func dropLast(s string) string {
	last := 0
	for it := graphemes.FromString(s); it.Next(); {
		last = it.Start()
	}
	return s[:last]
}

// tail keeps the end of a text that is wider than its field, where the caret is.
func tail(s string, width int) string {
	for it := graphemes.FromString(s); style.Width(s[it.Start():]) > width; {
		if !it.Next() {
			return ""
		}
		if rest := s[it.End():]; style.Width(rest) <= width {
			return rest
		}
	}
	return s
}
