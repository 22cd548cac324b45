package client

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Event is a frame of the agent that answers no command.
type Event struct {
	Type string
	// Raw is the whole frame, with the fields that Data doesn't have. It is
	// shared: don't change it.
	Raw json.RawMessage
	// Missed counts the updates that were left out right before this one,
	// because the subscriber was behind (Subscription).
	Missed int
	// Data is one of the structs of this file, or a UIRequest. It is nil for a
	// type that this build doesn't know and for a frame of an unexpected shape.
	Data any
}

// The frames of the agent loop. Runs, turns and messages nest; a prompt may
// take several runs, and AgentSettled ends it.
type (
	// Ready is the first frame of all.
	Ready struct {
		Version string `json:"version"`
	}
	AgentStart struct{}
	// AgentEnd closes a run. Messages are those which the run added.
	AgentEnd struct {
		Messages  []message.Message `json:"messages"`
		WillRetry bool              `json:"willRetry"` // the run is tried again
	}
	// AgentSettled says that no retry, compaction or queued work is left.
	AgentSettled struct {
		Aborted bool `json:"aborted"`
	}
	TurnStart struct{}
	TurnEnd   struct {
		Message     message.Message   `json:"message"`
		ToolResults []message.Message `json:"toolResults"`
	}
	MessageStart struct {
		Message message.Message `json:"message"`
	}
	// MessageUpdate tells what the model adds to its answer. Message is the
	// answer so far, nil with --rpc-updates delta.
	MessageUpdate struct {
		Message *message.Message `json:"message"`
		Usage   *message.Usage   `json:"usage"`
		Change  Change           `json:"assistantMessageEvent"`
	}
	// MessageEnd holds the message as it was stored.
	MessageEnd struct {
		Message message.Message `json:"message"`
	}
)

// Change is one step of an answer that streams in. Type is text, thinking or
// toolcall with _start, _delta or _end.
type Change struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"` // of the block in the message
	// Delta is the new text; of a tool call a piece of its arguments' JSON.
	Delta string `json:"delta"`
	// Content is the whole block, at text_end and thinking_end.
	Content string `json:"content"`
	// ToolCall is the whole call, at toolcall_end.
	ToolCall *message.Block `json:"toolCall"`
	// ID and ToolName are those of the call, at toolcall_start, where the frame
	// has no message.
	ID       string `json:"id"`
	ToolName string `json:"toolName"`
}

// The frames of tools. Several calls may run at once.
type (
	ToolStart struct {
		ToolCallID string          `json:"toolCallId"`
		ToolName   string          `json:"toolName"`
		Args       json.RawMessage `json:"args"` // a JSON object
		Intent     string          `json:"intent"`
	}
	// ToolUpdate replaces what an earlier one of the same call said.
	ToolUpdate struct {
		ToolCallID    string          `json:"toolCallId"`
		ToolName      string          `json:"toolName"`
		Args          json.RawMessage `json:"args"`
		PartialResult Output          `json:"partialResult"`
	}
	ToolEnd struct {
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName"`
		Result     Output `json:"result"`
		IsError    bool   `json:"isError"`
		IsWarning  bool   `json:"isWarning"`
		DurationMS int64  `json:"durationMs"`
	}
)

