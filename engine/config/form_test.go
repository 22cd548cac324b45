package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFormOf(t *testing.T) {
	for key, want := range map[string]Form{
		"retry.enabled":        {Kind: Switch, Default: "true"},
		"retry.maxRetries":     {Kind: Number, Default: "3"},
		"limits.costUsd":       {Kind: Number, Default: "0"},
		"shellPath":            {Kind: Text, Default: `""`},
		"theme":                {Kind: Text, Default: `""`},
		"permissions.mode":     {Kind: Choice, Values: []string{"plan", "ask", "edit", "full"}, Default: `""`},
		"tui.notify":           {Kind: Choice, Values: []string{"auto", "bell", "off"}, Default: `"auto"`},
		"permissions.deny":     {Kind: Compound},
		"mcpServers":           {Kind: Compound},
		"hooks":                {Kind: Compound},
		"retry":                {},
		"retry.nothing":        {},
		"retry.enabled.deeper": {},
		"":                     {},
	} {
		if got := FormOf(key); got.Kind != want.Kind || got.Default != want.Default || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: got %+v, want %+v", key, got, want)
		}
	}
	for _, key := range Keys() {
		form := FormOf(key)
		if form.Kind == 0 {
			t.Errorf("%s has no form", key)
		}
		for _, value := range form.Values {
			if _, err := Written(key, value); err != nil {
				t.Errorf("%s offers %s: %v", key, value, err)
			}
		}
	}
}

// What is written is either refused or can be set.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		key, text string
		want      any
		says      string
	}{
		{"retry.maxRetries", " 5 ", json.Number("5"), ""},
		{"retry.maxRetries", "101", nil, "retry.maxRetries must be at most 100"},
		{"retry.maxRetries", "-1", nil, "retry.maxRetries must be at least 0"},
		{"retry.maxRetries", "1.5", nil, "retry.maxRetries must be a whole number"},
		{"retry.maxRetries", "many", nil, "retry.maxRetries must be a number"},
		{"retry.maxRetries", `"5"`, nil, "retry.maxRetries must be a number"},
		{"retry.maxRetries", "null", nil, "retry.maxRetries must be a number"},
		{"retry.maxRetries", "1 2", nil, "retry.maxRetries must be a number"},
		{"limits.costUsd", "0.25", json.Number("0.25"), ""},
		{"todo.clearDelaySeconds", "-1", json.Number("-1"), ""},
		{"shellPath", "/opt/my shell", "/opt/my shell", ""},
		{"permissions.mode", "all", nil, "permissions.mode must be one of plan, ask, edit, full"},
		{"retry.enabled", "false", false, ""},
		{"permissions.deny", "bash", nil, "permissions.deny must be a list"},
		{"nothing", "x", nil, "nothing unknown setting"},
	} {
		t.Run(c.key+" "+c.text, func(t *testing.T) {
			got, err := Written(c.key, c.text)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Fatalf("got %#v, %v", got, err)
			}
			if err := Set(t.Context(), testPaths(t), c.key, got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLine(t *testing.T) {
	starter, err := Starter()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(starter), "\n")
	for _, c := range []struct {
		name, src, key string
		line           int
	}{
		{"the key", "{\n  \"permissions\": {\n    \"deny\": [],\n  },\n}", "permissions.deny", 3},
		{"its group", "{\n\n  \"permissions\": {},\n}", "permissions.deny", 3},
		{"nowhere", "{\n  \"theme\": \"x\"\n}", "permissions.deny", 1},
		{"the last of two", "{\n  \"skills\": [],\n  \"skills\": []\n}", "skills", 3},
		{"behind slashes", "{\n  // \"skills\": [],\n  \"theme\": \"x\" }", "skills", 2},
		{"of the group, not of another", "{\n  \"retry\": { // \"enabled\": 1\n  },\n  \"todo\": {\n    // \"enabled\": true\n  }\n}", "todo.enabled", 5},
		{"not of a later group", "{\n  \"retry\": {\n  },\n  \"todo\": {\n    // \"enabled\": true\n  }\n}", "retry.enabled", 2},
		{"an empty file", "", "skills", 1},
		{"the starter's", string(starter), "permissions.deny", 1 + slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `// "deny"`) })},
		{"the starter's group", string(starter), "hooks", 1 + slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `// "hooks"`) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := Line(path, c.key); err != nil || got != c.line {
				t.Errorf("line %d, %v, want %d", got, err, c.line)
			}
		})
	}
	if n, err := Line(filepath.Join(t.TempDir(), "none.json"), "skills"); err != nil || n != 1 {
		t.Errorf("a missing file: line %d, %v", n, err)
	}
}

func FuzzWritten(f *testing.F) {
	f.Add("retry.maxRetries", "1e2")
	f.Add("theme", `{"dark": 1`)
	f.Add("limits.costUsd", "-0")
	f.Fuzz(func(t *testing.T, key, text string) {
		value, err := Written(key, text)
		if err != nil {
			return
		}
		src, err := edit("f", nil, key, value)
		if err != nil {
			t.Fatal(err)
		}
		c := Config{Settings: Defaults(), origins: map[string]string{}}
		if _, err := c.apply(layer{name: "f"}, src); err != nil {
			t.Errorf("%s as %q writes %s: %v", key, text, src, err)
		}
	})
}
