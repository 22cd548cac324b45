package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// remarks are the comments of a Go file's structs and their fields, on one line:
// "Type" and "Type.Field".
func remarks(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	line := func(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		found[spec.Name.Name] = line(g.Doc)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range fields.Fields.List {
			for _, n := range field.Names {
				text := line(field.Doc)
				if text == "" {
					text = line(field.Comment)
				}
				found[spec.Name.Name+"."+n.Name] = text
			}
		}
	}
	return found
}

type object = map[string]any

// schemaOf makes the schema of a settings struct out of its tags and comments.
func schemaOf(t *testing.T, v reflect.Value, said map[string]string) object {
	properties := object{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		p := propertyOf(t, v.FieldByIndex(f.Index), f, said)
		text := said[v.Type().Name()+"."+f.Name]
		if f.Type.Kind() == reflect.Struct {
			text = said[f.Type.Name()]
		}
		if f.Tag.Get("scope") == "user" {
			text += " (a project can't set it)"
		}
		if text = strings.TrimSpace(text); text != "" {
			p["description"] = text
		}
		properties[f.Tag.Get("json")] = p
	}
	return object{"type": []string{"object", "null"}, "additionalProperties": false, "properties": properties}
}

func propertyOf(t *testing.T, v reflect.Value, f reflect.StructField, said map[string]string) object {
	if v.Kind() == reflect.Struct {
		return schemaOf(t, v, said)
	}
	p := object{}
	switch value := initial(v, f.Tag); {
	case v.Type() == rawObject:
		return object{"type": []string{"object", "null"}, "additionalProperties": object{"type": "object"}}
	case v.Type() == hookList:
		return object{"$ref": "#/$defs/hooks"}
	case value != nil:
		p["default"] = value
	}
	bound := func(tag, keyword string) {
		if s := f.Tag.Get(tag); s != "" {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			p[keyword] = n
		}
	}
	bound("min", "minimum")
	bound("max", "maximum")
	switch v.Kind() {
	case reflect.Bool:
		p["type"] = []string{"boolean", "null"}
	case reflect.Int:
		p["type"] = []string{"integer", "null"}
	case reflect.Float64:
		p["type"] = []string{"number", "null"}
	case reflect.Slice:
		p["type"], p["items"] = []string{"array", "null"}, object{"type": "string"}
	case reflect.String:
		p["type"] = []string{"string", "null"}
		if oneOf := strings.Fields(f.Tag.Get("oneof")); len(oneOf) > 0 {
			allowed := []any{}
			for _, s := range oneOf {
				allowed = append(allowed, s)
			}
			p["enum"] = append(allowed, nil)
		}
		if members := strings.Fields(f.Tag.Get("object")); len(members) > 0 {
			p["type"], p["additionalProperties"] = []string{"string", "object", "null"}, false
			inner := object{}
			for _, m := range members {
				inner[m] = object{"type": "string"}
			}
			p["properties"] = inner
		}
	default:
		t.Fatalf("%s: the schema knows no %s", f.Name, v.Kind())
	}
	return p
}

// The schema follows the struct that the reader fills: its tags, its defaults and
// its comments.
func TestSchema(t *testing.T) {
	s := schemaOf(t, reflect.ValueOf(Defaults()), remarks(t, "settings.go"))
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "Hoopoe settings"
	s["description"] = "Settings of the user or of a project. null leaves a key as it is."
	s["type"] = "object"
	s["properties"].(object)["$schema"] = object{"type": "string"}
	hook := func(more object) object {
		properties := object{
			"matcher": object{"type": "string", "description": "which tools, for example; left out: all"},
			"command": object{"type": "string", "description": "the shell command"},
			"type":    object{"const": "command"},
			"timeout": object{"type": "integer", "minimum": 1, "maximum": 600, "description": "seconds until it is stopped"},
		}
		maps.Copy(properties, more)
		return object{"type": "object", "additionalProperties": false, "properties": properties}
	}
	inner := hook(nil)
	inner["required"] = []string{"command"}
	outer := hook(object{"hooks": object{"type": "array", "items": inner, "description": "several commands for one matcher"}})
	outer["oneOf"] = []object{{"required": []string{"command"}}, {"required": []string{"hooks"}}}
	s["$defs"] = object{"hooks": object{
		"type": []string{"object", "null"}, "description": "by event",
		"additionalProperties": object{"type": "array", "items": outer},
	}}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), b.Bytes()) {
		t.Error("schema.json is behind the struct: run go test ./engine/config -update")
	}
}

