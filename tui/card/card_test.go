package card

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func testLook(t testing.TB) *transcript.Look {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return &transcript.Look{Styles: style.New(theme, true, true)}
}

func text(s string) []message.Block { return []message.Block{message.TextOf(s)} }

const patch = "--- a/main.go\n+++ b/main.go\n@@ -1,3 +1,3 @@\n package main\n-var x = foo\n+var x = bar\n"

// states makes one card for each thing that a card can show.
func states(look *transcript.Look) []struct {
	name string
	card *Card
} {
	make := func(name, args string) *Card { return New(look, name, args) }
	long := strings.Repeat("a line of output\n", 30) + "the last line"

	queued := make("bash", `{"command":"go test ./...`)
	asking := make("edit", `{"path":"main.go"}`)
	asking.SetAsking(true)
	running := make("bash", `{"command":"go test ./..."}`)
	running.Run("Run go test ./...", "execute", "")
	running.Progress(long)
	edited := make("edit", `{"path":"main.go"}`)
	edited.Run("Edit main.go", "edit", patch)
	edited.End(Result{Content: text("Edited main.go"), Duration: 20 * time.Millisecond})
	stored := make("edit", `{"path":"main.go"}`)
	stored.End(Result{Content: text("Edited main.go"), Details: mustJSON(map[string]string{"diff": patch})})
	read := make("read", `{"path":"engine/message/message.go"}`)
	read.Run("", "", "")
	read.End(Result{Content: text(long)})
	ran := make("bash", `{"command":"go test ./..."}`)
	ran.Run("", "", "")
	ran.End(Result{Content: text(long), Duration: 2340 * time.Millisecond})
	failed := make("read", `{"path":"nothing.go"}`)
	failed.Run("", "", "")
	failed.End(Result{Content: text("nothing.go does not exist. There is a nothings.go."), Failed: true})
	exit := make("bash", `{"command":"false"}`)
	exit.Run("", "", "")
	exit.End(Result{Content: text("boom\nexit code 1"), Failed: true})
	denied := make("edit", `{"path":"main.go"}`)
	denied.SetAsking(true)
	denied.SetAsking(false)
	denied.End(Result{Content: text("Permission denied: the user declined this call. The user says: use the other file."), Failed: true, Denied: "user"})
	stopped := make("bash", `{"command":"sleep 100"}`)
	stopped.Run("", "", "")
	stopped.End(Result{Content: text("Tool execution was aborted: Request was aborted"), Failed: true})
	mine := NewBash(look, "ls -la", true)
	code := 2
	mine.EndBash(message.Bash{Command: "ls -la", Output: "ls: no such thing", ExitCode: &code, ExcludeFromContext: true})
	unknown := make("mcp_search", `{"query":"weather in Aswan","limit":3}`)
	unknown.Run("", "", "")
	unknown.End(Result{Content: text("hot")})
	return []struct {
		name string
		card *Card
	}{
		{"queued", queued}, {"asking", asking}, {"running", running}, {"edited", edited}, {"stored", stored},
		{"read", read}, {"ran", ran}, {"failed", failed}, {"exit", exit}, {"denied", denied},
		{"stopped", stopped}, {"mine", mine}, {"unknown", unknown},
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestGolden(t *testing.T) {
	look := testLook(t)
	var b strings.Builder
	for _, expanded := range []bool{false, true} {
		look.Expanded = expanded
		for _, w := range []int{20, 40, 80, 200} {
			fmt.Fprintf(&b, "== width %d, expanded %v\n", w, expanded)
			for _, c := range states(look) {
				for _, row := range flow.Texts(c.card.Rows(w)) {
					if got := style.Width(row); got > w {
						t.Errorf("%s at %d: row of %d columns: %q", c.name, w, got, row)
					}
					b.WriteString(ansi.Strip(row) + "\n")
				}
			}
		}
	}
	golden(t, "cards", b.String())
}

func TestStates(t *testing.T) {
	want := map[string]State{
		"queued": Queued, "asking": Asking, "running": Running, "edited": Done, "stored": Done, "read": Done, "ran": Done,
		"failed": Failed, "exit": Failed, "denied": Denied, "stopped": Stopped, "mine": Failed, "unknown": Done,
	}
	for _, c := range states(testLook(t)) {
		if got := c.card.State(); got != want[c.name] {
			t.Errorf("%s: state %d, want %d", c.name, got, want[c.name])
		}
	}
}

// Colour never carries meaning alone: without it the states still differ.
func TestStatesWithoutColour(t *testing.T) {
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	look := &transcript.Look{Styles: style.New(theme, true, false)}
	heads := map[string]string{}
	for _, c := range states(look) {
		head := ansi.Strip(c.card.head(80).Text)
		mark, _, _ := strings.Cut(head, " ")
		if c.name == "queued" || c.name == "asking" || c.name == "running" || c.name == "edited" || c.name == "failed" || c.name == "denied" || c.name == "stopped" {
			if other, taken := heads[mark]; taken {
				t.Errorf("%s and %s look alike", c.name, other)
			}
			heads[mark] = c.name
		}
	}
}

func TestVersionChanges(t *testing.T) {
	c := New(testLook(t), "bash", "{}")
	for name, change := range map[string]func(){
		"arguments": func() { c.SetArguments("bash", `{"command":"ls"}`) },
		"asking":    func() { c.SetAsking(true) },
		"running":   func() { c.Run("Run ls", "execute", "") },
		"progress":  func() { c.Progress("x") },
		"end":       func() { c.End(Result{Content: text("x")}) },
	} {
		before := c.Version()
		change()
		if c.Version() == before {
			t.Errorf("%s doesn't change the version", name)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ name, tool, args, want string }{
		{"whole", "read", `{"path":"main.go"}`, "Read main.go"},
		{"streaming, cut in the value", "read", `{"path":"mai`, "Read mai"},
		{"streaming, cut in an escape", "bash", `{"command":"echo \"a\u00`, `Run echo "a`},
		{"streaming, other member first", "edit", `{"all":true,"path":"x`, "Edit x"},
		{"streaming, cut in the name", "read", `{"pa`, "Read"},
		{"nothing yet", "bash", ``, "Run"},
		{"no argument", "ls", `{}`, "List ."},
		{"of another origin", "mcp_get", `{"url":"http://x"}`, "mcp_get http://x"},
		{"not an object", "read", `[1]`, "Read"},
		{"wrong type", "read", `{"path":3}`, "Read"},
		{"hostile", "bash", `{"command":"a\u001b[2Jb\nc\u202ed"}`, "Run ab cd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := Describe(c.tool, c.args); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("read", `{"path":"a\u00`)
	f.Add("bash", `{"a":{"b":[1,2`)
	f.Fuzz(func(t *testing.T, name, args string) {
		title, _ := Describe(name, args)
		if strings.ContainsAny(title, "\n\t\r\x1b\a") {
			t.Errorf("Describe(%q, %q) = %q", name, args, title)
		}
	})
}
