package event

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Will says what follows a run without the user doing anything.
type Will string

const (
	WillSettle   Will = ""           // nothing: RunSettled comes next
	WillRetry    Will = "retry"      // the same request again, after a wait
	WillCompact  Will = "compaction" // the context is summarised first
	WillContinue Will = "continue"   // a queued message or a hook starts another run
)

// RunStarted opens one attempt of the agent loop. Run counts from 1.
type RunStarted struct {
	Run int `json:"run"`
}

// RunEnded closes it. The session's state is already what it will be when
// this is published: with WillSettle it is idle and takes the next prompt.
type RunEnded struct {
	Run    int                `json:"run"`
	Reason message.StopReason `json:"reason"`
	Error  string             `json:"error,omitempty"`
	// Messages were added by this run alone.
	Messages []message.Message `json:"messages"`
	Will     Will              `json:"will,omitempty"`
}

// RunSettled closes a prompt: no retry, compaction or queued work is left.
type RunSettled struct {
	Reason  message.StopReason `json:"reason"`
	Aborted bool               `json:"aborted"`
	Error   string             `json:"error,omitempty"`
	// ErrorKind classifies a provider's failure; the values are llm's.
	ErrorKind string `json:"errorKind,omitempty"`
}

// TurnStarted opens one model call with the tool calls it makes.
type TurnStarted struct{}

// TurnEnded closes it; tool results are in the order in which they ended.
type TurnEnded struct {
	Message     message.Message   `json:"message"`
	ToolResults []message.Message `json:"toolResults"`
}

// MessageStarted announces a message; an assistant's is still empty.
type MessageStarted struct {
	ID      string          `json:"id"`
	Message message.Message `json:"message"`
}

// MessageDelta is more of one block of an assistant message. Text is the
// whole block so far and From is where the news begins, so that two deltas
// merge without copying: keep the later Text and the earlier From. For a tool
// call Text is the raw JSON of the arguments.
type MessageDelta struct {
	ID    string
	Index int
	Block message.BlockType
	// CallID and Name belong to tool calls.
	CallID, Name string
	From         int
	Text         string
	// Done marks the block's end.
	Done bool
}

// Delta is the new part of the text.
func (d MessageDelta) Delta() string { return d.Text[d.From:] }

// MessageEnded holds the message as it was stored.
type MessageEnded struct {
	ID      string          `json:"id"`
	Message message.Message `json:"message"`
}

// MessageRemoved takes a message out of the context and off the screen: a
// failed answer before its retry. It stays in the session file.
type MessageRemoved struct {
	ID string `json:"id"`
}

// ToolStarted announces a call with the arguments as the model gave them.
type ToolStarted struct {
	CallID    string          `json:"callId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ToolRunning says that the call passed validation, hooks and permission.
type ToolRunning struct {
	CallID    string          `json:"callId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Title     string          `json:"title"`
	ToolKind  string          `json:"kind"`
	Locations []Location      `json:"locations,omitempty"`
	// Diff is what an edit will change, unified.
	Diff string `json:"diff,omitempty"`
}

// Location is a place in a file. Line counts from 1; 0 is none.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// ToolProgress replaces what was shown of a running call.
type ToolProgress struct {
	CallID  string          `json:"callId"`
	Content []message.Block `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
}

// ToolEnded holds a call's result.
type ToolEnded struct {
	CallID  string          `json:"callId"`
	Name    string          `json:"name"`
	Content []message.Block `json:"content"`
	Details json.RawMessage `json:"details,omitempty"`
	IsError bool            `json:"isError"`
	// Denied says who refused the call: user, nobody (no face could ask), approval
	// (nobody, and the agent wants each call of the tool approved), mode,
	// rule or extension; empty when it ran or failed otherwise.
	Denied     string `json:"denied,omitempty"`
	DurationMS int64  `json:"durationMs"`
}

// RetryScheduled says that a failed run is tried again after DelayMS.
type RetryScheduled struct {
	Attempt     int    `json:"attempt"`
	MaxAttempts int    `json:"maxAttempts"`
	DelayMS     int64  `json:"delayMs"`
	Error       string `json:"error"`
}

// RetryEnded closes a series of retries.
type RetryEnded struct {
	Success bool   `json:"success"`
	Attempt int    `json:"attempt"`
	Error   string `json:"error,omitempty"`
}

// PromptFailed says that an accepted prompt could not start a run.
type PromptFailed struct {
	Ref   string `json:"ref,omitempty"`
	Error string `json:"error"`
}
