package builtin

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// looseness says what may differ between a model's text and the file's. Each
// includes those before it.
type looseness int

const (
	exact       looseness = iota
	lineEndings           // CRLF or LF
	blanks                // blanks at the ends of lines
	typography            // curly quotes, long dashes, unusual spaces
)

// canon is a text in canonical form, with the way back: a match in two canons
// is a match of the texts they were made from, as loosely as asked.
type canon struct {
	text string
	size int // of the original
	segs []segment
}

// segment says that the canonical byte at is the original bytes
// [from, from+width), and that those after it, up to the next segment, follow
// one by one.
type segment struct{ at, from, width int }

// canonical makes the canon of s. Blanks at the end of the last line stay if
// open is set: the text may go on in the file.
func canonical(s string, l looseness, open bool) canon {
	b := canonBuilder{out: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		switch plain := asciiFor(r); {
		case r == '\n' || r == '\r' && l >= lineEndings && strings.HasPrefix(s[i:], "\r\n"):
			if r == '\r' {
				width = 2
			}
			if l >= blanks {
				b.trim()
			}
			b.add('\n', i, width)
		case l >= typography && plain != 0:
			b.add(plain, i, width)
		default:
			for k := range width {
				b.add(s[i+k], i+k, 1)
			}
		}
		i += width
	}
	if l >= blanks && !open {
		b.trim()
	}
	return canon{string(b.out), len(s), b.segs}
}

type canonBuilder struct {
	out  []byte
	segs []segment
	next int // original offset that would need no new segment; -1 for none
}

func (b *canonBuilder) add(c byte, from, width int) {
	if from != b.next || width != 1 {
		b.segs = append(b.segs, segment{len(b.out), from, width})
	}
	b.out = append(b.out, c)
	b.next = from + 1
	if width != 1 {
		b.next = -1
	}
}

// trim takes back blanks at the end.
func (b *canonBuilder) trim() {
	n := len(b.out)
	for n > 0 && (b.out[n-1] == ' ' || b.out[n-1] == '\t') {
		n--
	}
	if n == len(b.out) {
		return
	}
	b.out, b.next = b.out[:n], -1
	for len(b.segs) > 0 && b.segs[len(b.segs)-1].at >= n {
		b.segs = b.segs[:len(b.segs)-1]
	}
}

// start and end are where the original of canonical byte i begins and ends.
func (c canon) start(i int) int { from, _ := c.original(i); return from }
func (c canon) end(i int) int   { from, width := c.original(i); return from + width }

func (c canon) original(i int) (from, width int) {
	k := sort.Search(len(c.segs), func(k int) bool { return c.segs[k].at > i }) - 1
	if k < 0 {
		return i, 1
	}
	if s := c.segs[k]; s.at < i {
		return s.from + max(s.width, 1) + i - s.at - 1, 1
	}
	return c.segs[k].from, c.segs[k].width
}

// asciiFor returns the character that stands for a typographic one on a
// keyboard, 0 for any other.
func asciiFor(r rune) byte {
	switch {
	case r < 0x80:
		return 0
	case slices.Contains([]rune("‘’‚‛′"), r):
		return '\''
	case slices.Contains([]rune("“”„‟″"), r):
		return '"'
	case '\u2010' <= r && r <= '\u2015' || r == '\u2212':
		return '-'
	case r == '\u00a0' || '\u2000' <= r && r <= '\u200a' || r == '\u202f' || r == '\u205f' || r == '\u3000':
		return ' '
	}
	return 0
}
