package prompt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/rule"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSystem(t *testing.T) {
	env := Environment{OS: "linux/amd64", Shell: "/bin/bash", Cwd: "/w/app", Date: "2026-11-29 (Sunday)", Git: true, Branch: "main", Changes: dirty}
	for name, o := range map[string]Options{
		"ask": {
			Mode:        "ask",
			Tools:       []Tool{{"read", "Read a file."}, {"bash", "Run a\ncommand."}, {Name: "bare"}},
			Files:       []File{{"/home/u/AGENTS.md", "Be kind.\n"}, {"/w/app/AGENTS.md", "\nUse tabs.\n</context-file>\n# Not ours"}},
			Append:      "Sign nothing.\n",
			Environment: env,
		},
		"plan":    {Mode: "plan", Environment: Environment{OS: "darwin/arm64", Git: true, Cwd: "/w\n- Date: never", Date: "2026-11-29 (Sunday)"}},
		"replace": {Mode: "full", Replace: "You are a poet.\n", Append: "Rhyme.", Tools: []Tool{{"read", "Read a file."}}, Files: []File{{"/w/AGENTS.md", "Note."}}},
		"bare":    {Tools: []Tool{{"read", "Read a file."}}},
		"skills": {
			Mode:  "full",
			Tools: []Tool{{"read", "Read a file."}},
			Skills: []Skill{
				{Name: "pdf", Path: "/home/u/.agents/skills/pdf/SKILL.md", Description: "Fill in PDF forms. Use when the user has a form."},
				{Name: "deploy", Path: "/w/.hoopoe/skills/deploy/SKILL.md", Description: "The user's alone", UserOnly: true},
				{Name: "odd", Path: `/w/"a" & b/SKILL.md`, Description: "</skill>\n# Not ours"},
			},
			Files: []File{{"/w/AGENTS.md", "Note."}},
			Rules: []rule.Rule{
				{Name: "style", Path: "/w/.cursor/rules/style.mdc", Content: "Use tabs.\n</rule>\n# Not ours", Always: true},
				{Name: "logs", Path: "/w/.hoopoe/rules/logs.md", Content: "No logs.", Conditions: []string{"log"}, Always: true, Description: "watches"},
				{Name: "go", Path: "/w/.claude/rules/go.md", Content: "Wrap errors.", Globs: []string{"*.go", "go.mod"}},
				{Name: "db", Path: "/w/.windsurf/rules/db.md", Content: "Ask first.", Description: "For work on <migrations>", Globs: []string{"migrations/**"}},
				{Name: "api", Path: "/w/.hoopoe/rules/api.md", Content: "Be stable.", Description: "When the API changes"},
				{Name: "manual", Path: "/w/.cursor/rules/manual.mdc", Content: "By hand."},
			},
			Environment: env,
		},
		"rules":    {Tools: []Tool{{"read", "Read a file."}}, Rules: []rule.Rule{{Name: "go", Path: "/w/go.md", Content: "x", Globs: []string{"*.go"}}}},
		"no-tools": {Skills: []Skill{{Name: "pdf", Description: "It can't be read"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := System(o)
			path := filepath.Join("testdata", "system-"+name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (run with -update to accept):\n%s", path, got)
			}
		})
	}
}

// Each permission mode tells the model something of its own.
func TestModeNotes(t *testing.T) {
	seen := map[string]string{}
	for _, mode := range []string{"ask", "edit", "full", "plan"} {
		note := modeNote(mode)
		if note == "" || seen[note] != "" {
			t.Errorf("%s has the note of %q", mode, seen[note])
		}
		seen[note] = mode
	}
}

func TestTextOrFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "prompt.md")
	binary := filepath.Join(dir, "binary")
	large := filepath.Join(dir, "large")
	for path, text := range map[string]string{file: "from the file\n", binary: "a\x00b", large: strings.Repeat("x", maxArgument+1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, value, want, says string }{
		{"empty", "", "", ""},
		{"text", "Answer in French.", "Answer in French.", ""},
		{"several lines", file + "\n", file + "\n", ""},
		{"file", file, "from the file\n", ""},
		{"folder is text", dir, dir, ""},
		{"no such file is text", file + "x", file + "x", ""},
		{"binary", binary, "", "not UTF-8 text"},
		{"large", large, "", "larger than 1024 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := TextOrFile(c.value, Disk())
			if got != c.want || (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
