package themes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const oneColor = `{"dark": {"accent": "%"}}`

func accent(color string) string { return strings.Replace(oneColor, "%", color, 1) }

func accentOf(t *testing.T, s themes.Set, name string) string {
	t.Helper()
	theme, err := s.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return theme.Dark.Accent
}

func TestSet(t *testing.T) {
	user, project := filepath.Join(t.TempDir(), "user"), filepath.Join(t.TempDir(), "project")
	write(t, filepath.Join(user, "mine.json"), accent("#111111"))
	write(t, filepath.Join(user, "both.json"), accent("#222222"))
	write(t, filepath.Join(user, "midnight.json"), accent("#333333"))
	write(t, filepath.Join(user, "bad.json"), "{\n  \"dark\": {\"accent\": \"purpel\"}}")
	write(t, filepath.Join(user, "notes.txt"), "no theme")
	write(t, filepath.Join(user, "a\x1b[31m.json"), accent("#444444"))
	write(t, filepath.Join(user, "large.json"), strings.Repeat(" ", 300<<10)+"{}")
	write(t, filepath.Join(project, "both.json"), accent("#555555"))
	s := themes.Open(user, project, "", filepath.Join(project, "missing"))

	for name, want := range map[string]string{"mine": "#111111", "both": "#555555", "midnight": "#333333"} {
		if got := accentOf(t, s, name); got != want {
			t.Errorf("%s has the accent %s, want %s", name, got, want)
		}
	}
	if theme, err := s.Find("mine"); err != nil || theme.Name != "mine" {
		t.Errorf("a theme without a name is called %q, %v", theme.Name, err)
	}
	if got, want := s.Path("both"), filepath.Join(project, "both.json"); got != want {
		t.Errorf("both is of %s, want %s", got, want)
	}
	names := s.Names()
	if !slices.IsSorted(names) || slices.Contains(names, "bad") || slices.Contains(names, "notes") || !slices.Contains(names, "ember") {
		t.Errorf("names: %q", names)
	}
	problems := s.Problems()
	if len(problems) != 2 {
		t.Fatalf("problems: %v, want those of bad and large", problems)
	}
	if got, want := problems[0].Error(), filepath.Join(user, "bad.json")+`:2:22: "dark.accent": "purpel" is no colour`; !strings.HasPrefix(got, want) {
		t.Errorf("problem %q, want %q", got, want)
	}
	if got := problems[1].Error(); !strings.Contains(got, "larger than") {
		t.Errorf("problem %q, want the size", got)
	}
	if _, err := s.Find("bad"); err == nil {
		t.Error("a broken theme is found")
	}
	if _, err := s.Find("mien"); err == nil || !strings.Contains(err.Error(), `did you mean "mine"?`) {
		t.Errorf("unknown theme: %v", err)
	}
}

// A broken edit keeps the theme that was there; the mended one is taken.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.json")
	write(t, path, accent("#111111"))
	s := themes.Open(dir)
	write(t, path, accent("nothing"))
	s = s.Reload()
	if got := accentOf(t, s, "mine"); got != "#111111" {
		t.Errorf("a broken edit gives %s", got)
	}
	if p := s.Problems(); len(p) != 1 || !strings.HasPrefix(p[0].Error(), path+":1:") {
		t.Errorf("problems: %v, want the place", p)
	}
	s = s.Reload()
	if got := accentOf(t, s, "mine"); got != "#111111" {
		t.Errorf("the second look at a broken edit gives %s", got)
	}
	write(t, path, accent("#222222"))
	s = s.Reload()
	if got := accentOf(t, s, "mine"); got != "#222222" || len(s.Problems()) != 0 {
		t.Errorf("the mended theme gives %s, problems %v", got, s.Problems())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reload().Find("mine"); err == nil {
		t.Error("a deleted theme is still there")
	}
}

// What a setting may say of the theme.
func TestFind(t *testing.T) {
	s := themes.Open()
	for _, c := range []struct{ in, name, dark, light, fail string }{
		{"", "hoopoe", "hoopoe", "hoopoe", ""},
		{"auto", "hoopoe", "hoopoe", "hoopoe", ""},
		{" midnight ", "midnight", "midnight", "midnight", ""},
		{"midnight,sand", "midnight, sand", "midnight", "sand", ""},
		{"midnight, midnight", "midnight", "midnight", "midnight", ""},
		{`{"dark": "midnight", "light": "sand"}`, "midnight, sand", "midnight", "sand", ""},
		{`{"light": "sand"}`, "hoopoe, sand", "hoopoe", "sand", ""},
		{`{"drak": "midnight"}`, "", "", "", "must be a name"},
		{`{"dark": 1}`, "", "", "", "must be a name"},
		{"midnigth", "", "", "", `did you mean "midnight"?`},
		{"midnight, sadn", "", "", "", `did you mean "sand"?`},
	} {
		t.Run(c.in, func(t *testing.T) {
			theme, err := s.Find(c.in)
			if c.fail != "" {
				if err == nil || !strings.Contains(err.Error(), c.fail) {
					t.Errorf("error %v, want %q", err, c.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if theme.Name != c.name {
				t.Errorf("the name is %q, want %q", theme.Name, c.name)
			}
			if again, err := s.Find(theme.Name); err != nil || again != theme {
				t.Errorf("Find(%q) finds another theme, %v", theme.Name, err)
			}
			for _, v := range []struct {
				name string
				dark bool
			}{{c.dark, true}, {c.light, false}} {
				one, err := s.Find(v.name)
				if err != nil {
					t.Fatal(err)
				}
				want, _ := one.Variant(v.dark)
				if got, _ := theme.Variant(v.dark); got != want {
					t.Errorf("dark %v: not the colours of %s", v.dark, v.name)
				}
			}
		})
	}
	// The variants of themes that have but one.
	theme, err := s.Find("light, dark")
	if err != nil {
		t.Fatal(err)
	}
	if _, dark := theme.Variant(true); !dark || theme.Appearance != "" {
		t.Errorf("two themes in one keep an appearance: %+v", theme)
	}
}
