package rpc

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// projection turns the session's events into frames of a dialect. It does no
// I/O and reads no clock: the writer gives it the time and asks it for what it
// holds back.
type projection struct {
	dialect string
	deltas  bool // leave the message out of its updates
	titles  bool

	answer  *answer
	calls   map[string]toolStart // calls in progress
	asked   map[string]bool      // dialogs that the host shows
	bash    shell
	waiting int // messages in the queue that was told last
	next    int // counts requests that need no answer
}

func newProjection(o Options) *projection {
	return &projection{
		dialect: o.Dialect, deltas: o.Deltas, titles: o.Titles || o.Dialect == Pi,
		calls: map[string]toolStart{}, asked: map[string]bool{},
	}
}

// event returns the frames of one event. What was held back of an answer goes
// before everything that follows it.
func (p *projection) event(e event.Event, now time.Time) []any {
	if d, ok := e.(event.MessageDelta); ok {
		return p.delta(d, now)
	}
	return append(p.flush(now), p.frames(e)...)
}

func (p *projection) frames(e event.Event) []any {
	switch e := e.(type) {
	case event.RunStarted:
		return one(plain{"agent_start"})
	case event.RunEnded:
		return one(agentEnd{"agent_end", wireMessages(e.Messages), e.Will == event.WillRetry})
	case event.RunSettled:
		return one(agentSettled{"agent_settled", e.Aborted})
	case event.TurnStarted:
		return one(plain{"turn_start"})
	case event.TurnEnded:
		return one(turnEnd{"turn_end", wireMessage(e.Message), wireMessages(e.ToolResults)})
	case event.MessageStarted:
		if e.Message.Role == message.Assistant {
			p.answer = &answer{id: e.ID, start: wireMessage(e.Message)}
		}
		return one(messageFrame{"message_start", wireMessage(e.Message)})
	case event.MessageEnded:
		if p.answer != nil && p.answer.id == e.ID {
			p.answer = nil
		}
		return one(messageFrame{"message_end", wireMessage(e.Message)})
	case event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded:
		return p.tool(e)
	case event.RetryScheduled:
		return one(retryStart{"auto_retry_start", e.Attempt, e.MaxAttempts, e.DelayMS, e.Error})
	case event.RetryEnded:
		return one(retryEnd{"auto_retry_end", e.Success, e.Attempt, e.Error})
	case event.CompactionStarted, event.CompactionEnded:
		return p.compaction(e)
	case event.RuleTriggered:
		return one(rulesTriggered{"ttsr_triggered", listed(e.Rules)})
	case event.TodoReminder:
		return one(reminder(e))
	case event.TodoCleared:
		return one(plain{"todo_auto_clear"})
	case event.ExtensionFailed:
		return one(extensionError{"extension_error", cmp.Or(e.Path, e.Extension), point(e.Point), e.Error})
	case event.PromptFailed:
		return one(promptFailure{failureOf(e.Ref, e.Error)})
	case event.SessionReplaced:
		p.answer = nil
		clear(p.calls)
	}
	if frames := p.ui(e); frames != nil {
		return frames
	}
	return p.piOnly(e)
}

// point is a hook's name as the family has it.
func point(name string) string {
	if known, ok := points[name]; ok {
		return known
	}
	return name
}

// points are the extensions' names for what happens, by ours.
var points = map[string]string{
	"before_run": "before_agent_start", "run_end": "agent_end", "request": "before_provider_request",
	"before_compact": "session_before_compact", "compacted": "session_compact",
	"before_replace": "session_before_switch", "replaced": "session_switch",
	"before_move": "session_before_tree", "moved": "session_tree", "discover": "resources_discover",
	"run_started": "agent_start", "run_ended": "agent_end", "turn_started": "turn_start", "turn_ended": "turn_end",
	"message_started": "message_start", "message_delta": "message_update", "message_ended": "message_end",
	"tool_started": "tool_execution_start", "tool_progress": "tool_execution_update", "tool_ended": "tool_execution_end",
}

func one(frame any) []any { return []any{frame} }

func (p *projection) tool(e event.Event) []any {
	switch e := e.(type) {
	case event.ToolStarted:
		start := toolStart{"tool_execution_start", e.CallID, e.Name, message.Object(e.Arguments)}
		p.calls[e.CallID] = start
		return one(start)
	case event.ToolRunning:
		start := p.calls[e.CallID]
		start.ToolCallID, start.ToolName, start.Args = e.CallID, e.Name, message.Object(e.Arguments)
		p.calls[e.CallID] = start
	case event.ToolProgress:
		start := p.calls[e.CallID]
		return one(toolUpdate{"tool_execution_update", e.CallID, start.ToolName, message.Object(start.Args), toolContent{listed(e.Content), e.Details}})
	case event.ToolEnded:
		delete(p.calls, e.CallID)
		return one(toolEnd{"tool_execution_end", e.CallID, e.Name, toolContent{listed(e.Content), e.Details}, e.IsError})
	}
	return nil
}

