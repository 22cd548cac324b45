package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// payload is what a command reads. Names follow what hooks of other agents
// read.
type payload struct {
	Event         string `json:"event"`
	HookEventName string `json:"hook_event_name"`
	SessionID     string `json:"session_id,omitempty"`
	Transcript    string `json:"transcript_path,omitempty"`
	Cwd           string `json:"cwd,omitempty"`

	Source       string          `json:"source,omitempty"`
	Prompt       string          `json:"prompt,omitempty"`
	SystemPrompt string          `json:"system_prompt,omitempty"`
	ToolName     string          `json:"tool_name,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty"`
	ToolResponse *response       `json:"tool_response,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	LastMessage  string          `json:"last_assistant_message,omitempty"`
	StopActive   *bool           `json:"stop_hook_active,omitempty"`
	Trigger      string          `json:"trigger,omitempty"`
	Instructions string          `json:"custom_instructions,omitempty"`
	Path         string          `json:"path,omitempty"`
	Message      string          `json:"message,omitempty"`
	Title        string          `json:"title,omitempty"`
}

// response is the result of a tool call.
type response struct {
	Content string          `json:"content"`
	IsError bool            `json:"is_error"`
	Details json.RawMessage `json:"details,omitempty"`
}

// run runs the command at its event. The hook's own timeout counts instead of
// the host's: whoever wrote it down wants to wait that long.
func (h *hook) run(ctx context.Context, s ext.Session, p payload) (decision, error) {
	resume := ext.Pause(ctx)
	defer resume()
	p.Event, p.HookEventName = h.event, first(h.foreign, h.event)
	if doc, err := s.Document(ctx); err == nil { // a session that closes may have none
		p.SessionID, p.Transcript, p.Cwd = doc.ID, doc.File, doc.Cwd
	}
	var stdin bytes.Buffer
	e := json.NewEncoder(&stdin)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return decision{}, fmt.Errorf("describe the event: %w", err)
	}
	result, err := s.Exec(ctx, ext.Exec{
		Name: h.shell[0], Args: append(h.shell[1:len(h.shell):len(h.shell)], h.Command),
		Env:   []string{"HOOPOE_HOOK_EVENT=" + h.event, "HOOPOE_PROJECT_DIR=" + p.Cwd},
		Stdin: &stdin, Timeout: h.Timeout,
	})
	switch {
	case err != nil:
		return decision{}, err
	case ctx.Err() != nil:
		return decision{}, context.Cause(ctx)
	case result.Killed:
		return decision{}, fmt.Errorf("took longer than %v or was killed", h.Timeout)
	case result.Code == 2:
		said := strings.TrimSpace(result.Stderr)
		return decision{block: true, reason: bounded(first(said, result.Stdout))}, nil
	case result.Code != 0:
		return decision{}, fmt.Errorf("exited with code %d: %s", result.Code, lastLine(first(result.Stderr, result.Stdout)))
	}
	d, err := parse(result.Stdout)
	if err == nil && d.warning != "" {
		s.Notify(ctx, "warning", d.warning)
	}
	return d, err
}

// lastLine is what a program said last, which is mostly why it failed.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return brief(last)
	}
	return "it printed nothing"
}
