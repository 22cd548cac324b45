package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "write the golden files anew")

type tree = map[string]any

// nullable is a schema's type; null counts as left out.
func nullable(kind, about string) tree {
	return tree{"type": []string{kind, "null"}, "description": about}
}

func source(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// flags are the fields of the struct compat in a wire's file, with their comments.
func flags(t *testing.T, path string) tree {
	found := tree{}
	ast.Inspect(source(t, path), func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "compat" {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if f.Tag == nil {
				continue
			}
			tag, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			about := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
			about = strings.TrimSpace(strings.TrimPrefix(about, f.Names[0].Name+":"))
			p := nullable("boolean", about)
			switch kind := f.Type.(type) {
			case *ast.MapType:
				p = nullable("object", about)
				p["additionalProperties"] = tree{"type": "string"}
			case *ast.Ident:
				if kind.Name == "string" {
					p = nullable("string", about)
				}
			}
			found[reflect.StructTag(tag).Get("json")] = p
		}
		return false
	})
	if len(found) == 0 {
		t.Fatalf("%s has no compat", path)
	}
	return found
}

// schemaTree is the schema of models.json. What wires read of compat comes from
// their own structs; of a flag that several have the first's words count.
func schemaTree(t *testing.T) tree {
	compat := tree{}
	for _, path := range []string{"../openai/compat.go", "../anthropic/request.go", "../google/thinking.go"} {
		for name, p := range flags(t, path) {
			if compat[name] == nil {
				compat[name] = p
			}
		}
	}
	headers := nullable("object", "sent with each request; a value may be $NAME or !command")
	headers["additionalProperties"] = tree{"type": []string{"string", "null"}}
	headers["propertyNames"] = tree{"pattern": "^[!#-'*+.0-9A-Z^-z|~-]+$"}
	price := func(about string) tree {
		p := nullable("number", "dollars for a million tokens "+about)
		p["minimum"] = 0
		return p
	}
	count := func(about string, otherwise int) tree {
		p := nullable("integer", about)
		p["minimum"], p["maximum"], p["default"] = 1, countLimit, otherwise
		return p
	}
	link := nullable("string", "where requests go")
	link["pattern"] = "^(https?://[^/]|$)"
	api := nullable("string", "the wire that it speaks")
	api["examples"] = []string{"anthropic-messages", "openai-completions", "openai-responses", "azure-openai-responses", "google-generative-ai"}
	input := nullable("array", "what it takes")
	input["items"] = tree{"enum": []string{"text", "image"}}
	cost := nullable("object", "")
	delete(cost, "description")
	cost["properties"] = tree{"input": price("of input"), "output": price("of output"), "cacheRead": price("read from the cache"), "cacheWrite": price("written into the cache")}
	change := tree{
		"name": nullable("string", "shown in lists"), "reasoning": nullable("boolean", "it can think"), "input": input, "cost": cost,
		"contextWindow": count("tokens of a request and its answer", defaultWindow), "maxTokens": count("tokens of an answer", defaultOutput),
		"headers": tree{"$ref": "#/$defs/headers"}, "compat": tree{"$ref": "#/$defs/compat"},
	}
	model := tree{"id": tree{"type": "string", "pattern": `[^\s/]`, "description": "as the service has it"}, "api": tree{"$ref": "#/$defs/api"}, "baseUrl": tree{"$ref": "#/$defs/url"}}
	for name, p := range change {
		model[name] = p
	}
	models := nullable("array", "more models; one with a known id takes its place")
	models["items"] = tree{"type": "object", "required": []string{"id"}, "properties": model}
	overrides := nullable("object", "changes of known models, by id")
	overrides["additionalProperties"] = tree{"type": []string{"object", "null"}, "properties": change}
	providers := nullable("object", "by id")
	providers["propertyNames"] = tree{"pattern": `^[^/]*[^\s/][^/]*$`, "not": tree{"const": "offline"}}
	providers["additionalProperties"] = tree{"type": []string{"object", "null"}, "properties": tree{
		"baseUrl": tree{"$ref": "#/$defs/url"}, "api": tree{"$ref": "#/$defs/api"},
		"apiKey":     nullable("string", "the key, or $NAME for a variable's value, or !command for what it prints"),
		"auth":       nullable("string", "none for a server without a key"),
		"authHeader": nullable("boolean", "send the key as a bearer token"),
		"headers":    tree{"$ref": "#/$defs/headers"}, "compat": tree{"$ref": "#/$defs/compat"},
		"models": models, "modelOverrides": overrides,
	}}
	shared := nullable("object", "how a service or a model differs from the vendor's own")
	shared["properties"] = compat
	return tree{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Hoopoe models",
		"description": "Providers and models of your own, and changes of those that are built in. Fields that aren't known are left alone.",
		"type":        "object", "properties": tree{"$schema": tree{"type": "string"}, "providers": providers},
		"$defs": tree{"headers": headers, "compat": shared, "url": link, "api": api},
	}
}

