package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoadLayers(t *testing.T) {
	p, project := testPaths(t), t.TempDir()
	put(t, p.Settings(), `// mine
{
	"defaultModel": "user-model",
	"theme": "user-theme", /* trailing comma next */
	"retry": {"maxRetries": 5, "baseDelayMs": null},
	"permissions": {"allow": ["read"], "deny": ["bash(rm *)"]},
}`)
	put(t, ProjectSettings(project), `{"theme": "project-theme", "permissions": {"ask": ["bash(git push*)"], "deny": ["bash(curl *)"]}}`)
	load := func(trusted bool) Config {
		t.Helper()
		c, warnings, err := Load(t.Context(), LoadOptions{
			Paths: p, Project: project, Trusted: trusted,
			Overrides: []Override{{Key: "defaultModel", Value: "flag-model", Flag: "--model"}, {Key: "permissions.ask", Value: []string{"edit"}, Flag: "--ask"}},
		})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("Load: %v %v", warnings, err)
		}
		return c
	}

	c := load(true)
	want := Defaults()
	want.DefaultModel, want.Theme = "flag-model", "project-theme"
	want.Retry.MaxRetries = 5
	want.Permissions = Permissions{Allow: []string{"read"}, Ask: []string{"bash(git push*)", "edit"}, Deny: []string{"bash(rm *)", "bash(curl *)"}}
	if !reflect.DeepEqual(c.Settings, want) {
		t.Errorf("got  %+v\nwant %+v", c.Settings, want)
	}
	for key, origin := range map[string]string{"defaultModel": "--model", "theme": ProjectSettings(project), "retry.maxRetries": p.Settings(), "permissions.mode": "", "retry.baseDelayMs": ""} {
		if got := c.Origin(key); got != origin {
			t.Errorf("%s comes from %q, want %q", key, got, origin)
		}
	}
	if c := load(false); c.Theme != "user-theme" || len(c.Permissions.Deny) != 1 {
		t.Errorf("an untrusted project was read: %+v", c.Settings)
	}
}

// E-4: a repository can't give itself rights.
func TestProjectOnlyTightens(t *testing.T) {
	for _, c := range []struct {
		name, user, project string
		mode                string
		turns               int
		warned              string // key of the only warning, "" for none
	}{
		{"looser mode", `{"permissions": {"mode": "ask"}}`, `{"permissions": {"mode": "full"}}`, "ask", 0, "permissions.mode"},
		{"looser than an unset mode", ``, `{"permissions": {"mode": "edit"}}`, "", 0, "permissions.mode"},
		{"stricter mode", `{"permissions": {"mode": "full"}}`, `{"permissions": {"mode": "plan"}}`, "plan", 0, ""},
		{"stricter than an unset mode", ``, `{"permissions": {"mode": "plan"}}`, "plan", 0, ""},
		{"empty deny list takes nothing away", `{"permissions": {"deny": ["bash"]}}`, `{"permissions": {"deny": []}}`, "", 0, ""},
		{"allow rules", ``, `{"permissions": {"allow": ["bash"]}}`, "", 0, "permissions.allow"},
		{"another shell", ``, `{"shellPath": "./sh"}`, "", 0, "shellPath"},
		{"another session folder", ``, `{"sessionDir": "/etc"}`, "", 0, "sessionDir"},
		{"higher limit", `{"limits": {"turns": 5}}`, `{"limits": {"turns": 9}}`, "", 5, "limits.turns"},
		{"no limit", `{"limits": {"turns": 5}}`, `{"limits": {"turns": 0}}`, "", 5, "limits.turns"},
		{"lower limit", `{"limits": {"turns": 5}}`, `{"limits": {"turns": 3}}`, "", 3, ""},
		{"first limit", ``, `{"limits": {"turns": 3}}`, "", 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, project := testPaths(t), t.TempDir()
			put(t, p.Settings(), c.user)
			put(t, ProjectSettings(project), c.project)
			got, warnings, err := Load(t.Context(), LoadOptions{Paths: p, Project: project, Trusted: true})
			if err != nil {
				t.Fatal(err)
			}
			if got.Permissions.Mode != c.mode || got.Limits.Turns != c.turns || len(got.Permissions.Allow) > 0 || got.ShellPath != "" || got.SessionDir != "" {
				t.Errorf("got %+v", got.Settings)
			}
			if strings.Contains(c.user, "deny") && !reflect.DeepEqual(got.Permissions.Deny, []string{"bash"}) {
				t.Errorf("deny is %v", got.Permissions.Deny)
			}
			if c.warned == "" && len(warnings) > 0 || c.warned != "" && (len(warnings) != 1 || warnings[0].Key != c.warned || warnings[0].File != ProjectSettings(project)) {
				t.Errorf("warnings %v, want one for %q", warnings, c.warned)
			}
		})
	}
}

