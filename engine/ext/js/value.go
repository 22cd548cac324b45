package js

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/grafana/sobek"
)

// valueOf makes a value of JSON, as JSON.parse does on its slow way over a
// decoder's tokens. In a turn only.
func valueOf(rt *sobek.Runtime, raw json.RawMessage) (sobek.Value, error) {
	r := reader{rt: rt, b: raw}
	v, err := r.value()
	if r.peek(); err == nil && r.i < len(r.b) {
		err = errNotJSON
	}
	return v, err
}

var errNotJSON = errors.New("it isn't JSON")

// maxNesting is encoding/json's.
const maxNesting = 10_000

// reader reads one JSON text.
type reader struct {
	rt    *sobek.Runtime
	b     []byte
	i     int
	depth int
}

// peek steps over space and is the byte behind it, 0 at the end.
func (r *reader) peek() byte {
	for ; r.i < len(r.b); r.i++ {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take steps over c if that is next.
func (r *reader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.i++
	return true
}

func (r *reader) value() (sobek.Value, error) {
	switch r.peek() {
	case '{':
		return r.object()
	case '[':
		return r.list()
	case '"':
		s, err := r.text()
		return r.rt.ToValue(s), err
	}
	return r.scalar()
}

func (r *reader) object() (sobek.Value, error) {
	o := r.rt.NewObject()
	return o, r.members('}', func() error {
		if r.peek() != '"' {
			return errNotJSON
		}
		name, err := r.text()
		if err != nil || !r.take(':') {
			return errNotJSON
		}
		v, err := r.value()
		if err != nil {
			return err
		}
		// Not Set, which __proto__ and setters of the extension would hear.
		return o.DefineDataProperty(name, v, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE)
	})
}

func (r *reader) list() (sobek.Value, error) {
	var items []any
	err := r.members(']', func() error {
		v, err := r.value()
		items = append(items, v)
		return err
	})
	return r.rt.NewArray(items...), err
}

// members reads from the opening bracket to its end.
func (r *reader) members(end byte, member func() error) error {
	if r.depth++; r.depth > maxNesting {
		return errNotJSON
	}
	defer func() { r.depth-- }()
	r.i++
	for first := true; !r.take(end); first = false {
		if !first && !r.take(',') {
			return errNotJSON
		}
		if err := member(); err != nil {
			return err
		}
	}
	return nil
}

// text reads a string. Most have nothing to decode.
func (r *reader) text() (string, error) {
	start, plain := r.i, true
	for r.i++; r.i < len(r.b); r.i++ {
		switch c := r.b[r.i]; {
		case c == '"':
			r.i++
			if plain {
				return string(r.b[start+1 : r.i-1]), nil
			}
			var s string
			err := json.Unmarshal(r.b[start:r.i], &s)
			return s, err
		case c == '\\':
			r.i++ // what follows is no end
			plain = false
		case c < ' ' || c >= 0x80:
			plain = false
		}
	}
	return "", errNotJSON
}

// scalar reads a number or a word.
func (r *reader) scalar() (sobek.Value, error) {
	start := r.i
	for r.i < len(r.b) {
		switch r.b[r.i] {
		case ' ', '\t', '\r', '\n', ',', ':', '"', '{', '}', '[', ']':
		default:
			r.i++
			continue
		}
		break
	}
	word := r.b[start:r.i]
	switch string(word) {
	case "null":
		return sobek.Null(), nil
	case "true":
		return r.rt.ToValue(true), nil
	case "false":
		return r.rt.ToValue(false), nil
	}
	if !json.Valid(word) {
		return nil, errNotJSON
	}
	f, _ := strconv.ParseFloat(string(word), 64) // what is too large is infinite
	return r.rt.ToValue(f), nil
}
