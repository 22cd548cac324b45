package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// attachedApp is an app of that size without a program around it: messages go
// straight into update, commands are dropped.
func attachedApp(t testing.TB, width, height int, v event.View) *app {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	a := newApp(t.Context(), Options{
		Environ: []string{"TERM=xterm-256color"},
		Theme:   theme, Cwd: v.Cwd, Commands: fewCommands(),
		Now: func() time.Time { return at },
	}.withDefaults())
	a.update(tea.WindowSizeMsg{Width: width, Height: height})
	f := newFake()
	a.update(openedMsg{session: f})
	a.branch = "main"
	a.update(attachedMsg{view: v, stream: &fakeStream{wake: make(chan struct{}, 1)}})
	return a
}

// fewCommands are a registry that stays as it is.
func fewCommands() *slash.Registry {
	run := func(context.Context, slash.Call) (slash.Result, error) { return slash.Result{Handled: true}, nil }
	return slash.New(
		slash.Command{Name: "resume", Aliases: []string{"sessions"}, Args: "[id or words]", Summary: "Go back to an earlier session of this folder", Run: run},
		slash.Command{Name: "name", Aliases: []string{"rename"}, Args: "[name]", Summary: "Name the session", Run: run},
		slash.Command{Name: "reload", Summary: "Read skills, templates, rules and notes again", Run: run},
		slash.Command{Name: "model", Aliases: []string{"models"}, Args: "[provider/id]", Summary: "Show or choose the model", Run: run},
	)
}

// happens applies events as a batch of the stream does.
func (a *app) happens(events ...event.Event) {
	batch := batchMsg{stream: a.stream}
	for i, e := range events {
		batch.events = append(batch.events, event.Envelope{Seq: a.view.Seq + uint64(i) + 1, Event: e})
	}
	a.update(batch)
}

func (a *app) types(text string) {
	for _, r := range text {
		a.update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// scenes are states of the whole screen.
func scenes() []struct {
	name string
	play func(a *app)
} {
	patch := "--- main.go\n+++ main.go\n@@ -1,3 +1,3 @@\n package main\n-var x = foo\n+var x = bar\n"
	turn := func(a *app) {
		m := message.Message{ID: "a1", Role: message.Assistant}
		a.happens(event.RunStarted{Run: 1}, userMessage("u1", "replace foo with bar in main.go"),
			event.MessageStarted{ID: "a1", Message: m},
			event.MessageDelta{ID: "a1", Index: 0, Block: message.TextBlock, Text: "I'll change **main.go**.", Done: true},
			event.MessageDelta{ID: "a1", Index: 1, Block: message.ToolCallBlock, CallID: "c1", Name: "edit", Text: `{"path":"main.go"}`, Done: true},
			event.MessageEnded{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant, StopReason: message.ToolUse, Content: []message.Block{
				{Type: message.ToolCallBlock, ID: "c1", Name: "edit"}}}})
	}
	return []struct {
		name string
		play func(a *app)
	}{
		{"empty", func(*app) {}},
		{"working", func(a *app) {
			turn(a)
			a.happens(event.ToolRunning{CallID: "c1", Name: "edit", Title: "Edit main.go", ToolKind: "edit", Diff: patch},
				event.QueueChanged{Queue: []event.Queued{{ID: "q", Delivery: "steer", Message: message.NewUser("and the tests")}}})
			a.types("a draft of\\")
			a.update(tea.KeyPressMsg{Code: tea.KeyEnter})
			a.types("two lines")
		}},
		{"approval", func(a *app) {
			turn(a)
			a.happens(event.AskOpened{Question: event.Question{
				ID: "q1", Kind: event.AskPermission, CallID: "c1", Title: "Edit main.go",
				Permission: &event.PermissionRequest{Tool: "edit", Kind: "edit", Diff: patch, Rules: []string{"edit(./main.go)"},
					Parts: []event.PermissionPart{{Text: "/code/demo/main.go", Why: "it changes a file"}}},
			}})
		}},
		{"popup", func(a *app) { a.types("/re") }},
		{"tasks", func(a *app) {
			a.happens(event.RunStarted{Run: 1}, event.TodosChanged{Phases: []message.TodoPhase{{Name: "Build", Tasks: []message.Todo{
				{Content: "read the code", Status: "completed"}, {Content: "write 测试 and run them", Status: "in_progress"}, {Content: "report", Status: "pending"}}}}})
			a.update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
		}},
		{"retry", func(a *app) {
			a.happens(event.RunStarted{Run: 1}, event.RetryScheduled{Attempt: 2, MaxAttempts: 3, DelayMS: 4000, Error: "anthropic: overloaded (HTTP 529)"})
		}},
	}
}

func TestScreens(t *testing.T) {
	for _, size := range [][2]int{{20, 10}, {40, 12}, {80, 24}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			var b strings.Builder
			for _, scene := range scenes() {
				a := attachedApp(t, size[0], size[1], newFake().view)
				scene.play(a)
				rows, cursor := a.rows()
				if len(rows) != size[1] {
					t.Errorf("%s: %d rows for %d", scene.name, len(rows), size[1])
				}
				for i, row := range rows {
					if w := style.Width(row); w > size[0] {
						t.Errorf("%s: row %d has %d columns: %q", scene.name, i, w, row)
					}
				}
				if cursor != nil && (cursor.X >= size[0] || cursor.Y >= size[1] || cursor.Y < 0) {
					t.Errorf("%s: cursor at %d,%d", scene.name, cursor.X, cursor.Y)
				}
				fmt.Fprintf(&b, "== %s\n%s\n", scene.name, ansi.Strip(strings.Join(rows, "\n")))
			}
			path := filepath.Join("testdata", fmt.Sprintf("screen-%dx%d.golden", size[0], size[1]))
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("%s differs (run with -update if it should); got\n%s", path, b.String())
			}
		})
	}
}

