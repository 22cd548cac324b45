package themes_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// Each embedded theme says all colours of both variants, or declares which
// variant of the built-in theme it is.
func TestEmbeddedThemesAreComplete(t *testing.T) {
	names := themes.Names()
	if !slices.Contains(names, themes.Default) || len(names) < 12 {
		t.Fatalf("Names() = %v: want %q among at least twelve", names, themes.Default)
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
			var raw struct {
				Appearance  string
				Dark, Light map[string]string
			}
			if err := json.Unmarshal(data, &raw); err != nil {
				t.Fatal(err)
			}
			if raw.Appearance != "" && raw.Dark == nil && raw.Light == nil {
				return
			}
			for variant, colors := range map[string]map[string]string{"dark": raw.Dark, "light": raw.Light} {
				for _, key := range keys() {
					if _, ok := colors[key]; !ok {
						t.Errorf("%s lacks %q", variant, key)
					}
				}
			}
		})
	}
}

// Every embedded theme can be read: WCAG's 4.5 for text, 3 for secondary text.
func TestContrast(t *testing.T) {
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		readings := theme.Readings()
		if len(readings) < 40 {
			t.Errorf("%s: only %d readings", name, len(readings))
		}
		for _, r := range readings {
			if !r.OK() {
				t.Errorf("%s, dark %v: %s (%s) has %.2f on %s (%s), needs %.1f", name, r.Dark, r.Key, r.Text, r.Ratio, r.On, r.Background, r.Need)
			}
			if name == "high-contrast" && r.Need >= 4.5 && r.Ratio < 7 {
				t.Errorf("%s, dark %v: %s has only %.2f on %s", name, r.Dark, r.Key, r.Ratio, r.On)
			}
		}
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

// An editor that knows the schema and the parser agree on what a colour is.
func TestSchemaColours(t *testing.T) {
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Color struct {
				AnyOf []struct{ Pattern string }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil || len(schema.Defs.Color.AnyOf) != 2 {
		t.Fatalf("%v in %+v", err, schema)
	}
	pattern := regexp.MustCompile(schema.Defs.Color.AnyOf[0].Pattern)
	for value, want := range map[string]bool{
		"": true, "default": true, "#a1B2c3": true, "0": true, "99": true, "255": true, "red": true, "brightWhite": true, "brand": true,
		"#fff": false, "#12345g": false, "256": false, "007": false, "-1": false, "1.5": false, "two words": false, "#1234567": false,
	} {
		_, err := themes.Parse([]byte(`{"vars": {"brand": "1"}, "dark": {"text": "` + value + `"}}`))
		if (err == nil) != want || pattern.MatchString(value) != want {
			t.Errorf("%q: the parser says %v, the schema %v, want %v", value, err, pattern.MatchString(value), want)
		}
	}
}

// C-3: bad input says where it is, and what was meant.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no JSON", `nope`, `1:2: invalid character`},
		{"empty", ``, `1:1: the file ends too early`},
		{"cut off", "{\n \"dark\": {\n  \"text\": \"\"", `3:13: the file ends too early`},
		{"not an object", `[]`, `1:1: a theme must be an object`},
		{"variant no object", `{"dark": "x"}`, `1:10: "dark": must be an object`},
		{"unknown top key", "{\n  \"drak\": {}}", `2:3: "drak": unknown key; did you mean "dark"?`},
		{"unknown colour key", "{\"dark\": {\n\"acent\": \"1\"}}", `2:1: "dark.acent": unknown key; did you mean "accent"?`},
		{"no colour", `{"dark": {"text": true}}`, `1:19: "dark.text": must be a colour in double quotes`},
		{"bad hex", `{"light": {"text": "#12345g"}}`, `1:20: "light.text": "#12345g" is no colour: it takes six digits`},
		{"short hex", `{"light": {"text": "#fff"}}`, `it takes six digits`},
		{"index too big", `{"light": {"text": "256"}}`, `"256" is no colour`},
		{"fraction", `{"light": {"text": 1.5}}`, `"1.5" is no colour`},
		{"colour's name", `{"dark": {"text": "bleu"}}`, `"bleu" is no colour; did you mean "blue"?`},
		{"variable's name", `{"vars": {"brand": "1"}, "dark": {"text": "brnad"}}`, `did you mean "brand"?`},
		{"variable is a colour", `{"vars": {"red": "1"}}`, `"vars.red": this name is a colour already`},
		{"variable of itself", `{"vars": {"a": "b", "b": "a"}, "dark": {"text": "a"}}`, `"a" is defined by itself`},
		{"bad variable that nobody uses", `{"vars": {"a": "blurple"}}`, `1:16: "vars.a": "blurple" is no colour`},
		{"appearance", `{"appearance": "dim"}`, `1:16: "appearance": must be "dark" or "light"`},
		{"twice", `{"dark": {"text": "", "text": ""}}`, `1:23: "dark.text": is there twice`},
		{"rest", `{} {}`, `1:4: text after the end`},
		{"comment without end", `{ /* x }`, `1:3: invalid character`},
		{"long", `{"dark": {"text": "` + strings.Repeat("x", 100_000) + `"}}`, `xxx…" is no colour`},
		{"deep", strings.Repeat(`{"dark":`, 40), `too much in one file`},
		{"hostile key", "{\"\\u001b]0;x\\u0007\": 1}", `"\x1b]0;x\a": unknown key`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := themes.Parse([]byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := themes.Load("midnigth"); err == nil || !strings.Contains(err.Error(), `did you mean "midnight"?`) {
		t.Errorf("Load of an unknown name: %v", err)
	}
}

// All problems are told at once, in the file's order.
func TestParseTellsAll(t *testing.T) {
	_, err := themes.Parse([]byte("{\n\"light\": {\"x\": \"1\"},\n\"dark\": {\"text\": \"no\", \"muted\": 300}}"))
	problems, ok := errors.AsType[*themes.Problems](err)
	if !ok || len(problems.List) != 3 {
		t.Fatalf("error %v, want three problems", err)
	}
	for i, want := range []string{"2:11:", "3:18:", "3:33:"} {
		if got := problems.List[i].Error(); !strings.HasPrefix(got, want) {
			t.Errorf("problem %d is %s, want it at %s", i, got, want)
		}
	}
	if got := err.Error(); !strings.Contains(got, "and 2 more") {
		t.Errorf("error %q doesn't say how many there are", got)
	}
}

func TestParseForms(t *testing.T) {
	theme, err := themes.Parse([]byte(`// a comment
{
  "vars": {"brand": "deep", "deep": "#AA5500" /* first */, }, // trailing comma
  "name": "says // no comment",
  "appearance": "light",
  "dark": {"accent": "brand", "error": "brightRed", "muted": 244, "link": "default", "user": "7",},
}
// the end`))
	if err != nil {
		t.Fatal(err)
	}
	c := theme.Dark
	for what, got := range map[string][2]string{
		"name": {theme.Name, "says // no comment"}, "appearance": {theme.Appearance, "light"}, "variable": {c.Accent, "#aa5500"},
		"palette": {c.Error, "9"}, "number": {c.Muted, "244"}, "own": {c.Link, ""}, "index": {c.User, "7"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %q, want %q", what, got[0], got[1])
		}
	}
	if colors, dark := theme.Variant(true); dark || colors != theme.Light {
		t.Error("a light theme shows its dark variant")
	}
}

// Files of pi are read: names are mapped, what we don't have is ignored, and
// the other variant can still be read.
func TestParseForeign(t *testing.T) {
	base, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	file := func(selected string) string {
		return `{"$schema": "https://example.org/theme.json", "name": "theirs",
 "vars": {"primary": "#00aaff", "grey": 242},
 "colors": {"accent": "primary", "border": "primary", "muted": "grey", "dim": 240, "text": "", "thinkingText": "grey",
  "selectedBg": "` + selected + `", "toolTitle": "", "mdHeading": "#fa0000", "mdLinkUrl": "grey", "toolDiffAdded": "#00ff00",
  "toolDiffRemoved": "#ff0000", "syntaxKeyword": "primary", "syntaxVariable": "nothing known", "thinkingOff": "grey", "newKey": [1]},
 "export": {"pageBg": "#000000"}}`
	}
	for _, c := range []struct {
		selected string
		dark     bool
	}{{"#2d2d30", true}, {"#e0e0f0", false}} {
		got, err := themes.Parse([]byte(file(c.selected)))
		if err != nil {
			t.Fatal(err)
		}
		changed, kept, other := got.Dark, got.Light, base.Light
		if !c.dark {
			changed, kept, other = got.Light, got.Dark, base.Dark
		}
		if kept != other {
			t.Errorf("%s: the variant that the file doesn't have is not the built-in one", c.selected)
		}
		for what, pair := range map[string][2]string{
			"accent": {changed.Accent, "#00aaff"}, "user": {changed.User, "#00aaff"}, "muted": {changed.Muted, "242"},
			"heading": {changed.Heading, "#fa0000"}, "selected": {changed.SelectedBackground, c.selected}, "tool": {changed.Tool, ""},
			"added": {changed.AddedText, "#00ff00"}, "keyword": {changed.SyntaxKeyword, "#00aaff"}, "line number": {changed.LineNumber, "240"},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %q, want %q", c.selected, what, pair[0], pair[1])
			}
		}
	}
	if _, err := themes.Parse([]byte(`{"colors": {"accent": "primry"}, "vars": {"primary": 1}}`)); err == nil || !strings.Contains(err.Error(), `did you mean "primary"?`) {
		t.Errorf("unknown variable: %v", err)
	}
}

func TestReadings(t *testing.T) {
	theme, err := themes.Parse([]byte(`{"appearance": "dark", "dark": {"background": "#000000", "text": "", "accent": "#ffffff", "muted": "#000000", "error": "red"}}`))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]themes.Reading{}
	for _, r := range theme.Readings() {
		if !r.Dark {
			t.Fatalf("a dark theme is judged on light: %+v", r)
		}
		if r.On == "background" {
			found[r.Key] = r
		}
	}
	for key, want := range map[string]float64{"accent": 21, "muted": 1, "text": 1, "error": 0} {
		if got := found[key].Ratio; math.Abs(got-want) > 0.001 {
			t.Errorf("%s: ratio %v, want %v", key, got, want)
		}
		if found[key].OK() != (want == 21 || want == 0) {
			t.Errorf("%s: OK is %v", key, found[key].OK())
		}
	}
}

func TestRGB(t *testing.T) {
	for _, c := range []struct {
		in   string
		want [3]uint8
		ok   bool
	}{
		{"#0a0B0c", [3]uint8{10, 11, 12}, true}, {"16", [3]uint8{}, true}, {"196", [3]uint8{255, 0, 0}, true},
		{"110", [3]uint8{135, 175, 215}, true}, {"232", [3]uint8{8, 8, 8}, true}, {"255", [3]uint8{238, 238, 238}, true},
		{"9", [3]uint8{}, false}, {"", [3]uint8{}, false}, {"#1", [3]uint8{0, 0, 1}, false},
	} {
		if got, ok := themes.RGB(c.in); ok != c.ok || ok && got != c.want {
			t.Errorf("RGB(%q) = %v, %v; want %v, %v", c.in, got, ok, c.want, c.ok)
		}
	}
	if got := themes.Contrast([3]uint8{0x77, 0x77, 0x77}, [3]uint8{255, 255, 255}); math.Abs(got-4.48) > 0.01 {
		t.Errorf("contrast of #777777 on white: %v, want 4.48", got)
	}
}

// The starter is a good theme that looks like the built-in one.
func TestStarter(t *testing.T) {
	data, err := themes.Starter("my-theme")
	if err != nil {
		t.Fatal(err)
	}
	got, err := themes.Parse(data)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	want, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	want.Name = "my-theme"
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "    \"") && !strings.Contains(line, "// ") {
			t.Errorf("line without a comment: %s", line)
		}
	}
	for _, name := range []string{"", ".hidden", "a/b", "a\x1b", strings.Repeat("x", 65)} {
		if _, err := themes.Starter(name); err == nil {
			t.Errorf("Starter(%q) took the name", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"name": "x", "dark": {"text": "#ffffff"}, "light": {}}`))
	f.Add([]byte(`{"vars": {"a": "b", "b": 3}, "colors": {"accent": "a", "selectedBg": 250}}`))
	f.Add([]byte("// c\n{\"appearance\": \"dark\", /* x */ \"dark\": {\"text\": \"red\",},}"))
	f.Add([]byte(`{"dark": [`))
	f.Add([]byte("\"\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		theme, err := themes.Parse(data)
		if err == nil {
			for _, r := range theme.Readings() {
				if r.Ratio != 0 && (r.Ratio < 1 || r.Ratio > 21.01) {
					t.Errorf("Parse(%q): reading %+v", data, r)
				}
			}
			return
		}
		problems, ok := errors.AsType[*themes.Problems](err)
		if !ok || len(problems.List) == 0 {
			t.Fatalf("Parse(%q): %v has no place", data, err)
		}
		lines := strings.Split(string(data), "\n")
		for _, p := range problems.List {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 {
				t.Errorf("Parse(%q): %v is outside of the text", data, p)
			}
		}
	})
}
