package sanitize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows what Text would remove, and every other character that has no
// shape of its own, so that a command awaiting approval cannot hide a part of
// itself: ESC as ␛, other C0 controls as ^M, the rest by code point as \u202e
// or \U000e0041, a byte that is no UTF-8 as \x9b. Line feeds and tabs stay, and
// so do joiners between two characters of a script or emoji that needs them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case (r == 0x200c || r == 0x200d) && joined(before) && joined(nextRune(s[i+n:])):
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hidden(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r == esc:
			b.WriteString("␛")
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before = r
		i += n
	}
	return b.String()
}

// joined holds for characters that a joiner may stand between.
func joined(r rune) bool { return r >= 0x0300 && !hidden(r) }

func nextRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// hidden holds for characters that a reader cannot see or would take for a
// plain space. U+FFFD is in it because it may stand for an invalid byte.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	switch {
	case isControl(r), isLineEnd(r), r == utf8.RuneError:
		return true
	case r == 0x3000:
		return false // the wide space of Chinese and Japanese shows its width
	case unicode.In(r, unicode.Cf, unicode.Zs):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true // joiner, fillers and the blank pattern: letters by class, empty by shape
	}
	return r >= 0xe0100 && r <= 0xe01ef // variation selectors that can carry a message
}
