package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// objectText takes an object of strings, with no members but these, as its JSON.
func objectText(v hujson.Value, members []string) (reflect.Value, string) {
	out := reflect.New(reflect.TypeFor[string]()).Elem()
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return out, "must be a string, or an object of them"
	}
	for _, m := range object.Members {
		if !slices.Contains(members, literalString(m.Name)) || m.Value.Value.Kind() != '"' {
			return out, "must be a string, or an object with the strings " + strings.Join(members, " and ")
		}
	}
	text := v.Clone()
	text.Minimize()
	out.SetString(string(text.Pack()))
	return out, ""
}