// No size makes the layout fail, and every row fits.
func TestEverySize(t *testing.T) {
	for _, scene := range scenes() {
		a := attachedApp(t, 80, 24, newFake().view)
		scene.play(a)
		for height := 1; height < 30; height++ {
			for _, width := range []int{1, 2, 3, 5, 10, 19, 33, 80} {
				a.update(tea.WindowSizeMsg{Width: width, Height: height})
				rows, _ := a.rows()
				if len(rows) != height {
					t.Fatalf("%s at %dx%d: %d rows", scene.name, width, height, len(rows))
				}
				for _, row := range rows {
					if w := style.Width(row); w > width && width > 3 {
						t.Fatalf("%s at %dx%d: row of %d columns: %q", scene.name, width, height, w, row)
					}
				}
			}
		}
	}
}

// manyMessages is a session of n messages.
func manyMessages(n int) event.View {
	v := newFake().view
	for i := range n / 2 {
		v.Messages = append(v.Messages, message.NewUser(fmt.Sprintf("question %d", i)),
			message.Message{ID: fmt.Sprint(i), Role: message.Assistant, StopReason: message.Stop, Content: []message.Block{
				message.TextOf(fmt.Sprintf("Answer **%d** with `code`.\n\nAnd a second paragraph.", i))}})
	}
	return v
}

// A frame while an answer streams, in a session of 10,000 messages.
func BenchmarkFrameWith10000Messages(b *testing.B) {
	a := attachedApp(b, 100, 40, manyMessages(10_000))
	a.happens(event.RunStarted{Run: 1}, event.MessageStarted{ID: "x", Message: message.Message{ID: "x", Role: message.Assistant}})
	text := ""
	for b.Loop() {
		text += "more "
		if len(text) > 4000 {
			text = ""
		}
		a.happens(event.MessageDelta{ID: "x", Block: message.TextBlock, Text: text})
		a.View()
	}
}

// Attaching to a session of 10,000 messages, with the first frame after it.
func BenchmarkAttachTo10000Messages(b *testing.B) {
	v := manyMessages(10_000)
	for b.Loop() {
		attachedApp(b, 100, 40, v).View()
	}
}

// 60 KB of Markdown that streams in 1,000 batches, a frame for each.
func BenchmarkStream60KB(b *testing.B) {
	text := strings.Repeat("Some prose with `code` and **bold** words that go on for a while.\n\n- an item\n- another\n\n```go\nfunc f() int { return 1 }\n```\n\n", 480)
	frames := 0
	for b.Loop() {
		a := attachedApp(b, 100, 40, newFake().view)
		a.happens(event.RunStarted{Run: 1}, event.MessageStarted{ID: "x", Message: message.Message{ID: "x", Role: message.Assistant}})
		for n := 60; n <= len(text); n += 60 {
			a.happens(event.MessageDelta{ID: "x", Block: message.TextBlock, Text: text[:n]})
			a.View()
			frames++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(frames), "µs/frame")
}

// A frame at the end of a list of 60 KB: one block, rendered whole each time.
func BenchmarkFrameOfHugeBlock(b *testing.B) {
	a := attachedApp(b, 100, 40, newFake().view)
	a.happens(event.RunStarted{Run: 1}, event.MessageStarted{ID: "x", Message: message.Message{ID: "x", Role: message.Assistant}})
	text := strings.Repeat("- an *item* of a long list with `code`\n", 1500)
	for b.Loop() {
		text += "more\n"
		a.happens(event.MessageDelta{ID: "x", Block: message.TextBlock, Text: text})
		a.View()
	}
}

// Scrolling through 10,000 messages, a page a frame.
func BenchmarkScroll(b *testing.B) {
	a := attachedApp(b, 100, 40, manyMessages(10_000))
	up := tea.KeyPressMsg{Code: tea.KeyPgUp}
	for b.Loop() {
		a.update(up)
		a.View()
	}
}
