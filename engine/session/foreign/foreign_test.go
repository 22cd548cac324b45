package foreign

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

var update = flag.Bool("update", false, "write the golden files")

// told writes a session as a test can compare it.
func told(doc *session.Document, r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q, %d messages\n", r.Format, doc.Header().Cwd, doc.Name(), r.Messages)
	numbers := map[string]int{}
	for i, e := range doc.Entries() {
		numbers[e.ID] = i + 1
		fmt.Fprintf(&b, "%d<%d %s ", i+1, numbers[e.ParentID], e.Timestamp.Format(time.RFC3339Nano))
		switch {
		case e.Compaction != nil:
			fmt.Fprintf(&b, "compaction %q\n", e.Compaction.Summary)
		case e.Message != nil:
			m := e.Message
			fmt.Fprintf(&b, "%s %s/%s %s%s", m.Role, m.Provider, m.Model, m.StopReason, m.ToolName)
			if m.IsError || m.Synthetic {
				fmt.Fprintf(&b, " error=%v synthetic=%v", m.IsError, m.Synthetic)
			}
			if m.Usage.TotalTokens > 0 {
				fmt.Fprintf(&b, " %d+%d+%d/%d", m.Usage.Input, m.Usage.CacheRead, m.Usage.CacheWrite, m.Usage.Output)
			}
			b.WriteString("\n")
			for _, block := range m.Content {
				fmt.Fprintf(&b, "    %s %q %s %s %s\n", block.Type, block.Text, block.Signature+block.MimeType, block.Name, block.Arguments)
			}
		default:
			fmt.Fprintln(&b, e.Type)
		}
	}
	b.WriteString(strings.Join(r.Lines(), "\n") + "\n")
	return b.String()
}

// C-5: sessions of other agents come over, with a report of what couldn't.
func TestRead(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			doc, r, err := Read("testdata/"+name+".jsonl", session.Options{Dir: t.TempDir(), Now: func() time.Time { return time.Unix(0, 0) }})
			if err != nil {
				t.Fatal(err)
			}
			defer doc.Close()
			got, golden := told(doc, r), "testdata/"+name+".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, want)
			}
			again, _, err := session.Open(doc.File(), session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if n := len(again.Context().Messages); n != 2 {
				t.Errorf("%d messages in the context, want a summary and what follows", n)
			}
		})
	}
}

// A session of the family is copied with all that it has.
func TestReadPi(t *testing.T) {
	dir := t.TempDir()
	src, err := session.New(session.Options{Dir: dir, Cwd: "/home/someone/project"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		m := message.NewUser(text)
		if _, err := src.Append(session.Entry{Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	doc, r, err := Read(src.File(), session.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	if r.Format != Pi || r.Messages != 2 || r.Cwd != "/home/someone/project" || len(r.Left) != 0 || doc.File() == src.File() {
		t.Errorf("%+v in %s", r, doc.File())
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "text": "hello\n", "json": "{\"a\":1}\n", "list": "[1]\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(path, session.Options{InMemory: true}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(dir, "silent.jsonl")
	if err := os.WriteFile(path, []byte(`{"type":"summary","summary":"x","leafUuid":"y"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(path, session.Options{InMemory: true}); err == nil || !strings.Contains(err.Error(), "nothing was said") {
		t.Errorf("a session without messages: %v", err)
	}
	if _, _, err := Read(filepath.Join(dir, "missing"), session.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A line that nobody would keep doesn't cost the others.
func TestLongLine(t *testing.T) {
	const said = `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}}` + "\n"
	var r Report
	got, err := readClaude(jsonl.NewReader(strings.NewReader(`{"x":"`+strings.Repeat("x", 500)+"\"}\n"+said), 200), &r)
	if err != nil || len(got.turns) != 1 || r.Left["lines that are too long"] != 1 {
		t.Errorf("%d turns, left %v, %v", len(got.turns), r.Left, err)
	}
}

// A mark of the order of bytes costs no line, and a folder that is none is none.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	const said = `{"type":"user","uuid":"u","sessionId":"s","cwd":%q,"message":{"role":"user","content":"hi"}}`
	for i, c := range []struct{ mark, cwd, want string }{{"\ufeff", dir, dir}, {"", "a/../../b", ""}, {"", "/a\x00b", ""}} {
		path := filepath.Join(dir, fmt.Sprint(i))
		cwd, _ := json.Marshal(c.cwd) // strings always marshal
		if err := os.WriteFile(path, []byte(c.mark+strings.Replace(said, "%q", string(cwd), 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		doc, r, err := Read(path, session.Options{InMemory: true})
		if err != nil || r.Messages != 1 || len(r.Left) != 0 {
			t.Fatalf("%q: %+v, %v", c, r, err)
		}
		doc.Close()
		if got := Cwd(path); got != c.want {
			t.Errorf("%q is about %q", c, got)
		}
	}
}

func TestFiles(t *testing.T) {
	home := t.TempDir()
	for i, name := range []string{".claude/projects/-p/one.jsonl", ".claude/projects/-p/agent-1.jsonl", ".claude/projects/-p/notes.txt", ".codex/sessions/2026/02/03/rollout-1.jsonl", ".pi/agent/sessions/--p--/s.jsonl", ".pi/agent/sessions/--p--/s/Task.jsonl", ".claude/projects/-p/one/subagents/agent-2.jsonl"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"cwd":"/p","n":`+fmt.Sprint(i)+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	counts := ""
	for _, p := range Places(home, func(string) string { return "" }) {
		counts += fmt.Sprintf("%s=%d ", p.Program, len(p.Files()))
		for _, f := range p.Files() {
			if got := Cwd(f.Path); got != "/p" {
				t.Errorf("%s is about %q", f.Path, got)
			}
		}
	}
	if counts != "Claude Code=1 Codex=1 pi=1 oh-my-pi=0 " {
		t.Errorf("found %s", counts)
	}
	if Places("", os.Getenv) != nil {
		t.Error("places without a home")
	}
}

// Whatever the file, reading ends with a session or an error.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"claude", "codex"} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"sessionId":"s","type":"user","uuid":"a","parentUuid":"a","message":{"content":[{"type":"tool_result","content":[{"type":"tool_result"}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		doc, r, err := Read(path, session.Options{InMemory: true})
		if err != nil {
			return
		}
		defer doc.Close()
		messages := 0
		for _, e := range doc.Entries() {
			if e.Message != nil {
				messages++
			}
		}
		if messages != r.Messages && r.Format != Pi {
			t.Errorf("%d messages, reported %d", messages, r.Messages)
		}
	})
}
