package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// maxShown bounds a value quoted in an error, in runes.
const maxShown = 60

// show names a value's type and quotes it, shortened.
func show(v any) string {
	name := "null"
	switch v.(type) {
	case nil:
		return name
	case bool:
		name = "boolean"
	case string:
		name = "string"
	case json.Number:
		name = "number"
	case []any:
		name = "array"
	case map[string]any:
		name = "object"
	}
	raw, err := jsonl.Value(v)
	if err != nil {
		return name
	}
	text := []rune(string(raw))
	if len(text) > maxShown {
		text = append(text[:maxShown], '…')
	}
	return name + " " + string(text)
}

// fields lists a schema's properties for a model that got them wrong.
func fields(s *jsonschema.Schema) string {
	if s == nil || len(s.Properties) == 0 {
		return "It takes no named fields."
	}
	var parts []string
	for _, name := range order(s) {
		need := "optional"
		if slices.Contains(s.Required, name) {
			need = "required"
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", name, kind(s.Properties[name]), need))
	}
	return "Fields: " + strings.Join(parts, ", ") + "."
}

// kind names the type that a schema asks for.
func kind(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return "any"
	case len(s.Enum) > 0:
		return "one of " + list(s.Enum)
	case s.Type == "array" && s.Items != nil && s.Items.Type != "":
		return "array of " + s.Items.Type
	case len(typesOf(s)) > 0:
		return strings.Join(typesOf(s), " or ")
	}
	return "any"
}

func list(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}

// order returns the names of a schema's properties: required ones first, as
// the schema lists them, then the rest by name.
func order(s *jsonschema.Schema) []string {
	names := make([]string, 0, len(s.Properties))
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range sorted(s.Properties) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return append(names, missing(s)...)
}

// missing returns required names that the schema doesn't describe.
func missing(s *jsonschema.Schema) []string {
	return slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool {
		_, ok := s.Properties[name]
		return ok
	})
}

func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
