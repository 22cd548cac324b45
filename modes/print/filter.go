package print

import (
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// filter sanitises a text that comes in pieces, which may part an escape
// sequence or a character. From the first suspicious byte on it holds the text
// back until the line ends. Every piece that leaves has been through
// sanitize.Text by itself, so the whole is as safe as its pieces.
type filter struct {
	held strings.Builder
	line bool // held goes on until its line ends
}

// add takes more text and returns what can be shown.
func (f *filter) add(s string) string {
	if f.held.Len() > 0 {
		f.held.WriteString(s)
		if f.line && !strings.Contains(s, "\n") {
			return ""
		}
		s = f.held.String()
		f.held.Reset()
	}
	n := ready(s)
	f.held.WriteString(s[n:])
	f.line = utf8.FullRuneInString(s[n:])
	return sanitize.Text(s[:n])
}

// rest returns what was held back.
func (f *filter) rest() string {
	s := f.held.String()
	f.held.Reset()
	return sanitize.Text(s)
}

// ready returns how much of s can be sanitised alone: all but the part of its
// last line that begins with a control, or with a character not yet whole.
func ready(s string) int {
	for i := strings.LastIndexByte(s, '\n') + 1; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}
