// Package markdown shows the model's Markdown, also while it streams.
//
//	deltas ──▶ Stream ──▶ cut into blocks ──▶ settled: laid out once, kept
//	                                     └──▶ open tail: laid out when asked
//	block ──▶ code: highlight, fold ──────────────────────────────────▶ rows
//	      ──▶ list, quote, table, footnote: its parts beside its marks ─▶ rows
//	      ──▶ plain text ────────────────────────▶ wrap ───────────────▶ rows
//	      ──▶ else: prepare ──▶ Glamour ──▶ harmless ──▶ wrap ─────────▶ rows
//
// Glamour paints words and never wraps: what it makes of a paragraph is kept
// without a width, so that a resize costs the wrapping alone. Rendering takes
// about 3 ms for a kilobyte, so a text that streams must not be rendered whole
// for every delta. The rows of a Stream are those of settled blocks, which
// never change, and those of the tail; callers ask for them at most once a
// frame.
//
// The text is hostile: it is cleaned before Glamour sees it, and what Glamour
// makes of it is filtered again, because entities in the text turn to control
// characters inside. No row is wider than asked for.
package markdown

import (
	"strings"
	"sync"

	"charm.land/glamour/v2"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

// blockMax is the size in bytes from which a block is shown as plain text.
const blockMax = 64 << 10

// codeTab is the width of a tab in code and prose.
const codeTab = 4

// Renderer renders with one set of styles. It is safe for concurrent use.
// Nothing expensive happens before the first text that has any Markdown.
type Renderer struct {
	// Bidi is what the terminal needs for right-to-left text. It is set before
	// the first use, as is PlainLinks: the terminal knows no links, so that
	// addresses are written out.
	Bidi       flow.Bidi
	PlainLinks bool

	styles style.Styles
	syntax *syntax.Painter

	mu      sync.Mutex
	glamour *glamour.TermRenderer
	cache   map[string][]string // painted lines by their source
	cached  int                 // bytes of it
	quoted  *Renderer           // for what stands in a quote
	items   map[laidItem][]flow.Row
	// itemBytes are those of items, text and rows.
	itemBytes int
}

// New returns a renderer for these styles. When they change, make a new one.
func New(s style.Styles) *Renderer { return &Renderer{styles: s, syntax: syntax.New(s)} }

// Syntax colours code with the same styles.
func (r *Renderer) Syntax() *syntax.Painter { return r.syntax }

// Render returns the rows of a finished text, without blank rows around it.
func (r *Renderer) Render(text string, width int) []string {
	return flow.Texts(r.Rows(text, width))
}

// Rows is Render with what is needed to copy from the rows.
func (r *Renderer) Rows(text string, width int) []flow.Row {
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

// document lays out the blocks of a text. Between two is a blank row where
// the text has a blank line.
func (r *Renderer) document(text string, width, depth int) []flow.Row {
	var rows []flow.Row
	start, gap := 0, false
	for _, end := range append(cut(text).ends, len(text)) {
		block := text[start:end]
		rows = join(rows, r.block(block, width, depth), gap || strings.HasPrefix(block, "\n"))
		gap = strings.HasSuffix(strings.TrimRight(block, " \t"), "\n\n")
		start = end
	}
	return rows
}

// block lays out one block. Its rows have no blank row at either end.
func (r *Renderer) block(text string, width, depth int) []flow.Row {
	width = max(width, 1)
	text = strings.TrimLeft(sanitize.Tabs(text, codeTab), "\n")
	if first, _, _ := strings.Cut(text, "\n"); opens(first, false).top {
		return r.fenced(text, width, len(text) <= blockMax)
	}
	if len(text) > blockMax || depth > nestMax || isPlain(text) || tooDeep(text) {
		return r.plain(text, width)
	}
	var rows []flow.Row
	parts := lists(text)
	for _, p := range parts {
		var part []flow.Row
		switch {
		case p.items != nil:
			part = r.listRows(p.items, width, depth)
		case len(parts) == 1:
			part = r.segments(p.text, width, depth)
		default:
			part = r.document(p.text, width, depth+1)
		}
		rows = join(rows, part, p.gap)
	}
	return rows
}

// segments lays out what is neither list nor fence.
func (r *Renderer) segments(text string, width, depth int) []flow.Row {
	var rows []flow.Row
	for _, s := range segments(text) {
		var part []flow.Row
		switch s.kind {
		case quote:
			part = r.quoteRows(s.text, width, depth)
		case table:
			part = stripBlank(r.tableRows(s.text, width))
		case note:
			part = r.noteRows(s.text, width, depth)
		case code:
			part = stripBlank(r.one(dedented(s.text, 4), width))
		case rule:
			line := strings.Repeat("─", min(8, width))
			part = []flow.Row{{Text: r.styles.Border.Render(line), Rule: true}}
		default:
			part = r.prose(s.text, width)
		}
		rows = join(rows, part, s.gap)
	}
	return rows
}

// plain wraps text that has no Markdown in it, or too much.
func (r *Renderer) plain(text string, width int) []flow.Row {
	var rows []flow.Row
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, r.wrap(r.styles.Text.Render(line), width)...)
	}
	return stripBlank(rows)
}

// wrap breaks a painted line into rows.
func (r *Renderer) wrap(line string, width int) []flow.Row {
	return flow.Wrap(flow.Isolated(line), width, r.Bidi)
}

// depthMax is how many quotes and lists may be nested on one line. The time
// that takes grows beyond all bounds with the depth.
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

func stripBlank(rows []flow.Row) []flow.Row {
	for len(rows) > 0 && strings.TrimSpace(rows[0].Text) == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1].Text) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
