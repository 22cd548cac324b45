package config

import (
	"strings"
	"testing"
)

// A theme is a name, or an object with one for each background.
func TestThemeObject(t *testing.T) {
	for in, want := range map[string]string{
		`"midnight"`:                         `midnight`,
		`"midnight, sand"`:                   `midnight, sand`,
		`{"dark": "a" /*x*/, "light": "b",}`: `{"dark":"a","light":"b"}`,
	} {
		p := testPaths(t)
		put(t, p.Settings(), `{"theme": `+in+`}`)
		if c, _, err := Load(t.Context(), LoadOptions{Paths: p}); err != nil || c.Theme != want {
			t.Errorf("%s: got %q with %v, want %q", in, c.Theme, err, want)
		}
	}
	for _, in := range []string{`{"dusk": "a"}`, `{"dark": 1}`, `7`, `["a"]`} {
		p := testPaths(t)
		put(t, p.Settings(), `{"theme": `+in+`}`)
		if _, _, err := Load(t.Context(), LoadOptions{Paths: p}); err == nil || !strings.Contains(err.Error(), "theme: must be") {
			t.Errorf("%s: %v", in, err)
		}
	}
}
