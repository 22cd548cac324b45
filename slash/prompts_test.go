package slash_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// files writes a template, a skill and more below a new folder, and returns
// the registry of a session that has them, beside a command of a server.
func withFiles(t *testing.T) (r *slash.Registry, root string, ran *[]string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"commands/Review.md":       "---\ndescription: \"Review a\\e[2J file\"\nargument-hint: <file>\n---\nReview $1 with care.",
		"commands/git/commit.md":   "Commit it.",
		"commands/help.md":         "A template that can't be called.",
		"commands/compare.md":      "Compare.",
		"commands/تحقق.md":         "تحقق من $ARGUMENTS",
		"skills/pdf/SKILL.md":      "---\ndescription: Work on PDF files " + strings.Repeat("and so on ", 20) + "\n---\nUse a tool.",
		"skills/secret/SKILL.md":   "---\ndescription: x\nuser-invocable: false\n---\nx",
		"skills/explicit/SKILL.md": "---\ndescription: x\ndisable-model-invocation: true\n---\nx",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	templates, notices := prompt.Templates([]prompt.Folder{{Path: filepath.Join(root, "commands"), Source: "project"}})
	skills, more := prompt.Skills([]prompt.Folder{{Path: filepath.Join(root, "skills"), Source: "user"}})
	if len(notices)+len(more) > 0 {
		t.Fatal(notices, more)
	}
	ran = new([]string)
	server := slash.Command{Name: "tickets", Summary: "Tickets", Source: "mcp", Run: func(_ context.Context, c slash.Call) (slash.Result, error) {
		*ran = append(*ran, c.Args)
		return slash.Result{Text: "the tickets"}, nil
	}}
	r = slash.Builtins(slash.Options{More: func(_ context.Context, s slash.Session) []slash.Command {
		if v, err := s.View(t.Context()); err != nil || v.Cwd != "/w" {
			return nil
		}
		f := s.(*fakeSession)
		f.skills, f.templates = skills, templates
		return append(slash.Files(t.Context(), s), server, slash.Command{Name: "not a name", Run: server.Run})
	}})
	return r, root, ran
}

func TestSessionCommands(t *testing.T) {
	r, root, _ := withFiles(t)
	catalog := r.For(t.Context(), newFake()).Catalog(pipe)
	var rows []string
	for _, c := range catalog {
		if c.Source != "builtin" {
			rows = append(rows, c.Source+" "+c.Location+" "+c.Name)
		}
	}
	want := []string{"prompt project Review", "prompt project compare", "prompt project git:commit", "prompt project تحقق", "skill user skill:explicit", "skill user skill:pdf", "mcp  tickets"}
	if !slices.Equal(rows, want) {
		t.Errorf("commands %q", rows)
	}
	i := slices.IndexFunc(catalog, func(c slash.Command) bool { return c.Name == "Review" })
	if c := catalog[i]; c.Summary != "Review a file" || c.Args != "<file>" || c.Path != filepath.Join(root, "commands", "Review.md") {
		t.Errorf("review: %+v", c)
	}
	elsewhere := newFake()
	elsewhere.view.Cwd = "/x"
	if n, all := len(r.For(t.Context(), elsewhere).Catalog(chat)), len(r.Catalog(chat)); n != all {
		t.Errorf("a session of another folder has %d commands, built in are %d", n, all)
	}
}

func TestDispatchSessionCommands(t *testing.T) {
	r, _, _ := withFiles(t)
	for _, c := range []struct{ name, text, want string }{
		{"template", "/review a.go b.go", "Review a.go with care."},
		{"as it is written", "/Review a.go", "Review a.go with care."},
		{"beginning", "/rev a.go", "Review a.go with care."},
		{"in a folder", "/git:commit", "Commit it."},
		{"other letters", "/تحقق كل شيء", "تحقق من كل شيء"},
		{"skill", "/skill:pdf fill it in", "Use a tool.\n</skill>\n\nfill it in"},
		{"server", "/tickets", "the tickets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := r.Dispatch(t.Context(), newFake(), pipe, c.text)
			if err != nil || got.Handled || !strings.HasSuffix(got.Text, c.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// A folder's files take nothing away from the built-in commands.
func TestBuiltinsWin(t *testing.T) {
	r, _, _ := withFiles(t)
	for text, did := range map[string]string{"/help": "", "/comp": `compact ""`} {
		s := newFake()
		got, err := r.Dispatch(t.Context(), s, pipe, text)
		if err != nil || !got.Handled || strings.Join(s.did, ";") != did {
			t.Errorf("%s: %+v, %v, %v", text, got, err, s.did)
		}
	}
	var unknown *slash.UnknownError
	if _, err := r.Dispatch(t.Context(), newFake(), pipe, "/skill:secret"); !errors.As(err, &unknown) {
		t.Errorf("a skill that is the model's: %v", err)
	}
}

func TestHelpListsSessionCommands(t *testing.T) {
	r, _, _ := withFiles(t)
	got, err := r.Dispatch(t.Context(), newFake(), pipe, "/help")
	if err != nil || !strings.Contains(got.Reply, "/Review <file> ") || !strings.Contains(got.Reply, "/skill:pdf ") || strings.ContainsRune(got.Reply, 0x1b) {
		t.Fatalf("%+v, %v", got, err)
	}
	for line := range strings.Lines(got.Reply) {
		if n := len([]rune(line)); n > 140 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

func TestCompleteSessionCommands(t *testing.T) {
	r, _, _ := withFiles(t)
	for text, want := range map[string]string{"/RE": "/resume /name /reload /rewind /Review", "/skill:": "/skill:explicit /skill:pdf", "/comp": "/compact /compare"} {
		if got := strings.Join(r.Complete(t.Context(), newFake(), chat, text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Queued messages are expanded; nothing runs.
func TestExpand(t *testing.T) {
	r, root, ran := withFiles(t)
	for _, c := range []struct{ name, text, want string }{
		{"text", "go on", "go on"},
		{"template", "/review x", "Review x with care."},
		{"skill", "/skill:explicit", "x\n</skill>"},
		{"whole names only", "/rev x", "/rev x"},
		{"built in", "/compact", "/compact"},
		{"built in before a template", "/help", "/help"},
		{"server", "/tickets", "/tickets"},
		{"unknown", "/nothing", "/nothing"},
		{"two slashes", "//review x", "/review x"},
		{"blank", " /review x", "/review x"},
		{"path", "/etc/hosts", "/etc/hosts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFake()
			got, err := r.Expand(t.Context(), s, c.text)
			if err != nil || !strings.HasSuffix(got, c.want) || c.text == c.want && got != c.want || len(s.did)+len(*ran) > 0 {
				t.Errorf("got %q, %v; did %v %v", got, err, s.did, *ran)
			}
		})
	}
	if err := os.Remove(filepath.Join(root, "skills", "pdf", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Expand(t.Context(), newFake(), "/skill:pdf"); err == nil || !strings.Contains(err.Error(), "/skill:pdf: read the skill pdf") {
		t.Errorf("a lost skill: %v", err)
	}
}
