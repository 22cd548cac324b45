package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file that a setting is changed in is begun where it isn't there, and opened
// where the setting stands, or where the file is damaged.
func TestPlaceOf(t *testing.T) {
	for _, c := range []struct {
		name, text, key string
		line            string // what stands there
	}{
		{"not there", "", "permissions.deny", `// "deny": [],`},
		{"the key", "{\n  // mine\n  \"skills\": [\"x\"]\n}\n", "skills", `"skills": ["x"]`},
		{"damaged", "{\n  \"skills\": [\n  }\n", "skills", `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "settings.json")
			if c.text != "" {
				if err := writeNew(path, []byte(c.text)); err != nil {
					t.Fatal(err)
				}
			}
			place, line, err := placeOf(path, c.key)
			if err != nil || place != path {
				t.Fatal(place, err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			if line < 1 || line > len(lines) || !strings.Contains(lines[line-1], c.line) {
				t.Errorf("line %d of\n%s", line, text)
			}
			if c.text != "" && string(text) != c.text {
				t.Errorf("the file is now\n%s", text)
			}
		})
	}
	if _, _, err := placeOf("", "skills"); err == nil {
		t.Error("a place without a home")
	}
}
