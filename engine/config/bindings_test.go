package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestKeyBindings(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      map[string][]string
		problems  []string // behind the path
	}{
		{"none", "", map[string][]string{}, nil},
		{"all forms", `{
			// comments and trailing commas are welcome
			"$schema": "x", "cursorUp": "up", "undo": ["ctrl+z", "f8"], "suspend": [], "exit": null,
		}`, map[string][]string{"cursorUp": {"up"}, "undo": {"ctrl+z", "f8"}, "suspend": {}, "exit": {}}, nil},
		{"wrong kind", "{\n  \"undo\": 3, \"redo\": [1]\n}", map[string][]string{}, []string{
			":2:3: undo: must be a key, a list of keys, or [] for none; this is a number",
			":2:14: redo: must be a key, a list of keys, or [] for none; this is a list",
		}},
		{"twice", `{"undo": "a", "undo": "b"}`, map[string][]string{"undo": {"b"}}, []string{":1:15: undo: stands here twice; this one counts"}},
		{"no object", `[]`, map[string][]string{}, []string{":1:1: key bindings must be an object { ... }, this is a list"}},
		{"broken", "{\n\"undo\": }", map[string][]string{}, []string{":2:9: invalid character '}' at start of value"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keybindings.json")
			if err := os.WriteFile(path, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			b, problems := KeyBindingsOf(path)
			if !reflect.DeepEqual(b.Keys, c.want) {
				t.Errorf("keys %v, want %v", b.Keys, c.want)
			}
			if len(problems) != len(c.problems) {
				t.Fatalf("problems %v", problems)
			}
			for i, p := range problems {
				if got := p.Error(); got != path+c.problems[i] {
					t.Errorf("problem %q, want %q", got, path+c.problems[i])
				}
			}
		})
	}
	b, problems := KeyBindingsOf(filepath.Join(t.TempDir(), "missing.json"))
	if len(b.Keys) != 0 || problems != nil {
		t.Errorf("a missing file gives %v, %v", b.Keys, problems)
	}
}
