package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is a compiled Spec.Parameters. It is immutable and shared by all
// copies of the spec.
type schema struct {
	source   json.RawMessage
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved // nil: the checker judges alone
}

// Compile returns the spec with its Parameters compiled, so that each Check of
// it is cheap. Specs of tools made by New are compiled; a tool whose schema
// comes from outside compiles its spec once. The error says why the schema is
// unusable; the spec is then returned as it was.
func (s Spec) Compile() (Spec, error) {
	c, err := compile(s.Parameters)
	if err != nil {
		return s, fmt.Errorf("parameters of tool %s: %w", s.Name, err)
	}
	s.schema = c
	return s, nil
}

func compile(source json.RawMessage) (*schema, error) {
	root := &jsonschema.Schema{}
	if err := json.Unmarshal(source, root); err != nil {
		return nil, fmt.Errorf("not a JSON schema: %w", err)
	}
	s := &schema{source: source, root: root}
	followed, loop := references(root)
	if loop {
		return nil, errors.New("JSON schema refers to itself without end")
	}
	if !followed {
		return s, nil
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolve JSON schema: %w", err)
	}
	s.resolved = resolved
	return s, nil
}

// compiled returns the schema of the spec, nil when it has none that can be
// used: then whoever runs the call judges its arguments.
func (s Spec) compiled() *schema {
	if s.schema != nil && bytes.Equal(s.schema.source, s.Parameters) {
		return s.schema
	}
	c, err := compile(s.Parameters)
	if err != nil {
		return nil
	}
	return c
}

// infer makes the schema of A. Go's nil slices make the library allow null for
// arrays; providers differ in what they make of a list of types, and a null is
// dropped by Check anyway, so it is taken out.
func infer[A any](tune func(*jsonschema.Schema)) (json.RawMessage, error) {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, err
	}
	dropNull(s)
	if tune != nil {
		tune(s)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func dropNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	dropNull(s.Items)
	for _, p := range s.Properties {
		dropNull(p)
	}
}
