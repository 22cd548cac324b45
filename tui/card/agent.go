package card

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// Limits of what the card of a task shows of its sub-agent.
const (
	agentRows   = 3   // of a folded card while the sub-agent works
	agentSteps  = 200 // that are kept for the expanded one
	agentAnswer = 3   // rows of a folded answer
	lastWords   = 400 // bytes of a text that streams
)

// taskTool is the name of the tool whose calls are sub-agents.
const taskTool = "task"

// agent is a sub-agent at work for a task call.
type agent struct {
	steps  []agentStep
	said   string // the end of the text that streams
	tools  int
	tokens int
	rows   int // while it works, folded; 0: the usual
}

// agentStep is one thing that a sub-agent did.
type agentStep struct {
	call string // "" for words
	mark string
	text string
}

// Task reports whether the card is a task call that isn't over.
func (c *Card) Task() bool { return c.name == taskTool && !c.Ended() }

// SetRows bounds the rows of a working sub-agent's folded card, so that several
// of them stay readable.
func (c *Card) SetRows(n int) {
	if a := c.helper(); a.rows != n {
		a.rows = n
		c.version++
	}
}

func (c *Card) helper() *agent {
	if c.agent == nil {
		c.agent = &agent{}
	}
	return c.agent
}

// Agent brings the card of a task call up to date with its sub-agent's event.
func (c *Card) Agent(ev event.Event, now time.Time) {
	a := c.helper()
	if c.began.IsZero() {
		c.began = now
	}
	switch e := ev.(type) {
	case event.MessageDelta:
		if e.Block != message.TextBlock {
			return
		}
		a.said = sanitize.Text(e.Text[max(0, len(e.Text)-lastWords):])
	case event.MessageEnded:
		// The last words are the call's result.
		if a.said = ""; e.Message.Role == message.Assistant && e.Message.StopReason == message.ToolUse {
			a.step("", "", e.Message.Text())
		}
	case event.ToolStarted:
		title, _ := Describe(e.Name, string(e.Arguments))
		a.step(e.CallID, "○", title)
	case event.ToolRunning:
		a.tools++
		a.mark(e.CallID, "●", e.Title)
	case event.ToolEnded:
		a.mark(e.CallID, ending(e), "")
	case event.UsageChanged:
		a.tokens = e.Total.TotalTokens
	case event.RetryScheduled:
		a.step("", "!", "tries again: "+e.Error)
	case event.CompactionStarted:
		a.step("", "·", "summarises older messages")
	case event.Notice:
		a.step("", "!", e.Text)
	default:
		return
	}
	c.version++
}

func ending(e event.ToolEnded) string {
	switch {
	case e.Denied != "":
		return "⊘"
	case e.IsError:
		return "✗"
	}
	return "✓"
}

func (a *agent) step(call, mark, text string) {
	if text = sanitize.Line(strings.TrimSpace(text)); text == "" {
		return
	}
	a.steps = append(a.steps, agentStep{call, mark, text})
	a.steps = a.steps[max(0, len(a.steps)-agentSteps):]
}

func (a *agent) mark(call, mark, text string) {
	for i := range a.steps {
		if s := &a.steps[i]; s.call == call {
			s.mark = mark
			if text = sanitize.Line(text); text != "" {
				s.text = text
			}
		}
	}
}

// work is what a working sub-agent has done so far, in short.
func (a *agent) work() []string { return tally(a.tools, a.tokens) }

func tally(tools, tokens int) (parts []string) {
	switch {
	case tools == 1:
		parts = append(parts, "1 tool call")
	case tools > 1:
		parts = append(parts, fmt.Sprintf("%d tool calls", tools))
	}
	switch {
	case tokens >= 1_000_000:
		parts = append(parts, fmt.Sprintf("%.1fM tokens", float64(tokens)/1_000_000))
	case tokens >= 1000:
		parts = append(parts, fmt.Sprintf("%dk tokens", tokens/1000))
	case tokens > 0:
		parts = append(parts, fmt.Sprintf("%d tokens", tokens))
	}
	return parts
}

// taskResult is what a card tells of the details of an ended task call.
type taskResult struct {
	Status    string        `json:"status"`
	ToolCalls int           `json:"toolCalls"`
	Usage     message.Usage `json:"usage"`
}

func taskOf(details json.RawMessage) (r taskResult) {
	_ = json.Unmarshal(details, &r) // without details there is nothing to tell
	return r
}

// outcome is what came of a task call in short.
func outcome(details json.RawMessage) []string {
	d := taskOf(details)
	parts := tally(d.ToolCalls, d.Usage.TotalTokens)
	if d.Status == "limited" {
		parts = append([]string{"stopped at a limit"}, parts...)
	}
	return parts
}

// taskBody is the body of a task call's card.
func (c *Card) taskBody(width int) []flow.Row {
	if c.agent == nil {
		return c.text(c.look.Muted, transcript.Head, width, agentAnswer)
	}
	rows := c.agent.live(c.look, width)
	if c.Ended() {
		return c.text(c.look.Muted, transcript.Head, width, agentAnswer)
	}
	limit := agentRows
	if c.agent.rows > 0 {
		limit = c.agent.rows
	}
	if len(rows) == 0 { // it waits, or the model has yet to answer
		return c.text(c.look.Muted, transcript.Tail, width, limit)
	}
	return rows[max(0, len(rows)-limit):]
}

// live are the steps, a row each, and the row that is being written.
func (a *agent) live(look *transcript.Look, width int) []flow.Row {
	var rows []flow.Row
	for _, s := range a.steps {
		text := flow.Isolate(s.text)
		if s.mark != "" {
			text = s.mark + " " + text
		}
		rows = append(rows, flow.Cut(look.Muted.Render(text), width, look.Bidi))
	}
	if lines := strings.Split(strings.TrimSpace(a.said), "\n"); lines[len(lines)-1] != "" {
		rows = append(rows, flow.Cut(look.Muted.With(look.Italic).Render(sanitize.Line(lines[len(lines)-1])), width, look.Bidi))
	}
	return rows
}
