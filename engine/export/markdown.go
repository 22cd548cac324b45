package export

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Markdown writes the transcript as one CommonMark document. What was said
// stays Markdown, except that it can neither bring in HTML elements nor leave
// a fence open; everything else stands in fences longer than any inside.
func Markdown(w io.Writer, t Transcript) error {
	buffered := bufio.NewWriter(w)
	d := &document{w: buffered, results: pair(t.Messages)}
	d.printf("# %s\n\n", plain(t.Title))
	for _, f := range t.facts() {
		d.printf("- %s: %s\n", plain(f.name), plain(f.value))
	}
	for i, m := range t.Messages {
		if !d.results.told[i] {
			d.printf("\n## %s\n\n", plain(sectionOf(m).title))
			d.body(m)
		}
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("export session as Markdown: %w", err)
	}
	return nil
}

// document writes Markdown. Write errors are kept by the bufio.Writer until
// Flush.
type document struct {
	w       *bufio.Writer
	results *results
}

func (d *document) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.w, format, args...) }

func (d *document) body(m message.Message) {
	switch {
	case m.Raw != nil:
		d.fenced("json", indented(m.Raw))
	case m.Bash != nil:
		d.fenced("sh", m.Bash.Command)
		d.fenced("", m.Bash.Output)
		d.printf("(%s)\n\n", outcome(*m.Bash))
	case m.Role == message.BranchSummary, m.Role == message.CompactionSummary:
		d.prose(m.Summary)
	case m.Role == message.FileMention:
		for _, f := range mentions(m) {
			d.printf("%s\n\n", plain(f.Path))
			d.fenced("", f.Content)
		}
	case m.Role == message.ToolResult:
		d.result(m)
	default:
		for _, b := range m.Content {
			d.block(b)
		}
		if m.ErrorMessage != "" {
			d.printf("**Error:** %s\n\n", plain(m.ErrorMessage))
		}
	}
}

func (d *document) block(b message.Block) {
	switch b.Type {
	case message.TextBlock:
		d.prose(b.Text)
	case message.ThinkingBlock:
		d.printf("Thinking:\n\n")
		d.prose(b.Text)
	case message.RedactedBlock:
		d.printf("(thinking that the provider has encrypted)\n\n")
	case message.ImageBlock:
		d.printf("(image, %s)\n\n", plain(orUnknown(b.MimeType)))
	case message.ToolCallBlock:
		d.printf("### %s\n\n", plain(orUnknown(b.Name)))
		d.fenced("json", arguments(b))
		if r := d.results.take(b.ID); r != nil {
			d.result(*r)
		} else {
			d.printf("(no result)\n\n")
		}
	default:
		d.fenced("json", indented(b.Raw))
	}
}

func (d *document) result(m message.Message) {
	if m.IsError {
		d.printf("**The call failed:**\n\n")
	}
	if diff := diffOf(m); diff != "" {
		d.fenced("diff", diff)
	}
	for _, b := range m.Content {
		if b.Type == message.TextBlock {
			d.fenced("", b.Text)
		} else {
			d.block(b)
		}
	}
}

// prose writes Markdown as such, or in a fence where that isn't safe.
func (d *document) prose(s string) {
	safe, ok := closed(s)
	switch {
	case !ok:
		d.fenced("markdown", s)
	case safe != "":
		d.printf("%s\n\n", safe)
	}
}

var backticks = regexp.MustCompile("`+")

// fenced writes s in a fence that nothing in s can close.
func (d *document) fenced(language, s string) {
	s = strings.TrimRight(sanitize.Text(s), "\n")
	if s == "" {
		return
	}
	size := 3
	for _, run := range backticks.FindAllString(s, -1) {
		size = max(size, len(run)+1)
	}
	mark := strings.Repeat("`", size)
	d.printf("%s%s\n%s\n%s\n\n", mark, language, s, mark)
}

// closed returns Markdown in which no HTML starts and every fence ends. It is
// false for text whose fences a reader of lines cannot follow.
func closed(s string) (string, bool) {
	s = strings.Trim(sanitize.Text(s), "\n")
	if nestedFence.MatchString(s) {
		return "", false
	}
	lines := strings.Split(s, "\n")
	var open fence
	for i, line := range lines {
		switch {
		case open.closedBy(line):
			open = fence{}
		case open.size > 0:
		case openFence(line).size > 0:
			open = openFence(line)
		default:
			lines[i] = tag.ReplaceAllString(line, "&lt;$1")
		}
	}
	if open.size > 0 {
		lines = append(lines, strings.Repeat(string(open.char), open.size))
	}
	return strings.Join(lines, "\n"), true
}

// nestedFence matches a fence that may belong to a list, a quotation or
// indented code: what it opens or closes then depends on all that stands
// before. A fence in the first column ends those and is one in any case.
var nestedFence = regexp.MustCompile("(?m)^(?:[ \t>*+-]|[0-9]+[.)])+(?:```|~~~)")

// tag matches what may begin HTML. It is written as an entity and not behind a
// backslash, on which a backslash before it would have a say.
var tag = regexp.MustCompile(`<([A-Za-z/!?])`)

// special are the characters that mean something in a line of Markdown.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]>#|!~&$]")

// plain returns s as one line that says nothing but itself.
func plain(s string) string {
	s = special.ReplaceAllString(strings.TrimSpace(sanitize.Line(s)), `\$0`)
	return strings.ReplaceAll(s, "<", "&lt;")
}
