package acptest

import (
	_ "embed" // of the schema
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the protocol's, as its authors publish it.
type schema struct {
	defs  map[string]map[string]any // as plain JSON, to look for stray fields
	root  *jsonschema.Schema
	table map[string]map[string]string // side method -> request, response, notification -> type

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved
}

//go:embed schema/schema.json
var published []byte

// stable is the schema that every line is held against.
var stable = sync.OnceValues(func() (*schema, error) {
	s := &schema{table: map[string]map[string]string{}, resolved: map[string]*jsonschema.Resolved{}}
	var plain struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(published, &plain); err != nil {
		return nil, err
	}
	s.defs = plain.Defs
	s.root = &jsonschema.Schema{}
	if err := json.Unmarshal(published, s.root); err != nil {
		return nil, err
	}
	for name, d := range s.defs {
		method, _ := d["x-method"].(string)
		side, _ := d["x-side"].(string)
		if method == "" {
			continue
		}
		row := s.table[side+" "+method]
		if row == nil {
			row = map[string]string{}
			s.table[side+" "+method] = row
		}
		switch {
		case strings.HasSuffix(name, "Response"):
			row["response"] = name
		case strings.HasSuffix(name, "Notification"):
			row["notification"] = name
		default:
			row["request"] = name
		}
	}
	return s, nil
})

// check says what is wrong with a value of a type.
func (s *schema) check(name string, raw json.RawMessage) error {
	s.mu.Lock()
	r := s.resolved[name]
	if r == nil {
		var err error
		r, err = (&jsonschema.Schema{Ref: "#/$defs/" + name, Defs: s.root.Defs}).Resolve(nil)
		if err != nil {
			s.mu.Unlock()
			return fmt.Errorf("the schema of %s: %w", name, err)
		}
		s.resolved[name] = r
	}
	s.mu.Unlock()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if err := r.Validate(v); err != nil {
		return fmt.Errorf("is no %s: %w", name, err)
	}
	if stray := s.stray(map[string]any{"$ref": "#/$defs/" + name}, v, name); len(stray) > 0 {
		return fmt.Errorf("fields that the protocol doesn't have: %v", stray)
	}
	return nil
}

func (s *schema) deref(node any) map[string]any {
	n, _ := node.(map[string]any)
	for n != nil {
		ref, ok := n["$ref"].(string)
		if !ok {
			return n
		}
		n = s.defs[strings.TrimPrefix(ref, "#/$defs/")]
	}
	return nil
}

// shape collects the fields that a type allows for a value.
func (s *schema) shape(node any, value map[string]any, fields map[string]any) (open bool) {
	n := s.deref(node)
	if n == nil {
		return true
	}
	props, _ := n["properties"].(map[string]any)
	for k, v := range props {
		if _, there := fields[k]; !there {
			fields[k] = v
		}
	}
	if _, ok := n["additionalProperties"].(map[string]any); ok {
		open = true
	}
	if props == nil && n["allOf"] == nil && n["anyOf"] == nil && n["oneOf"] == nil && (n["type"] == "object" || n["type"] == nil) {
		open = true
	}
	for _, sub := range list(n["allOf"]) {
		open = s.shape(sub, value, fields) || open
	}
	for _, sub := range slices.Concat(list(n["oneOf"]), list(n["anyOf"])) {
		d := s.deref(sub)
		if d == nil || d["type"] == "null" || otherVariant(d, value) {
			continue
		}
		open = s.shape(d, value, fields) || open
	}
	return open
}

func list(v any) []any { l, _ := v.([]any); return l }

// otherVariant reports whether a constant of a variant isn't the value's.
func otherVariant(d, value map[string]any) bool {
	props, _ := d["properties"].(map[string]any)
	for k, p := range props {
		if c, ok := p.(map[string]any)["const"]; ok && value[k] != c {
			return true
		}
	}
	return false
}

// stray lists the fields of a value that its type doesn't have.
func (s *schema) stray(node, value any, path string) (found []string) {
	n := s.deref(node)
	switch v := value.(type) {
	case []any:
		items := n["items"]
		for _, sub := range slices.Concat(list(n["anyOf"]), list(n["oneOf"])) {
			if d := s.deref(sub); items == nil && d != nil {
				items = d["items"]
			}
		}
		if items == nil {
			return nil
		}
		for i, e := range v {
			found = append(found, s.stray(items, e, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case map[string]any:
		if n == nil {
			return nil
		}
		fields := map[string]any{}
		open := s.shape(n, v, fields)
		if open && len(fields) == 0 {
			return nil
		}
		for k, e := range v {
			if k == "_meta" {
				continue
			}
			if p, ok := fields[k]; ok {
				found = append(found, s.stray(p, e, path+"."+k)...)
			} else if !open {
				found = append(found, path+"."+k)
			}
		}
	}
	return found
}
