package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong in a theme file.
type Problem struct {
	Line, Column int    // counted from 1; columns in bytes
	Key          string // as in dark.text; "" for the file as a whole
	Text         string
}

func (p Problem) Error() string {
	key := ""
	if p.Key != "" {
		key = strconv.Quote(p.Key) + ": "
	}
	return fmt.Sprintf("%d:%d: %s%s", p.Line, p.Column, key, p.Text)
}

// Problems are all that is wrong in a file, in the file's order. As an error
// they read file:line:column: of the first, and how many there are.
type Problems struct {
	File string // "" if the text has none
	List []Problem
}

func (ps *Problems) Error() string {
	if len(ps.List) == 0 {
		return "no problem"
	}
	text := ps.List[0].Error()
	if ps.File != "" {
		text = ps.File + ":" + text
	}
	if more := len(ps.List) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more; \"hoopoe theme check\" tells all)", more)
	}
	return text
}

// node is a JSON value with its place. The parser keeps places because what a
// colour's name means may stand further down.
type node struct {
	at      int    // offset of its first byte
	kind    byte   // one of { [ " 0 t n
	text    string // of a string, or a number as written
	members []member
}

type member struct {
	key   string
	at    int
	value node
}

// maxNodes and maxDepth bound what a hostile file can cost.
const (
	maxNodes = 2000
	maxDepth = 16
)

// reader makes nodes from the tokens of one file.
type reader struct {
	data  []byte
	dec   *json.Decoder
	nodes int
	found []Problem
}

// read parses the file's JSON. It returns false when that failed; the problem
// is in found.
func (r *reader) read() (node, bool) {
	r.dec = json.NewDecoder(bytes.NewReader(r.data))
	r.dec.UseNumber()
	top, err := r.value(0)
	if err == nil {
		at := r.next()
		if _, err = r.dec.Token(); errors.Is(err, io.EOF) {
			return top, true
		}
		if err == nil {
			r.fail(at, "", "text after the end of the theme")
			return top, false
		}
	}
	r.fail(r.place(err), "", "%s", reason(err))
	return top, false
}

// value reads the next value with all that is in it.
func (r *reader) value(depth int) (node, error) {
	at := r.next()
	tok, err := r.dec.Token()
	if err != nil {
		return node{}, err
	}
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return node{}, errors.New("too much in one file")
	}
	n := node{at: at, kind: 't'}
	switch tok := tok.(type) {
	case string:
		n.kind, n.text = '"', tok
	case json.Number:
		n.kind, n.text = '0', tok.String()
	case nil:
		n.kind = 'n'
	case json.Delim:
		n.kind = byte(tok)
		for r.dec.More() {
			var m member
			if n.kind == '{' {
				m.at = r.next()
				name, err := r.dec.Token()
				if err != nil {
					return n, err
				}
				m.key, _ = name.(string)
			}
			if m.value, err = r.value(depth + 1); err != nil {
				return n, err
			}
			n.members = append(n.members, m)
		}
		if _, err := r.dec.Token(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// next is where the next token begins.
func (r *reader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[at]) >= 0 {
		at++
	}
	return at
}

// place is where the JSON stopped to make sense.
func (r *reader) place(err error) int {
	se, ok := errors.AsType[*json.SyntaxError](err)
	if !ok || se.Offset == r.dec.InputOffset() { // between two tokens
		return r.next()
	}
	return max(int(se.Offset)-1, 0)
}

func reason(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file ends too early"
	}
	return err.Error()
}

// fail notes a problem at an offset.
func (r *reader) fail(at int, key, format string, args ...any) {
	before := r.data[:min(at, len(r.data))]
	r.found = append(r.found, Problem{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Key:    short(key), Text: fmt.Sprintf(format, args...),
	})
}

// short bounds what is repeated of a file.
func short(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// err is what was found, in the file's order.
func (r *reader) err() error {
	if len(r.found) == 0 {
		return nil
	}
	slices.SortStableFunc(r.found, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return &Problems{List: r.found}
}

// plain blanks comments and trailing commas, so that every other byte stays
// where it was.
func plain(data []byte) []byte {
	data = bytes.Clone(data)
	comma := -1 // the last comma, while only blanks and comments followed it
	for i := 0; i < len(data); i++ {
		rest := data[i:]
		switch {
		case data[i] == '"':
			comma = -1
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			i += blank(rest[:end]) - 1
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return data // the decoder points at the slash
			}
			i += blank(rest[:end+4]) - 1
		case data[i] == ',':
			comma = i
		case data[i] == '}' || data[i] == ']':
			if comma >= 0 {
				data[comma] = ' '
			}
			comma = -1
		case strings.IndexByte(" \t\r\n", data[i]) < 0:
			comma = -1
		}
	}
	return data
}

// blank puts spaces in place of all but the line ends, and returns how many
// bytes that were.
func blank(part []byte) int {
	for i, c := range part {
		if c != '\n' {
			part[i] = ' '
		}
	}
	return len(part)
}
