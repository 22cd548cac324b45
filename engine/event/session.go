package event

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Model is what a face shows of a model.
type Model struct {
	Provider      string   `json:"provider"`
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	ContextWindow int      `json:"contextWindow"`
	Reasoning     bool     `json:"reasoning"`
	Levels        []string `json:"levels,omitempty"` // thinking levels, off included
	Images        bool     `json:"images"`
}

// Queued is a message that waits. Delivery is steer, followUp or prompt.
type Queued struct {
	ID       string          `json:"id"` // of the entry that it will become
	Delivery string          `json:"delivery"`
	Message  message.Message `json:"message"`
}

// View is a picture of a session. It is immutable.
type View struct {
	Seq       uint64 `json:"seq"` // of the last event it includes
	SessionID string `json:"sessionId"`
	File      string `json:"file,omitempty"` // empty: in memory
	Name      string `json:"name,omitempty"`
	Cwd       string `json:"cwd"`
	Model     Model  `json:"model"`
	Thinking  string `json:"thinking"`
	Mode      string `json:"mode"` // of permission
	State     string `json:"state"`
	// Busy holds from the acceptance of a prompt until it has settled.
	Busy bool `json:"busy"`
	// How messages that arrive during a run are delivered: one-at-a-time or all,
	// and for InterruptMode wait or immediate.
	SteeringMode  string `json:"steeringMode"`
	FollowUpMode  string `json:"followUpMode"`
	InterruptMode string `json:"interruptMode"`
	// What the session does by itself.
	AutoCompaction bool              `json:"autoCompaction"`
	AutoRetry      bool              `json:"autoRetry"`
	Messages       []message.Message `json:"messages"`
	// InFlight is the answer being streamed, as far as it has come.
	InFlight *message.Message    `json:"inFlight,omitempty"`
	Running  []ToolRunning       `json:"running,omitempty"` // calls in progress
	Queue    []Queued            `json:"queue,omitempty"`
	Question *Question           `json:"question,omitempty"`
	Todos    []message.TodoPhase `json:"todos,omitempty"`
	Usage    UsageChanged        `json:"usage"`
	// What extensions show, in the order in which it came.
	Statuses []StatusChanged `json:"statuses,omitempty"`
	Widgets  []WidgetChanged `json:"widgets,omitempty"`
	Title    string          `json:"title,omitempty"` // of the terminal
}

// QueueChanged holds the whole queue after a change.
type QueueChanged struct {
	Queue []Queued `json:"queue"`
}

// EntryAppended says that the session's tree has grown.
type EntryAppended struct {
	ID   string `json:"id"`
	Type string `json:"entryType"`
}

// LeafMoved says that the conversation continues elsewhere in the tree.
type LeafMoved struct {
	View View `json:"view"`
}

// SessionNamed holds the session's new name.
type SessionNamed struct {
	Name string `json:"name"`
}

// SessionReplaced says that the session's document is another one now.
// Reason is new, resume or fork.
type SessionReplaced struct {
	Reason string `json:"reason"`
	View   View   `json:"view"`
}

// ModelChanged holds the model of the next request.
type ModelChanged struct {
	Model Model `json:"model"`
}

// ThinkingChanged holds the thinking level of the next request.
type ThinkingChanged struct {
	Level string `json:"level"`
}

// SettingsChanged holds what the session does by itself and how it takes
// messages, when one of them was set: the words are the View's.
type SettingsChanged struct {
	SteeringMode   string `json:"steeringMode"`
	FollowUpMode   string `json:"followUpMode"`
	InterruptMode  string `json:"interruptMode"`
	AutoCompaction bool   `json:"autoCompaction"`
	AutoRetry      bool   `json:"autoRetry"`
}

// ModeChanged holds the permission mode.
type ModeChanged struct {
	Mode string `json:"mode"`
}

// ToolsChanged lists the tools that the model sees.
type ToolsChanged struct {
	Names []string `json:"names"`
}

// ServerStatus says what has become of an MCP server: State is idle, connecting,
// ready, failed or disabled, and Error says why it failed, in one line.
type ServerStatus struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Error string `json:"error,omitempty"`
	Tools int    `json:"tools"`
}

// CompactionStarted opens a compaction. Reason is manual, threshold or overflow.
type CompactionStarted struct {
	Reason string `json:"reason"`
}

// CompactionResult is what a compaction put in place of the old messages.
type CompactionResult struct {
	Summary          string          `json:"summary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"`
	TokensBefore     int             `json:"tokensBefore"`
	Details          json.RawMessage `json:"details,omitempty"`
}

// CompactionEnded closes it. Result is nil unless it succeeded. Messages is
// the context that remains.
type CompactionEnded struct {
	Reason    string            `json:"reason"`
	Result    *CompactionResult `json:"result,omitempty"`
	Aborted   bool              `json:"aborted"`
	WillRetry bool              `json:"willRetry"`
	Skipped   bool              `json:"skipped,omitempty"` // nothing to compact
	Error     string            `json:"error,omitempty"`
	Messages  []message.Message `json:"messages,omitempty"`
}

// UsageChanged holds the session's totals and how full the context is.
type UsageChanged struct {
	Total message.Usage `json:"total"`
	// ContextTokens is -1 while unknown (right after a compaction).
	ContextTokens int `json:"contextTokens"`
	ContextWindow int `json:"contextWindow"`
}

// TodosChanged holds the session's whole task list.
type TodosChanged struct {
	Phases []message.TodoPhase `json:"phases"`
}

// BashStarted announces a command of the user's own.
type BashStarted struct {
	ID      string `json:"id"`
	Ref     string `json:"ref,omitempty"`
	Command string `json:"command"`
}

// BashProgress is the tail of its output.
type BashProgress struct {
	ID     string `json:"id"`
	Output string `json:"output"`
}

// BashEnded holds the message that it became.
type BashEnded struct {
	ID      string          `json:"id"`
	Message message.Message `json:"message"`
}
