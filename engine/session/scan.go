package session

import (
	"bytes"
	"encoding/json"
)

// head is what the tree needs to know of a line, read without decoding it.
type head struct {
	typ, id, parent, timestamp string
	message                    []byte // the value of "message", a slice of the line
}

// scanHead reads the top level of a line that should be a JSON object. With
// whole false it stops when type, id and parentId are known, which for lines
// of this family is within the first hundred bytes; ok then only says that the
// line is whole as far as it was read and ends as an object does.
func scanHead(line []byte, whole bool) (h head, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return h, false
	}
	s := scanner{b: line, i: 1}
	var hasType, hasID, hasParent bool
	for !s.closed('}') {
		key, val, ok := s.pair()
		if !ok {
			return h, false
		}
		switch string(inner(key)) {
		case "type":
			h.typ, hasType = typeName(val), true
		case "id":
			h.id, hasID = unquote(val), true
		case "parentId":
			h.parent, hasParent = unquote(val), true
		case "timestamp":
			h.timestamp = unquote(val)
		case "message":
			h.message = val
		}
		if !whole && hasType && hasID && hasParent {
			return h, true
		}
	}
	return h, s.i == len(line)
}

// scanner walks one JSON value without building it. It checks structure, not
// the insides of numbers and strings: who needs the value decodes it anyway.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// next reports whether c is next.
func (s *scanner) next(c byte) bool {
	s.space()
	return s.i < len(s.b) && s.b[s.i] == c
}

// closed steps over an end of the object or list, if one is next.
func (s *scanner) closed(end byte) bool {
	if !s.next(end) {
		return false
	}
	s.i++
	return true
}

// pair reads "key": value and the comma after it, if there is one. The key
// keeps its quotes. A value that is not followed by a comma or the end of the
// object comes with ok false.
func (s *scanner) pair() (key, val []byte, ok bool) {
	if key, ok = s.key(); !ok {
		return nil, nil, false
	}
	if val = s.value(); len(val) == 0 {
		return nil, nil, false
	}
	return key, val, s.comma('}')
}

// key reads "key": with its quotes.
func (s *scanner) key() (key []byte, ok bool) {
	key = s.value()
	if len(key) < 2 || key[0] != '"' || !s.next(':') {
		return nil, false
	}
	s.i++
	return key, true
}

// members reads an object whose keys are as they are meant, without escapes. fn
// reads each member's value; false from it ends that.
func (s *scanner) members(fn func(key []byte) bool) bool {
	if !s.next('{') {
		return false
	}
	s.i++
	for !s.closed('}') {
		key, ok := s.key()
		if !ok || bytes.IndexByte(key, '\\') >= 0 || !fn(key[1:len(key)-1]) || !s.comma('}') {
			return false
		}
	}
	return true
}

// comma steps over a comma that another element follows; without one the end
// must be next.
func (s *scanner) comma(end byte) bool {
	s.space()
	if s.i >= len(s.b) {
		return false
	}
	if s.b[s.i] != ',' {
		return s.b[s.i] == end
	}
	s.i++
	s.space()
	return s.i < len(s.b) && s.b[s.i] != end
}

// value steps over the next value and returns it; nil if there is none. Depth
// is counted, not recursed into.
func (s *scanner) value() []byte {
	s.space()
	start, depth := s.i, 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			if !s.str() {
				return nil
			}
		case '{', '[':
			depth++
			s.i++
			continue
		case '}', ']':
			if depth == 0 {
				return nil
			}
			depth--
			s.i++
		case ' ', '\t', '\r', '\n', ',', ':':
			if depth == 0 {
				return nil
			}
			s.i++
			continue
		default:
			s.scalar()
		}
		if depth == 0 && s.i > start {
			return s.b[start:s.i]
		}
	}
	return nil
}

// str steps over a string. Most of a session is long strings, so this looks
// for the closing quote and only then for backslashes before it.
func (s *scanner) str() bool {
	s.i++
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return false
		}
		s.i += n + 1
		slashes := 0
		for j := s.i - 2; s.b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return true
		}
	}
}

func (s *scanner) scalar() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ',', ':', '"', '{', '}', '[', ']', ' ', '\t', '\r', '\n':
			return
		}
		s.i++
	}
}

// inner returns the text of a JSON string without a copy where it can.
func inner(val []byte) []byte {
	if len(val) < 2 || val[0] != '"' || bytes.IndexByte(val, '\\') >= 0 {
		return []byte(unquote(val))
	}
	return val[1 : len(val)-1]
}

// typeName is unquote for types, most of which need no copy.
func typeName(val []byte) string {
	switch name := inner(val); Type(name) {
	case TypeMessage:
		return string(TypeMessage)
	case TypeCustom:
		return string(TypeCustom)
	default:
		return string(name)
	}
}

// unquote returns the text of a JSON string, "" for any other value.
func unquote(val []byte) string {
	if len(val) < 2 || val[0] != '"' {
		return ""
	}
	if bytes.IndexByte(val, '\\') < 0 {
		return string(val[1 : len(val)-1])
	}
	var s string
	if json.Unmarshal(val, &s) != nil {
		return ""
	}
	return s
}

// field returns the value of one member of a JSON object, nil if absent.
func field(object []byte, name string) []byte {
	object = bytes.TrimSpace(object)
	if len(object) < 2 || object[0] != '{' {
		return nil
	}
	s := scanner{b: object, i: 1}
	for !s.closed('}') {
		key, val, ok := s.pair()
		if val != nil && string(inner(key)) == name {
			return val
		}
		if !ok {
			return nil
		}
	}
	return nil
}
