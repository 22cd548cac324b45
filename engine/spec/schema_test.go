package spec

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// fieldsRead are the names in all tables of readers.
func fieldsRead(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "decode.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		if kind, ok := lit.Type.(*ast.Ident); !ok || kind.Name != "reader" {
			return true
		}
		if name, ok := lit.Elts[0].(*ast.BasicLit); ok {
			s, err := strconv.Unquote(name.Value)
			if err != nil {
				t.Fatal(err)
			}
			names[s] = true
		}
		return true
	})
	return slices.Sorted(maps.Keys(names))
}

// fieldsTold are the names of all properties below a schema.
func fieldsTold(s *jsonschema.Schema, into map[string]bool) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		into[name] = true
		fieldsTold(p, into)
	}
	fieldsTold(s.Items, into)
	for _, one := range s.OneOf {
		fieldsTold(one, into)
	}
}

// The schema has the fields that the readers read, and no others.
func TestSchemaFields(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	fieldsTold(&s, told)
	if got, want := slices.Sorted(maps.Keys(told)), fieldsRead(t); !slices.Equal(got, want) || len(want) < 15 {
		t.Errorf("the schema has\n%v\nthe readers\n%v", got, want)
	}
	var levels, modes []any
	for _, l := range llm.AllLevels() {
		levels = append(levels, string(l))
	}
	for _, m := range permission.Modes() {
		modes = append(modes, string(m))
	}
	for _, c := range []struct{ got, want []any }{
		{s.Properties["thinking"].Enum, levels}, {s.Properties["permissions"].Properties["mode"].Enum, modes},
	} {
		for _, v := range c.want {
			if !slices.Contains(c.got, v) || len(c.got) != len(c.want)+1 {
				t.Errorf("the schema offers %v, the reader takes %v", c.got, c.want)
			}
		}
	}
}

// An editor that knows the schema and the reader agree on what is right.
func TestSchemaAgrees(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"prompts/review.md": "Review.", "ext/one.ts": "", "skills/x/SKILL.md": ""})
	for _, doc := range []string{
		wholeJSON, `{"name": "x"}`, `[]`, `"x"`, `{"name": 7}`, `{"name": " "}`, `{"name": null}`, `{"nam": "x"}`,
		`{"instructions": "two\nlines"}`, `{"instructions": ["x"]}`, `{"thinking": "low"}`, `{"thinking": "lots"}`, `{"thinking": null}`,
		`{"tools": []}`, `{"tools": null}`, `{"tools": "read"}`, `{"tools": ["read", {"name": "bash", "needsApproval": true}]}`, `{"tools": [7]}`,
		`{"tools": [{"needsApproval": true}]}`, `{"tools": [{"name": "x", "needApproval": true}]}`, `{"tools": [{"name": "x", "needsApproval": "yes"}]}`,
		`{"permissions": {"mode": "ask", "deny": ["read(.env)"]}}`, `{"permissions": {"mode": "yolo"}}`, `{"permissions": {"allow": "bash"}}`, `{"permissions": {"allow": [""]}}`,
		`{"limits": {"turns": 1}}`, `{"limits": {"turns": 0}}`, `{"limits": {"turns": 1.5}}`, `{"limits": {"turns": "1"}}`, `{"limits": {"turns": 99999999999}}`,
		`{"limits": {"cost_usd": 0.5}}`, `{"limits": {"cost_usd": 0}}`, `{"limits": {"cost_usd": 1000000000}}`, `{"limits": {"outputTokens": 1}}`,
		`{"mcpServers": {"a": {"command": "x"}}}`, `{"mcpServers": {"a": "x"}}`, `{"mcpServers": []}`,
		`{"skills": ["skills"]}`, `{"skills": "skills"}`, `{"skills": [""]}`, `{"extensions": ["ext/one.ts"]}`, `{"extensions": [{}]}`,
	} {
		n, fault := readJSON(doc)
		if fault != nil {
			t.Fatal(fault)
		}
		_, reads := decode(filepath.Join(dir, "agent.json"), n)
		var value any
		if err := json.Unmarshal([]byte(plainJSON(t, doc)), &value); err != nil {
			t.Fatal(err)
		}
		if judged := schema.Validate(value); (reads == nil) != (judged == nil) {
			t.Errorf("%s: the reader says %v, the schema %v", doc, reads, judged)
		}
	}
}

// plainJSON is JSON with comments as any reader takes it.
func plainJSON(t *testing.T, doc string) []byte {
	t.Helper()
	n, fault := readJSON(doc)
	if fault != nil {
		t.Fatal(fault)
	}
	data, err := json.Marshal(n.raw())
	if err != nil {
		t.Fatal(err)
	}
	return data
}
