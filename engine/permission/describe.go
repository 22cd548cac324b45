package permission

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Describe says in a few lines what a decision is about: each part and why, in
// text that is safe to show.
func Describe(d Decision) string {
	var b strings.Builder
	for i, part := range d.Parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := strings.ReplaceAll(Visible(part.Text), "\n", "\n  ")
		fmt.Fprintf(&b, "%s\n  %s", text, Visible(part.Why))
	}
	return b.String()
}

// Visible returns text in which nothing can hide: control characters other than
// newline and tab, invisible and direction-changing characters, odd blanks and
// broken UTF-8 are written as escapes. Letters of all scripts stay.
func Visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || r == '\u200C' || r == '\u200D':
			b.WriteRune(r)
		case r < utf8.RuneSelf && unicode.IsControl(r):
			b.WriteString(escapeControl(r))
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || r != ' ' && unicode.Is(unicode.Zs, r):
			if r > 0xFFFF {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func escapeControl(r rune) string {
	if r == '\r' {
		return `\r`
	}
	return fmt.Sprintf(`\x%02x`, r)
}
