package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// spotter finds tool calls that a small model printed as text instead of
// making them: within <tool_call> tags, in a json fence, or as a bare object
// at the start of a line. They count only where the answer ends in them, so
// the text from the first sign of a call on is held back until it is clear.
//
//	outside ─opener▶ object ─}▶ closing ─closer▶ between ─opener▶ object …
//	   ◀── release: what is held was text after all ──┘
type spotter struct {
	tools map[string]bool
	phase phase
	form  form
	held  []byte // from the first opener on, or the beginning of one
	from  int    // in held: where the opener, object or closer being read begins
	found []printedCall

	scan      objectScan
	lineStart bool // only blanks since the last line break, outside
}

type printedCall struct{ name, arguments string }

type phase int

const (
	outside phase = iota
	object
	closing
	between
)

type form int

const (
	bare form = iota
	tagged
	fenced
)

// openers and the form they begin. A bare object's own brace opens it.
var openers = []struct {
	text string
	form form
}{
	{"<tool_call>", tagged}, {"```json\n", fenced}, {"```tool_call\n", fenced}, {"```\n", fenced}, {"{", bare},
}

var closers = map[form]string{tagged: "</tool_call>", fenced: "```"}

// heldLimit bounds what is held back, in bytes.
const heldLimit = 1 << 20

func newSpotter(tools []llm.ToolSpec) *spotter {
	s := &spotter{tools: map[string]bool{}, lineStart: true}
	for _, t := range tools {
		s.tools[t.Name] = true
	}
	return s
}

// write takes more of the answer and returns what of it is surely text.
func (s *spotter) write(text string) string {
	if s.phase == outside && len(s.held) == 0 && !s.lineStart && !strings.ContainsAny(text, "<`{\n") {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		s.step(text[i], &out)
	}
	return out.String()
}

func (s *spotter) step(b byte, out *strings.Builder) {
	s.held = append(s.held, b)
	if len(s.held) > heldLimit {
		s.release(out, false)
		return
	}
	switch s.phase {
	case outside:
		s.stepOutside(out)
	case object:
		s.stepObject(b, out)
	case closing:
		s.stepClosing(b, out)
	case between:
		s.stepBetween(b, out)
	}
}

// stepOutside reads text, of which at most the beginning of an opener is held.
func (s *spotter) stepOutside(out *strings.Builder) {
	for len(s.held) > 0 {
		if s.opener(s.held, s.lineStart) {
			return
		}
		first := s.held[0]
		out.WriteByte(first)
		s.held = s.held[1:]
		switch first {
		case '\n':
			s.lineStart = true
		case ' ', '\t', '\r':
		default:
			s.lineStart = false
		}
	}
}

// opener reports whether text is the beginning of an opener. With a whole one
// the object begins.
func (s *spotter) opener(text []byte, lineStart bool) (matched bool) {
	for _, o := range openers {
		if o.form != tagged && !lineStart {
			continue
		}
		t := strings.ReplaceAll(string(text), "\r\n", "\n")
		if t == o.text {
			s.begin(o.form)
			return true
		}
		matched = matched || strings.HasPrefix(o.text, strings.TrimSuffix(t, "\r"))
	}
	return matched
}

func (s *spotter) begin(f form) {
	s.phase, s.form, s.from, s.scan = object, f, len(s.held), objectScan{}
	if f == bare {
		s.from--
		s.scan.step('{')
	}
}

func (s *spotter) stepObject(b byte, out *strings.Builder) {
	switch s.scan.step(b) {
	case scanFailed:
		s.release(out, true)
	case scanDone:
		c, ok := s.call(s.held[s.from+s.scan.blanks:])
		if !ok {
			s.release(out, false)
			return
		}
		s.found = append(s.found, c)
		s.phase, s.from = closing, len(s.held)
		if s.form == bare {
			s.phase = between
		}
	}
}

func (s *spotter) stepClosing(b byte, out *strings.Builder) {
	if blank(b) && s.from == len(s.held)-1 {
		s.from++
		return
	}
	closer, have := closers[s.form], string(s.held[s.from:])
	switch {
	case have == closer:
		s.phase, s.from = between, len(s.held)
	case !strings.HasPrefix(closer, have):
		s.release(out, true)
	}
}

