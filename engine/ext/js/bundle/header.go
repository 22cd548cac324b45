package bundle

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Bounds of what is stated, in characters.
const (
	maxName        = 64
	maxDescription = 200
)

// Capabilities are all that an extension may state, in the order in which they
// are shown.
func Capabilities() []string { return []string{"fs", "net", "exec", "env"} }

// about is what an extension says of itself.
type about struct {
	entry, real  string // as given; symlinks resolved
	root         string // the folder it may import JSON and text from
	manifest     string // path of its package.json, "" for none
	name         string
	description  string
	capabilities []string
}

// describe reads the header of an entry and the package.json that names it.
func describe(entry string, source []byte) (about, error) {
	real, err := filepath.EvalSymlinks(entry)
	if err != nil {
		return about{}, fault(entry, entry, unreadable(err))
	}
	a := about{entry: entry, real: real, root: filepath.Dir(real), name: plainName(entry)}
	var words []word
	m, err := owner(real)
	if err != nil {
		return about{}, fault(entry, m.path, err.Error())
	}
	if m.path != "" {
		a.root, a.manifest = filepath.Dir(m.path), m.path
		a.name, a.description = first(shorten(m.Name, maxName), a.name), shorten(m.Description, maxDescription)
		words = m.capabilities()
	}
	h := parseHeader(source)
	a.name, a.description = first(shorten(h.name, maxName), a.name), first(shorten(h.description, maxDescription), a.description)
	for i := range h.capabilities {
		h.capabilities[i].file, h.capabilities[i].src = entry, source
	}
	return a, a.state(append(words, h.capabilities...))
}

// word is a capability as written.
type word struct {
	text   string
	file   string
	src    []byte
	offset int // in bytes of src
}

// state checks the words and takes them over.
func (a *about) state(words []word) error {
	e := &Error{Entry: a.entry}
	known := Capabilities()
	stated := map[string]bool{}
	for _, w := range words {
		stated[w.text] = true
		if slices.Contains(known, w.text) || len(e.Problems) == maxProblems {
			continue
		}
		p := Problem{File: w.file, Text: fmt.Sprintf("unknown capability %q; name any of %s", shorten(w.text, maxName), strings.Join(known, ", "))}
		if w.text == "" {
			p.Text = "no capability is named; name any of " + strings.Join(known, ", ") + " or remove the line"
		}
		p.Line, p.Column = place(w.src, w.offset)
		e.Problems = append(e.Problems, p)
	}
	if len(e.Problems) > 0 {
		return e
	}
	for _, c := range known {
		if stated[c] {
			a.capabilities = append(a.capabilities, c)
		}
	}
	return nil
}

// header is what the comments before the first statement state.
type header struct {
	name, description string
	capabilities      []word // one empty word for a line that names none
}

// parseHeader reads the leading comments of a script.
func parseHeader(src []byte) header {
	var h header
	at := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		at = 3
	}
	if bytes.HasPrefix(src[at:], []byte("#!")) {
		at += lineEnd(src[at:])
	}
	for {
		at += len(src[at:]) - len(bytes.TrimLeft(src[at:], " \t\r\n"))
		length := 0
		switch {
		case bytes.HasPrefix(src[at:], []byte("//")):
			length = lineEnd(src[at:])
		case bytes.HasPrefix(src[at:], []byte("/*")):
			length = bytes.Index(src[at+2:], []byte("*/")) + 2
		}
		if length < 2 { // no comment, or one without an end
			return h
		}
		isBlock := src[at+1] == '*'
		for line := range bytes.Lines(src[at : at+length]) {
			h.line(line, at)
			at += len(line)
		}
		if isBlock {
			at += len("*/")
		}
	}
}

// lineEnd is the length of src's first line with its end.
func lineEnd(src []byte) int {
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		return i + 1
	}
	return len(src)
}

// line reads one line of a comment that begins at offset.
func (h *header) line(line []byte, offset int) {
	text := bytes.TrimLeft(line, "/* \t")
	offset += len(line) - len(text)
	text = bytes.TrimRight(text, " \t\r\n")
	tag, value := text, []byte(nil)
	if i := bytes.IndexAny(text, " \t"); i >= 0 {
		tag, value = text[:i], text[i:]
	}
	switch string(tag) {
	case "@name":
		h.name = first(h.name, string(bytes.TrimSpace(value)))
	case "@description":
		h.description = first(h.description, string(bytes.TrimSpace(value)))
	case "@capabilities":
		names := bytes.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(names) == 0 {
			h.capabilities = append(h.capabilities, word{offset: offset})
		}
		at := len(tag)
		for _, n := range names {
			at += bytes.Index(text[at:], n)
			h.capabilities = append(h.capabilities, word{text: string(n), offset: offset + at})
			at += len(n)
		}
	}
}

// plainName names an extension after its file, or its folder if the file is
// only an index.
func plainName(entry string) string {
	base := filepath.Base(entry)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name == "index" {
		name = filepath.Base(filepath.Dir(entry))
	}
	return shorten(name, maxName)
}

// shorten makes text one clean line of at most limit characters.
func shorten(text string, limit int) string {
	text = strings.TrimSpace(sanitize.Line(text))
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
