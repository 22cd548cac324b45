package themes_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

func TestEmbeddedThemesAreComplete(t *testing.T) {
	names := themes.Names()
	if !slices.Contains(names, themes.Default) {
		t.Fatalf("Names() = %v lacks %q", names, themes.Default)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			theme, err := themes.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			if theme.Name != name {
				t.Errorf("name %q in the file of %q", theme.Name, name)
			}
			data, err := os.ReadFile(name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var raw map[string]json.RawMessage
			if err := json.Unmarshal(data, &raw); err != nil {
				t.Fatal(err)
			}
			for _, variant := range []string{"dark", "light"} {
				var colors map[string]string
				if err := json.Unmarshal(raw[variant], &colors); err != nil {
					t.Fatal(err)
				}
				for _, key := range keys() {
					if _, ok := colors[key]; !ok {
						t.Errorf("%s lacks %q", variant, key)
					}
				}
			}
		})
	}
}

func keys() []string {
	var names []string
	typ := reflect.TypeFor[themes.Colors]()
	for i := range typ.NumField() {
		names = append(names, typ.Field(i).Tag.Get("json"))
	}
	return names
}

// The schema is what theme authors read: it must name exactly the real keys.
func TestSchemaMatches(t *testing.T) {
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Colors struct {
				Properties map[string]any `json:"properties"`
			} `json:"colors"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	want := keys()
	for _, key := range want {
		if _, ok := schema.Defs.Colors.Properties[key]; !ok {
			t.Errorf("schema.json lacks %q", key)
		}
	}
	if got := len(schema.Defs.Colors.Properties); got != len(want) {
		t.Errorf("schema.json has %d colours, the code %d", got, len(want))
	}
}

func TestParseKeepsBuiltInColours(t *testing.T) {
	base, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	got, err := themes.Parse([]byte(`{"name": "mine", "dark": {"accent": "#ABCDEF", "error": "9", "muted": ""}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := base
	want.Name = "mine"
	want.Dark.Accent, want.Dark.Error, want.Dark.Muted = "#abcdef", "9", ""
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// C-3: bad input says where it is.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no JSON", `nope`, `1:2: invalid character`},
		{"empty", ``, `1:1: the file ends too early`},
		{"cut off", "{\n \"dark\": {\n  \"text\": \"\"", `3:`},
		{"not an object", `[]`, `1:1: must be an object`},
		{"unknown top key", "{\n  \"drak\": {}}", `2:8: "drak": unknown key`},
		{"unknown colour key", "{\"dark\": {\n\"acent\": \"1\"}}", `2:7: "dark.acent": unknown key`},
		{"no string", `{"dark": {"text": 7}}`, `"dark.text": must be a string`},
		{"bad hex", `{"light": {"text": "#12345g"}}`, `"light.text": "#12345g" is no colour`},
		{"short hex", `{"light": {"text": "#fff"}}`, `is no colour`},
		{"index too big", `{"light": {"text": "256"}}`, `is no colour`},
		{"twice", `{"dark": {"text": "", "text": ""}}`, `"dark.text": is there twice`},
		{"rest", `{} {}`, `text after the end`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := themes.Parse([]byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := themes.Load("nosuch"); err == nil || !strings.Contains(err.Error(), themes.Default) {
		t.Errorf("Load of an unknown name: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"name": "x", "dark": {"text": "#ffffff"}, "light": {}}`))
	f.Add([]byte(`{"dark": [`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := themes.Parse(data); err != nil && !strings.HasPrefix(err.Error(), "theme, ") {
			t.Errorf("Parse(%q): %v has no position", data, err)
		}
	})
}
