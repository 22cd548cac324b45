package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Caps of the text that one call gives the model.
const (
	MaxLines     = 2000
	MaxBytes     = 50 << 10
	MaxLineRunes = 2000
)

// Cut tells what Head kept of a text.
type Cut struct {
	Lines, TotalLines int
	Bytes, TotalBytes int
}

// Short reports whether something was left out.
func (c Cut) Short() bool { return c.Bytes < c.TotalBytes }

// Head keeps the leading whole lines of text within lines and bytes; a first
// line that is longer than bytes is cut at a character.
func Head(text string, lines, bytes int) (string, Cut) {
	c := Cut{TotalLines: countLines(text), TotalBytes: len(text)}
	for c.Lines < lines && c.Bytes < len(text) {
		n := strings.IndexByte(text[c.Bytes:], '\n') + 1
		if n == 0 {
			n = len(text) - c.Bytes
		}
		if c.Bytes+n > bytes {
			break
		}
		c.Bytes += n
		c.Lines++
	}
	if c.Lines == 0 && lines > 0 && len(text) > 0 {
		c.Bytes, c.Lines = min(bytes, len(text)), 1
		for c.Bytes > 0 && c.Bytes < len(text) && !utf8.RuneStart(text[c.Bytes]) {
			c.Bytes--
		}
	}
	return text[:c.Bytes], c
}

// Capped returns text within the caps; when it has to leave something out it
// says so at the end, with hint as the way to the rest.
func Capped(text, hint string) string {
	kept, c := Head(text, MaxLines, MaxBytes)
	if !c.Short() {
		return text
	}
	return fmt.Sprintf("%s\n[Cut: lines 1-%d of %d, %s of %s. %s]",
		strings.TrimSuffix(kept, "\n"), c.Lines, c.TotalLines, Size(int64(c.Bytes)), Size(int64(c.TotalBytes)), hint)
}

// Line shortens one line to at most runes characters and says how many it
// left out.
func Line(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	total := utf8.RuneCountInString(s)
	if total <= runes {
		return s
	}
	end := 0
	for range runes {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return fmt.Sprintf("%s… [%d more characters]", s[:end], total-runes)
}

// Size writes a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
