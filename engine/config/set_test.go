package config

import (
	"os"
	"strings"
	"sync"
	"testing"
)

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, src, key string
		value          any
		want           string
	}{
		{"new file", "", "theme", "dark", "{\n  \"theme\": \"dark\"\n}"},
		{"new nested key", "", "permissions.mode", "edit", "{\n  \"permissions\": {\n    \"mode\": \"edit\"\n  }\n}"},
		{"replace keeps everything around", "{ // a\n\t\"theme\" : /* b */ \"x\" /* c */, // d\n}\n", "theme", "y", "{ // a\n\t\"theme\" : /* b */ \"y\" /* c */, // d\n}\n"},
		{"append keeps comment and indent", "{\n\t\"theme\": \"x\" // why\n}\n", "shellPath", "/bin/sh", "{\n\t\"theme\": \"x\", // why\n\t\"shellPath\": \"/bin/sh\"\n}\n"},
		{"append keeps a trailing comma", "{\n  \"theme\": \"x\",\n  // end\n}", "shellPath", "s", "{\n  \"theme\": \"x\",\n  // end\n  \"shellPath\": \"s\",\n}"},
		{"append below", "{\n  \"permissions\": {}\n}", "permissions.mode", "edit", "{\n  \"permissions\": {\n    \"mode\": \"edit\"\n  }\n}"},
		{"the last of two counts", `{"theme": "a", "theme": "b"}`, "theme", "c", `{"theme": "a", "theme": "c"}`},
		{"a list", `{"permissions": {"deny": ["a"]}}`, "permissions.deny", []string{"b", "c"}, `{"permissions": {"deny": ["b","c"]}}`},
		{"remove", "{\n  // about x\n  \"theme\": \"x\",\n  \"shellPath\": \"s\"\n}", "theme", nil, "{\n  // about x\n\n  \"shellPath\": \"s\"\n}"},
		{"remove the last", "{\n  \"theme\": \"x\",\n  \"shellPath\": \"s\", // s\n}", "shellPath", nil, "{\n  \"theme\": \"x\", // s\n}"},
		{"remove both of two", `{"theme": "a", "theme": "b"}`, "theme", nil, `{}`},
		{"remove what isn't there", `{"a": 1}`, "permissions.mode", nil, `{"a": 1}`},
		{"unknown keys stay", `{"other": {"x": [1, 2]}}`, "theme", "d", "{\"other\": {\"x\": [1, 2]},\n  \"theme\": \"d\"\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit("f", []byte(c.src), c.key, c.value)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct {
		name, src, key string
		value          any
		says           string
	}{
		{"unknown key", `{}`, "themes", "x", "did you mean theme?"},
		{"a group", `{}`, "retry", true, "unknown setting"},
		{"wrong type", `{}`, "theme", 1, "must be a string"},
		{"not a choice", `{}`, "permissions.mode", "x", "must be one of"},
		{"not JSON", `{}`, "theme", func() {}, "unsupported type"},
		{"damaged file", `{"theme": `, "theme", "x", "the file ends inside a value"},
		{"value in the way", `{"permissions": 1}`, "permissions.mode", "edit", "permissions: must be an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPaths(t)
			put(t, p.Settings(), c.src)
			err := Set(t.Context(), p, c.key, c.value)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if got, err := os.ReadFile(p.Settings()); err != nil || string(got) != c.src {
				t.Errorf("the file changed to %q, %v", got, err)
			}
		})
	}
}

// E-1: two processes that set different keys at once lose nothing.
func TestSetTogether(t *testing.T) {
	p := testPaths(t)
	values := map[string]any{"theme": "x", "shellPath": "/bin/bash", "permissions.mode": "edit", "retry.maxRetries": 9, "retry.enabled": false, "todo.enabled": false}
	var wg sync.WaitGroup
	for key, value := range values {
		wg.Go(func() {
			if err := Set(t.Context(), p, key, value); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, warnings, err := Load(t.Context(), LoadOptions{Paths: p})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if c.Theme != "x" || c.ShellPath != "/bin/bash" || c.Permissions.Mode != "edit" || c.Retry.MaxRetries != 9 || c.Retry.Enabled || c.Todo.Enabled {
		t.Errorf("a key was lost: %+v", c.Settings)
	}
}