// E-2: every complaint names place, key and fix.
func TestLoadComplaints(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fatal      bool
		want       string // after the file name
	}{
		{"wrong type", "{\n  \"theme\": 3}", true, `:2:12: theme: must be a string in double quotes, this is a number`},
		{"wrong nested type", `{"compaction": {"enabled": "yes"}}`, true, `:1:28: compaction.enabled: must be true or false, this is a string`},
		{"column counts characters", `{/*日本*/"theme": 3}`, true, `:1:17: theme: must be a string in double quotes, this is a number`},
		{"value where an object belongs", `{"retry": false}`, true, `:1:11: retry: must be an object { ... }, this is true or false`},
		{"not an object", `[1]`, true, `:1:1: settings must be an object { ... }, this is a list`},
		{"not a choice", `{"steeringMode": "some"}`, true, `:1:18: steeringMode: must be one of one-at-a-time, all, this is "some"`},
		{"control characters are shown, not sent", "{\"steeringMode\": \"\\u001b[2J\"}", true, `:1:18: steeringMode: must be one of one-at-a-time, all, this is "\x1b[2J"`},
		{"fraction", `{"retry": {"maxRetries": 1.5}}`, true, `:1:26: retry.maxRetries: must be a whole number`},
		{"too big for an int", `{"retry": {"baseDelayMs": 99999999999999999999}}`, true, `:1:27: retry.baseDelayMs: must be a whole number`},
		{"below", `{"retry": {"maxRetries": -1}}`, true, `:1:26: retry.maxRetries: must be at least 0`},
		{"above", `{"compaction": {"thresholdPercent": 101}}`, true, `:1:37: compaction.thresholdPercent: must be at most 100`},
		{"servers in a list", "{\"mcpServers\": [\n]}", true, `:1:16: mcpServers: must be an object { ... }, this is a list`},
		{"a server that is none", "{\"mcpServers\": {\n \"a\": \"npx\"}}", true, `:2:7: mcpServers.a: must be an object { ... }, this is a string`},
		{"list of something else", `{"enabledModels": ["a", 1]}`, true, `:1:19: enabledModels: must be a list of strings, item 2 is a number`},
		{"syntax", "{\n \"theme\" \"x\"}", true, `:2:10: invalid character '"' after object name`},
		{"cut off", `{"theme": "x`, true, `:1:13: the file ends inside a value: close the open quote, comment or bracket`},
		{"misspelt", `{"theem": "x"}`, false, `:1:2: theem: unknown setting; did you mean theme?`},
		{"misspelt below", `{"retry": {"maxRetrys": 1}}`, false, `:1:12: retry.maxRetrys: unknown setting; did you mean retry.maxRetries?`},
		{"in the wrong place", `{"keepRecentTokens": 1}`, false, `:1:2: keepRecentTokens: unknown setting; did you mean compaction.keepRecentTokens?`},
		{"nothing like it", `{"qqqqqqqqqqqqqqqqq": 1}`, false, `:1:2: qqqqqqqqqqqqqqqqq: unknown setting`},
		{"hostile key", `{"a\u001b]0;x\u0007": 1}`, false, `:1:2: "a\x1b]0;x\a": unknown setting`},
		{"twice", `{"theme": "a", "theme": "b"}`, false, `:1:16: theme: set twice, the last one counts; remove one`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPaths(t)
			put(t, p.Settings(), c.text)
			_, warnings, err := Load(t.Context(), LoadOptions{Paths: p})
			var got string
			switch {
			case c.fatal && err != nil:
				got = err.Error()
			case !c.fatal && err == nil && len(warnings) == 1:
				got = warnings[0].Error()
			default:
				t.Fatalf("warnings %v, error %v", warnings, err)
			}
			if got != p.Settings()+c.want {
				t.Errorf("got  %s\nwant %s", strings.TrimPrefix(got, p.Settings()), c.want)
			}
		})
	}
}

