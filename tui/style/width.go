package style

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// Width returns the columns that a row takes on the screen. All components
// measure with it, so that they agree.
//
// An emoji takes what its grapheme cluster does, whatever it is joined of; so
// does a Korean syllable. Of letters each takes its own: terminals that measure
// clusters differ in what a spacing vowel adds (Thai, Hindi), and this is what
// most give it and none exceeds.
func Width(row string) int {
	if isASCII(row) {
		return len(row)
	}
	if agreed(row) {
		return ansi.StringWidth(row)
	}
	columns := 0
	for _, width := range clusters(row) {
		columns += max(width, 0)
	}
	return columns
}

// Steady returns a row for a terminal that isn't known to measure by grapheme
// clusters. An emoji that takes other columns there than Width says is shown in
// a simpler form which takes the same everywhere: of a family its first, "1 "
// for a keycap.
func Steady(row string) string {
	if agreed(row) {
		return row
	}
	var b strings.Builder
	for text, width := range clusters(row) {
		if width >= 0 && ansi.StringWidthWc(text) != width {
			text = steady(text, width)
		}
		b.WriteString(text)
	}
	return b.String()
}

// Seen returns where column x of a row is in a terminal that measures by grapheme
// clusters, and Meant which column of the row is at its column x. They differ
// behind letters that have more than one column here.
func Seen(row string, x int) int { return column(row, x, true) }

// Meant is the reverse of Seen.
func Meant(row string, x int) int { return column(row, x, false) }

func column(row string, x int, seen bool) int {
	if agreed(row) {
		return x
	}
	from, to := 0, 0
	for text, width := range clusters(row) {
		if width < 0 {
			continue
		}
		step, other := width, ansi.StringWidth(text)
		if !seen {
			step, other = other, step
		}
		if from+step > x {
			break
		}
		from, to = from+step, to+other
	}
	return to + x - from
}

// agreed reports whether a row has only characters on whose width all agree,
// alone and beside each other.
func agreed(row string) bool {
	for _, r := range row {
		switch {
		case r < 0x600, // Latin to Hebrew, with their marks
			r >= 0x606 && r < 0x6dd,   // Arabic without the signs below a number
			r >= 0x2010 && r < 0x2060, // dashes, quotes
			r >= 0x20a0 && r < 0x20d0, // currencies
			r >= 0x2100 && r < 0x2c00, // arrows, lines, symbols
			r >= 0x2e80 && r < 0xa000, // Chinese, Japanese
			r >= 0xac00 && r < 0xd7a4, // Korean
			r >= 0xff00 && r < 0xff9e,
			r >= 0x1f300 && r < 0x1fb00 && !skinTone(r):
		default:
			return false
		}
	}
	return true
}

// clusters cuts a row into its grapheme clusters, each with its columns, and
// its control sequences, with -1.
func clusters(row string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for row != "" {
			text, width := row[:1], -1
			switch c := row[0]; {
			case c == '\x1b':
				text = row[:Sequence(row)]
			case c >= ' ' && c != 0x7f:
				text, width = ansi.FirstGraphemeCluster(row, ansi.GraphemeWidth)
				width = columns(text, width)
			}
			if !yield(text, width) {
				return
			}
			row = row[len(text):]
		}
	}
}

// columns is what a cluster takes that as such would take width.
func columns(cluster string, width int) int {
	each := ansi.StringWidthWc(cluster)
	if each <= width || joined(cluster) {
		return width
	}
	return each
}

// joined reports whether a cluster is one sign, made of several that could
// stand alone: an emoji or a Korean syllable.
func joined(cluster string) bool {
	if syllable(cluster) != cluster {
		return true
	}
	first, _ := utf8.DecodeRuneInString(cluster)
	sign := first >= 0x1f000 && first < 0x20000 || unicode.In(first, unicode.S, unicode.P, unicode.N)
	return sign && strings.ContainsFunc(cluster, func(r rune) bool { return r == joiner || skinTone(r) })
}

const (
	joiner = '\u200d'
	keycap = '\u20e3'
)

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// steady is the simpler form of a cluster, filled up with spaces.
func steady(cluster string, width int) string {
	first, size := utf8.DecodeRuneInString(cluster)
	text := cluster[:size]
	switch {
	case syllable(cluster) != cluster:
		text = syllable(cluster)
	case first >= 0x1f1e6 && first <= 0x1f1ff: // half a flag
		text = string('A' + first - 0x1f1e6)
	case ansi.StringWidthWc(text) == 0: // a mark on nothing
		text = "◌"
	case strings.ContainsRune(cluster, keycap):
		text += string(keycap)
	}
	return text + strings.Repeat(" ", max(width-ansi.StringWidthWc(text), 0))
}

// syllable composes the parts of a Korean syllable.
func syllable(parts string) string {
	composed := norm.NFC.String(parts)
	if r, size := utf8.DecodeRuneInString(composed); size == len(composed) && r >= 0xac00 && r < 0xd7a4 {
		return composed
	}
	return parts
}

// Sequence measures the SGR or OSC sequence at the start of s, in bytes.
func Sequence(s string) int {
	switch {
	case strings.HasPrefix(s, "\x1b["):
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case strings.HasPrefix(s, "\x1b]"):
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
		}
		return len(s)
	}
	return 1
}
