package style

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Cut shortens a row to width columns; an ellipsis marks what is missing.
func Cut(row string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(row) <= width && isASCII(row) || Width(row) <= width {
		return row
	}
	// The library takes the parts of some clusters (1️⃣) one by one.
	for limit := width; limit > 0; {
		cut := ansi.Truncate(row, limit, "…")
		over := Width(cut) - width
		if over <= 0 {
			return cut
		}
		limit -= over
	}
	return ""
}

// CutPath shortens a path to width columns from its start, for its end tells
// more; a folder that doesn't fit whole goes.
func CutPath(path string, width int) string {
	if Width(path) <= width {
		return path
	}
	for rest := path; ; {
		at := strings.IndexByte(rest, '/')
		if at < 0 || at == len(rest)-1 {
			break
		}
		rest = rest[at+1:]
		if Width(rest)+2 <= width {
			return "…/" + rest
		}
	}
	name := path[strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1:]
	return Cut(name, width)
}

// Pad fills a row with spaces up to width columns, or cuts it.
func Pad(row string, width int) string {
	row = Cut(row, width)
	if gap := width - Width(row); gap > 0 {
		return row + strings.Repeat(" ", gap)
	}
	return row
}

// Wrap breaks plain text into rows of at most width columns: between words
// where there are some, inside a word that is longer than a row.
func Wrap(text string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, wrapLine(line, max(width, 1))...)
	}
	return rows
}

// wrapLine breaks one line. The library measures some clusters too small, so
// its limit is lowered until the rows fit; a cluster wider than a row is cut.
func wrapLine(line string, width int) []string {
	if len(line) <= width && isASCII(line) || Width(line) <= width {
		return []string{line}
	}
	for limit := width; ; limit-- {
		rows := strings.Split(ansi.Wrap(line, limit, ""), "\n")
		fits := true
		for i, row := range rows {
			row = strings.TrimRight(row, " ")
			rows[i] = Cut(row, width)
			fits = fits && rows[i] == row
		}
		if fits || limit <= 1 {
			return rows
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
