package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	script = `<script>alert(1)</script>`
	escape = "\x1b[31mred\x1b]0;title\x07\x1b[2J\u202eevil"
	quote  = `" onmouseover="alert(1)" x="`
	png    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

// hostile is a conversation in which everything tries to get out of its place.
func hostile() Transcript {
	exit := 1
	texts := func(s ...string) []message.Block {
		var out []message.Block
		for _, one := range s {
			out = append(out, message.TextOf(one))
		}
		return out
	}
	at := time.Date(2026, 2, 16, 10, 20, 30, 0, time.UTC)
	return Transcript{
		Title: script + escape + quote + "\nsecond line # * `", ID: "id" + quote, Cwd: "/tmp/" + script + escape, Created: at,
		Messages: []message.Message{
			{Role: message.User, Timestamp: at.UnixMilli(), Content: append(texts(
				script+"\n"+escape+"\n</pre></div></article>\n```\n"+script+"\n``` not closed"),
				message.ImageOf(png, "image/png"),
				message.ImageOf(png, "image/svg+xml"),
				message.ImageOf(png, `image/png"`+quote),
				message.ImageOf(png+quote, "image/png"),
				message.ImageOf("blob:sha256:00", "image/png"))},
			{Role: message.Assistant, Provider: "anthropic", Model: "m" + script, Usage: message.Usage{Input: 10, Output: 5, Cost: message.Cost{Total: 0.25}},
				Content: []message.Block{
					{Type: message.ThinkingBlock, Text: "I think " + script + "\n~~~\nopen"},
					{Type: message.RedactedBlock, Data: quote},
					message.TextOf("مرحبا List<int> and <b onclick=x>\n\n````go\n```\n" + script + "\n````\n\n- after\n\n```diff\n@@ -1 +1 @@\n-old " + script + "\n+new\n```"),
					{Type: message.ToolCallBlock, ID: "c1", Name: "edit" + script, Arguments: json.RawMessage(`{"path":"` + "```" + `</pre>","x":[1,{"y":"\u001b[31m"}]}`)},
					{Type: message.ToolCallBlock, ID: "c2", Name: "bash", Arguments: json.RawMessage(`{}`), Malformed: `{"command": ` + script},
					{Type: message.ToolCallBlock, ID: "c3", Name: "", Arguments: json.RawMessage(`{}`)},
					{Type: "video", Raw: json.RawMessage(`{"type":"video","url":"` + script + `"}`)},
				}},
			{Role: message.ToolResult, ToolCallID: "c2", ToolName: "bash", IsError: true, Content: append(texts(strings.Repeat("line "+script+"\n", 25)), message.ImageOf(png, "image/png"))},
			{Role: message.ToolResult, ToolCallID: "c1", ToolName: "edit", Content: texts("done ````` "+escape, ""),
				Details: json.RawMessage(`{"diff":"--- a\n+++ b\n@@ -1 +1 @@\n-<i>\n+</span></pre>` + "````" + `\n same\n"}`)},
			{Role: message.ToolResult, ToolCallID: "elsewhere", ToolName: quote, Content: texts("of no call")},
			{Role: message.BashExecution, Bash: &message.Bash{Command: "echo " + script, Output: escape, ExitCode: &exit}},
			{Role: message.BashExecution, Bash: &message.Bash{Command: "sleep 9", Cancelled: true}},
			{Role: message.Developer, Content: texts("go on " + script)},
			{Role: message.Custom, CustomType: quote + script, Display: true, Content: texts("shown " + script)},
			{Role: message.CompactionSummary, Summary: "before " + script},
			{Role: message.CompactionSummary, Summary: "1. nested\n   ```\n   " + script + "\n   ```\n" + script},
			{Role: message.BranchSummary, Summary: "elsewhere\n# not a heading of ours"},
			{Role: message.FileMention, Files: json.RawMessage(`[{"path":"a` + "`" + `<script>.go","content":"` + "````" + `\n</pre>"}]`)},
			{Role: "poll" + message.Role(script), Raw: json.RawMessage(`{"role":"poll","q":"` + script + `"}`)},
			{Role: message.Assistant, StopReason: message.Error, ErrorMessage: "failed " + script + escape},
		},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at what changed\n%s", name, got)
	}
}

