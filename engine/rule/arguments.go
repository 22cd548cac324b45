package rule

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what is kept of one call's arguments.
const (
	maxDepth = 64      // of arrays and objects; what is deeper has no paths
	maxPaths = 64      // the rest is not looked at
	maxPath  = 4 << 10 // bytes; a longer one is no path
)

// arguments reads the JSON of a call's arguments as it streams: it decodes
// strings that are values and collects those that are paths. Text that isn't
// JSON does no harm.
type arguments struct {
	paths []string

	levels []level
	deep   int // levels beyond maxDepth

	inString bool
	value    bool // the string is a value, not a key
	escape   escape
	high     rune   // a surrogate that waits for its other half
	kept     []byte // of a key, or of a value that may be a path
	tooLong  bool
	out      strings.Builder // decoded part of a value in this delta
}

// level is an open array or object.
type level struct {
	object bool
	key    bool // the next string is a key
	path   bool // strings here are paths: by the key that was read last
}

// escape is how far an escape sequence has been read.
type escape struct {
	backslash bool
	digits    int // still to come of \uXXXX
	code      rune
}

// feed reads a delta. It calls value with each piece of a string that is a
// value; done says that the string ends with this piece.
func (a *arguments) feed(delta string, value func(text string, done bool)) {
	for i := 0; i < len(delta); i++ {
		c := delta[i]
		if !a.inString {
			a.structure(c)
			continue
		}
		if !a.escape.backslash && a.high == 0 && c != '"' && c != '\\' {
			from := i // a run of plain characters
			for i+1 < len(delta) && delta[i+1] != '"' && delta[i+1] != '\\' {
				i++
			}
			a.add(delta[from : i+1])
			continue
		}
		if a.character(c) {
			a.ended(value)
		}
	}
	if a.inString && a.value && a.out.Len() > 0 {
		value(a.out.String(), false)
		a.out.Reset()
	}
}

// structure reads a byte outside of strings.
func (a *arguments) structure(c byte) {
	top := a.top()
	switch c {
	case '{', '[':
		if len(a.levels) == maxDepth {
			a.deep++
			return
		}
		a.levels = append(a.levels, level{object: c == '{', key: c == '{', path: c == '[' && top.path})
	case '}', ']':
		if a.deep > 0 {
			a.deep--
		} else if len(a.levels) > 0 {
			a.levels = a.levels[:len(a.levels)-1]
		}
	case ',':
		if top.object {
			top.key = true
		}
	case ':':
		top.key = false
	case '"':
		a.inString, a.value = true, !top.key
		a.kept, a.tooLong = a.kept[:0], false
	}
}

// top is the innermost level. Beyond the depth that is kept, and outside of
// everything, it is one that nothing remembers.
func (a *arguments) top() *level {
	if a.deep > 0 || len(a.levels) == 0 {
		return &level{}
	}
	return &a.levels[len(a.levels)-1]
}

// character reads a byte of a string where an escape may begin or go on. It
// reports whether the string has ended.
func (a *arguments) character(c byte) (ended bool) {
	e := &a.escape
	switch {
	case e.digits > 0:
		e.code = e.code<<4 | hex(c)
		if e.digits--; e.digits == 0 {
			e.backslash = false
			a.unit(e.code)
		}
		return false
	case e.backslash && c == 'u':
		e.digits, e.code = 4, 0
		return false
	case e.backslash:
		e.backslash = false
		a.lone()
		a.add(unescape(c))
		return false
	case c == '\\':
		e.backslash = true
		return false
	}
	a.lone()
	if c == '"' {
		return true
	}
	a.add(string([]byte{c}))
	return false
}

// unit takes a UTF-16 unit of an escape.
func (a *arguments) unit(r rune) {
	if a.high != 0 {
		high := a.high
		a.high = 0
		if both := utf16.DecodeRune(high, r); both != utf8.RuneError {
			a.add(string(both))
			return
		}
		a.add(string(utf8.RuneError))
	}
	if 0xD800 <= r && r < 0xDC00 {
		a.high = r
		return
	}
	a.add(string(r))
}

// lone gives up on the other half of a surrogate.
func (a *arguments) lone() {
	if a.high != 0 {
		a.high = 0
		a.add(string(utf8.RuneError))
	}
}

func (a *arguments) add(text string) {
	if a.value {
		a.out.WriteString(text)
		if !a.top().path {
			return
		}
	}
	if a.tooLong = a.tooLong || len(a.kept)+len(text) > maxPath; !a.tooLong {
		a.kept = append(a.kept, text...)
	}
}

// ended closes a string.
func (a *arguments) ended(value func(text string, done bool)) {
	a.inString = false
	top := a.top()
	if !a.value {
		name := strings.ToLower(string(a.kept))
		top.path = !a.tooLong && (strings.HasSuffix(name, "path") || strings.HasSuffix(name, "paths"))
		return
	}
	if top.path && !a.tooLong && len(a.kept) > 0 && len(a.paths) < maxPaths {
		a.paths = append(a.paths, string(a.kept))
	}
	value(a.out.String(), true)
	a.out.Reset()
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'b':
		return "\b"
	case 'f':
		return "\f"
	}
	return string([]byte{c})
}

// hex is the value of a digit; what isn't one counts as 0.
func hex(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return 0
}
