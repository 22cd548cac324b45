package engine

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// What fills the context is told part by part, and the parts make up about
// what a request would hold (C-3).
func TestFill(t *testing.T) {
	w := newWorld(t, `-- turn --
-- text --
An answer of some words.
-- call read --
{"path":"AGENTS.md"}
-- turn --
-- text --
Done.
`)
	if err := os.WriteFile(filepath.Join(w.dir, "AGENTS.md"), []byte(strings.Repeat("a note of the project\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := w.open(OpenOptions{Mode: "full"})
	c.prompt("a question")
	on[event.RunSettled](c)
	f, err := c.s.Fill(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]FillPart{}
	for _, p := range f.Parts {
		got[p.Name] = p
	}
	for _, name := range []string{"instructions", "AGENTS.md", "tools", "your messages", "answers", "results of read"} {
		if p := got[name]; p.Tokens <= 0 || p.Count <= 0 {
			t.Errorf("%s: %+v in %+v", name, p, f.Parts)
		}
	}
	if got["AGENTS.md"].Tokens < 500 || got["answers"].Count != 2 || f.Window != w.model.ContextWindow || f.Limit == 0 {
		t.Errorf("fill %+v", f)
	}
}

// A side question sees the conversation and leaves no trace in it, even while
// a run is going.
func TestAside(t *testing.T) {
	w := newWorld(t, `-- turn --
on: about the side
-- text --
On the side.
-- turn --
-- text --
First.
-- turn --
-- text --
Second.
`)
	c := w.open(OpenOptions{})
	c.prompt("begin")
	on[event.RunSettled](c)
	before, _, err := c.s.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.s.Aside(t.Context(), "what about the side?")
	if err != nil || answer == "" {
		t.Fatalf("%q, %v", answer, err)
	}
	after, _, err := c.s.Entries(t.Context())
	if err != nil || len(after) != len(before) {
		t.Errorf("%d entries became %d, %v", len(before), len(after), err)
	}
	if v, err := c.s.View(t.Context()); err != nil || len(v.Messages) != 2 || v.State != string(Idle) {
		t.Errorf("view %+v, %v", v, err)
	}
	if _, err := c.s.Aside(t.Context(), " "); err == nil {
		t.Error("an empty question is asked")
	}
}

func TestChanges(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nx\n")
	c := w.open(OpenOptions{})
	if _, _, err := c.s.Changes(t.Context()); err == nil || !strings.Contains(err.Error(), "no git repository") {
		t.Errorf("outside a repository: %v", err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
		cmd.Dir = w.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("a.txt", "one\n")
	write("new file\twith tab", "x\n")
	git("add", "a.txt")
	if diff, untracked, err := c.s.Changes(t.Context()); err != nil || !strings.Contains(diff, "+one") || len(untracked) != 1 || untracked[0] != "new file\twith tab" {
		t.Errorf("before the first commit: %q, %q, %v", diff, untracked, err)
	}
	git("commit", "-qm", "one")
	if diff, _, err := c.s.Changes(t.Context()); err != nil || diff != "" {
		t.Errorf("nothing changed: %q, %v", diff, err)
	}
	write("a.txt", "two\n")
	if diff, _, err := c.s.Changes(t.Context()); err != nil || !strings.Contains(diff, "-one\n+two") {
		t.Errorf("a change: %q, %v", diff, err)
	}
}

// Every answer counts once, those of sub-agents too, whatever the branch.
func TestSpendingOfASession(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\nan answer\n")
	c := w.open(OpenOptions{})
	for _, text := range []string{"one", "two"} {
		c.prompt(text)
		on[event.RunSettled](c)
	}
	v, err := c.s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.s.MoveTo(t.Context(), v.Messages[2].ID); err != nil {
		t.Fatal(err)
	}
	c.prompt("three")
	on[event.RunSettled](c)
	if err := c.s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(strings.TrimSuffix(v.File, ".jsonl"), "subagents")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	line := `{"type":"message","id":"00000001","timestamp":"2026-01-02T03:04:05Z","message":{"role":"assistant","provider":"p","model":"m","usage":{"input":7,"output":1}}}`
	if err := os.WriteFile(filepath.Join(below, "x.jsonl"), []byte("no json \"assistant\"\n"+line+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	err = session.ReadSpending(v.File, func(s session.Spending) {
		counts[s.Provider+"/"+s.Model]++
		if s.At.IsZero() {
			t.Errorf("no time in %+v", s)
		}
	})
	if err != nil || counts["test/model"] != 3 || counts["p/m"] != 1 {
		t.Errorf("counted %v, %v", counts, err)
	}
}