func render(t testing.TB, to func(io.Writer, Transcript) error, tr Transcript) string {
	t.Helper()
	var b bytes.Buffer
	if err := to(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// E-4: nothing that was said can run, load or reach the terminal.
func TestHTMLHostile(t *testing.T) {
	got := render(t, HTML, hostile())
	golden(t, "hostile.html", got)
	checkPage(t, got)
}

var (
	pageTag    = regexp.MustCompile(`<[^>]*>?`)
	allowedTag = regexp.MustCompile(`^<(!doctype html|/?(html( lang="en")?|head|title|style|body|header|main|dl|div|dt|dd|h1( dir="auto")?|h2|h3|time|details|summary|section( class="call")?|p|pre|span|article)` +
		`|(pre|div|p|span|article) class="[a-z]+( error)?"|div class="prose" dir="auto"` +
		`|meta (charset="utf-8"|name="(referrer|viewport)" content="[a-z0-9=, -]+"|http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")` +
		`|img alt="image" src="data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*")>$`)
	control = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069]")
)

// checkPage fails for every tag that is not one of ours, whole.
func checkPage(t testing.TB, page string) {
	t.Helper()
	for _, tag := range pageTag.FindAllString(page, -1) {
		if !allowedTag.MatchString(tag) {
			t.Errorf("a tag that is not ours: %q", tag)
		}
	}
	if found := control.FindString(page); found != "" {
		t.Errorf("a control character: %q", found)
	}
}

func TestMarkdownHostile(t *testing.T) {
	got := render(t, Markdown, hostile())
	golden(t, "hostile.md", got)
	checkMarkdown(t, got)
}

// checkMarkdown fails if a real parser finds HTML in the document, or if the
// last heading is not one because a fence was left open before it.
func checkMarkdown(t testing.TB, doc string) {
	t.Helper()
	const last = "\n## The end\n"
	source := []byte(doc + last)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if k := n.Kind(); entering && (k == ast.KindRawHTML || k == ast.KindHTMLBlock) {
			t.Errorf("HTML in the document:\n%q", doc)
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Error(err)
	}
	if h, ok := root.LastChild().(*ast.Heading); !ok || h.Level != 2 {
		t.Errorf("the document swallows what follows it:\n%q", doc)
	}
	if found := control.FindString(doc); found != "" {
		t.Errorf("a control character: %q", found)
	}
}

func TestFence(t *testing.T) {
	for line, want := range map[string]fence{
		"```":           {'`', 3, ""},
		"   ~~~~ go ":   {'~', 4, "go"},
		"```go":         {'`', 3, "go"},
		"    ```":       {},
		"``":            {},
		"``` a`b":       {},
		"~~~ a`b":       {'~', 3, "a`b"},
		"text ```":      {},
		"":              {},
		"\t```":         {},
		"```go\u00a0x!": {'`', 3, "go\u00a0x!"},
	} {
		if got := openFence(line); got != want {
			t.Errorf("%q opens %+v, want %+v", line, got, want)
		}
	}
	open := fence{'`', 4, "go"}
	for line, want := range map[string]bool{"````": true, "`````  ": true, "```": false, "~~~~": false, "```` x": false, "": false} {
		if got := open.closedBy(line); got != want {
			t.Errorf("%q closes: %t", line, got)
		}
	}
}

func TestClosed(t *testing.T) {
	for in, want := range map[string]string{
		"a < b && c<d":             `a < b && c&lt;d`,
		"<script>":                 `&lt;script>`,
		"<ScRiPt >x</script>":      `&lt;ScRiPt >x&lt;/script>`,
		`\<script>`:                `\&lt;script>`,
		"<!-- hides the rest":      `&lt;!-- hides the rest`,
		"<?php":                    `&lt;?php`,
		"```\n<script>":            "```\n<script>\n```",
		"~~~\n```\n<b>\n~~~\n<b>":  "~~~\n```\n<b>\n~~~\n&lt;b>",
		"`<script>`":               "`&lt;script>`",
		"```\n<a>\n```\n```x\n<a>": "```\n<a>\n```\n```x\n<a>\n```",
		"- a\n```\n<a>\n```":       "- a\n```\n<a>\n```",
	} {
		if got, ok := closed(in); !ok || got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"- ```\n  ```\n<script>", "  ```\n```\n<script>", "> ~~~\n<script>", "1. - ```", "x\n\t```"} {
		if got, ok := closed(in); ok {
			t.Errorf("%q became %q, but its fences cannot be followed", in, got)
		}
	}
}

func TestOf(t *testing.T) {
	at := time.Date(2026, 2, 16, 10, 20, 30, 0, time.UTC)
	d, err := session.New(session.Options{InMemory: true, ID: "s1", Cwd: "/w", Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	add := func(e session.Entry) session.Entry {
		t.Helper()
		e, err := d.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := message.NewUser("first " + strings.Repeat("long ", 40))
	add(session.Entry{Message: &first})
	second := message.NewUser("second")
	kept := add(session.Entry{Message: &second})
	add(session.Entry{Compaction: &session.Compaction{Summary: "sum", FirstKeptEntryID: kept.ID}})
	tr := Of(d)
	if len(tr.Messages) != 3 || tr.Messages[0].Text() != first.Text() || tr.Messages[2].Summary != "sum" {
		t.Errorf("messages %+v", tr.Messages)
	}
	if !strings.HasPrefix(tr.Title, "first long") || !strings.HasSuffix(tr.Title, "…") || len([]rune(tr.Title)) != 80 {
		t.Errorf("title %q", tr.Title)
	}
	if _, err := d.SetName("named"); err != nil {
		t.Fatal(err)
	}
	if tr = Of(d); tr.Title != "named" || tr.Cwd != "/w" || !tr.Created.Equal(at) {
		t.Errorf("transcript %+v", tr)
	}

	var b bytes.Buffer
	if err := JSONL(&b, d); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, notices, err := session.Open(path, session.Options{})
	if err != nil || len(notices) > 0 || again.Len() != d.Len() || again.Name() != "named" {
		t.Fatalf("the copy: %v %v", err, notices)
	}
	defer again.Close()
}

// A session that was written is copied byte for byte.
func TestJSONLIsACopy(t *testing.T) {
	d, err := session.New(session.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m := message.NewUser("hi")
	if _, err := d.Append(session.Entry{Message: &m}); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(d.File())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := JSONL(&b, d); err != nil || b.String() != string(want) {
		t.Errorf("%v\n got %s\nwant %s", err, b.String(), want)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrors(t *testing.T) {
	for name, to := range map[string]func(io.Writer, Transcript) error{"html": HTML, "markdown": Markdown} {
		if err := to(fullDisk{}, hostile()); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzExport: whatever is said, the page has only our tags and the document no
// open fence.
func FuzzExport(f *testing.F) {
	f.Add(script, quote, `{"a":1}`)
	f.Add("```\n~~~\n", "\x1b]8;;x\x07", "`````")
	f.Fuzz(func(t *testing.T, said, name, raw string) {
		tr := Transcript{Title: name, ID: name, Cwd: said, Messages: []message.Message{
			{Role: message.User, Content: []message.Block{message.TextOf(said), message.ImageOf(said, name)}},
			{Role: message.Assistant, Model: name, ErrorMessage: name, Content: []message.Block{
				{Type: message.ThinkingBlock, Text: said},
				{Type: message.ToolCallBlock, ID: "1", Name: name, Malformed: raw},
				{Type: message.ToolCallBlock, ID: "2", Name: name, Arguments: json.RawMessage(raw)},
			}},
			{Role: message.ToolResult, ToolCallID: "1", ToolName: name, Content: []message.Block{message.TextOf(said)}, Details: json.RawMessage(raw)},
			{Role: message.Role(name), Raw: json.RawMessage(raw)},
		}}
		checkPage(t, render(t, HTML, tr))
		checkMarkdown(t, render(t, Markdown, tr))
	})
}

// Random texts of what means something in Markdown find more than the fuzzer's
// bytes do.
func TestMarkdownOfFragments(t *testing.T) {
	pieces := []string{"```", "````", "~~~", "`", "``", "- ", "> ", "1. ", "    ", "  ", "\t", "\n", "\n", "\n\n", "<script>", "</b>", "<x y=z>",
		"<!--", "-->", "<?", "<!A", "<![CDATA[", "\\", "|", "|-|-|\n", "# ", "===\n", "---\n", "[a]: b\n", "[x](<", ">", "*", "_", "word ", "<http://a>", "&lt;", "go"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		said := []message.Block{message.TextOf(b.String())}
		checkMarkdown(t, render(t, Markdown, Transcript{Title: b.String(), Messages: []message.Message{
			{Role: message.User, Content: said}, {Role: message.ToolResult, Content: said, ToolName: b.String()}}}))
		if t.Failed() {
			return
		}
	}
}
