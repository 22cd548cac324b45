package editor

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// mentionMax bounds the cells of a file's name that is looked at.
const mentionMax = 1000

// Completion returns what can be completed at the caret. For '/' it is the
// whole text before the caret of a prompt that begins with a slash, on its
// first line ("/mo", "/model cla"). For '@' it is the word before the caret
// if it begins with an at sign ("@src/ma"), with blanks in quotes
// (`@"my file`); see ParseMention. The kind is 0 if there is nothing.
func (e *Editor) Completion() (kind rune, prefix string) {
	line := e.buf.lines[e.cursor.line][:e.cursor.col]
	start := len(line)
	for start > 0 && line[start-1].held == nil && len(line)-start < mentionMax {
		start--
	}
	text := textOf([][]cell{line[start:]})
	if at := strings.LastIndex(text, `@"`); at >= 0 && wordStarts(text, at) {
		if _, lines, closed := strings.Cut(text[at+2:], `"`); !closed || isLines(lines) {
			return '@', text[at:]
		}
	}
	if at := strings.LastIndexAny(text, " \t") + 1; strings.HasPrefix(text[at:], "@") {
		return '@', text[at:]
	}
	if e.cursor.line == 0 && start == 0 && strings.HasPrefix(text, "/") {
		return '/', text
	}
	return 0, ""
}

func wordStarts(text string, at int) bool {
	return at == 0 || text[at-1] == ' ' || text[at-1] == '\t'
}

// Mention is a file that the prompt names: @main.go, @main.go:10-40,
// @"my file.go":10.
type Mention struct {
	Path string
	// Lines is what is written behind the path: "", ":" while it is being
	// typed, ":10", ":10-" or ":10-40".
	Lines string
}

// ParseMention reads a word that begins with an at sign, also one that is not
// yet whole. A colon that no number follows is part of the path, unless it is
// the end.
func ParseMention(word string) Mention {
	path := strings.TrimPrefix(word, "@")
	if quoted, ok := strings.CutPrefix(path, `"`); ok {
		path, lines, _ := strings.Cut(quoted, `"`)
		if path == "" || !isLines(lines) {
			lines = ""
		}
		return Mention{path, lines}
	}
	if i := strings.LastIndexByte(path, ':'); i > 0 && isLines(path[i:]) {
		return Mention{path[:i], path[i:]}
	}
	return Mention{Path: path}
}

// String writes the mention as it stands in a prompt.
func (m Mention) String() string {
	if strings.ContainsAny(m.Path, " \t") || ParseMention("@"+m.Path).Lines != "" {
		return `@"` + m.Path + `"` + m.Lines
	}
	return "@" + m.Path + m.Lines
}

// isLines reports whether s is "", ":", ":10", ":10-" or ":10-40".
func isLines(s string) bool {
	if s == "" || s == ":" {
		return true
	}
	first, last, _ := strings.Cut(strings.TrimPrefix(s, ":"), "-")
	number := func(s string) bool { return len(s) < 10 && strings.Trim(s, "0123456789") == "" }
	return s[0] == ':' && first != "" && number(first) && number(last)
}

// Accept is Replace for a completion that is whole. A blank comes behind it,
// which gives way if punctuation is typed next, as for the lines of a file.
func (e *Editor) Accept(prefixLen int, text string) {
	e.Replace(prefixLen, text+" ")
	e.did(commandAccept)
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
