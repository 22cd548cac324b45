package client

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// State is a picture of the session.
type State struct {
	Model         *Model `json:"model"` // nil if there is none
	ThinkingLevel string `json:"thinkingLevel"`
	// IsStreaming is true from a prompt's acceptance until it is settled.
	IsStreaming   bool          `json:"isStreaming"`
	IsCompacting  bool          `json:"isCompacting"`
	SteeringMode  QueueMode     `json:"steeringMode"`
	FollowUpMode  QueueMode     `json:"followUpMode"`
	InterruptMode InterruptMode `json:"interruptMode"`
	// SessionFile is empty for a session in memory, SessionName until one is
	// set.
	SessionFile           string              `json:"sessionFile"`
	SessionID             string              `json:"sessionId"`
	SessionName           string              `json:"sessionName"`
	AutoCompactionEnabled bool                `json:"autoCompactionEnabled"`
	MessageCount          int                 `json:"messageCount"`
	QueuedMessageCount    int                 `json:"queuedMessageCount"`
	TodoPhases            []message.TodoPhase `json:"todoPhases"`
	SystemPrompt          string              `json:"systemPrompt"`
	Tools                 []Tool              `json:"dumpTools"`
	ContextUsage          *ContextUsage       `json:"contextUsage"`
}

// Tool is what the model is told of a tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON Schema
}

// ContextUsage is how full the model's context window is. Tokens and Percent
// are nil right after a compaction.
type ContextUsage struct {
	Tokens        *int     `json:"tokens"`
	ContextWindow int      `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

// State returns how things are now.
func (c *Client) State(ctx context.Context) (State, error) {
	return ask[State](ctx, c, "get_state", nil)
}

// Messages returns the context of the active branch.
func (c *Client) Messages(ctx context.Context) ([]message.Message, error) {
	data, err := ask[struct {
		Messages []message.Message `json:"messages"`
	}](ctx, c, "get_messages", nil)
	return data.Messages, err
}

// LastAssistantText returns the text of the last answer; ok is false if there
// is none.
func (c *Client) LastAssistantText(ctx context.Context) (text string, ok bool, err error) {
	data, err := ask[struct {
		Text *string `json:"text"`
	}](ctx, c, "get_last_assistant_text", nil)
	if err != nil || data.Text == nil {
		return "", false, err
	}
	return *data.Text, true, nil
}

// SetTodos replaces the task list and returns it as the agent keeps it.
func (c *Client) SetTodos(ctx context.Context, phases []message.TodoPhase) ([]message.TodoPhase, error) {
	sound := make([]message.TodoPhase, len(phases))
	for i, p := range phases {
		if p.Tasks == nil {
			p.Tasks = []message.Todo{} // null is no list
		}
		sound[i] = p
	}
	data, err := ask[struct {
		TodoPhases []message.TodoPhase `json:"todoPhases"`
	}](ctx, c, "set_todos", params{"phases": sound})
	return data.TodoPhases, err
}

// Command is a slash command that a prompt may begin with.
type Command struct {
	Name        string          `json:"name"` // without the slash
	Description string          `json:"description"`
	Source      string          `json:"source"` // extension, prompt, skill
	SourceInfo  json.RawMessage `json:"sourceInfo"`
}

func (c *Client) Commands(ctx context.Context) ([]Command, error) {
	data, err := ask[struct {
		Commands []Command `json:"commands"`
	}](ctx, c, "get_commands", nil)
	return data.Commands, err
}

// CompactionResult is what a compaction put in place of the old messages.
type CompactionResult struct {
	Summary          string          `json:"summary"`
	ShortSummary     string          `json:"shortSummary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"`
	TokensBefore     int             `json:"tokensBefore"`
	Details          json.RawMessage `json:"details"`
}

// Compact summarises the older part of the conversation; instructions, if any,
// tell the model what matters. It stops a run that is going on.
func (c *Client) Compact(ctx context.Context, instructions string) (CompactionResult, error) {
	p := params{}
	if instructions != "" {
		p["customInstructions"] = instructions
	}
	return ask[CompactionResult](ctx, c, "compact", p)
}

// SetAutoCompaction says whether the agent compacts by itself.
func (c *Client) SetAutoCompaction(ctx context.Context, on bool) error {
	return c.do(ctx, "set_auto_compaction", params{"enabled": on})
}

// SetAutoRetry says whether the agent tries failed requests again.
func (c *Client) SetAutoRetry(ctx context.Context, on bool) error {
	return c.do(ctx, "set_auto_retry", params{"enabled": on})
}

// AbortRetry cancels the wait for the next attempt; the failure stands.
func (c *Client) AbortRetry(ctx context.Context) error { return c.do(ctx, "abort_retry", nil) }

// BashOptions go with a shell command.
type BashOptions struct {
	// ExcludeFromContext keeps the command from the model.
	ExcludeFromContext bool
}

// BashResult is what a shell command of the user's wrote and how it ended.
type BashResult struct {
	Output         string `json:"output"`   // stdout and stderr, the end of it
	ExitCode       *int   `json:"exitCode"` // nil if it was killed
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	TotalLines     int    `json:"totalLines"`
	TotalBytes     int    `json:"totalBytes"`
	OutputLines    int    `json:"outputLines"`
	OutputBytes    int    `json:"outputBytes"`
	FullOutputPath string `json:"fullOutputPath"`
	NewCwd         string `json:"newCwd"`
}

// Bash runs a shell command as the user's own and returns when it has ended. A
// non-zero exit is no error. Cancelling ctx leaves it running: AbortBash stops
// it.
func (c *Client) Bash(ctx context.Context, command string, o BashOptions) (BashResult, error) {
	p := params{"command": command}
	if o.ExcludeFromContext {
		p["excludeFromContext"] = true
	}
	return ask[BashResult](ctx, c, "bash", p)
}

// AbortBash kills the command of Bash, not the model's own.
func (c *Client) AbortBash(ctx context.Context) error { return c.do(ctx, "abort_bash", nil) }
