package engine

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var update = flag.Bool("update", false, "write the golden files")

// write puts files below the world's root: "project/" is the working directory,
// "home/" the user's folder for Hoopoe's files, and the rest the user's home.
func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(filepath.Dir(w.dir), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) repository() {
	w.t.Helper()
	git := exec.Command("git", "init", "-q", "-b", "main")
	git.Dir = w.dir
	if out, err := git.CombinedOutput(); err != nil {
		w.t.Fatalf("git init: %v: %s", err, out)
	}
}

func fixedDay(o *Options) {
	o.Now = func() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }
}

// guided are files of every kind that guide an agent.
func guided() map[string]string {
	return map[string]string{
		"project/AGENTS.md":                       "# Birds\n\nRun `make test` before you say that it works.\n",
		"project/.claude/skills/release/SKILL.md": "---\nname: release\ndescription: Publish a version of this program.\n---\nTag, then push.\n",
		".agents/skills/pdf/SKILL.md":             "---\ndescription: Work on PDF files.\nargument-hint: <file>\n---\nRead form.md first.\n",
		".agents/skills/pdf/form.md":              "Fields have names.\n",
		"project/.cursor/rules/style.mdc":         "---\nalwaysApply: true\n---\nNames are nouns.\n",
		"home/rules/sql.md":                       "---\ndescription: How queries are written\nglobs: \"*.sql\"\n---\nOne join a line.\n",
		"home/rules/panic.md":                     "---\ncondition: 'panic\\('\n---\nReturn errors.\n",
		"home/commands/review.md":                 "Review $1.",
	}
}

// Requirement: golden prompts. What the model is sent with skills, rules and
// notes is this text and nothing else.
func TestSystemPromptGolden(t *testing.T) {
	w := newWorld(t, hello, fixedDay)
	w.repository()
	w.write(guided())
	w.sends("system.golden", OpenOptions{Approve: true})
}

// The same of an agent that a file describes: its instructions stand in for
// ours, and its skills come first.
func TestSystemPromptGoldenOfAgent(t *testing.T) {
	w := newWorld(t, hello, fixedDay)
	w.repository()
	w.write(guided())
	a := w.agent("name: Bird\ninstructions: Talk like a bird.\ntools: [read, bash]\npermissions: {mode: plan}\nskills: [skills]")
	w.sends("agent.golden", OpenOptions{Approve: true, Agent: a})
}

// sends compares the system prompt of a session with a golden file.
func (w *world) sends(name string, o OpenOptions) {
	t := w.t
	t.Helper()
	got := w.open(o).s.SystemPrompt()
	got = strings.ReplaceAll(got, filepath.Dir(w.dir), "$HOME")
	got = strings.ReplaceAll(got, runtime.GOOS+"/"+runtime.GOARCH, "$OS")
	got = regexp.MustCompile(`(?m)^(.*[Ss]hell: ).*$`).ReplaceAllString(got, "$1$$SHELL")
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the system prompt differs from %s (run with -update if it should):\n%s", golden, got)
	}
}

// Requirement: what every request of a default session carries costs less than
// 4,000 tokens, by estimate.
func TestSystemPromptCost(t *testing.T) {
	w := newWorld(t, hello, fixedDay)
	w.repository()
	s := w.open(OpenOptions{Dialogs: true}).s
	prompt := s.SystemPrompt() // which has the agents read that the task tool lists
	tools, err := json.Marshal(s.Tools())
	if err != nil {
		t.Fatal(err)
	}
	const charactersPerToken, limit = 4, 4000
	system, specs := len(prompt)/charactersPerToken, len(tools)/charactersPerToken
	t.Logf("about %d tokens: %d of the system prompt, %d of %d tools", system+specs, system, specs, len(s.Tools()))
	if system+specs >= limit {
		t.Errorf("a default session's prompt and tools have about %d tokens, the limit is %d", system+specs, limit)
	}
}

func TestGuidanceLeftOut(t *testing.T) {
	for _, c := range []struct {
		name string
		o    OpenOptions
		lost []string // of what the system prompt says otherwise
	}{
		{"all", OpenOptions{Approve: true}, nil},
		{"not trusted", OpenOptions{}, []string{"release", "Names are nouns"}},
		{"no skills", OpenOptions{Approve: true, NoSkills: true}, []string{"release", "PDF"}},
		{"no rules", OpenOptions{Approve: true, NoRules: true}, []string{"Names are nouns", "How queries"}},
		{"no context files", OpenOptions{Approve: true, NoContextFiles: true}, []string{"make test"}},
		{"no templates", OpenOptions{Approve: true, NoTemplates: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, hello)
			w.write(guided())
			s := w.open(c.o).s
			system := s.SystemPrompt()
			for _, part := range []string{"release", "PDF", "Names are nouns", "How queries", "make test"} {
				if got := strings.Contains(system, part); got == slices.Contains(c.lost, part) {
					t.Errorf("%q in the system prompt: %v", part, got)
				}
			}
			if strings.Contains(system, "Return errors") {
				t.Error("the system prompt quotes a rule that watches the stream")
			}
			if n := len(s.Templates()); (n == 0) != c.o.NoTemplates {
				t.Errorf("%d templates", n)
			}
			if streams := len(s.env.rules()) > 0; streams == c.o.NoRules {
				t.Errorf("rules: %v", streams)
			}
		})
	}
}

