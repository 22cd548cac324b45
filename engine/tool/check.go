package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// Check validates a call's arguments against the spec's schema and returns
// them as the tool will get them. Models often send a value in a shape next to
// the right one; where the meaning is plain it is put right: "5" for 5, "true"
// for true, JSON text for the array or object it holds, a single value for a
// list of one, null for a field that may be left out. Anything else is an
// error whose text lists every problem and the fields there are. Valid
// arguments are returned byte for byte.
//
// A schema that can't be used only demands an object.
func Check(s Spec, raw json.RawMessage) (json.RawMessage, error) {
	v, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s are not valid JSON (%w): send one JSON object", s.Name, err)
	}
	c := checker{}
	if text, ok := v.(string); ok {
		if inner, err := decode([]byte(text)); err == nil {
			v, c.changed = inner, true
		}
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, fmt.Errorf("arguments of %s: expected a JSON object, got %s", s.Name, show(v))
	}
	compiled := s.compiled()
	if compiled != nil {
		c.root = compiled.root
		v = c.value(compiled.root, v, "")
	}
	out := json.RawMessage(bytes.TrimSpace(raw))
	if c.changed {
		if out, err = jsonl.Value(v); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", s.Name, err)
		}
	}
	if compiled != nil && compiled.resolved != nil && len(c.problems) == 0 {
		if err := compiled.validate(out); err != nil {
			c.problem("", "%v", err)
		}
	}
	if len(c.problems) > 0 {
		return nil, fmt.Errorf("arguments of %s don't fit:\n- %s\n%s",
			s.Name, strings.Join(c.problems, "\n- "), fields(c.root))
	}
	return out, nil
}

// validate has the last word: it knows the keywords that the checker doesn't.
func (s *schema) validate(raw json.RawMessage) error {
	var v any // with floats: the validator takes a json.Number for a string
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return s.resolved.Validate(v)
}

// checker walks a value along its schema, coercing on the way.
type checker struct {
	root     *jsonschema.Schema
	problems []string
	changed  bool
}

func (c *checker) problem(at, format string, args ...any) {
	if at == "" {
		at = "arguments"
	}
	c.problems = append(c.problems, at+": "+fmt.Sprintf(format, args...))
}

// value returns v in the shape that s asks for, or notes why it can't be.
func (c *checker) value(s *jsonschema.Schema, v any, at string) any {
	s = c.deref(s)
	if s == nil {
		return v
	}
	if alternatives := append(slices.Clone(s.AnyOf), s.OneOf...); len(alternatives) > 0 {
		return c.oneOf(alternatives, v, at)
	}
	if types := typesOf(s); len(types) > 0 && !is(types, v) {
		changed, ok := coerce(types, v)
		if !ok {
			c.problem(at, "expected %s, got %s", strings.Join(types, " or "), show(v))
			return v
		}
		v, c.changed = changed, true
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return jsonschema.Equal(e, v) }) {
		c.problem(at, "expected one of %s, got %s", list(s.Enum), show(v))
		return v
	}
	switch t := v.(type) {
	case json.Number:
		c.bounds(s, t, at)
	case []any:
		if s.MinItems != nil && len(t) < *s.MinItems {
			c.problem(at, "expected at least %d items, got %d", *s.MinItems, len(t))
		}
		if s.Items != nil {
			for i := range t {
				t[i] = c.value(s.Items, t[i], fmt.Sprintf("%s[%d]", at, i))
			}
		}
	case map[string]any:
		c.object(s, t, at)
	}
	return v
}

func (c *checker) object(s *jsonschema.Schema, m map[string]any, at string) {
	prefix := at
	if prefix != "" {
		prefix += "."
	}
	for _, name := range order(s) {
		property := s.Properties[name]
		v, present := m[name]
		required := slices.Contains(s.Required, name)
		switch {
		case present && v == nil && !required && !c.nullable(property):
			delete(m, name)
			c.changed = true
		case present:
			m[name] = c.value(property, v, prefix+name)
		case required:
			c.problem(prefix+name, "missing (%s)", kind(c.deref(property)))
		}
	}
	if !closed(s) {
		return
	}
	for _, name := range sorted(m) {
		if _, ok := s.Properties[name]; ok {
			continue
		}
		hint := ""
		if near := Nearest(name, order(s), 1); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %q?", near[0])
		}
		c.problem(prefix+name, "unknown field%s", hint)
	}
}

// oneOf takes the first alternative that v fits, best without coercion.
func (c *checker) oneOf(alternatives []*jsonschema.Schema, v any, at string) any {
	var first *checker
	var coerced any
	for _, s := range alternatives {
		try := checker{root: c.root}
		got := try.value(s, clone(v), at)
		switch {
		case len(try.problems) > 0:
			if first == nil {
				first = &try
			}
		case !try.changed:
			return v
		case coerced == nil:
			coerced = got
		}
	}
	if coerced != nil {
		c.changed = true
		return coerced
	}
	c.problems = append(c.problems, first.problems...)
	return v
}

func (c *checker) bounds(s *jsonschema.Schema, n json.Number, at string) {
	f, err := n.Float64()
	switch {
	case err != nil:
		c.problem(at, "number out of range: %s", show(n))
	case s.Minimum != nil && f < *s.Minimum:
		c.problem(at, "must be at least %v, got %s", *s.Minimum, n)
	case s.Maximum != nil && f > *s.Maximum:
		c.problem(at, "must be at most %v, got %s", *s.Maximum, n)
	}
}

func (c *checker) deref(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && s.Ref != "" { // ends: compile refuses loops
		s, _ = target(c.root, s.Ref)
	}
	return s
}

func (c *checker) nullable(s *jsonschema.Schema) bool {
	if s = c.deref(s); s == nil {
		return true
	}
	for _, a := range append(slices.Clone(s.AnyOf), s.OneOf...) {
		if c.nullable(a) {
			return true
		}
	}
	types := typesOf(s)
	return slices.Contains(types, "null") || len(types) == 0 && len(s.AnyOf)+len(s.OneOf)+len(s.Enum) == 0
}

// closed reports whether s forbids properties it doesn't name.
func closed(s *jsonschema.Schema) bool {
	a := s.AdditionalProperties
	return a != nil && a.Not != nil && len(s.PatternProperties) == 0
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("text after the value")
	}
	return v, nil
}

// clone copies the containers of a decoded JSON value.
func clone(v any) any {
	switch t := v.(type) {
	case []any:
		c := make([]any, len(t))
		for i := range t {
			c[i] = clone(t[i])
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(t))
		for k := range t {
			c[k] = clone(t[k])
		}
		return c
	}
	return v
}
