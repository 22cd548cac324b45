package remote

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

func protocol(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// Every example of PROTOCOL.md is what happens.
func TestProtocolExamples(t *testing.T) {
	script, err := os.ReadFile("testdata/protocol.script")
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, string(script))
	play := playing{p: p, c: p.connect(""), names: map[string]string{}}
	for _, block := range regexp.MustCompile("(?s)```transcript\n(.*?)```").FindAllStringSubmatch(protocol(t), -1) {
		for line := range strings.Lines(block[1]) {
			play.line(t, strings.TrimSpace(line))
		}
	}
	if play.n < 80 {
		t.Errorf("the document has %d lines of examples", play.n)
	}
}

// playing is a transcript that is being played.
type playing struct {
	p     *place
	c     *client
	names map[string]string // what SESSION and QUESTION stand for
	n     int
}

// line plays one line. "<*" stands for frames whose chunks, joined, are the one
// that is shown, "<+" for the first that fits.
func (p *playing) line(t *testing.T, line string) {
	t.Helper()
	p.n++
	kind, frame, _ := strings.Cut(line, " ")
	switch kind {
	case ">":
		p.c.send("%s", p.named(frame))
	case "<*":
		got := p.next(t)
		for len(got) < len(frame) {
			got = joined(got, p.next(t))
		}
		if got != frame {
			t.Errorf("got  %s\nwant %s", got, frame)
		}
	case "<":
		if got := p.next(t); !shows(frame, got) {
			t.Errorf("got  %s\nwant %s", got, frame)
		}
	case "<+":
		for got := p.next(t); !shows(frame, got); got = p.next(t) {
			if strings.HasPrefix(got, `{"type":"response"`) {
				t.Fatalf("got  %s\nwant %s", got, frame)
			}
		}
	case "connect":
		p.c = p.p.connect(p.named(frame))
	case "lost":
		p.c.ws.CloseNow()
		eventually(t, "the connection is gone", func() bool { return p.p.present(p.names["SESSION"]) == 0 })
	case "closed":
		if code := fmt.Sprint(int(p.c.closed())); code != frame {
			t.Errorf("closed with %s, want %s", code, frame)
		}
	default:
		t.Errorf("%q is no line of a transcript", line)
	}
}

// named puts ids in the place of their names.
func (p *playing) named(text string) string {
	for name, id := range p.names {
		text = strings.ReplaceAll(text, name, id)
	}
	return text
}

var ids = map[string]*regexp.Regexp{
	"SESSION":  regexp.MustCompile(`"(?:session|kept)":"([^"]+)"`),
	"QUESTION": regexp.MustCompile(`"question":{"id":"([^"]+)"`),
}

// next is the next frame, with what is another text on every machine replaced.
func (p *playing) next(t *testing.T) string {
	t.Helper()
	if _, ok := p.c.take(); !ok {
		t.Fatalf("the connection ended: %v", p.c.tail())
	}
	p.c.mu.Lock()
	frame := p.c.raw[p.c.next-1]
	p.c.mu.Unlock()
	for name, id := range ids {
		if m := id.FindStringSubmatch(frame); m != nil {
			p.names[name] = m[1]
			frame = strings.ReplaceAll(frame, m[1], name)
		}
	}
	frame = regexp.MustCompile(`"description":"(?:[^"\\]|\\.)*"`).ReplaceAllString(frame, `"description":"DESCRIPTION"`)
	return regexp.MustCompile(`\\"error\\":\\"(?:[^"\\]|\\\\\\.|\\\\)*?\\",\\"arguments`).ReplaceAllString(frame, `\"error\":\"ERROR\",\"arguments`)
}

// shows holds if a frame is the one of the document, where "..." leaves out
// anything.
func shows(frame, got string) bool {
	if !strings.Contains(frame, "...") {
		return got == frame
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(frame), `\.\.\.`, ".*")
	return regexp.MustCompile("^" + strings.ReplaceAll(pattern, ",.*,", ",(?:.*,)?") + "$").MatchString(got)
}

// joined puts two chunks of one request together.
func joined(a, b string) string {
	const key = `"Stream":"`
	head, _, _ := strings.Cut(a, `"},"error"`)
	_, tail, _ := strings.Cut(b, key)
	return head + tail
}

// Every input that PROTOCOL.md shows is one, in each of its spellings, and the
// configuration's fields are all that there are.
func TestProtocolInputs(t *testing.T) {
	_, inputs, _ := strings.Cut(protocol(t), "## 3. Inputs")
	inputs, rest, ok := strings.Cut(inputs, "## 4. ")
	_, config, found := strings.Cut(rest, "## 6. Config")
	config, _, _ = strings.Cut(config, "## 7. ")
	if !ok || !found {
		t.Fatal("the document has other sections")
	}
	n := 0
	for _, m := range regexp.MustCompile("(?m)^\\| (`.*`) \\|").FindAllStringSubmatch(inputs, -1) {
		for _, code := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[1], -1) {
			shown := []string{strings.ReplaceAll(code[1], "[...]", `[{"Text":"a"}]`)}
			switch name := code[1]; {
			case name == `"X"` || name == `{"X":null}`:
				continue
			case !strings.ContainsAny(name, `{"`):
				shown = []string{`"` + name + `"`, `{"` + name + `":null}`}
			}
			for _, in := range shown {
				n++
				if _, err := parse([]byte(`{"request_id":"a","input":` + in + `}`)); err != nil {
					t.Errorf("%s: %v", in, err)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("the document shows %d inputs", n)
	}
	n = 0
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(config, -1) {
		n++
		// A field that is known can't be a list.
		if _, err := parse([]byte(`{"request_id":"a","input":{"Text":"a"},"config":{"` + m[1] + `":[]}}`)); err == nil || !strings.Contains(err.Error(), m[1]) {
			t.Errorf("config.%s: %v", m[1], err)
		}
	}
	if n != 5 {
		t.Errorf("the document shows %d fields of config", n)
	}
}

// Case B15: a message that was too large once is too large for ever. The
// reference tells clients so, and our own fails what it waited for and sends
// nothing again when it connects anew.
func TestTooLargeIsFinal(t *testing.T) {
	if !strings.Contains(protocol(t), "close code 1009, which is final") {
		t.Error("PROTOCOL.md doesn't say that 1009 is final")
	}
	page, err := os.ReadFile("page/app.js")
	if err != nil {
		t.Fatal(err)
	}
	closing, _, _ := strings.Cut(string(page)[strings.Index(string(page), "mine.onclose"):], "};")
	if !strings.Contains(closing, "waiting.clear()") || strings.Contains(closing, ".send(") || strings.Contains(closing, "command(") {
		t.Errorf("the page keeps what it waited for:\n%s", closing)
	}
}
