// Package markdown shows the model's Markdown, also while it streams.
//
//	deltas ──▶ Stream ──▶ cut into blocks ──▶ settled: rendered once, kept
//	                                     └──▶ open tail: rendered when asked
//	block ──▶ code: highlight, fold ──────────────────────────────▶ rows
//	      ──▶ plain: wrap ────────────────────────────────────────▶ rows
//	      ──▶ list: each item as a text of its own beside its marker
//	      ──▶ else: prepare ──▶ Glamour ──▶ harmless, trim, wrap ──▶ rows
//
// Rendering costs about 3 ms for a kilobyte, so a text that streams must not
// be rendered whole for every delta. The rows of a Stream are those of
// settled blocks, which never change, and those of the tail; callers ask for
// them at most once a frame.
//
// The text is hostile: it is cleaned before Glamour sees it, and what Glamour
// makes of it is filtered again, because entities in the text turn to control
// characters inside. No row is wider than asked for.
package markdown

import (
	"slices"
	"strings"
	"sync"

	"charm.land/glamour/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// blockMax is the size in bytes from which a block is shown as plain text.
const blockMax = 64 << 10

// codeTab is the width of a tab in code and prose.
const codeTab = 4

// library guards Glamour and the highlighter's registry, which are shared by
// the whole process and not safe for concurrent use.
var library sync.Mutex

// Renderer renders with one set of styles. It is safe for concurrent use.
// Nothing expensive happens before the first text that has any Markdown.
type Renderer struct {
	styles style.Styles

	mu       sync.Mutex
	glamour  map[int]*glamour.TermRenderer // by width
	language map[string]bool               // names of fences, known or not
	syntax   map[chroma.TokenType]style.Style
	cache    map[cacheKey][]string
}

// New returns a renderer for these styles. When they change, make a new one.
func New(s style.Styles) *Renderer { return &Renderer{styles: s} }

// Render returns the rows of a finished text, without blank rows around it.
func (r *Renderer) Render(text string, width int) []string {
	s := r.Stream()
	s.SetText(text)
	s.Finish()
	return s.Rows(width)
}

// clean makes line ends and controls harmless. In Markdown a lone CR is a
// line end, not an overwritten line.
func clean(text string) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return sanitize.Text(text)
}

// nestMax is how deep lists may be nested before they are shown as text.
const nestMax = 10

// document renders the blocks of a text. Between two is a blank row where
// the text has a blank line.
func (r *Renderer) document(text string, width, depth int) []string {
	var rows []string
	start, gap := 0, false
	for _, end := range append(cut(text).ends, len(text)) {
		block := text[start:end]
		rows = join(rows, r.block(block, width, depth), gap || strings.HasPrefix(block, "\n"))
		gap = strings.HasSuffix(strings.TrimRight(block, " \t"), "\n\n")
		start = end
	}
	return rows
}

// block renders one block. Its rows have no blank row at either end.
func (r *Renderer) block(text string, width, depth int) []string {
	width = max(width, 1)
	text = strings.TrimLeft(sanitize.Tabs(text, codeTab), "\n")
	if first, _, _ := strings.Cut(text, "\n"); opens(first, false).top {
		return r.fenced(text, width, len(text) <= blockMax)
	}
	if len(text) > blockMax || depth > nestMax || isPlain(text) || tooDeep(text) {
		return r.plain(text, width)
	}
	var rows []string
	parts := lists(text)
	for _, p := range parts {
		var part []string
		switch {
		case p.items != nil:
			part = r.listRows(p.items, width, depth)
		case len(parts) == 1:
			part = r.prose(p.text, width)
		default:
			part = r.document(p.text, width, depth+1)
		}
		rows = join(rows, part, p.gap)
	}
	return rows
}

// prose renders what is neither list nor fence. The results for one width
// are kept, for the parts of a tail that did not change.
func (r *Renderer) prose(text string, width int) []string {
	if isPlain(text) {
		return r.plain(text, width)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := cacheKey{text, width}
	if rows, ok := r.cache[key]; ok {
		return rows
	}
	room := width
	if n := tableWidth(text); n > 0 {
		room = min(n, width)
	}
	out, ok := r.markdown(text, room)
	if !ok {
		return r.plain(text, width)
	}
	if r.styles.Bare() {
		out = ansi.Strip(out)
	}
	var rows []string
	for line := range strings.SplitSeq(out, "\n") {
		for _, row := range style.WrapPainted(trim(harmless(line)), width) {
			rows = append(rows, trim(row))
		}
	}
	rows = stripBlank(rows)
	if r.cache == nil || len(r.cache) >= cacheMax {
		r.cache = map[cacheKey][]string{}
	}
	r.cache[key] = slices.Clip(rows)
	return r.cache[key]
}

// cacheMax bounds the parts that are kept.
const cacheMax = 256

type cacheKey struct {
	text  string
	width int
}

// markdown runs Glamour, with r.mu held. It reports false if that failed: the text is foreign
// and the library's own, so a panic in it must not end the chat.
func (r *Renderer) markdown(text string, width int) (out string, ok bool) {
	library.Lock()
	defer library.Unlock()
	defer func() {
		if recover() != nil {
			delete(r.glamour, width) // it may have stopped halfway
			out, ok = "", false
		}
	}()
	if r.glamour[width] == nil {
		g, err := glamour.NewTermRenderer(
			glamour.WithStyles(look(r.styles)),
			glamour.WithWordWrap(max(width, 8)),
			glamour.WithPreservedNewLines(),
			glamour.WithChromaFormatter("terminal16m"),
		)
		if err != nil {
			return "", false
		}
		if r.glamour == nil || len(r.glamour) >= nestMax {
			r.glamour = map[int]*glamour.TermRenderer{}
		}
		r.glamour[width] = g
	}
	out, err := r.glamour[width].Render(prepare(text, r.known))
	return out, err == nil
}

// known reports whether the highlighter has a language. Asking it for one
// that it has not is slow, so answers are kept.
func (r *Renderer) known(language string) bool {
	if known, ok := r.language[language]; ok {
		return known
	}
	if r.language == nil || len(r.language) > 100 {
		r.language = map[string]bool{}
	}
	known := len(language) < 30 && lexers.Get(language) != nil
	r.language[language] = known
	return known
}

// plain wraps text that has no Markdown in it, or too much.
func (r *Renderer) plain(text string, width int) []string {
	rows := style.Wrap(text, width)
	for i, row := range rows {
		rows[i] = r.styles.Text.Render(row)
	}
	return stripBlank(rows)
}

// depthMax is how many quotes and lists may be nested on one line. Glamour's
// time grows beyond all bounds with the depth.
const depthMax = 16

func tooDeep(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		depth := 0
		for line != "" && depth <= depthMax {
			line = strings.TrimLeft(line, " \t")
			n := itemMarker(line)
			if strings.HasPrefix(line, ">") {
				n = 1
			}
			if n == 0 {
				break
			}
			line = line[n:]
			depth++
		}
		if depth > depthMax {
			return true
		}
	}
	return false
}

// isPlain reports whether Glamour would show the text as it is.
func isPlain(text string) bool {
	if strings.ContainsAny(text, "*_`#>|[]<&~\\=") || strings.Contains(text, "://") ||
		strings.Contains(text, "www.") || strings.Contains(text, "@") {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && (line[0] == ' ' || line[0] == ':' || isItem(line) || strings.HasPrefix(line, "--")) {
			return false
		}
	}
	return true
}

func stripBlank(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