// stepBetween waits for the next of several calls.
func (s *spotter) stepBetween(b byte, out *strings.Builder) {
	if blank(b) && s.from == len(s.held)-1 {
		s.from++
		return
	}
	if !s.opener(s.held[s.from:], true) {
		s.release(out, true)
	}
}

// release gives back what is held as text. The last byte is read again if it
// may begin an opener.
func (s *spotter) release(out *strings.Builder, again bool) {
	n := len(s.held)
	if again {
		n--
	}
	text, rest := s.held[:n], s.held[n:]
	out.Write(text)
	line := text[strings.LastIndexByte(string(text), '\n')+1:]
	s.lineStart = len(strings.TrimSpace(string(line))) == 0
	s.phase, s.found, s.held = outside, nil, append([]byte(nil), rest...)
	s.stepOutside(out)
}

// end returns the calls that the answer ends in. A closer that the server cut
// off as a stop word isn't missed.
func (s *spotter) end() []printedCall {
	whole := s.phase == closing || s.phase == between && s.from == len(s.held)
	if !whole {
		return nil
	}
	s.held = nil
	return s.found
}

// rest returns what is still held, as text.
func (s *spotter) rest() string {
	text := string(s.held)
	s.held, s.found, s.phase = nil, nil, outside
	return text
}

// call reads a printed call. Within tags any name is meant as a call; a name
// elsewhere must be one of the tools'.
func (s *spotter) call(text []byte) (printedCall, bool) {
	var fields map[string]json.RawMessage
	var name string
	if json.Unmarshal(text, &fields) != nil || json.Unmarshal(fields["name"], &name) != nil || name == "" {
		return printedCall{}, false
	}
	arguments, ok := fields["arguments"]
	if !ok {
		arguments, ok = fields["parameters"] // Llama's word
	}
	if s.form != tagged && (!ok || !s.tools[name] || !only(fields, callKeys)) {
		return printedCall{}, false
	}
	var quoted string
	switch {
	case !ok || string(arguments) == "null":
		arguments = json.RawMessage("{}")
	case json.Unmarshal(arguments, &quoted) == nil:
		arguments = json.RawMessage(quoted)
	}
	var fits map[string]json.RawMessage
	if json.Unmarshal(arguments, &fits) != nil || fits == nil {
		return printedCall{}, false
	}
	return printedCall{name, string(arguments)}, true
}

// callKeys are what the object of a printed call may have.
var callKeys = []string{"name", "arguments", "parameters", "type", "id"}

func only(fields map[string]json.RawMessage, keys []string) bool {
	for name := range fields {
		if !slices.Contains(keys, name) {
			return false
		}
	}
	return true
}

func blank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// objectScan finds the end of a JSON object byte by byte and gives up early on
// what can't be a call.
type objectScan struct {
	blanks  int // before the object
	depth   int
	quoted  bool
	escaped bool
	key     []byte // the first key, until it is known
	keyed   bool
}

type scanResult int

const (
	scanOn scanResult = iota
	scanDone
	scanFailed
)

func (o *objectScan) step(b byte) scanResult {
	if o.quoted {
		return o.stepQuoted(b)
	}
	switch {
	case blank(b):
		if o.depth == 0 {
			o.blanks++
		}
	case o.depth == 0:
		if b != '{' {
			return scanFailed
		}
		o.depth = 1
	case b == '"':
		o.quoted = true
	case !o.keyed:
		return scanFailed // an object of a call begins with a key
	case b == '{' || b == '[':
		o.depth++
	case b == '}' || b == ']':
		if o.depth--; o.depth == 0 {
			return scanDone
		}
	}
	return scanOn
}

func (o *objectScan) stepQuoted(b byte) scanResult {
	switch {
	case o.escaped:
		o.escaped = false
	case b == '\\':
		o.escaped = true
	case b == '"':
		o.quoted = false
		if !o.keyed {
			o.keyed = true
			if !slices.Contains(callKeys, string(o.key)) {
				return scanFailed
			}
		}
		return scanOn
	}
	if !o.keyed {
		o.key = append(o.key, b)
	}
	return scanOn
}
