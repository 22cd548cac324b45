package tool

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// coerce puts v into one of types where its meaning is plain.
func coerce(types []string, v any) (any, bool) {
	text, isText := v.(string)
	for _, t := range types {
		switch {
		case t == "integer":
			if n, ok := integer(v); ok {
				return n, true
			}
		case t == "number" && isText:
			if n := json.Number(strings.TrimSpace(text)); is([]string{"number"}, n) {
				return n, true
			}
		case t == "boolean" && isText:
			switch strings.ToLower(strings.TrimSpace(text)) {
			case "true":
				return true, true
			case "false":
				return false, true
			}
		case (t == "array" || t == "object") && isText:
			if inner, err := decode([]byte(text)); err == nil && is([]string{t}, inner) {
				return inner, true
			}
		case t == "string":
			switch v.(type) {
			case json.Number, bool:
				return fmt.Sprint(v), true
			}
		}
	}
	if slices.Contains(types, "array") && v != nil {
		return []any{v}, true
	}
	return nil, false
}

// integer reads 5, 5.0, 5e0 and "5" alike: Go decodes only the first into an
// int.
func integer(v any) (json.Number, bool) {
	text := ""
	switch t := v.(type) {
	case string:
		text = strings.TrimSpace(t)
	case json.Number:
		text = t.String()
	}
	if len(text) > 32 || !is([]string{"number"}, json.Number(text)) {
		return "", false // also keeps 1e999999999 from being written out
	}
	f, _, err := big.ParseFloat(text, 10, 128, big.ToZero)
	if err != nil || !f.IsInt() || f.MantExp(nil) > 63 {
		return "", false
	}
	n, _ := f.Int64()
	return json.Number(fmt.Sprint(n)), true
}

// is reports whether v has one of types. An integer must be written as one.
func is(types []string, v any) bool {
	return slices.ContainsFunc(types, func(t string) bool {
		switch w := v.(type) {
		case nil:
			return t == "null"
		case bool:
			return t == "boolean"
		case string:
			return t == "string"
		case json.Number:
			valid := json.Valid([]byte(w)) && w != "" && strings.IndexByte("-0123456789", w[0]) >= 0
			return valid && (t == "number" || t == "integer" && !strings.ContainsAny(w.String(), ".eE"))
		case []any:
			return t == "array"
		case map[string]any:
			return t == "object"
		}
		return false
	})
}

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}