// The schema follows the code that reads the file.
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schemaTree(t)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schema.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), b.Bytes()) {
		t.Error("schema.json is behind: run go test ./engine/llm/catalog -update")
	}
	for _, name := range []string{"file.go", "object.go"} {
		ast.Inspect(source(t, name), func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			field, isText := call.Args[0].(*ast.BasicLit)
			if !ok || !isText || !slices.Contains([]string{"get", "raw", "object", "list", "price", "count"}, method.Sel.Name) {
				return true
			}
			if !bytes.Contains(b.Bytes(), []byte(field.Value+": {")) {
				t.Errorf("the reader reads %s, the schema lacks it", field.Value)
			}
			return true
		})
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
	const lab = `{"providers":{"lab":{"baseUrl":"http://lab.test","api":"x",%s}}}`
	model := func(more string) string { return fmt.Sprintf(lab, `"models":[{"id":"a",`+more+`}]`) }
	for _, doc := range []string{
		theirs, `{}`, `[]`, `{"providers":null}`, `{"providers":[]}`, `{"providers":{"lab":7}}`, `{"providers":{"lab":null}}`, `{"novel":1}`,
		`{"providers":{"":{}}}`, `{"providers":{"a/b":{}}}`, `{"providers":{"offline":{}}}`,
		`{"providers":{"lab":{"baseUrl":"ftp://x"}}}`, `{"providers":{"lab":{"apiKey":["x"]}}}`, `{"providers":{"lab":{"authHeader":"x"}}}`,
		fmt.Sprintf(lab, `"headers":{"X-Y":"a"}`), fmt.Sprintf(lab, `"headers":{"X Y":"a"}`), fmt.Sprintf(lab, `"headers":{"X":1}`), fmt.Sprintf(lab, `"compat":"x"`),
		fmt.Sprintf(lab, `"models":{}`), fmt.Sprintf(lab, `"models":[7]`), fmt.Sprintf(lab, `"models":[{"name":"x"}]`), fmt.Sprintf(lab, `"models":[{"id":"/"}]`),
		model(`"novel":[1]`), model(`"input":["text","image"]`), model(`"input":["smell"]`), model(`"input":"text"`), model(`"reasoning":true`), model(`"reasoning":1`),
		model(`"cost":{"input":0.5}`), model(`"cost":{"input":-1}`), model(`"cost":{"cacheRead":"1"}`), model(`"cost":null`),
		model(`"contextWindow":1.5`), model(`"contextWindow":0`), model(`"contextWindow":2000`), model(`"maxTokens":1e30`),
		`{"providers":{"google":{"modelOverrides":{"m":{"maxTokens":0}}}}}`, `{"providers":{"google":{"modelOverrides":{"m":{"name":"x"}}}}}`,
	} {
		_, reads := Parse([]byte(doc))
		var value any
		if err := json.Unmarshal([]byte(doc), &value); err != nil {
			t.Fatal(err)
		}
		if judged := schema.Validate(value); (reads == nil) != (judged == nil) {
			t.Errorf("%s: the reader says %v, the schema %v", doc, reads, judged)
		}
	}
}

// E-2: a fault has its place, and its value stays where it is.
func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	if problems, err := Check(path); err != nil || problems != nil {
		t.Errorf("no file: %v, %v", problems, err)
	}
	for _, c := range []struct{ src, want string }{
		{theirs, ""}, {"", ""},
		{"{\n  oops", "2:3: the JSON is damaged"},
		{"[]", "0:0: want a JSON object with providers in it"},
		{"{\n  \"providers\": []\n}", "2:3: providers: want an object"},
		{"{\"a\": {\"providers\": 1}, \"providers\": {\n  \"lab\": {\n    \"api\": \"x\",\n    \"apiKey\": [\"secret\"]}}}", "4:5: providers.lab.apiKey: want a text"},
		{"{\"providers\": {\"lab\": {\"baseUrl\": \"http://lab.test\", \"api\": \"x\", \"models\": [\n {\"id\": \"a\"},\n  7,\n {\"id\": \"b\",\n   \"cost\": {\"input\": -1}}]}}}",
			"3:3: providers.lab.models[1]: want an object\n5:13: providers.lab.models[2].cost.input: want a price of 0 or more"},
		{"{\"providers\": {\n \"lab\": {\"models\": [{\"id\": \"a\"}]}}}", "2:21: providers.lab.models[0].api: missing, here or at the provider\n2:21: providers.lab.models[0].baseUrl: missing at the provider, which isn't one that is built in"},
	} {
		if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
			t.Fatal(err)
		}
		problems, err := Check(path)
		var got []string
		for _, p := range problems {
			got = append(got, fmt.Sprintf("%d:%d: %v", p.Line, p.Column, p))
		}
		if err != nil || strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", c.src, strings.Join(got, "\n"), err, c.want)
		}
	}
}