func TestSkillSettings(t *testing.T) {
	w := newWorld(t, hello, withSettings(`{"skills": ["~/mine", "more", "/nowhere/at/all"], "enableSkillCommands": false}`))
	w.write(map[string]string{
		"mine/a/SKILL.md":      "---\ndescription: A.\n---\nx",
		"home/more/b/SKILL.md": "---\ndescription: B.\n---\nx",
	})
	c := w.open(OpenOptions{})
	skills := c.s.Skills()
	if len(skills) != 2 || skills[0].Name != "a" || skills[1].Name != "b" || !skills[0].ModelOnly || !skills[1].ModelOnly {
		t.Errorf("skills %+v", skills)
	}
	if n := on[event.Notice](c); !strings.Contains(n.Text, `the setting skills names "/nowhere/at/all"`) {
		t.Errorf("notice %q", n.Text)
	}
}

// What is on disk counts a second later for commands, and for the model at a
// reload or a compaction. What is wrong is told once.
func TestGuidanceFollowsFiles(t *testing.T) {
	var clock atomic.Int64
	w := newWorld(t, hello, func(o *Options) { o.Now = func() time.Time { return time.Unix(1e9, clock.Load()) } })
	w.write(map[string]string{"home/skills/bad/SKILL.md": "no front matter"})
	c := w.open(OpenOptions{})
	if err := c.s.Start(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if n := on[event.Notice](c); n.Level != "warning" || !strings.Contains(n.Text, "has no description") {
		t.Errorf("notice %+v", n)
	}
	before := c.s.SystemPrompt()
	w.write(map[string]string{"home/skills/new/SKILL.md": "---\ndescription: Something new.\n---\nx", "home/commands/go.md": "Go."})
	if n := len(c.s.Skills()) + len(c.s.Templates()); n != 0 {
		t.Errorf("%d commands before a second is over", n)
	}
	clock.Add(int64(guidanceTime))
	if len(c.s.Skills()) != 1 || len(c.s.Templates()) != 1 {
		t.Errorf("skills %v, templates %v", c.s.Skills(), c.s.Templates())
	}
	if c.s.SystemPrompt() != before {
		t.Error("the system prompt has changed by itself, so that nothing of it is cached")
	}
	w.write(map[string]string{"home/skills/newer/SKILL.md": "---\ndescription: Newer still.\n---\nx"})
	c.s.Reload()
	if system := c.s.SystemPrompt(); !strings.Contains(system, "Something new.") || !strings.Contains(system, "Newer still.") {
		t.Errorf("the system prompt after a reload:\n%s", system)
	}
	c.run("hi")
	for _, it := range c.log {
		if n, ok := it.Event.(event.Notice); ok && strings.Contains(n.Text, "description") && it.Seq > c.log[0].Seq {
			t.Errorf("told again: %s", n.Text)
		}
	}
}

// The model may read a skill where the user keeps it, with what lies beside it,
// and nothing around it. It may not change it.
func TestSkillsAreReadable(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- call read id=skill --
{"path": "~/.agents/skills/pdf/SKILL.md"}
-- call read id=beside --
{"path": "~/.agents/skills/pdf/form.md"}
-- call read id=rule --
{"path": "~/home/rules/sql.md"}
-- call read id=other --
{"path": "~/home/rules/none.md"}
-- call read id=around --
{"path": "~/.agents/skills/other.md"}
-- call write id=change --
{"path": "~/.agents/skills/pdf/form.md", "content": "x"}
-- turn --
-- text --
done
`)
	w.write(guided())
	w.write(map[string]string{".agents/skills/other.md": "x", "home/rules/none.md": ""})
	c := w.open(OpenOptions{})
	if err := c.s.Start(c.ctx()); err != nil {
		t.Fatal(err)
	}
	c.run("use the skill")
	got := map[string]string{}
	for _, it := range c.log {
		if e, ok := it.Event.(event.ToolEnded); ok {
			got[e.CallID] = e.Denied + message.Text(e.Content)
		}
	}
	for call, want := range map[string]string{
		"skill": "Read form.md first", "beside": "Fields have names", "rule": "One join a line",
		"other": "nobody", "around": "nobody", "change": "nobody",
	} {
		if !strings.Contains(got[call], want) || want != "nobody" && strings.HasPrefix(got[call], "nobody") {
			t.Errorf("%s: %q, want %q", call, got[call], want)
		}
	}
}

func TestUntrusted(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string // below the working directory
		want  []string
	}{
		{"nothing", nil, nil},
		{"notes", []string{"AGENTS.md", "CLAUDE.md"}, nil},
		{"other programs' settings", []string{".claude/settings.json"}, nil},
		{"ours", []string{".hoopoe/settings.json", ".hoopoe/skills/a/SKILL.md"}, []string{".hoopoe"}},
		{"others'", []string{".claude/skills/a/SKILL.md", ".cursor/rules/b.mdc"}, []string{".claude/skills", ".cursor/rules"}},
		{"single files", []string{".cursorrules"}, []string{".cursorrules"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, hello)
			files := map[string]string{}
			for _, name := range c.files {
				files["project/"+name] = "x"
			}
			w.write(files)
			if got := w.engine.Untrusted(w.dir); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if err := w.engine.SetTrust(t.Context(), w.dir, false); err != nil {
				t.Fatal(err)
			}
			if got := w.engine.Untrusted(w.dir); got != nil {
				t.Errorf("asked again about %q", got)
			}
		})
	}
}
