package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

type sample struct {
	Path  string   `json:"path" jsonschema:"file to read"`
	Limit int      `json:"limit,omitempty"`
	Ratio float64  `json:"ratio,omitempty"`
	All   bool     `json:"all,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Edits []struct {
		OldText string `json:"oldText"`
		NewText string `json:"newText"`
	} `json:"edits,omitempty"`
	Mode string `json:"mode,omitempty"`
}

func sampleTool() Tool {
	return New(Spec{Name: "sample"}, func(context.Context, Call, sample) (Result, error) { return Result{}, nil },
		Tuned[sample](func(s *jsonschema.Schema) {
			s.Properties["mode"].Enum = []any{"fast", "slow"}
			s.Properties["limit"].Minimum = jsonschema.Ptr(1.0)
		}))
}

// E-2: a model's slip is either put right or named with its field.
func TestCheck(t *testing.T) {
	spec := sampleTool().Spec()
	for _, tt := range []struct {
		name, in, want string
		errs           []string
	}{
		{name: "valid stays byte for byte", in: ` { "path":"a<b", "limit": 5 } `, want: `{ "path":"a<b", "limit": 5 }`},
		{name: "number as text", in: `{"path":"a","limit":"5"}`, want: `{"limit":5,"path":"a"}`},
		{name: "whole float", in: `{"path":"a","limit":5.0}`, want: `{"limit":5,"path":"a"}`},
		{name: "exponent", in: `{"path":"a","limit":1e2}`, want: `{"limit":100,"path":"a"}`},
		{name: "float as text", in: `{"path":"a","ratio":" 0.5 "}`, want: `{"path":"a","ratio":0.5}`},
		{name: "bool as text", in: `{"path":"a","all":"True"}`, want: `{"all":true,"path":"a"}`},
		{name: "text as number", in: `{"path":12}`, want: `{"path":"12"}`},
		{name: "list as JSON text", in: `{"path":"a","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"}`,
			want: `{"edits":[{"newText":"y","oldText":"x"}],"path":"a"}`},
		{name: "one for a list", in: `{"path":"a","tags":"x"}`, want: `{"path":"a","tags":["x"]}`},
		{name: "one object for a list", in: `{"path":"a","edits":{"oldText":"x","newText":"y"}}`,
			want: `{"edits":[{"newText":"y","oldText":"x"}],"path":"a"}`},
		{name: "null for an optional", in: `{"path":"a","limit":null}`, want: `{"path":"a"}`},
		{name: "whole object as JSON text", in: `"{\"path\":\"a\"}"`, want: `{"path":"a"}`},
		{name: "big numbers keep their digits", in: `{"path":"a","limit":"9007199254740993"}`, want: `{"limit":9007199254740993,"path":"a"}`},

		{name: "missing", in: `{}`, errs: []string{"path: missing (string)", "Fields: path (string, required)", "mode (one of fast, slow, optional)"}},
		{name: "null for a required", in: `{"path":null}`, errs: []string{"path: expected string, got null"}},
		{name: "near miss", in: `{"file_path":"a"}`, errs: []string{`file_path: unknown field; did you mean "path"?`, "path: missing"}},
		{name: "wrong type", in: `{"path":{"x":1}}`, errs: []string{`path: expected string, got object {"x":1}`}},
		{name: "nested", in: `{"path":"a","edits":[{"oldText":"x"},{"oldText":[],"newText":"n"}]}`,
			errs: []string{"edits[0].newText: missing", "edits[1].oldText: expected string, got array []"}},
		{name: "enum", in: `{"path":"a","mode":"quick"}`, errs: []string{"mode: expected one of fast, slow, got string \"quick\""}},
		{name: "bound", in: `{"path":"a","limit":0}`, errs: []string{"limit: must be at least 1, got 0"}},
		{name: "fraction", in: `{"path":"a","limit":1.5}`, errs: []string{"limit: expected integer, got number 1.5"}},
		{name: "endless number", in: `{"path":"a","limit":1e999999999}`, errs: []string{"limit: expected integer"}},
		{name: "huge float", in: `{"path":"a","ratio":1e999}`, errs: []string{"ratio: number out of range"}},
		{name: "not JSON", in: `{"path":`, errs: []string{"not valid JSON"}},
		{name: "two values", in: `{} {}`, errs: []string{"not valid JSON"}},
		{name: "not an object", in: `[1]`, errs: []string{"expected a JSON object, got array [1]"}},
		{name: "empty", in: ``, errs: []string{"not valid JSON"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(spec, json.RawMessage(tt.in))
			if len(tt.errs) == 0 {
				if err != nil || string(got) != tt.want {
					t.Fatalf("got %s, %v; want %s", got, err, tt.want)
				}
				return
			}
			if err == nil {
				t.Fatalf("accepted as %s", got)
			}
			for _, want := range tt.errs {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

// Schemas of MCP servers and hosts: references, alternatives, keywords that
// only the validator knows, and broken ones.
func TestCheckForeignSchema(t *testing.T) {
	for _, tt := range []struct {
		name, schema, in, want, err string
	}{
		{"definition", `{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"$defs":{"P":{"type":"object","properties":{"n":{"type":"integer"}}}}}`,
			`{"p":{"n":"3"}}`, `{"p":{"n":3}}`, ""},
		{"nullable alternative", `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			`{"n":null}`, `{"n":null}`, ""},
		{"alternative, coerced", `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			`{"n":"4"}`, `{"n":4}`, ""},
		{"alternative that fits wins", `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`,
			`{"n":"4"}`, `{"n":"4"}`, ""},
		{"no alternative", `{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}}`,
			`{"n":"x"}`, "", "n: expected integer"},
		{"pattern", `{"type":"object","properties":{"s":{"type":"string","pattern":"^a"}}}`, `{"s":"b"}`, "", "pattern"},
		// Following these would overflow the stack, which nothing can recover.
		{"reference to itself", `{"type":"object","$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`, `{"x":1}`, `{"x":1}`, ""},
		{"loop through alternatives", `{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"not":{"$ref":"#/$defs/A"}}}}`, `{"a":1}`, `{"a":1}`, ""},
		{"loop to the root", `{"allOf":[{"$ref":"#"}]}`, `{"x":1}`, `{"x":1}`, ""},
		{"recursive data", `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}},"n":{"type":"integer"}}}`,
			`{"kids":[{"n":"1","kids":{"n":"2"}}]}`, `{"kids":[{"kids":[{"n":2}],"n":1}]}`, ""},
		{"reference that isn't followed", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}}`,
			`{"a":"1","b":"x"}`, `{"a":1,"b":"x"}`, ""},
		{"open object keeps what it doesn't know", `{"type":"object"}`, `{"x":1}`, `{"x":1}`, ""},
		{"broken schema", `{"type":5}`, `{"x":1}`, `{"x":1}`, ""},
		{"broken schema still wants an object", `nonsense`, `[]`, "", "expected a JSON object"},
		{"no schema", ``, `{"x":1}`, `{"x":1}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(Spec{Name: "s", Parameters: json.RawMessage(tt.schema)}, json.RawMessage(tt.in))
			if tt.err == "" && (err != nil || string(got) != tt.want) {
				t.Fatalf("got %s, %v; want %s", got, err, tt.want)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("got %s, %v; want error with %q", got, err, tt.err)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"path":"a","limit":"5","edits":"[]"}`)
	f.Add(`{"tags":{"a":[null]},"mode":1e9}`)
	spec := sampleTool().Spec()
	f.Fuzz(func(t *testing.T, in string) {
		out, err := Check(spec, json.RawMessage(in))
		if err != nil {
			return
		}
		var s sample
		if err := json.Unmarshal(out, &s); err != nil {
			t.Fatalf("accepted %q as %s, which doesn't decode: %v", in, out, err)
		}
		again, err := Check(spec, out)
		if err != nil || string(again) != string(out) {
			t.Fatalf("not stable: %s -> %s, %v", out, again, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	spec := sampleTool().Spec()
	raw := json.RawMessage(`{"path":"main.go","limit":200,"edits":[{"oldText":"a","newText":"b"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(spec, raw); err != nil {
			b.Fatal(err)
		}
	}
}
