package editor

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// held is what a label stands for: a big paste, or a file that goes with the
// prompt.
type held struct {
	text string // what the prompt has in the label's place
	file *Attachment
}

// From these sizes on a paste is shown as a label.
const (
	pasteLines = 10
	pasteBytes = 2 << 10
)

// burst is how long after a paste, or after the last key that followed it at
// once, keys still belong to it. A hand is slower, one read of the terminal
// is faster.
const burst = 20 * time.Millisecond

// Paste inserts pasted text. Line ends become "\n", controls and whole escape
// sequences are removed. A paste of ten lines or more than 2 KB becomes a
// label, which moves and goes as one character and is expanded by Value.
//
// A paste that holds the terminal's own end marker breaks out: what follows
// arrives as keys. Keys that come in the same burst are therefore text, and
// Enter among them begins a line instead of sending the prompt.
func (e *Editor) Paste(text string) {
	defer func() { e.tail = e.opts.Now().Add(burst) }()
	text = sanitize.Text(normalize(text))
	if text == "" {
		return
	}
	e.did(commandNone)
	if strings.Count(text, "\n")+1 < pasteLines && len(text) <= pasteBytes {
		e.insert(e.segment(text))
		return
	}
	e.insert([][]cell{{e.label(text)}})
}

// label makes the cell that stands for a text. Labels differ by a number.
func (e *Editor) label(text string) cell {
	e.pastes++
	what := thousands(utf8.RuneCountInString(text)) + " characters"
	if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; lines > 1 {
		what = thousands(lines) + " lines"
	}
	label := "[Pasted " + what + "]"
	if e.pastes > 1 {
		label = fmt.Sprintf("[Pasted %s #%d]", what, e.pastes)
	}
	return cell{text: label, held: &held{text: text}, width: style.Width(label)}
}

// thousands writes a number with commas: 12,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// inBurst reports whether a key came too soon after a paste to be typed by
// hand, and prolongs the burst if so.
func (e *Editor) inBurst() bool {
	if e.tail.IsZero() {
		return false
	}
	now := e.opts.Now()
	if now.After(e.tail) {
		e.tail = time.Time{}
		return false
	}
	e.tail = now.Add(burst)
	return true
}

// normalize makes every line end "\n". Terminals send a bare CR for the line
// ends of a paste.
func normalize(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
