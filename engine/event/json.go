package event

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// kinds of all events, in the order of a session's life.
func (RunStarted) Kind() Kind        { return "run_started" }
func (RunEnded) Kind() Kind          { return "run_ended" }
func (RunSettled) Kind() Kind        { return "run_settled" }
func (PromptFailed) Kind() Kind      { return "prompt_failed" }
func (TurnStarted) Kind() Kind       { return "turn_started" }
func (TurnEnded) Kind() Kind         { return "turn_ended" }
func (MessageStarted) Kind() Kind    { return "message_started" }
func (MessageDelta) Kind() Kind      { return "message_delta" }
func (MessageEnded) Kind() Kind      { return "message_ended" }
func (MessageRemoved) Kind() Kind    { return "message_removed" }
func (ToolStarted) Kind() Kind       { return "tool_started" }
func (ToolRunning) Kind() Kind       { return "tool_running" }
func (ToolProgress) Kind() Kind      { return "tool_progress" }
func (ToolEnded) Kind() Kind         { return "tool_ended" }
func (RetryScheduled) Kind() Kind    { return "retry_scheduled" }
func (RetryEnded) Kind() Kind        { return "retry_ended" }
func (QueueChanged) Kind() Kind      { return "queue_changed" }
func (EntryAppended) Kind() Kind     { return "entry_appended" }
func (LeafMoved) Kind() Kind         { return "leaf_moved" }
func (SessionNamed) Kind() Kind      { return "session_named" }
func (SessionReplaced) Kind() Kind   { return "session_replaced" }
func (ModelChanged) Kind() Kind      { return "model_changed" }
func (ThinkingChanged) Kind() Kind   { return "thinking_changed" }
func (ModeChanged) Kind() Kind       { return "mode_changed" }
func (ToolsChanged) Kind() Kind      { return "tools_changed" }
func (ServerStatus) Kind() Kind      { return "server_status" }
func (CompactionStarted) Kind() Kind { return "compaction_started" }
func (CompactionEnded) Kind() Kind   { return "compaction_ended" }
func (UsageChanged) Kind() Kind      { return "usage_changed" }
func (TodosChanged) Kind() Kind      { return "todos_changed" }
func (RuleTriggered) Kind() Kind     { return "rule_triggered" }
func (TodoReminder) Kind() Kind      { return "todo_reminder" }
func (TodoCleared) Kind() Kind       { return "todo_cleared" }
func (SubagentEvent) Kind() Kind     { return "subagent_event" }
func (BashStarted) Kind() Kind       { return "bash_started" }
func (BashProgress) Kind() Kind      { return "bash_progress" }
func (BashEnded) Kind() Kind         { return "bash_ended" }
func (AskOpened) Kind() Kind         { return "ask_opened" }
func (AskWaiting) Kind() Kind        { return "ask_waiting" }
func (AskClosed) Kind() Kind         { return "ask_closed" }
func (SettingsChanged) Kind() Kind   { return "settings_changed" }
func (Notice) Kind() Kind            { return "notice" }
func (ExtensionFailed) Kind() Kind   { return "extension_failed" }
func (StatusChanged) Kind() Kind     { return "status_changed" }
func (WidgetChanged) Kind() Kind     { return "widget_changed" }
func (TitleChanged) Kind() Kind      { return "title_changed" }
func (EditorTextSet) Kind() Kind     { return "editor_text_set" }
func (CommandsChanged) Kind() Kind   { return "commands_changed" }

func (RunStarted) event()        {}
func (RunEnded) event()          {}
func (RunSettled) event()        {}
func (PromptFailed) event()      {}
func (TurnStarted) event()       {}
func (TurnEnded) event()         {}
func (MessageStarted) event()    {}
func (MessageDelta) event()      {}
func (MessageEnded) event()      {}
func (MessageRemoved) event()    {}
func (ToolStarted) event()       {}
func (ToolRunning) event()       {}
func (ToolProgress) event()      {}
func (ToolEnded) event()         {}
func (RetryScheduled) event()    {}
func (RetryEnded) event()        {}
func (QueueChanged) event()      {}
func (EntryAppended) event()     {}
func (LeafMoved) event()         {}
func (SessionNamed) event()      {}
func (SessionReplaced) event()   {}
func (ModelChanged) event()      {}
func (ThinkingChanged) event()   {}
func (ModeChanged) event()       {}
func (ToolsChanged) event()      {}
func (ServerStatus) event()      {}
func (CompactionStarted) event() {}
func (CompactionEnded) event()   {}
func (UsageChanged) event()      {}
func (TodosChanged) event()      {}
func (RuleTriggered) event()     {}
func (TodoReminder) event()      {}
func (TodoCleared) event()       {}
func (SubagentEvent) event()     {}
func (BashStarted) event()       {}
func (BashProgress) event()      {}
func (BashEnded) event()         {}
func (AskOpened) event()         {}
func (AskWaiting) event()        {}
func (AskClosed) event()         {}
func (SettingsChanged) event()   {}
func (Notice) event()            {}
func (ExtensionFailed) event()   {}
func (StatusChanged) event()     {}
func (WidgetChanged) event()     {}
func (TitleChanged) event()      {}
func (EditorTextSet) event()     {}
func (CommandsChanged) event()   {}

// MarshalJSON writes the canonical form: the event's own fields after type,
// seq, session and time.
func (e Envelope) MarshalJSON() ([]byte, error) {
	id, err := jsonl.Value(e.Session)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 0, 120)
	head = append(head, `,"seq":`...)
	head = strconv.AppendUint(head, e.Seq, 10)
	head = append(head, `,"session":`...)
	head = append(head, id...)
	head = append(head, `,"at":"`...)
	head = e.At.UTC().AppendFormat(head, time.RFC3339Nano)
	return typed(e.Event, append(head, '"'))
}

// typed writes an event with its type first, then the fields of head, then its
// own.
func typed(e Event, head []byte) ([]byte, error) {
	body, err := jsonl.Value(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Kind(), err)
	}
	out := make([]byte, 0, len(body)+len(head)+40)
	out = append(out, `{"type":`...)
	out = strconv.AppendQuote(out, string(e.Kind()))
	out = append(out, head...)
	if len(body) > 2 {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

// MarshalJSON writes a delta alone: the text so far is the reader's to keep.
func (d MessageDelta) MarshalJSON() ([]byte, error) {
	return jsonl.Value(struct {
		ID     string            `json:"id"`
		Index  int               `json:"index"`
		Block  message.BlockType `json:"block"`
		CallID string            `json:"callId,omitempty"`
		Name   string            `json:"name,omitempty"`
		Delta  string            `json:"delta"`
		Done   bool              `json:"done,omitempty"`
	}{d.ID, d.Index, d.Block, d.CallID, d.Name, d.Delta(), d.Done})
}

// MarshalJSON writes the timeout in milliseconds.
func (q Question) MarshalJSON() ([]byte, error) {
	type plain Question
	p := plain(q)
	p.Timeout = time.Duration(q.Timeout.Milliseconds())
	return jsonl.Value(p)
}
