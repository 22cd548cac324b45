// Package sanitize makes foreign text harmless for a terminal.
//
// Model text, tool output, file names, MCP strings, session titles and remote
// input are hostile until they pass through here, at the edge where they meet
// a terminal, a title or a log:
//
//	hostile text ──▶ Text (many lines) ──▶ renderer ──▶ terminal
//	             ──▶ Line (one line)
//	             ──▶ SGR (many lines, colours kept)
//	             ──▶ Visible (commands awaiting approval: nothing is hidden)
//
// Events and protocols carry text as it is; only displays filter.
//
// What every function here guarantees about its result, except that SGR lets
// colour sequences through: valid UTF-8, no ESC, no C0 control but line feed
// and tab, no DEL, no C1 control, no bidirectional embedding, override or
// isolate. All functions are idempotent, and return their argument without
// allocating when there is nothing to remove.
//
// Kept on purpose: U+200E, U+200F and U+061C, the directional marks, which
// Arabic and Hebrew prose needs and which cannot reorder a whole run; U+200C
// and U+200D, which Persian and emoji need. Visible shows all of them.
package sanitize

import (
	"strings"
	"unicode/utf8"
)

// Text cleans text that may have many lines. Whole escape sequences go, not
// just their first byte. CRLF becomes LF. A lone CR means what it means on a
// terminal, so that progress bars show their last state: text after it
// replaces the line so far. U+2028 and U+2029 become LF, invalid UTF-8 becomes
// U+FFFD.
func Text(s string) string {
	if clean(s) {
		return s
	}
	f := filter{in: s}
	return f.run()
}

// Line cleans text for a field of one line: as Text, but every run of line
// ends, carriage returns and tabs becomes one space. Nothing is overwritten.
func Line(s string) string {
	if clean(s) && !strings.ContainsAny(s, "\n\t") {
		return s
	}
	f := filter{in: s, oneLine: true}
	return f.run()
}

// SGR cleans as Text does, but keeps the sequences that set colours and text
// attributes. Those that hide text or blink go, as does a sequence it cannot
// read. Every line of the result stands alone: attributes are switched off
// before each line feed and at the end, and on again after the line feed.
func SGR(s string) string {
	if clean(s) {
		return s
	}
	f := filter{in: s, colour: true}
	return f.run()
}

// clean reports whether s has nothing that Text would change.
func clean(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || isControl(r) || isReorder(r) || isLineEnd(r) {
			return false
		}
		i += n
	}
	return true
}

func isControl(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0
}

// isReorder holds for characters that reorder or re-embed the text after
// them, and for the deprecated format characters beside them.
func isReorder(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x206f
}

// isLineEnd holds for the Unicode line ends that a terminal does not know.
func isLineEnd(r rune) bool { return r == 0x2028 || r == 0x2029 }

// filter copies in to out, once, from left to right.
type filter struct {
	in  string
	out []byte

	oneLine bool // line ends and tabs become spaces
	colour  bool // colour sequences are kept

	lineStart int      // offset in out of the current line
	overwrite bool     // a CR came: the next character starts the line again
	active    []string // colour sequences in force, since the last reset
}

// activeMax bounds what is repeated on every line of coloured text.
const activeMax = 8

func (f *filter) run() string {
	f.out = make([]byte, 0, len(f.in))
	for i := 0; i < len(f.in); {
		r, n := next(f.in[i:])
		switch {
		case r == '\n' || isLineEnd(r):
			f.newline()
		case r == '\t' && f.oneLine:
			f.space()
		case r == '\r' && f.oneLine:
			f.space()
		case r == '\r':
			f.overwrite = true
		case r == '\t':
			f.put('\t')
		case isControl(r):
			n = sequence(f.in[i:])
			if f.colour {
				f.attributes(f.in[i : i+n])
			}
		case isReorder(r):
		default:
			f.put(r)
		}
		i += n
	}
	f.reset()
	return string(f.out)
}

func (f *filter) put(r rune) {
	if f.overwrite {
		f.overwrite = false
		f.out = f.out[:f.lineStart]
		f.resume()
	}
	f.out = utf8.AppendRune(f.out, r)
}

func (f *filter) newline() {
	if f.oneLine {
		f.space()
		return
	}
	active := f.active
	f.reset()
	f.overwrite = false
	f.out = append(f.out, '\n')
	f.lineStart = len(f.out)
	f.active = active
	f.resume()
}

// space writes one space for a run of line ends and tabs.
func (f *filter) space() {
	if n := len(f.out); n == 0 || f.out[n-1] != ' ' {
		f.out = append(f.out, ' ')
	}
}

func (f *filter) resume() {
	for _, seq := range f.active {
		f.out = append(f.out, seq...)
	}
}

func (f *filter) reset() {
	if len(f.active) > 0 {
		f.out = append(f.out, sgrReset...)
		f.active = nil
	}
}

// attributes copies seq if it is a colour sequence that may stay.
func (f *filter) attributes(seq string) {
	params, ok := sgrParams(seq)
	if !ok {
		return
	}
	if params == "" || strings.Trim(params, "0;") == "" {
		f.reset()
		return
	}
	kept := "\x1b[" + params + "m"
	f.out = append(f.out, kept...)
	if strings.HasPrefix(params, "0;") {
		f.active = nil
	}
	// A fresh slice: newline keeps the old one across a reset.
	f.active = append(f.active[:len(f.active):len(f.active)], kept)
	if n := len(f.active); n > activeMax {
		f.active = f.active[n-activeMax:]
	}
}
