package export

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

//go:embed page.css
var css string

// HTML writes the transcript as one page without scripts or remote parts.
func HTML(w io.Writer, t Transcript) error {
	buffered := bufio.NewWriter(w)
	p := &page{w: buffered, results: pair(t.Messages)}
	p.document(t)
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("export session as a page: %w", err)
	}
	return nil
}

// markup is HTML of ours. Constants in this package become markup by
// themselves; a string that comes from elsewhere does not, and has to go
// through text.
type markup string

// page writes HTML. Write errors are kept by the bufio.Writer until Flush.
type page struct {
	w       *bufio.Writer
	results *results
}

func (p *page) raw(parts ...markup) {
	for _, m := range parts {
		_, _ = p.w.WriteString(string(m))
	}
}

// text writes foreign text, for content and for attributes in double quotes.
func (p *page) text(s string) { _, _ = p.w.WriteString(html.EscapeString(sanitize.Text(s))) }

func (p *page) line(s string) { _, _ = p.w.WriteString(html.EscapeString(sanitize.Line(s))) }

func (p *page) document(t Transcript) {
	p.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n<title>")
	p.line(t.Title)
	p.raw("</title>\n<style>\n", markup(css), "</style>\n</head>\n<body>\n<header>\n<h1 dir=\"auto\">")
	p.line(t.Title)
	p.raw("</h1>\n<dl>\n")
	for _, f := range t.facts() {
		p.raw("<div><dt>")
		p.line(f.name)
		p.raw("</dt><dd>")
		p.line(f.value)
		p.raw("</dd></div>\n")
	}
	p.raw("</dl>\n</header>\n<main>\n")
	for i, m := range t.Messages {
		if !p.results.told[i] {
			p.message(m)
		}
	}
	p.raw("</main>\n</body>\n</html>\n")
}

func (p *page) message(m message.Message) {
	s := sectionOf(m)
	p.raw(`<article class="`)
	p.line(s.class)
	p.raw("\">\n")
	if s.fold {
		p.raw("<details><summary>")
	} else {
		p.raw("<h2>")
	}
	p.line(s.title)
	if m.Timestamp > 0 {
		p.raw(" <time>")
		p.line(time.UnixMilli(m.Timestamp).UTC().Format("2006-01-02 15:04:05"))
		p.raw("</time>")
	}
	if s.fold {
		p.raw("</summary>\n")
	} else {
		p.raw("</h2>\n")
	}
	p.body(m)
	if s.fold {
		p.raw("</details>\n")
	}
	p.raw("</article>\n")
}

func (p *page) body(m message.Message) {
	switch {
	case m.Raw != nil:
		p.pre("", indented(m.Raw))
	case m.Bash != nil:
		p.pre("command", m.Bash.Command)
		p.pre("", m.Bash.Output)
		p.remark(outcome(*m.Bash))
	case m.Role == message.BranchSummary, m.Role == message.CompactionSummary:
		p.prose(m.Summary)
	case m.Role == message.FileMention:
		for _, f := range mentions(m) {
			p.folded(f.Path, func() { p.pre("", f.Content) })
		}
	case m.Role == message.ToolResult:
		p.result(m)
	default:
		for _, b := range m.Content {
			p.block(b)
		}
		if m.ErrorMessage != "" {
			p.raw(`<p class="error">`)
			p.text(m.ErrorMessage)
			p.raw("</p>\n")
		}
	}
}

func (p *page) block(b message.Block) {
	switch b.Type {
	case message.TextBlock:
		p.prose(b.Text)
	case message.ThinkingBlock:
		p.folded("Thinking", func() { p.prose(b.Text) })
	case message.RedactedBlock:
		p.remark("thinking that the provider has encrypted")
	case message.ImageBlock:
		p.image(b)
	case message.ToolCallBlock:
		p.call(b)
	default:
		p.folded("Content of type "+orUnknown(string(b.Type)), func() { p.pre("", indented(b.Raw)) })
	}
}

