package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// png is a picture of one pixel.
const png = "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01\x48\xaf\xa4\x71\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadPrompt(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a b.txt", "one\ntwo")
	write(t, dir, "p.png", png)
	write(t, dir, "log", "one\ntwo\n")
	write(t, dir, "log:1", "own")
	for _, c := range []struct {
		name            string
		words, literals []string
		stdin           string
		text, blocks    string
	}{
		{name: "words are joined", words: []string{"fix", "it"}, text: "fix it"},
		{name: "stdin alone is the prompt", stdin: "do this\n", text: "do this"},
		{name: "stdin goes with the text", words: []string{"explain"}, stdin: "log", text: "explain", blocks: "<file path=\"stdin\">\nlog\n</file>"},
		{name: "empty stdin", words: []string{"x"}, stdin: " \n", text: "x"},
		{name: "file", words: []string{"@a b.txt", "what"}, text: "what", blocks: "<file path=\"a b.txt\">\none\ntwo\n</file>"},
		{name: "line", words: []string{"@a b.txt:2"}, blocks: "<file path=\"a b.txt:2\">\ntwo\n</file>"},
		{name: "lines", words: []string{"@a b.txt:1-9"}, blocks: "<file path=\"a b.txt:1-9\">\none\ntwo\n</file>"},
		{name: "lines to the end", words: []string{"@a b.txt:2-"}, blocks: "<file path=\"a b.txt:2-\">\ntwo\n</file>"},
		{name: "lines of the first", words: []string{"@a b.txt:1-1"}, blocks: "<file path=\"a b.txt:1-1\">\none\n</file>"},
		{name: "a name that ends like lines", words: []string{"@log:1"}, blocks: "<file path=\"log:1\">\nown\n</file>"},
		{name: "image", words: []string{"what", "@p.png"}, text: "what", blocks: "image/png"},
		{name: "image on stdin", stdin: png, blocks: "image/png"},
		{name: "file with prompt on stdin", words: []string{"-", "@p.png"}, stdin: "what", text: "what", blocks: "image/png"},
		{name: "literals are text", literals: []string{"@a b.txt", "-"}, text: "@a b.txt -"},
		{name: "at alone is text", words: []string{"@"}, text: "@"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := source{cwd: dir, stdin: strings.NewReader(c.stdin)}.read(c.words, c.literals)
			if err != nil {
				t.Fatal(err)
			}
			var blocks []string
			for _, b := range p.blocks {
				if b.Type == message.ImageBlock {
					blocks = append(blocks, b.MimeType)
				} else {
					blocks = append(blocks, b.Text)
				}
			}
			if got := strings.Join(blocks, "|"); p.text != c.text || got != c.blocks {
				t.Errorf("text %q, blocks %q; want %q, %q", p.text, got, c.text, c.blocks)
			}
			if p.empty() {
				t.Error("the prompt is empty")
			}
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("is a directory") }

// Requirement E-2: what can't be read is refused by name.
func TestReadPromptRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "nul", "a\x00b")
	write(t, dir, "latin1", "caf\xe9")
	write(t, dir, "long.txt", strings.Repeat("x", maxText+1))
	write(t, dir, "damaged.png", png[:20])
	write(t, dir, "big.png", png+strings.Repeat("x", maxImage))
	for _, c := range []struct {
		word  string
		stdin io.Reader
		want  string
	}{
		{"@missing", nil, "@missing: there is no such file"},
		{"@missing:1", nil, "@missing:1: there is no such file"},
		{"@latin1:1", nil, "latin1:1: this is neither UTF-8 text"},
		{"@nul:2", nil, "@nul:2: there are no such lines; the file has 1"},
		{"@nul:0", nil, "@nul:0: there are no such lines"},
		{"@nul:3-2", nil, "@nul:3-2: there are no such lines"},
		{"@.", nil, "this is a folder"},
		{"@nul", nil, "nul: this is neither UTF-8 text nor an image"},
		{"@latin1", nil, "neither UTF-8 text"},
		{"@long.txt", nil, "long.txt: too long for a prompt"},
		{"@big.png", nil, "big.png: the image is too large"},
		{"@damaged.png", nil, "damaged.png: the image is damaged"},
		{"text", failing{}, "read stdin: is a directory"},
		{"text", strings.NewReader("a\x00b"), "stdin: this is neither"},
		{"text", strings.NewReader(strings.Repeat("x", 2*maxImage)), "stdin: too long"},
	} {
		t.Run(c.word, func(t *testing.T) {
			_, err := source{cwd: dir, stdin: c.stdin}.read([]string{c.word}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A pipe that nobody writes to doesn't hang in silence.
func TestSilentStdinIsReported(t *testing.T) {
	r, w := io.Pipe()
	told := make(chan struct{})
	go func() {
		<-told
		w.Close()
	}()
	s := source{stdin: r, patience: time.Nanosecond, stillOff: func() { close(told) }}
	if p, err := s.read([]string{"text"}, nil); err != nil || p.text != "text" {
		t.Errorf("%+v, %v", p, err)
	}
}
