package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// taskDetails are the details of a task call, while it runs and as its result.
type taskDetails struct {
	Agent       string `json:"agent"`
	Description string `json:"description"`
	// Status is waiting (for a free seat), running, done, limited, failed or
	// aborted.
	Status     string        `json:"status"`
	Model      string        `json:"model,omitempty"`
	Turns      int           `json:"turns"`
	ToolCalls  int           `json:"toolCalls"`
	Usage      message.Usage `json:"usage"`
	Transcript string        `json:"transcript,omitempty"` // the sub-agent's session file
	Error      string        `json:"error,omitempty"`
}

func detailsOf(raw json.RawMessage) (d taskDetails) {
	_ = json.Unmarshal(raw, &d) // what isn't ours has used nothing
	return d
}

// work is a task call in progress, as its caller sees it.
type work struct {
	parent  *Session
	call    tool.Call
	details taskDetails
	steps   []step // the last of what the sub-agent did
	answer  string // its last words
}

// step is a line about what a sub-agent does.
type step struct{ call, text string }

// Bounds of what a call shows while it runs.
const (
	shownSteps = 5
	stepRunes  = 200
)

// report shows how far the sub-agent is.
func (w *work) report() {
	lines := make([]string, len(w.steps))
	for i, s := range w.steps {
		lines[i] = s.text
	}
	if w.details.Status == "waiting" {
		lines = append(lines, "waits for other agents to end")
	}
	w.call.Progress(w.result(strings.Join(lines, "\n")))
}

func (w *work) result(text string) tool.Result {
	r := tool.Result{Content: []message.Block{}}
	if text != "" {
		r = tool.TextResult(text)
	}
	r.Details, _ = json.Marshal(w.details) // strings and numbers alone
	return r
}

// follow gives the sub-agent its prompt and tells what it does until it has
// settled.
func (w *work) follow(ctx context.Context, child *Session, prompt string) (tool.Result, error) {
	view, sub, err := child.Attach(ctx, Client{Name: taskTool})
	if err != nil {
		return w.aborted(ctx)
	}
	defer sub.Close()
	w.details.Status, w.details.Model, w.details.Transcript = "running", view.Model.Provider+"/"+view.Model.ID, view.File
	w.report()
	if _, err := child.Prompt(ctx, Input{Text: prompt}); err != nil {
		return w.aborted(ctx)
	}
	defer context.AfterFunc(ctx, func() { _ = child.Abort(context.WithoutCancel(ctx)) })()
	for {
		items, err := sub.Batch(child.ctx) // it ends with the session, not with the call: the end is told
		if err != nil {
			return w.aborted(ctx)
		}
		for _, it := range items {
			if end, ok := it.Event.(event.RunSettled); ok {
				w.forward(child, end)
				return w.end(ctx, end)
			}
			if w.forward(child, it.Event); w.note(it.Event) {
				w.report()
			}
		}
	}
}

// forward tells the caller's faces. What repeats whole messages, and what
// belongs to the sub-agent's file and queue, stays behind.
func (w *work) forward(child *Session, ev event.Event) {
	switch ev.(type) {
	case event.RunStarted, event.RunSettled, event.PromptFailed, event.TurnStarted,
		event.MessageStarted, event.MessageDelta, event.MessageEnded, event.MessageRemoved,
		event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded,
		event.RetryScheduled, event.RetryEnded, event.CompactionStarted,
		event.UsageChanged, event.RuleTriggered, event.Notice, event.SubagentEvent:
		w.parent.in.post(item{event: event.SubagentEvent{CallID: w.call.ID, Agent: child.caller.agent, Event: ev}})
	}
}

// note keeps what the call shows and answers with. It reports whether there is
// something new to show.
func (w *work) note(ev event.Event) bool {
	switch e := ev.(type) {
	case event.MessageEnded:
		if e.Message.Role != message.Assistant {
			return false
		}
		w.details.Turns++
		if text := strings.TrimSpace(e.Message.Text()); text != "" && e.Message.StopReason != message.Error {
			w.answer = text
			if e.Message.StopReason == message.ToolUse {
				first, _, _ := strings.Cut(text, "\n")
				w.step("", first)
			}
		}
	case event.UsageChanged:
		w.details.Usage = e.Total
	case event.ToolRunning:
		w.details.ToolCalls++
		w.step(e.CallID, e.Title)
	case event.ToolEnded:
		return e.IsError && w.failed(e)
	case event.RetryScheduled:
		w.step("", "tries again: "+e.Error)
	case event.CompactionStarted:
		w.step("", "summarises older messages")
	case event.PromptFailed:
		w.details.Error = e.Error
	default:
		return false
	}
	return true
}

func (w *work) step(call, text string) {
	w.steps = append(w.steps, step{call, tool.Line(strings.Join(strings.Fields(text), " "), stepRunes)})
	w.steps = w.steps[max(0, len(w.steps)-shownSteps):]
}

// failed marks a call's line.
func (w *work) failed(e event.ToolEnded) bool {
	mark := " (failed)"
	if e.Denied != "" {
		mark = " (denied)"
	}
	for i, s := range w.steps {
		if s.call == e.CallID {
			w.steps[i].text += mark
			return true
		}
	}
	return false
}

// end makes the call's result of how the sub-agent has settled.
func (w *work) end(ctx context.Context, end event.RunSettled) (tool.Result, error) {
	reason := end.Error
	switch {
	case ctx.Err() != nil || end.Reason == message.Aborted:
		return w.aborted(ctx)
	case end.Reason == message.Stop && w.answer == "":
		w.details.Status = "done"
		return w.result("The agent ended without an answer. What it did may have had its effects; ask again, or do the task yourself."), nil
	case end.Reason == message.Stop:
		w.details.Status = "done"
		return w.result(w.capped()), nil
	case end.Reason == message.StepLimit || end.Reason == message.Budget || end.Reason == message.Length:
		if reason == "" {
			reason = "its answer reached the output limit"
		}
		w.details.Status, w.details.Error = "limited", reason
		return w.result(strings.TrimSpace(w.capped() + "\n\n[The agent was stopped before it was done: " + reason + ".]")), nil
	}
	if reason == "" {
		reason = string(end.Reason)
	}
	w.details.Status, w.details.Error = "failed", reason
	return w.result(w.capped()), fmt.Errorf("the agent %s failed: %s", w.details.Agent, reason)
}

func (w *work) capped() string {
	hint := "Ask for a shorter answer."
	if w.details.Transcript != "" {
		hint = "All of it is in " + w.details.Transcript + "."
	}
	return tool.Capped(w.answer, hint)
}

// aborted closes a call that was stopped, alone or with its run.
func (w *work) aborted(ctx context.Context) (tool.Result, error) {
	w.details.Status = "aborted"
	if errors.Is(context.Cause(ctx), errStopped) {
		return w.result(w.capped()), &tool.AbortedError{Text: "The user stopped this agent. Don't start it again unasked."}
	}
	return w.result(w.capped()), errors.New("the agent was stopped")
}