func (p *page) call(b message.Block) {
	p.raw(`<section class="call"><h3>`)
	p.line(orUnknown(b.Name))
	p.raw("</h3>\n")
	p.pre("arguments", arguments(b))
	if r := p.results.take(b.ID); r != nil {
		p.result(*r)
	} else {
		p.remark("no result")
	}
	p.raw("</section>\n")
}

func (p *page) result(m message.Message) {
	if m.IsError {
		p.raw(`<div class="result error">`)
	} else {
		p.raw(`<div class="result">`)
	}
	if diff := diffOf(m); diff != "" {
		p.diff(diff)
	}
	for _, b := range m.Content {
		if b.Type == message.TextBlock {
			p.output(b.Text)
		} else {
			p.block(b)
		}
	}
	p.raw("</div>\n")
}

// foldAfter is how many lines of a tool's output are shown unfolded.
const foldAfter = 20

func (p *page) output(s string) {
	if s == "" {
		return
	}
	if n := strings.Count(s, "\n"); n > foldAfter {
		p.folded(fmt.Sprintf("Output, %d lines", n+1), func() { p.pre("", s) })
		return
	}
	p.pre("", s)
}

func (p *page) folded(title string, body func()) {
	p.raw("<details><summary>")
	p.line(title)
	p.raw("</summary>\n")
	body()
	p.raw("</details>\n")
}

func (p *page) remark(s string) {
	p.raw(`<p class="remark">`)
	p.line(s)
	p.raw("</p>\n")
}

// pre writes text whose lines count. The line feed after the tag is not part
// of the text for a browser; without it a first empty line would be lost.
func (p *page) pre(class markup, s string) {
	if class == "" {
		p.raw("<pre>\n")
	} else {
		p.raw(`<pre class="`, class, "\">\n")
	}
	p.text(s)
	p.raw("</pre>\n")
}

// prose writes text as it was written, and its fenced blocks as code.
func (p *page) prose(s string) {
	var para []string
	flush := func() {
		if text := strings.Trim(strings.Join(para, "\n"), "\n"); text != "" {
			p.raw(`<div class="prose" dir="auto">`)
			p.text(text)
			p.raw("</div>\n")
		}
		para = nil
	}
	var open fence
	for line := range strings.SplitSeq(sanitize.Text(s), "\n") {
		switch {
		case open.closedBy(line):
			p.code(open.info, strings.Join(para, "\n"))
			para, open = nil, fence{}
		case open.size == 0 && openFence(line).size > 0:
			flush()
			open = openFence(line)
		default:
			para = append(para, line)
		}
	}
	if open.size > 0 {
		p.code(open.info, strings.Join(para, "\n"))
		return
	}
	flush()
}

func (p *page) code(language, s string) {
	if language == "diff" {
		p.diff(s)
		return
	}
	p.pre("code", s)
}

// diff writes a unified diff in colour.
func (p *page) diff(s string) {
	p.raw("<pre class=\"diff\">\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(sanitize.Text(s), "\n"), "\n") {
		p.raw("<span", diffClass(line), ">")
		p.text(line)
		p.raw("</span>\n")
	}
	p.raw("</pre>\n")
}

func diffClass(line string) markup {
	switch {
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return ` class="at"`
	case strings.HasPrefix(line, "+"):
		return ` class="add"`
	case strings.HasPrefix(line, "-"):
		return ` class="del"`
	}
	return ""
}

// imageTypes are those that hold pixels and nothing else.
var imageTypes = regexp.MustCompile(`^image/(png|jpeg|gif|webp)$`)

// image writes an image into the page. Its data is decoded and encoded again,
// so that nothing but base64 reaches the attribute.
func (p *page) image(b message.Block) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil || len(data) == 0 || !imageTypes.MatchString(b.MimeType) {
		p.remark("an image that cannot be shown (" + orUnknown(b.MimeType) + ")")
		return
	}
	p.raw(`<img alt="image" src="data:`)
	p.line(b.MimeType)
	p.raw(";base64,")
	p.line(base64.StdEncoding.EncodeToString(data))
	p.raw("\">\n")
}
