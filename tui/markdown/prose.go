package markdown

import (
	"slices"
	"strings"
	"sync"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// library guards Glamour, whose parts are shared by the whole process and not
// safe for concurrent use.
var library sync.Mutex

// Glamour sees texts of up to proseMax bytes, and one line of up to lineMax with
// few marks in it: what it takes for one can grow with the square of the marks.
const (
	proseMax = 4 << 10
	lineMax  = 16 << 10
	marksMax = 1 << 10
)

// isHeavy reports whether a text may take Glamour too long.
func isHeavy(text string) bool {
	if len(text) <= proseMax {
		return false
	}
	marks := 0
	for i := range len(text) {
		if strings.IndexByte("[]()*_`<~!&\\", text[i]) >= 0 {
			marks++
		}
	}
	return len(text) > lineMax || marks > marksMax
}

// prose lays out paragraphs and headings.
func (r *Renderer) prose(text string, width int) []flow.Row {
	var rows []flow.Row
	for _, part := range parts(text, proseMax) {
		painted, ok := []string(nil), false
		if !isPlain(part) {
			painted, ok = r.painted(part)
		}
		if !ok {
			rows = append(rows, r.plain(part, width)...)
			continue
		}
		for _, line := range painted {
			rows = append(rows, r.wrap(line, width)...)
		}
	}
	return stripBlank(rows)
}

// parts cuts a text into runs of lines of at most a size, if the lines allow.
func parts(text string, most int) (parts []string) {
	for len(text) > most {
		at := strings.LastIndexByte(text[:most], '\n')
		if at < 0 {
			at = strings.IndexByte(text, '\n')
		}
		if at < 0 {
			break
		}
		parts = append(parts, text[:at])
		text = text[at+1:]
	}
	return append(parts, text)
}

// Bounds of what is kept of Glamour's work, and of items of lists.
const (
	cacheTexts = 1024
	cacheBytes = 2 << 20
	itemsMax   = 4096
)

// painted returns the lines of a text as Glamour paints them, unwrapped. They
// are kept, for the parts of a tail that did not change and for a resize. It
// reports false for a text that is too heavy, or that Glamour fails on.
func (r *Renderer) painted(text string) ([]string, bool) {
	if isHeavy(text) {
		return nil, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if lines, ok := r.cache[text]; ok {
		return lines, true
	}
	out, ok := r.markdown(text)
	if !ok {
		return nil, false
	}
	if !r.PlainLinks {
		out = shortLinks(out)
	}
	if r.styles.Bare() {
		out = ansi.Strip(out)
	}
	lines := strings.Split(strings.Trim(out, "\n"), "\n")
	for i, line := range lines {
		line = trim(harmless(line))
		if r.PlainLinks {
			line = withoutLinks(line)
		}
		lines[i] = spans(line)
	}
	if r.cache == nil || len(r.cache) >= cacheTexts || r.cached > cacheBytes {
		r.cache, r.cached = map[string][]string{}, 0
	}
	r.cached += len(text) + len(out)
	r.cache[text] = slices.Clip(lines)
	return lines, true
}

// spans turns the marks of code spans into isolates, which flow understands.
func spans(line string) string {
	if !strings.ContainsRune(line, spanStart) && !strings.ContainsRune(line, spanEnd) {
		return line
	}
	return spanMarks.Replace(line)
}

// Glamour must not see isolates, which its output could not be trusted with;
// the spans of code in right-to-left text are marked with private characters.
const (
	spanStart = '\uf8f0'
	spanEnd   = '\uf8f1'
)

var spanMarks = strings.NewReplacer(string(spanStart), string(flow.IsolateStart), string(spanEnd), string(flow.IsolateEnd))

// markdown runs Glamour, with r.mu held. It reports false if that failed: the
// text is foreign and the library not ours, so a panic in it must not end the
// chat.
func (r *Renderer) markdown(text string) (out string, ok bool) {
	library.Lock()
	defer library.Unlock()
	defer func() {
		if recover() != nil {
			r.glamour = nil // it may have stopped halfway
			out, ok = "", false
		}
	}()
	if r.glamour == nil {
		g, err := glamour.NewTermRenderer(
			glamour.WithStyles(look(r.styles)),
			glamour.WithWordWrap(0),
			glamour.WithPreservedNewLines(),
		)
		if err != nil {
			return "", false
		}
		r.glamour = g
	}
	out, err := r.glamour.Render(prepare(text))
	return out, err == nil
}