// Servers come as plain JSON with the lines of the file, of the user alone.
func TestLoadServers(t *testing.T) {
	p, project := testPaths(t), t.TempDir()
	put(t, p.Settings(), "// mine\n{\n  \"theme\": \"x\", /* two\nlines */ \"mcpServers\": {\n    // all\n    \"a\": {\"command\": \"x\",},\n  },\n}")
	put(t, ProjectSettings(project), `{"mcpServers": {"b": {}}}`)
	c, warnings, err := Load(t.Context(), LoadOptions{Paths: p, Project: project, Trusted: true})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "mcpServers: a project can't set this") {
		t.Fatalf("%v, %v", warnings, err)
	}
	var servers map[string]struct{ Command string }
	if err := json.Unmarshal(c.MCPServers, &servers); err != nil || len(servers) != 1 || servers["a"].Command != "x" {
		t.Errorf("%q: %v, %v", c.MCPServers, servers, err)
	}
	before, _, _ := strings.Cut(string(c.MCPServers), `"a"`)
	if line := 1 + strings.Count(before, "\n"); line != 6 {
		t.Errorf("the server is in line %d of %q", line, c.MCPServers)
	}
}

func TestLoadReportsAllErrors(t *testing.T) {
	p := testPaths(t)
	put(t, p.Settings(), `{"theme": 1, "shellPath": 2}`)
	_, _, err := Load(t.Context(), LoadOptions{Paths: p, Overrides: []Override{{Key: "permissions.mode", Value: "x", Flag: "--tui"}, {Key: "permissions.mod", Value: "x", Flag: "--tui2"}}})
	for _, want := range []string{"theme: must", "shellPath: must", "--tui: permissions.mode: must be one of plan, ask, edit, full", "--tui2: permissions.mod: unknown setting; did you mean permissions.mode?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	var problem Problem
	if !errors.As(err, &problem) || problem.Key != "theme" {
		t.Errorf("no Problem in the error: %+v", problem)
	}
}

func TestLoadOddFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		says string // "" for no error
	}{
		"empty":                {"", ""},
		"blank":                {" \n", ""},
		"a schema for editors": {`{"$schema": "x"}`, ""},
		"byte order mark":      {utf8BOM + `{"theme": "x"}`, ""},
		"only a comment":       {"// nothing yet", "ends inside a value"},
		"too large":            {strings.Repeat(" ", maxSettings+1), "more than the"},
		"deeper than any use":  {strings.Repeat("[", maxSettings), "nested more than"},
		"not text (E-2)":       {"\x00\xff\xfe", "invalid character"},
		"null in place of all": {"null", "settings must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPaths(t)
			put(t, p.Settings(), c.text)
			_, warnings, err := Load(t.Context(), LoadOptions{Paths: p})
			if len(warnings) > 0 {
				t.Errorf("warnings %v", warnings)
			}
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	t.Run("a folder in its place", func(t *testing.T) {
		p := testPaths(t)
		put(t, filepath.Join(p.Settings(), "x"), "")
		if _, _, err := Load(t.Context(), LoadOptions{Paths: p}); err == nil || !strings.Contains(err.Error(), "is not a file") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		p := testPaths(t)
		put(t, filepath.Join(p.Config, "other"), "")
		if err := os.Symlink("settings.json", p.Settings()); err != nil { // a loop
			t.Skipf("no symlinks here: %v", err)
		}
		_, _, err := Load(t.Context(), LoadOptions{Paths: p})
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "read settings") {
			t.Errorf("got %v", err)
		}
	})
}

