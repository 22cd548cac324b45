package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// object is a JSON object; its values are object, []any, string, bool,
// json.Number, nil or twice.
type object map[string]any

// twice stands for the value of a key that an object has more than once. Only
// where anything goes, in a model's arguments for instance, it is let through.
type twice struct{}

// text is the string of that name, or "".
func (o object) text(name string) string { s, _ := o[name].(string); return s }

// object is the object of that name, or nil.
func (o object) object(name string) object { v, _ := o[name].(object); return v }

// list is the array of that name, or nil.
func (o object) list(name string) []any { v, _ := o[name].([]any); return v }

// number is the integer of that name, or -1.
func (o object) number(name string) int {
	if n, ok := o[name].(json.Number); ok {
		if i, err := n.Int64(); err == nil {
			return int(i)
		}
	}
	return -1
}

// isTrue reports whether the field of that name is true.
func (o object) isTrue(name string) bool { b, _ := o[name].(bool); return b }

// decodeFrame reads a line of the server.
func decodeFrame(line []byte) (object, error) {
	switch {
	case !utf8.Valid(line):
		return nil, errors.New("not UTF-8")
	case bytes.Contains(line, []byte("\u2028")), bytes.Contains(line, []byte("\u2029")):
		return nil, errors.New("a raw U+2028 or U+2029: some readers end a line there")
	}
	o, err := decodeObject(line)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, line); err != nil {
		return nil, err
	}
	if !bytes.Equal(compact.Bytes(), line) {
		return nil, errors.New("white space around JSON tokens: frames are compact")
	}
	return o, nil
}

// decodeObject reads a line that holds one object and nothing else.
func decodeObject(line []byte) (object, error) {
	if !json.Valid(line) {
		return nil, errors.New("not one JSON value")
	}
	v, err := decode(line)
	if err != nil {
		return nil, err
	}
	o, ok := v.(object)
	if !ok {
		return nil, mismatch("an object", v)
	}
	return o, nil
}

// decode reads one JSON value. encoding/json alone would keep only the last of
// two equal keys.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func value(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			name := key.(string) // the decoder lets nothing else be a key
			if _, ok := o[name]; ok {
				v = twice{}
			}
			o[name] = v
		}
		_, err := d.Token()
		return o, err
	}
	return t, nil
}

func mismatch(want string, v any) error {
	got := ""
	switch v := v.(type) {
	case nil:
		got = "null"
	case twice:
		return errors.New("is there twice")
	case object:
		got = "an object"
	case []any:
		got = "an array"
	case string:
		got = fmt.Sprintf("the string %.60q", v)
	default:
		got = fmt.Sprint(v)
	}
	return fmt.Errorf("is %s, not %s", got, want)
}