// compaction is told in the words of the dialect. The default one says nothing
// of a compaction that a command asked for: its response does.
func (p *projection) compaction(e event.Event) []any {
	switch e := e.(type) {
	case event.CompactionStarted:
		switch {
		case p.dialect == Pi:
			return one(compactionStart{Type: "compaction_start", Reason: e.Reason})
		case e.Reason != "manual":
			return one(compactionStart{"auto_compaction_start", e.Reason, wholeContext})
		}
	case event.CompactionEnded:
		// What goes on after a threshold is a new run, no second try.
		again := e.WillRetry && e.Reason == "overflow"
		end := compactionEnd{Result: e.Result, Aborted: e.Aborted, WillRetry: again, ErrorMessage: e.Error}
		switch {
		case p.dialect == Pi:
			end.Type, end.Reason = "compaction_end", e.Reason
			return one(end)
		case e.Reason != "manual":
			end.Type, end.Action, end.Skipped = "auto_compaction_end", wholeContext, e.Skipped
			return one(end)
		}
	}
	return nil
}

// wholeContext is the family's name for a compaction that replaces the old part
// of the context by a summary.
const wholeContext = "context-full"

func reminder(e event.TodoReminder) todoReminder {
	r := todoReminder{"todo_reminder", []reminderTodo{}, e.Attempt, e.MaxAttempts}
	for _, t := range e.Todos {
		r.Todos = append(r.Todos, reminderTodo{t.ID, t.Content, t.Status})
	}
	return r
}

// ui projects what concerns the host's screen: questions, and what extensions
// show without asking.
func (p *projection) ui(e event.Event) []any {
	switch e := e.(type) {
	case event.AskOpened:
		p.asked[e.Question.ID] = true
		return one(dialogRequest(e.Question))
	case event.AskClosed:
		shown := p.asked[e.ID]
		delete(p.asked, e.ID)
		if !shown || e.Answered || e.TimedOut {
			return nil
		}
		r := p.request("cancel")
		r.TargetID = e.ID
		return one(r)
	case event.Notice:
		if e.Source == "" {
			return one(notice{"notice", e.Level, e.Text})
		}
		r := p.request("notify")
		r.Message, r.NotifyType = &e.Text, e.Level
		return one(r)
	case event.StatusChanged:
		r := p.request("setStatus")
		r.StatusKey, r.StatusText = &e.Key, e.Text
		return one(r)
	case event.WidgetChanged:
		r := p.request("setWidget")
		r.WidgetKey, r.WidgetLines, r.WidgetPlacement = &e.Key, e.Lines, e.Placement
		return one(r)
	case event.TitleChanged:
		if !p.titles {
			return nil
		}
		r := p.request("setTitle")
		r.Title = &e.Title
		return one(r)
	case event.EditorTextSet:
		r := p.request("set_editor_text")
		r.Text = &e.Text
		return one(r)
	}
	return nil
}

// request is a UI request that the host doesn't answer.
func (p *projection) request(method string) uiRequest {
	p.next++
	return newUIRequest("ui_"+strconv.Itoa(p.next), method)
}

// piOnly are events that only pi's line of the family knows.
func (p *projection) piOnly(e event.Event) []any {
	if p.dialect != Pi {
		return nil
	}
	switch e := e.(type) {
	case event.QueueChanged:
		return p.queue(e.Queue)
	case event.SessionReplaced:
		if p.waiting > 0 || len(e.View.Queue) > 0 {
			return p.queue(e.View.Queue)
		}
	case event.BashStarted:
		p.bash = shell{ref: e.Ref, id: e.ID}
	case event.BashProgress:
		return p.bashOutput(e.ID, e.Output)
	case event.BashEnded: // what came after the last progress
		if b := e.Message.Bash; b != nil {
			return p.bashOutput(e.ID, b.Output)
		}
	case event.SessionNamed:
		return one(nameChanged{"session_info_changed", e.Name})
	case event.ThinkingChanged:
		return one(levelChanged{"thinking_level_changed", e.Level})
	}
	return nil
}

// queue tells the whole queue.
func (p *projection) queue(list []event.Queued) []any {
	p.waiting = len(list)
	return one(queueUpdate{"queue_update", queueLists(list)})
}

// shell is the host's command that runs, and how much of its output was told.
type shell struct{ ref, id, told string }

// bashOutput tells what a command has printed since. Only the end of a long
// output is at hand: what can't be joined to the rest begins anew.
func (p *projection) bashOutput(id, output string) []any {
	if p.bash.id != id || strings.HasPrefix(p.bash.told, output) {
		return nil
	}
	news, joined := strings.CutPrefix(output, p.bash.told)
	if !joined {
		news = output
	}
	p.bash.told = output
	return one(bashUpdate{"bash_execution_update", json.RawMessage(p.bash.ref), news})
}
