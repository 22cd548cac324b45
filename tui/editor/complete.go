package editor

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Before returns the text of the caret's line up to the caret, pastes in full.
func (e *Editor) Before() string {
	return textOf([][]cell{e.buf.lines[e.cursor.line][:e.cursor.col]})
}

// Completion returns what can be completed at the caret. For '/' it is the
// whole text before the caret of a prompt that begins with a slash, on its
// first line ("/mo", "/model cla"). For '@' it is the word before the caret
// if it begins with an at sign ("@src/ma"). The kind is 0 if there is nothing.
func (e *Editor) Completion() (kind rune, prefix string) {
	line := e.buf.lines[e.cursor.line][:e.cursor.col]
	start := len(line)
	for start > 0 && !line[start-1].space() && line[start-1].held == nil {
		start--
	}
	if word := textOf([][]cell{line[start:]}); strings.HasPrefix(word, "@") {
		return '@', word
	}
	if before := e.Before(); e.cursor.line == 0 && strings.HasPrefix(before, "/") {
		return '/', before
	}
	return 0, ""
}

// Replace puts text in the place of the prefixLen bytes before the caret, as
// a completion does with the prefix that Completion gave. It never goes back
// beyond the start of the line.
func (e *Editor) Replace(prefixLen int, text string) {
	from := e.cursor
	for line := e.buf.lines[from.line]; from.col > 0 && prefixLen > 0; {
		from.col--
		prefixLen -= len(line[from.col].value())
	}
	e.replace(from, e.cursor, e.segment(sanitize.Text(normalize(text))))
	e.did(commandNone)
}