func TestNeedsTrust(t *testing.T) {
	dir := t.TempDir()
	if got := NeedsTrust(dir); len(got) > 0 {
		t.Errorf("an empty folder needs %v", got)
	}
	put(t, filepath.Join(dir, "AGENTS.md"), "")
	put(t, filepath.Join(dir, ".hoopoe", "settings.json"), "{}")
	put(t, filepath.Join(dir, ".mcp.json"), "{}")
	if got := NeedsTrust(dir); !reflect.DeepEqual(got, []string{".hoopoe", ".mcp.json"}) {
		t.Errorf("got %v", got)
	}
}

// The rules in the struct tags must be readable, for the parser trusts them.
func TestTags(t *testing.T) {
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		for _, f := range reflect.VisibleFields(typ) {
			if f.Tag.Get("json") == "" {
				t.Errorf("%s has no json tag", f.Name)
			}
			for _, bound := range []string{"min", "max"} {
				if s, ok := f.Tag.Lookup(bound); ok {
					if _, err := strconv.Atoi(s); err != nil || (f.Type.Kind() != reflect.Int && f.Type.Kind() != reflect.Float64) {
						t.Errorf("%s: %s is %q", f.Name, bound, s)
					}
				}
			}
			switch f.Type.Kind() {
			case reflect.Struct:
				check(f.Type)
			case reflect.Bool, reflect.Int, reflect.Float64, reflect.String:
			case reflect.Slice:
				if f.Type.Elem().Kind() != reflect.String && f.Type != rawObject && f.Type != hookList {
					t.Errorf("%s is a list of %s", f.Name, f.Type.Elem())
				}
			default:
				t.Errorf("%s is a %s, which the parser can't fill", f.Name, f.Type)
			}
		}
	}
	check(reflect.TypeFor[Settings]())
	if keys := Keys(); len(keys) < 20 || keys[0] != "defaultProvider" {
		t.Errorf("keys: %v", keys)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	p := Paths{Config: dir}
	if err := os.WriteFile(p.Settings(), []byte(`{"theme": "x", "retry": {"maxRetries": 2}, "permissions": {"allow": ["bash(go test)"]}}`), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := Load(b.Context(), LoadOptions{Paths: p}); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"theme": "x", // c` + "\n}", `{"retry": {"maxRetries": 3,}, "a": [1, {"b": null}]}`, `{"permissions": {"mode": "full", "allow": ["*"]}}`, `{"theme":{}}`, `{"hooks":{"Stop":[{"hooks":[{"command":"x"}]},{}]}}`, "{\"\xff\": 1}", `{"retry":[]}`} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, src []byte, project bool) {
		c := Config{Settings: Defaults(), origins: map[string]string{}}
		_, err := c.apply(layer{name: "f", project: project}, src)
		if project && (len(c.Permissions.Allow) > 0 || c.ShellPath != "" || c.Permissions.Mode == "full") {
			t.Errorf("a project loosened permissions: %+v", c.Permissions)
		}
		if err != nil || project { // what a project may not set isn't looked at
			return
		}
		// What loads can be edited, and the edit is what is read back.
		next, err := edit("f", src, "retry.maxRetries", 7)
		var p Problem
		if errors.As(err, &p) {
			return // "retry" is null
		}
		after := Config{Settings: Defaults(), origins: map[string]string{}}
		if _, err := after.apply(layer{name: "f"}, next); err != nil || after.Retry.MaxRetries != 7 {
			t.Errorf("after the edit %q: %v, %d retries", next, err, after.Retry.MaxRetries)
		}
		gone, err := edit("f", next, "retry.maxRetries", nil)
		if err != nil {
			t.Fatal(err)
		}
		last := Config{Settings: Defaults(), origins: map[string]string{}}
		if _, err := last.apply(layer{name: "f"}, gone); err != nil || last.Retry.MaxRetries != 3 {
			t.Errorf("after the removal %q: %v, %d retries", gone, err, last.Retry.MaxRetries)
		}
	})
}
