package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// harmless filters a row that comes from Glamour. Its input was clean, but an
// entity such as &#27; becomes a control inside it. What stays: text without
// controls, colours, and links to the web.
func harmless(row string) string {
	row = strings.ReplaceAll(row, "\t", " ") // &Tab;
	if strings.IndexByte(row, '\x1b') < 0 {
		return sanitize.Text(row)
	}
	var b strings.Builder
	b.Grow(len(row))
	for row != "" {
		at := strings.IndexByte(row, '\x1b')
		if at < 0 {
			at = len(row)
		}
		b.WriteString(sanitize.Text(row[:at]))
		row = row[at:]
		if row == "" {
			break
		}
		n := escapeLen(row)
		switch seq := row[:n]; {
		case strings.HasPrefix(seq, "\x1b["):
			b.WriteString(color(seq))
		case strings.HasPrefix(seq, "\x1b]8;"):
			b.WriteString(link(seq))
		}
		row = row[n:]
	}
	return b.String()
}

// escapeLen measures the CSI or OSC at the start of s, or just the ESC.
func escapeLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\x1b["):
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i
			}
		}
		return len(s)
	case strings.HasPrefix(s, "\x1b]"):
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == '\a':
				return i + 1
			case s[i] == '\x1b' && strings.HasPrefix(s[i:], "\x1b\\"):
				return i + 2
			case s[i] == '\x1b':
				return i
			}
		}
		return len(s)
	}
	return 1
}

const sgrReset = "\x1b[m"

// color returns seq if it is a colour sequence that may stay, else nothing.
func color(seq string) string {
	if seq == "\x1b[0m" || seq == sgrReset {
		return sgrReset
	}
	return strings.TrimSuffix(sanitize.SGR(seq), sgrReset)
}

// trim takes the padding from the end of a row and closes what is open there.
func trim(row string) string {
	last, pen, linked := 0, false, false // of the whole row
	openPen, openLink := false, false    // at last
	for i := 0; i < len(row); {
		if row[i] == '\x1b' {
			n := escapeLen(row[i:])
			switch seq := row[i : i+n]; {
			case seq == sgrReset:
				pen = false
			case strings.HasPrefix(seq, "\x1b["):
				pen = true
			default:
				linked = seq != ansi.ResetHyperlink()
			}
			i += n
			continue
		}
		if row[i] != ' ' {
			last, openPen, openLink = i+1, pen, linked
		}
		i++
	}
	row = row[:last]
	if openPen {
		row += sgrReset
	}
	if openLink {
		row += ansi.ResetHyperlink()
	}
	return row
}
