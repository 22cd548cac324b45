package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shape checks one JSON value. null passes only those that say so.
type shape func(v any) error

// fields names an object's fields. A name that ends in "?" may be absent.
type fields map[string]shape

// with returns the fields of both.
func (f fields) with(more fields) fields {
	all := fields{}
	maps.Copy(all, f)
	maps.Copy(all, more)
	return all
}

func text(v any) error {
	if _, ok := v.(string); !ok {
		return mismatch("a string", v)
	}
	return nil
}

// name is a string that says something.
func name(v any) error {
	if s, ok := v.(string); !ok || s == "" {
		return mismatch("a string that isn't empty", v)
	}
	return nil
}

func boolean(v any) error {
	if _, ok := v.(bool); !ok {
		return mismatch("true or false", v)
	}
	return nil
}

func number(v any) error {
	if _, ok := v.(json.Number); !ok {
		return mismatch("a number", v)
	}
	return nil
}

// integer has neither fraction nor exponent.
func integer(v any) error {
	if n, ok := v.(json.Number); !ok || strings.ContainsAny(n.String(), ".eE") {
		return mismatch("an integer", v)
	}
	return nil
}

// count is an integer from 0.
func count(v any) error {
	if n, ok := v.(json.Number); !ok || strings.ContainsAny(n.String(), ".eE-") {
		return mismatch("an integer from 0", v)
	}
	return nil
}

// anything but null.
func anything(v any) error {
	if v == nil {
		return mismatch("a value", v)
	}
	return nil
}

// anyObject is an object whose fields are somebody else's.
func anyObject(v any) error {
	if _, ok := v.(object); !ok {
		return mismatch("an object", v)
	}
	return nil
}

func nullable(s shape) shape {
	return func(v any) error {
		if v == nil {
			return nil
		}
		return s(v)
	}
}

// only is one literal, a string or a boolean.
func only(want any) shape {
	return func(v any) error {
		if v != want {
			return mismatch(fmt.Sprintf("%#v", want), v)
		}
		return nil
	}
}

func oneOf(words ...string) shape {
	return func(v any) error {
		if s, ok := v.(string); !ok || !slices.Contains(words, s) {
			return mismatch("one of "+strings.Join(words, ", "), v)
		}
		return nil
	}
}

func list(of shape) shape {
	return func(v any) error {
		l, ok := v.([]any)
		if !ok {
			return mismatch("an array", v)
		}
		for i, e := range l {
			if err := of(e); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
}

// either passes what one of both passes.
func either(a, b shape) shape {
	return func(v any) error {
		if a(v) == nil {
			return nil
		}
		return b(v)
	}
}

// record is an object with these fields and no others.
func record(f fields) shape {
	known, required := fields{}, []string(nil)
	for name, s := range f {
		bare, optional := strings.CutSuffix(name, "?")
		if known[bare] = s; !optional {
			required = append(required, bare)
		}
	}
	slices.Sort(required)
	return func(v any) error {
		o, ok := v.(object)
		if !ok {
			return mismatch("an object", v)
		}
		for _, name := range required {
			if _, ok := o[name]; !ok {
				return fmt.Errorf("the field %q is missing", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(o)) {
			s, ok := known[name]
			if !ok {
				return fmt.Errorf("the field %q is unknown", name)
			}
			if err := s(o[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
}

// variants is a closed union: the object's tag says which fields it has.
func variants(tag string, of map[string]fields) shape {
	records := map[string]shape{}
	for name, f := range of {
		records[name] = record(f.with(fields{tag: text}))
	}
	return func(v any) error {
		o, ok := v.(object)
		if !ok {
			return mismatch("an object", v)
		}
		name, ok := o[tag].(string)
		if !ok {
			return fmt.Errorf("the field %q is no string", tag)
		}
		s, ok := records[name]
		if !ok {
			return fmt.Errorf("%s %q is unknown", tag, name)
		}
		if err := s(v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// table maps a frame's type to its shape.
type table map[string]shape

func (t table) check(o object) error {
	typ, ok := o["type"].(string)
	if !ok {
		return errors.New(`the field "type" is no string`)
	}
	s, ok := t[typ]
	if !ok {
		return fmt.Errorf("type %q is unknown", typ)
	}
	if err := s(o); err != nil {
		return fmt.Errorf("%s: %w", typ, err)
	}
	return nil
}