// resolved is the schema ready to judge values.
func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An editor that knows the schema and the reader agree on what is right.
func TestSchemaAgrees(t *testing.T) {
	schema := resolved(t)
	cases := []string{
		`{}`, `[]`, `{"$schema": "x"}`, `{"frobnicate": 1}`,
		`{"permissions": null}`, `{"permissions": 7}`,
		`{"permissions": {"mode": "ask"}}`, `{"permissions": {"mode": "all"}}`, `{"permissions": {"mode": ""}}`, `{"permissions": {"mode": null}}`,
		`{"permissions": {"allow": ["bash(ls)"]}}`, `{"permissions": {"allow": [1]}}`, `{"permissions": {"alow": []}}`,
		`{"retry": {"maxRetries": 100}}`, `{"retry": {"maxRetries": 101}}`, `{"retry": {"maxRetries": 1.5}}`, `{"retry": {"maxRetries": -1}}`,
		`{"limits": {"costUsd": 1.5}}`, `{"limits": {"costUsd": -1}}`, `{"limits": {"costUsd": "1"}}`,
		`{"theme": "ember"}`, `{"theme": {"dark": "ember", "light": "sand"}}`, `{"theme": {"drak": "ember"}}`, `{"theme": 1}`,
		`{"mcpServers": {"a": {"command": "x", "args": []}}}`, `{"mcpServers": {"a": 1}}`, `{"mcpServers": []}`,
		`{"hooks": {"tool_call": [{"matcher": "bash", "command": "true", "timeout": 5}]}}`,
		`{"hooks": {"tool_call": [{"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}]}}`,
		`{"hooks": {"tool_call": [{"command": "true", "timeout": 0}]}}`, `{"hooks": {"tool_call": [{"command": "true", "type": "prompt"}]}}`,
		`{"hooks": {"tool_call": [{"command": "true", "comand": ""}]}}`, `{"hooks": {"tool_call": [{"matcher": "bash"}]}}`,
		`{"hooks": {"tool_call": {}}}`, `{"hooks": {"tool_call": [{"command": "true", "hooks": []}]}}`,
		`{"hooks": {"tool_call": [{"hooks": [{"hooks": []}]}]}}`,
		`{"tui": {"mouse": false}}`, `{"tui": {"mouse": "no"}}`,
	}
	for _, key := range Keys() { // null leaves any key as it is
		doc := "null"
		for _, part := range slices.Backward(strings.Split(key, ".")) {
			doc = `{"` + part + `": ` + doc + `}`
		}
		cases = append(cases, doc)
	}
	for _, doc := range cases {
		path := filepath.Join(t.TempDir(), "settings.json")
		put(t, path, doc)
		_, warnings, err := Load(t.Context(), LoadOptions{Paths: Paths{Config: filepath.Dir(path)}})
		var value any
		if err := json.Unmarshal([]byte(doc), &value); err != nil {
			t.Fatal(err)
		}
		judged := schema.Validate(value)
		if reads := err == nil && len(warnings) == 0; reads != (judged == nil) {
			t.Errorf("%s: the reader says %v %v, the schema %v", doc, err, warnings, judged)
		}
	}
}

// Whatever line of the starter is brought to life, it says what holds anyway.
func TestStarter(t *testing.T) {
	text, err := Starter()
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for name, src := range map[string]string{
		"as it is":        string(text),
		"without slashes": regexp.MustCompile(`(?m)^( *)// (".*)$`).ReplaceAllStringFunc(string(text), func(line string) string { said++; return strings.Replace(line, "// ", "", 1) }),
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		put(t, path, src)
		c, warnings, err := Load(t.Context(), LoadOptions{Paths: Paths{Config: filepath.Dir(path)}})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v\n%s", name, err, warnings, src)
		}
		got, want := c.Settings, Defaults()
		if string(got.MCPServers) != "" && strings.TrimSpace(string(got.MCPServers)) != "{}" {
			t.Errorf("%s: servers %s", name, got.MCPServers)
		}
		got.MCPServers = nil
		for _, list := range []*[]string{&got.EnabledModels, &got.Skills, &got.Extensions, &got.Task.DisabledAgents, &got.Permissions.Allow, &got.Permissions.Ask, &got.Permissions.Deny} {
			if len(*list) == 0 {
				*list = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, want)
		}
	}
	if said != len(Keys()) {
		t.Errorf("%d lines for %d keys", said, len(Keys()))
	}
}

// Every key says what it is about.
func TestAbout(t *testing.T) {
	for _, key := range Keys() {
		if About(key) == "" {
			t.Errorf("%s says nothing", key)
		}
	}
	if got := About("tui.nothing"); got != "" {
		t.Errorf("what isn't there is %q", got)
	}
}
