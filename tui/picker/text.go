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
	over := style.Width(s) - width
	for it := graphemes.FromString(s); over > 0 && it.Next(); {
		over -= style.Width(it.Value())
		if over <= 0 {
			return s[it.End():]
		}
	}
	if over > 0 {
		return ""
	}
	return s
}
