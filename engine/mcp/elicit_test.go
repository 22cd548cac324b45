package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	many := func(n int, one string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"f%02d":%s`, i, one)
		}
		return `{"type":"object","properties":{` + b.String()[1:] + `}}`
	}
	for _, c := range []struct {
		name, schema string
		want         []Field
		err          string
	}{
		{"none", `null`, nil, ""},
		{"required first", `{"required":["b"],"properties":{"a":{"type":"string","default":"x\u001b[m"},"b":{"type":"integer","title":"B\nb","description":"what","default":4}}}`,
			[]Field{{Name: "b", Title: "B b", Description: "what", Type: "integer", Required: true, Default: "4"}, {Name: "a", Title: "a", Type: "string", Default: "x"}}, ""},
		{"choices", `{"properties":{"a":{"type":"string","enum":["x","y"],"enumNames":["The X"]},"b":{"type":"string","oneOf":[{"const":"1","title":"One"}]},
			"c":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"}]},"default":["1","2"]},"d":{"type":"array","items":{"type":"string","enum":["x"]}}}}`,
			[]Field{
				{Name: "a", Title: "a", Type: "string", Options: []Option{{"x", "The X"}, {"y", "y"}}},
				{Name: "b", Title: "b", Type: "string", Options: []Option{{"1", "One"}}},
				{Name: "c", Title: "c", Type: "array", Options: []Option{{"1", "One"}}, Default: "1,2"},
				{Name: "d", Title: "d", Type: "array", Options: []Option{{"x", "x"}}},
			}, ""},
		{"nested", `{"properties":{"a":{"type":"object"}}}`, nil, `the form has a field of the unknown type "object"`},
		{"too many", many(maxFields+1, `{"type":"string"}`), nil, "the form has too many fields"},
		{"no form", `[]`, nil, "json: cannot unmarshal array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var schema any
			if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
				t.Fatal(err)
			}
			got, err := fields(schema)
			if !reflect.DeepEqual(got, c.want) || !strings.HasPrefix(errorText(err), c.err) || (err == nil) != (c.err == "") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestFieldValue(t *testing.T) {
	options := []Option{{"1", "One"}, {"2", "Two"}}
	for _, c := range []struct {
		field Field
		text  string
		want  any
		err   string
	}{
		{Field{Type: "string"}, " x ", "x", ""},
		{Field{Type: "string"}, " ", nil, ""},
		{Field{Type: "string", Required: true}, "", nil, "it is needed"},
		{Field{Type: "integer"}, "5", int64(5), ""},
		{Field{Type: "integer"}, "5.5", nil, `it: "5.5" is no whole number`},
		{Field{Type: "number"}, "5.5", 5.5, ""},
		{Field{Type: "number"}, "NaN", nil, `it: "NaN" is no number`},
		{Field{Type: "boolean"}, "Yes", true, ""},
		{Field{Type: "boolean"}, "false", false, ""},
		{Field{Type: "boolean"}, "maybe", nil, "it: answer yes or no"},
		{Field{Type: "string", Options: options}, "Two", "2", ""},
		{Field{Type: "string", Options: options}, "1", "1", ""},
		{Field{Type: "string", Options: options}, "3", nil, `it: "3" isn't one of the choices`},
		{Field{Type: "array", Options: options}, "1, Two", []any{"1", "2"}, ""},
	} {
		c.field.Title = "it"
		got, err := c.field.Value(c.text)
		if !reflect.DeepEqual(got, c.want) || errorText(err) != c.err {
			t.Errorf("%+v %q: %#v, %v", c.field, c.text, got, err)
		}
	}
}
