package diff

import (
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

// kind is what a line of a diff is.
type kind int

const (
	kindContext kind = iota
	kindAdded
	kindRemoved
	kindHunk // the @@ line
	kindFile // names of files and other headers
	kindNote // "\ No newline at end of file"
	kindFold // stands for unchanged lines
)

// line is one line of a diff.
type line struct {
	kind     kind
	old, new int    // line numbers, 0 where there is none
	text     string // without the sign; clean, tabs kept
	from, to int    // bytes of text that differ from its partner; equal: none
	code     syntax.Line
	hidden   int // lines that a fold stands for
}

// parse reads a unified diff. Text that is none becomes headers, so nothing
// is left out. The counts of a hunk's header tell its lines from the next
// file's: a removed "-- x" looks like a file name.
func parse(text string) []line {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	raw := strings.Split(text, "\n")
	crlf := allCRLF(raw)
	lines := make([]line, 0, len(raw))
	var oldNo, newNo, oldLeft, newLeft int
	for _, s := range raw {
		if crlf {
			s = strings.TrimSuffix(s, "\r")
		}
		sign, body := byte(' '), ""
		if s != "" {
			sign, body = s[0], s[1:]
		}
		l := line{kind: kindFile, text: s}
		switch {
		case oldLeft+newLeft > 0 && sign == '+' && newLeft > 0:
			l = line{kind: kindAdded, new: newNo, text: body}
			newNo, newLeft = newNo+1, newLeft-1
		case oldLeft+newLeft > 0 && sign == '-' && oldLeft > 0:
			l = line{kind: kindRemoved, old: oldNo, text: body}
			oldNo, oldLeft = oldNo+1, oldLeft-1
		case oldLeft > 0 && newLeft > 0 && sign == ' ':
			l = line{kind: kindContext, old: oldNo, new: newNo, text: body}
			oldNo, newNo, oldLeft, newLeft = oldNo+1, newNo+1, oldLeft-1, newLeft-1
		case sign == '\\':
			l = line{kind: kindNote, text: s}
		case strings.HasPrefix(s, "@@"):
			oldNo, oldLeft, newNo, newLeft = hunkRange(s)
			l = line{kind: kindHunk, text: s}
		default:
			oldLeft, newLeft = 0, 0
		}
		l.text = sanitize.Visible(l.text)
		lines = append(lines, l)
	}
	mark(lines)
	return lines
}

// allCRLF reports whether all lines of files end with CRLF, which is then no
// news. Mixed line ends are shown.
func allCRLF(raw []string) bool {
	some := false
	for _, s := range raw {
		if s == "" || strings.IndexByte("+- ", s[0]) < 0 || strings.HasPrefix(s, "---") || strings.HasPrefix(s, "+++") {
			continue
		}
		if !strings.HasSuffix(s, "\r") {
			return false
		}
		some = true
	}
	return some
}

// hunkRange reads "@@ -12,3 +14,5 @@". What is missing counts as 1, as the
// format says; numbers that make no sense as 0.
func hunkRange(s string) (old, oldCount, new, newCount int) {
	fields := strings.Fields(s)
	if len(fields) < 3 {
		return 0, 0, 0, 0
	}
	old, oldCount = numbers(strings.TrimPrefix(fields[1], "-"))
	new, newCount = numbers(strings.TrimPrefix(fields[2], "+"))
	return old, oldCount, new, newCount
}

func numbers(s string) (start, count int) {
	a, b, ok := strings.Cut(s, ",")
	start, err := strconv.Atoi(a)
	if err != nil || start < 0 {
		return 0, 0
	}
	if !ok {
		return start, 1
	}
	count, err = strconv.Atoi(b)
	if err != nil || count < 0 {
		return start, 0
	}
	return start, count
}