// Output is what a tool call gives: text and images for the model, and details
// for faces.
type Output struct {
	Content []message.Block `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

// Text returns an Output of one text.
func Text(s string) Output { return Output{Content: []message.Block{message.TextOf(s)}} }

// The frames of the session. Both dialects' names of compactions are read.
type (
	CompactionStart struct {
		Reason string `json:"reason"` // threshold, overflow, idle or manual
		Action string `json:"action"`
	}
	// CompactionEnd has a Result only if there was something to compact and it
	// succeeded.
	CompactionEnd struct {
		Reason       string            `json:"reason"`
		Action       string            `json:"action"`
		Result       *CompactionResult `json:"result"`
		Aborted      bool              `json:"aborted"`
		WillRetry    bool              `json:"willRetry"`
		ErrorMessage string            `json:"errorMessage"`
		Skipped      bool              `json:"skipped"`
	}
	// RetryStart says that a failed run is tried again after DelayMS. Attempt
	// counts from 1.
	RetryStart struct {
		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMS      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	RetryEnd struct {
		Success    bool   `json:"success"`
		Attempt    int    `json:"attempt"`
		FinalError string `json:"finalError"`
	}
	// FallbackApplied says that another model takes over.
	FallbackApplied struct {
		From string `json:"from"`
		To   string `json:"to"`
		Role string `json:"role"`
	}
	FallbackSucceeded struct {
		Model string `json:"model"`
		Role  string `json:"role"`
	}
	// RulesTriggered says that the answer ran into stream rules.
	RulesTriggered struct {
		Rules []Rule `json:"rules"`
	}
	Rule struct {
		Name        string `json:"name"`
		Path        string `json:"path"`
		Content     string `json:"content"`
		Description string `json:"description"`
	}
	// TodoReminder lists the unfinished tasks that the model is reminded of.
	TodoReminder struct {
		Todos       []message.Todo `json:"todos"`
		Attempt     int            `json:"attempt"`
		MaxAttempts int            `json:"maxAttempts"`
	}
	TodoAutoClear  struct{}
	ExtensionError struct {
		ExtensionPath string `json:"extensionPath"`
		Event         string `json:"event"`
		Error         string `json:"error"`
	}
	// Notice is for people. Level is info, warning or error.
	Notice struct {
		Level   string `json:"level"`
		Message string `json:"message"`
	}
	// CommandOutput is what a slash command replied.
	CommandOutput struct {
		Text string `json:"text"`
	}
)

// The frames that only the pi dialect has.
type (
	// QueueUpdate holds the texts that wait.
	QueueUpdate struct {
		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}
	// NameChanged holds the session's new name, ThinkingChanged the thinking
	// level of the next request.
	NameChanged struct {
		Name string `json:"name"`
	}
	ThinkingChanged struct {
		Level string `json:"level"`
	}
	// BashUpdate is more of the output of a Bash.
	BashUpdate struct {
		Delta string `json:"delta"`
	}
)

// decoders make the Data of each type.
var decoders = map[string]func(json.RawMessage) any{
	"ready":                    decode[Ready],
	"agent_start":              decode[AgentStart],
	"agent_end":                decode[AgentEnd],
	"agent_settled":            decode[AgentSettled],
	"turn_start":               decode[TurnStart],
	"turn_end":                 decode[TurnEnd],
	"message_start":            decode[MessageStart],
	messageUpdate:              decode[MessageUpdate],
	"message_end":              decode[MessageEnd],
	"tool_execution_start":     decode[ToolStart],
	toolUpdate:                 decode[ToolUpdate],
	"tool_execution_end":       decode[ToolEnd],
	"auto_compaction_start":    decode[CompactionStart],
	"auto_compaction_end":      decode[CompactionEnd],
	"compaction_start":         decode[CompactionStart],
	"compaction_end":           decode[CompactionEnd],
	"auto_retry_start":         decode[RetryStart],
	"auto_retry_end":           decode[RetryEnd],
	"retry_fallback_applied":   decode[FallbackApplied],
	"retry_fallback_succeeded": decode[FallbackSucceeded],
	"ttsr_triggered":           decode[RulesTriggered],
	"todo_reminder":            decode[TodoReminder],
	"todo_auto_clear":          decode[TodoAutoClear],
	"extension_error":          decode[ExtensionError],
	"notice":                   decode[Notice],
	"command_output":           decode[CommandOutput],
	"queue_update":             decode[QueueUpdate],
	"session_info_changed":     decode[NameChanged],
	"thinking_level_changed":   decode[ThinkingChanged],
	"bash_execution_update":    decode[BashUpdate],
	uiRequest:                  decode[UIRequest],
}

const (
	messageUpdate = "message_update"
	toolUpdate    = "tool_execution_update"
	uiRequest     = "extension_ui_request"
)

func decode[T any](raw json.RawMessage) any {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}
