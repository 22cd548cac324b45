// Package message holds the conversation's data: roles, content blocks, usage
// and stop reasons, with the JSON that session files and the RPC dialects share.
//
//	provider stream ─▶ Message (assistant) ─▶ session entry ─▶ context of the next request
//
// It is pure data: no I/O, no clock. One struct serves every role, because
// messages are stored, listed and projected far more often than they are
// branched on; the JSON of each role holds only that role's fields.
package message

import "encoding/json"

// Role names who speaks. The values are the wire's.
type Role string

const (
	User              Role = "user"
	Developer         Role = "developer" // a note of ours to the model: reminders, "go on"
	Assistant         Role = "assistant"
	ToolResult        Role = "toolResult"
	BashExecution     Role = "bashExecution" // a command that the user ran with "!"
	Custom            Role = "custom"        // from an extension or a rule
	BranchSummary     Role = "branchSummary"
	CompactionSummary Role = "compactionSummary"
	FileMention       Role = "fileMention"
)

// StopReason says why an answer ended. The values are the wire's.
type StopReason string

const (
	Stop    StopReason = "stop"
	Length  StopReason = "length"
	ToolUse StopReason = "toolUse"
	Error   StopReason = "error"
	Aborted StopReason = "aborted"
	Refusal StopReason = "refusal" // the provider's content filter

	// Reasons of a run, never of a message.
	StepLimit StopReason = "stepLimit" // model calls
	Budget    StopReason = "budget"    // tokens, money or time
)

// Message is one entry of the conversation. Fields below a role's name belong
// to that role alone and are absent from the JSON of the others. Once
// published a Message is immutable: readers share its slices.
type Message struct {
	// ID is the session entry's id, allocated when the message starts. It is
	// not part of the message's own JSON; the entry carries it.
	ID   string
	Role Role
	// Content of user, developer, assistant, toolResult and custom messages.
	Content []Block
	// Timestamp in Unix milliseconds.
	Timestamp int64
	// Attribution is "user" or "agent", or empty.
	Attribution string
	// Synthetic marks a user message that no human wrote.
	Synthetic bool

	// assistant
	API, Provider, Model string
	ResponseID           string
	Usage                Usage
	StopReason           StopReason
	ErrorMessage         string
	DurationMS, TTFTMS   int64

	// toolResult
	ToolCallID, ToolName string
	Details              json.RawMessage // also of custom
	IsError              bool

	// bashExecution
	Bash *Bash

	// custom
	CustomType string
	Display    bool

	// branchSummary, compactionSummary
	Summary, ShortSummary string
	FromID                string
	TokensBefore          int

	// fileMention
	Files json.RawMessage

	// Raw is the whole JSON of a role this build doesn't know; it is written
	// back as it came.
	Raw json.RawMessage
}

// Bash is a shell command run by the user, outside the model's turn.
type Bash struct {
	Command            string
	Output             string
	ExitCode           *int // nil when killed or timed out
	Cancelled          bool
	Truncated          bool
	FullOutputPath     string
	ExcludeFromContext bool
}

// Usage counts tokens of one answer and what they cost in US dollars.
// Input excludes what was read from or written to the provider's cache.
type Usage struct {
	Input       int  `json:"input"`
	Output      int  `json:"output"`
	CacheRead   int  `json:"cacheRead"`
	CacheWrite  int  `json:"cacheWrite"`
	TotalTokens int  `json:"totalTokens"`
	Cost        Cost `json:"cost"`
}

// Cost is in US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// Add returns the sum of both usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		TotalTokens: u.TotalTokens + v.TotalTokens,
		Cost: Cost{
			Input: u.Cost.Input + v.Cost.Input, Output: u.Cost.Output + v.Cost.Output,
			CacheRead: u.Cost.CacheRead + v.Cost.CacheRead, CacheWrite: u.Cost.CacheWrite + v.Cost.CacheWrite,
			Total: u.Cost.Total + v.Cost.Total,
		},
	}
}

// ContextTokens is how much of the context window the answer's request and
// the answer itself took.
func (u Usage) ContextTokens() int {
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Text joins the message's text blocks with newlines.
func (m Message) Text() string { return Text(m.Content) }

// Calls returns the tool calls of an assistant message, in order.
func (m Message) Calls() []Block {
	var calls []Block
	for _, b := range m.Content {
		if b.Type == ToolCallBlock {
			calls = append(calls, b)
		}
	}
	return calls
}

// NewUser returns a user message of text and optional images.
func NewUser(text string, images ...Block) Message {
	return Message{Role: User, Content: append([]Block{TextOf(text)}, images...), Attribution: "user"}
}
