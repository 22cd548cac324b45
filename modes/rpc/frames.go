package rpc

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Frames that the server sends of its own accord, in the order of a session's
// life. Requests to the host are in dialogs.go and hosttools.go.

type ready struct {
	Type    string `json:"type"`
	Version string `json:"version"`
}

// plain is a frame that is nothing but its type.
type plain struct {
	Type string `json:"type"`
}

type agentEnd struct {
	Type      string            `json:"type"`
	Messages  []message.Message `json:"messages"`
	WillRetry bool              `json:"willRetry"`
}

type agentSettled struct {
	Type    string `json:"type"`
	Aborted bool   `json:"aborted"`
}

type turnEnd struct {
	Type        string            `json:"type"`
	Message     message.Message   `json:"message"`
	ToolResults []message.Message `json:"toolResults"`
}

type messageFrame struct {
	Type    string          `json:"type"`
	Message message.Message `json:"message"`
}

// messageUpdate carries one step of an answer. Message is the answer so far,
// encoded once for both places; it is absent in delta mode.
type messageUpdate struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message,omitempty"`
	Usage   message.Usage   `json:"usage"`
	Event   assistantEvent  `json:"assistantMessageEvent"`
}

type assistantEvent struct {
	Type         string          `json:"type"`
	ContentIndex int             `json:"contentIndex"`
	ID           string          `json:"id,omitempty"`       // toolcall_start
	ToolName     string          `json:"toolName,omitempty"` // toolcall_start
	Delta        *string         `json:"delta,omitempty"`
	Content      *string         `json:"content,omitempty"`
	ToolCall     *message.Block  `json:"toolCall,omitempty"`
	Partial      json.RawMessage `json:"partial,omitempty"`
}

type toolStart struct {
	Type       string          `json:"type"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Args       json.RawMessage `json:"args"`
}

type toolContent struct {
	Content []message.Block `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

type toolUpdate struct {
	Type          string          `json:"type"`
	ToolCallID    string          `json:"toolCallId"`
	ToolName      string          `json:"toolName"`
	Args          json.RawMessage `json:"args"`
	PartialResult toolContent     `json:"partialResult"`
}

type toolEnd struct {
	Type       string      `json:"type"`
	ToolCallID string      `json:"toolCallId"`
	ToolName   string      `json:"toolName"`
	Result     toolContent `json:"result"`
	IsError    bool        `json:"isError"`
}

type retryStart struct {
	Type         string `json:"type"`
	Attempt      int    `json:"attempt"`
	MaxAttempts  int    `json:"maxAttempts"`
	DelayMS      int64  `json:"delayMs"`
	ErrorMessage string `json:"errorMessage"`
}

type retryEnd struct {
	Type       string `json:"type"`
	Success    bool   `json:"success"`
	Attempt    int    `json:"attempt"`
	FinalError string `json:"finalError,omitempty"`
}

// compactionStart is auto_compaction_start with an action, or pi's
// compaction_start without.
type compactionStart struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Action string `json:"action,omitempty"`
}

type compactionEnd struct {
	Type         string                  `json:"type"`
	Reason       string                  `json:"reason,omitempty"` // pi
	Action       string                  `json:"action,omitempty"` // default
	Result       *event.CompactionResult `json:"result,omitempty"`
	Aborted      bool                    `json:"aborted"`
	WillRetry    bool                    `json:"willRetry"`
	ErrorMessage string                  `json:"errorMessage,omitempty"`
	Skipped      bool                    `json:"skipped,omitempty"` // default
}

type rulesTriggered struct {
	Type  string       `json:"type"`
	Rules []event.Rule `json:"rules"`
}

type todoReminder struct {
	Type        string         `json:"type"`
	Todos       []reminderTodo `json:"todos"`
	Attempt     int            `json:"attempt"`
	MaxAttempts int            `json:"maxAttempts"`
}

type reminderTodo struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
}

type extensionError struct {
	Type          string `json:"type"`
	ExtensionPath string `json:"extensionPath"`
	Event         string `json:"event"`
	Error         string `json:"error"`
}

// notice is what Hoopoe itself has to say; those of extensions are notify
// requests.
type notice struct {
	Type    string `json:"type"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

type queueUpdate struct {
	Type string `json:"type"`
	queues
}

type nameChanged struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type levelChanged struct {
	Type  string `json:"type"`
	Level string `json:"level"`
}

type bashUpdate struct {
	Type  string          `json:"type"`
	ID    json.RawMessage `json:"id,omitempty"`
	Delta string          `json:"delta"`
}
