package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

const tabWidth = 4

// Head wraps foreign text and returns its first rows, at most limit, and how
// many of its lines are hidden, wholly or in part. It does no work for what
// isn't shown, whatever the text's size.
func Head(text string, width, limit int, b flow.Bidi) (rows []flow.Row, hidden int) {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		room := limit - len(rows)
		if room <= 0 {
			return rows, strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
		}
		wrapped, cut := wrapLine(line, width, room, b)
		rows = append(rows, wrapped...)
		if cut {
			return rows, strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
		}
		text = rest
	}
	return rows, 0
}

// Tail is Head from the end: the last rows, and how many lines come before.
func Tail(text string, width, limit int, b flow.Bidi) (rows []flow.Row, hidden int) {
	text = strings.TrimRight(text, "\n")
	for text != "" {
		room := limit - len(rows)
		if room <= 0 {
			return rows, strings.Count(text, "\n") + 1
		}
		at := strings.LastIndexByte(text, '\n')
		line := text[at+1:]
		text = text[:max(at, 0)]
		wrapped, _ := wrapLine(line, width, expandedRows, b)
		if len(wrapped) > room {
			wrapped = wrapped[len(wrapped)-room:]
		}
		rows = append(wrapped, rows...)
		if at == 0 && len(rows) < limit {
			rows = append([]flow.Row{{}}, rows...)
		}
	}
	return rows, 0
}

// wrapLine cleans and wraps one line into at most limit rows. cut says that
// some of it is missing.
func wrapLine(line string, width, limit int, b flow.Bidi) (rows []flow.Row, cut bool) {
	// A cell rarely takes more than four bytes; what is beyond can't be seen.
	if most := (limit + 1) * width * 4; len(line) > most {
		for most > 0 && !utf8.RuneStart(line[most]) {
			most--
		}
		line, cut = line[:most], true
	}
	line = sanitize.Tabs(sanitize.Text(strings.TrimSuffix(line, "\r")), tabWidth)
	rows = flow.Wrap(flow.Isolated(line), width, b)
	if len(rows) > limit {
		rows, cut = rows[:limit], true
	}
	return rows, cut
}

func folded(lines int, expanded bool) string {
	if expanded {
		return "… " + plural(lines, "more line") + " (/export has them)"
	}
	return "… " + plural(lines, "more line") + " · Ctrl+O"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
