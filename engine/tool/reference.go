package tool

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// target finds what a reference to the schema's root or one of its named
// definitions points to. ok is false for any other form of reference; schema
// is nil when nothing has that name.
func target(root *jsonschema.Schema, ref string) (s *jsonschema.Schema, ok bool) {
	if ref == "#" {
		return root, true
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return root.Defs[name], true
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return root.Definitions[name], true
	}
	return nil, false
}

// references looks at all references in a schema. followed is false when one
// has a form that target doesn't know. loop is true when applying the schema
// to a value would come back to the same subschema without having gone deeper
// into the value: schemas come from servers, and following such a loop ends
// the process.
func references(root *jsonschema.Schema) (followed, loop bool) {
	const open, done = 1, 2
	state := map[*jsonschema.Schema]int{}
	followed = true
	queue := []*jsonschema.Schema{root}
	var visit func(s *jsonschema.Schema) bool
	visit = func(s *jsonschema.Schema) bool {
		if s == nil || state[s] == done {
			return false
		}
		if state[s] == open {
			return true
		}
		state[s] = open
		same := inPlace(s)
		if s.Ref != "" {
			t, ok := target(root, s.Ref)
			followed = followed && ok
			same = append(same, t)
		}
		if s.DynamicRef != "" {
			followed = false
		}
		if slices.ContainsFunc(same, visit) {
			return true
		}
		state[s] = done
		queue = append(queue, deeper(s)...)
		return false
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if visit(s) {
			return followed, true
		}
	}
	return followed, false
}

// inPlace returns the subschemas that apply to the same value as s.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else})
	all = slices.AppendSeq(all, maps.Values(s.DependentSchemas))
	return slices.AppendSeq(all, maps.Values(s.DependencySchemas))
}

// deeper returns the subschemas that apply to parts of the value, and the
// definitions.
func deeper(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat(s.PrefixItems, s.ItemsArray, []*jsonschema.Schema{
		s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems,
		s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties, s.ContentSchema,
	})
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions} {
		all = slices.AppendSeq(all, maps.Values(m))
	}
	return all
}
