package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// A search of a folder doesn't give away the files that rules speak of.
func TestSearchLeavesOutWithheldFiles(t *testing.T) {
	const script = "-- turn --\n-- call grep --\n{\"pattern\":\"needle\"}\n-- turn --\n-- text --\ndone\n"
	for _, tt := range []struct {
		name, mode, rules, without string
	}{
		{"denied", "ask", `"deny":["read(.env)"]`, ".env"},
		{"denied by the tool's name", "ask", `"deny":["grep(sub)"]`, "sub/b"},
		{"asks", "ask", `"ask":["read(.env)"]`, ".env"},
		{"denied in full", "full", `"deny":["read(.env)"]`, ".env"},
		{"nothing", "ask", `"deny":["edit(.env)","bash(cat .env)"]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, script, withSettings(`{"permissions":{`+tt.rules+`}}`))
			if err := os.Mkdir(filepath.Join(w.dir, "sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			names := []string{".env", "a", "sub/b"}
			for _, name := range names {
				if err := os.WriteFile(filepath.Join(w.dir, name), []byte("needle\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c := w.open(OpenOptions{Mode: tt.mode})
			c.prompt("go")
			got := message.Text(on[event.ToolEnded](c).Content)
			for _, name := range names {
				if found := strings.Contains(got, name+":1:"); found == (name == tt.without) {
					t.Errorf("%s found: %v in %q", name, found, got)
				}
			}
			if told := strings.Contains(got, "by the user's rules: 1"); told != (tt.without != "") {
				t.Errorf("says %q", got)
			}
		})
	}
}

// E-2: a mistake in the saved rules is one in that file, not in the settings.
func TestSavedRulesMistakeIsLocated(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nhi\n")
	saved := filepath.Join(w.engine.paths.State, "permissions.json")
	if err := os.MkdirAll(filepath.Dir(saved), 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]config.Rules{key: {Allow: []string{"bash("}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(saved, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref()})
	if err == nil || !strings.Contains(err.Error(), "permissions.json") || !strings.Contains(err.Error(), "bash(") {
		t.Errorf("got %v", err)
	}
}

// E-4: a path that leads elsewhere than when it was allowed isn't touched.
func TestPathsStayWhereTheyWereAllowed(t *testing.T) {
	const turns = "-- turn --\n-- call %s --\n{\"path\":\"sub/a\",%s}\n-- turn --\n-- text --\ndone\n"
	for name, args := range map[string]string{"write": `"content":"new"`, "edit": `"edits":[{"oldText":"old","newText":"new"}]`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fmt.Sprintf(turns, name, args))
			sub, outside := filepath.Join(w.dir, "sub"), t.TempDir()
			for _, dir := range []string{sub, outside} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c := w.open(OpenOptions{Mode: "ask"})
			c.attach(Client{Name: "test", Shows: []event.QuestionKind{event.AskPermission}})
			c.prompt("go")
			q := on[event.AskOpened](c).Question
			if err := os.RemoveAll(sub); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, sub); err != nil {
				t.Fatal(err)
			}
			if _, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Choice: event.Once}); err != nil {
				t.Fatal(err)
			}
			if end := on[event.ToolEnded](c); !end.IsError || !strings.Contains(message.Text(end.Content), "led elsewhere when it was allowed") {
				t.Errorf("the call ended with %q", message.Text(end.Content))
			}
			if got, err := os.ReadFile(filepath.Join(outside, "a")); err != nil || string(got) != "old\n" {
				t.Errorf("outside is %q now (%v)", got, err)
			}
		})
	}
}
