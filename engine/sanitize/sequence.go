package sanitize

import (
	"strings"
	"unicode/utf8"
)

const sgrReset = "\x1b[m"

// C1 controls, which stand for ESC and one more character. They are read in
// both of their spellings: as U+0080 to U+009F, and as a single raw byte.
const (
	c1DCS = 0x90
	c1SOS = 0x98
	c1CSI = 0x9b
	c1ST  = 0x9c
	c1OSC = 0x9d
	c1PM  = 0x9e
	c1APC = 0x9f
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// next decodes the first character of s, which must not be empty. A raw byte
// of the C1 range counts as that control; other invalid bytes as U+FFFD.
func next(s string) (rune, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && s[0] < 0xa0 {
		return rune(s[0]), 1
	}
	return r, n
}

// sequence returns the length of the control at the start of s, with the
// whole escape sequence that it begins. A sequence that is broken off ends
// where a terminal would give it up, so that it never hides more text than
// its own line.
func sequence(s string) int {
	r, n := next(s)
	if r == esc {
		if n == len(s) {
			return n
		}
		if c := s[n]; c >= 0x40 && c <= 0x5f { // the 7-bit spelling of a C1
			r = rune(c) + 0x40
			n++
		} else {
			return n + escape(s[n:])
		}
	}
	switch r {
	case c1CSI:
		return n + csi(s[n:])
	case c1OSC, c1DCS, c1SOS, c1PM, c1APC:
		return n + payload(s[n:])
	}
	return n
}

// escape measures what follows ESC when it is no C1: intermediates and a final.
func escape(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return i
}

// csi measures parameters, intermediates and the final byte.
func csi(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return i
}

// payload measures the text of an OSC, DCS, SOS, PM or APC and its
// terminator. Without a terminator it ends with its line, or before the
// control that cancels it. It stops at every ESC and C1, so that scanning
// stays linear.
func payload(s string) int {
	lineEnd := -1
	for i := 0; i < len(s); {
		r, n := next(s[i:])
		switch {
		case r == bel || r == c1ST:
			return i + n
		case r == esc && strings.HasPrefix(s[i+1:], `\`):
			return i + 2
		case r == '\n' && lineEnd < 0:
			lineEnd = i
		case r == esc || r == can || r == sub || r >= 0x80 && r < 0xa0:
			if lineEnd >= 0 {
				return lineEnd
			}
			return i
		}
		i += n
	}
	if lineEnd >= 0 {
		return lineEnd
	}
	return len(s)
}

// sgrMax bounds one colour sequence, in bytes of parameters.
const sgrMax = 64

// sgrParams returns the parameters of seq if it is a CSI … m that only sets
// colours and harmless attributes.
func sgrParams(seq string) (string, bool) {
	_, n := next(seq)
	if seq[0] == esc && strings.HasPrefix(seq[n:], "[") {
		n++
	} else if r, _ := next(seq); r != c1CSI {
		return "", false
	}
	params, ok := strings.CutSuffix(seq[n:], "m")
	if !ok || len(params) > sgrMax || strings.Trim(params, "0123456789;:") != "" {
		return "", false
	}
	return params, harmless(params)
}

// harmless reports whether no parameter conceals text or makes it blink. The
// numbers that follow an extended colour are not attributes.
func harmless(params string) bool {
	fields := strings.Split(params, ";")
	for i := 0; i < len(fields); i++ {
		head, _, colon := strings.Cut(fields[i], ":")
		switch strings.TrimLeft(head, "0") {
		case "5", "6", "8":
			return false
		case "38", "48", "58":
			if colon || i+1 >= len(fields) {
				continue
			}
			switch fields[i+1] {
			case "5":
				i += 2
			case "2":
				i += 4
			}
		}
	}
	return true
}
