package card

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

const taskArguments = `{"agent":"explore","description":"find the parser","prompt":"Find it."}`

func words(said string, stop message.StopReason) event.Event {
	return event.MessageEnded{Message: message.Message{Role: message.Assistant, Content: text(said), StopReason: stop}}
}

// working is the card of a sub-agent that has done a few things.
func working(look *transcript.Look, began time.Time) *Card {
	c := New(look, "task", taskArguments)
	c.Run("explore: find the parser", "think", "")
	for _, ev := range []event.Event{
		event.RunStarted{}, words("I look for it.", message.ToolUse),
		event.ToolStarted{CallID: "a", Name: "grep", Arguments: json.RawMessage(`{"pattern":"func Parse"}`)},
		event.ToolRunning{CallID: "a", Title: "Search for func Parse"}, event.ToolEnded{CallID: "a"},
		event.ToolStarted{CallID: "b", Name: "read", Arguments: json.RawMessage(`{"path":"none.go"}`)},
		event.ToolRunning{CallID: "b"}, event.ToolEnded{CallID: "b", IsError: true},
		event.ToolStarted{CallID: "c", Name: "bash", Arguments: json.RawMessage(`{"command":"rm x"}`)}, event.ToolEnded{CallID: "c", IsError: true, Denied: "user"},
		event.UsageChanged{Total: message.Usage{TotalTokens: 12_345}},
		event.RetryScheduled{Error: "the service is busy"},
		event.MessageDelta{Block: message.ThinkingBlock, Text: "not shown"},
		event.MessageDelta{Block: message.TextBlock, Text: "It is in\nparse\x1b[2J.go, I th"},
		event.ToolStarted{CallID: "d", Name: "ls", Arguments: json.RawMessage(`{}`)},
	} {
		c.Agent(ev, began)
	}
	return c
}

func rows(c *Card, width int) string {
	var b strings.Builder
	for _, row := range flow.Texts(c.Rows(width)) {
		b.WriteString(strings.TrimRight(ansi.Strip(row), " ") + "\n")
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func TestSubagentCard(t *testing.T) {
	began := time.Unix(1000, 0)
	look := testLook(t)
	c := working(look, began)
	c.Tick(began.Add(61500 * time.Millisecond))
	expect := func(name, want string) {
		t.Helper()
		if got := rows(c, 70); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
	const head = "● explore: find the parser  2 tool calls · 12k tokens · 1m1s\n"
	expect("at work", head+`  │ ! tries again: the service is busy
  │ ○ List .
  │ parse.go, I th
`)
	c.SetRows(1)
	expect("among others", head+"  │ parse.go, I th\n")
	c.SetRows(0)
	c.SetAsking(true)
	if !c.Asking() || !strings.HasPrefix(rows(c, 100), "? explore: find the parser  needs your approval · 2 tool calls") {
		t.Errorf("asking:\n%s", rows(c, 100))
	}
	c.SetAsking(false)
	look.Expanded = true
	steps := `  │ I look for it.
  │ ✓ Search for func Parse
  │ ✗ Read none.go
  │ ⊘ Run rm x
  │ ! tries again: the service is busy
  │ ○ List .
`
	expect("expanded", head+steps+"  │ parse.go, I th\n")
	c.Agent(words("It is in parse.go.", message.Stop), began)
	c.End(Result{
		Content: text("It is in parse.go.\nLine 2\nLine 3\nLine 4\nLine 5"), Duration: 90 * time.Second,
		Details: json.RawMessage(`{"status":"limited","toolCalls":3,"usage":{"totalTokens":2500000}}`),
	})
	const ended = "✓ explore: find the parser  stopped at a limit · 3 tool calls · 2.5M tokens · 1m30s\n"
	wide := func(want string) {
		t.Helper()
		if got := rows(c, 100); got != want {
			t.Errorf("ended:\n%s\nwant:\n%s", got, want)
		}
	}
	wide(ended + steps + "  │\n  │ It is in parse.go.\n  │ Line 2\n  │ Line 3\n  │ Line 4\n  │ Line 5\n")
	look.Expanded = false
	wide(ended + "  │ It is in parse.go.\n  │ Line 2\n  │ Line 3\n  │ … 2 more lines · Ctrl+O\n")
}

func TestSubagentCardFits(t *testing.T) {
	look := testLook(t)
	for _, look.Expanded = range []bool{false, true} {
		c := working(look, time.Unix(1000, 0))
		for i := range 2 * agentSteps {
			c.Agent(event.ToolStarted{CallID: fmt.Sprint(i), Name: "read", Arguments: json.RawMessage(`{"path":"a/long/path/to/a/file.go"}`)}, time.Unix(1000, 0))
		}
		for _, w := range []int{1, 5, 20, 40, 200} {
			lines := flow.Texts(c.Rows(w))
			if len(lines) > agentSteps+4 || !look.Expanded && len(lines) > agentRows+2 {
				t.Errorf("%d rows", len(lines))
			}
			for _, row := range lines {
				if got := style.Width(row); got > w {
					t.Errorf("at %d a row of %d columns: %q", w, got, row)
				}
			}
		}
	}
}

// A call that waits, and one of a session that was loaded, have no sub-agent to
// tell of.
func TestTaskCardAlone(t *testing.T) {
	c := New(testLook(t), "task", `{"agent":"explore","descr`)
	if c.Title() != "explore:" || !c.Task() {
		t.Errorf("title %q", c.Title())
	}
	c.SetArguments("task", taskArguments)
	c.Run("", "think", "")
	c.Progress("waits for other agents to end")
	if got := rows(c, 60); got != "● explore: find the parser\n  │ waits for other agents to end\n" {
		t.Errorf("waiting:\n%s", got)
	}
	c.Tick(time.Unix(2000, 0))
	c.End(Result{Content: text("half\nTool execution was aborted: Request was aborted"), Failed: true, Details: json.RawMessage(`{"toolCalls":1}`)})
	const stopped = "■ explore: find the parser  stopped · 1 tool call\n  │ half\n"
	if got := rows(c, 60); got != stopped || c.Task() {
		t.Errorf("stopped:\n%s", got)
	}
	c = New(testLook(t), "task", taskArguments)
	c.End(Result{Content: text("half\nThe user stopped this agent. Don't."), Failed: true, Details: json.RawMessage(`{"status":"aborted","toolCalls":1}`)})
	if got := rows(c, 60); got != stopped {
		t.Errorf("stopped alone:\n%s", got)
	}
}
