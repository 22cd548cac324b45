package remote

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every example of PROTOCOL.md is what happens. "<*" stands for frames whose
// chunks, joined, are the one that is shown.
func TestProtocolExamples(t *testing.T) {
	doc, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/protocol.script")
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, string(script)).connect("")
	n := 0
	next := func() string {
		t.Helper()
		if _, ok := c.take(); !ok {
			t.Fatal("the connection ended")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return varies(c.raw[c.next-1])
	}
	for _, block := range regexp.MustCompile("(?s)```transcript\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
		for line := range strings.Lines(block[1]) {
			n++
			kind, frame, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch kind {
			case ">":
				c.send("%s", frame)
			case "<*":
				got := next()
				for len(got) < len(frame) {
					got = joined(got, next())
				}
				if got != frame {
					t.Errorf("got  %s\nwant %s", got, frame)
				}
			case "<":
				if got := next(); got != frame {
					t.Errorf("got  %s\nwant %s", got, frame)
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("the document has %d lines of examples", n)
	}
}

// joined puts two chunks of one request together.
func joined(a, b string) string {
	const key = `"Stream":"`
	head, _, _ := strings.Cut(a, `"},"error"`)
	_, tail, _ := strings.Cut(b, key)
	return head + tail
}

// varies replaces what is another text on every machine.
func varies(frame string) string {
	frame = regexp.MustCompile(`"description":"(?:[^"\\]|\\.)*"`).ReplaceAllString(frame, `"description":"DESCRIPTION"`)
	return regexp.MustCompile(`\\"error\\":\\"(?:[^"\\]|\\\\\\.|\\\\)*?\\",\\"arguments`).ReplaceAllString(frame, `\"error\":\"ERROR\",\"arguments`)
}
