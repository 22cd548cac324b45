package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// HostTool is a tool that the model may call and this process carries out.
type HostTool struct {
	Name        string
	Label       string // for people; empty means Name
	Description string // tells the model when to use it
	// Parameters is the JSON Schema of the arguments, an object: a
	// json.RawMessage, a map or whatever encodes to one. Nil means no arguments.
	Parameters any
	// Hidden keeps the tool from being active at once.
	Hidden bool
	// Run carries out one call, in a goroutine of its own; several may run at
	// the same time. ctx ends when the agent cancels the call or the client is
	// closed; the result no longer matters then. An error, or a panic, makes the
	// call fail; the model reads its text.
	Run func(ctx context.Context, call HostCall) (Output, error)
}

// HostCall is one call of a host tool.
type HostCall struct {
	ToolCallID string // the model's id for it
	Name       string
	Arguments  json.RawMessage // a JSON object, valid against Parameters
	// Update shows people what there is so far; each replaces the one before.
	// It returns when the update is on its way to the agent.
	Update func(Output) error
}

// SetHostTools replaces the host's tools, from the next model call on, and
// returns their names as the agent took them. No tools removes all. Calls of
// earlier tools that are running go on.
func (c *Client) SetHostTools(ctx context.Context, tools ...HostTool) ([]string, error) {
	definitions := make([]map[string]any, 0, len(tools))
	next := map[string]HostTool{}
	for _, t := range tools {
		if t.Run == nil {
			return nil, fmt.Errorf("host tool %q has no Run", t.Name)
		}
		next[t.Name] = t
		definitions = append(definitions, t.definition())
	}
	select {
	case c.exchange <- struct{}{}:
		defer func() { <-c.exchange }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	// Until the agent has answered it may call tools of either set.
	before := c.swapTools(func(now map[string]HostTool) map[string]HostTool {
		both := maps.Clone(now)
		maps.Copy(both, next)
		return both
	})
	answer, err := ask[struct {
		ToolNames []string `json:"toolNames"`
	}](ctx, c, "set_host_tools", map[string]any{"tools": definitions})
	var refused *CommandError
	switch {
	case err == nil:
		c.swapTools(func(map[string]HostTool) map[string]HostTool { return next })
	case errors.As(err, &refused):
		c.swapTools(func(map[string]HostTool) map[string]HostTool { return before })
	}
	return answer.ToolNames, err
}

func (t HostTool) definition() map[string]any {
	d := map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}
	if t.Parameters == nil {
		d["parameters"] = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	if t.Label != "" {
		d["label"] = t.Label
	}
	if t.Hidden {
		d["hidden"] = true
	}
	return d
}

// swapTools changes the set of tools and returns what it was.
func (c *Client) swapTools(change func(map[string]HostTool) map[string]HostTool) map[string]HostTool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.tools
	c.tools = change(before)
	return before
}

type hostCallFrame struct {
	ID         string          `json:"id"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
}

// hostCall starts a call.
func (c *Client) hostCall(line []byte) {
	var f hostCallFrame
	if err := json.Unmarshal(line, &f); err != nil {
		c.report(line, err)
		return
	}
	ctx, done := c.begin(f.ID)
	c.mu.Lock()
	tool, known := c.tools[f.ToolName]
	c.mu.Unlock()
	go func() {
		defer done()
		out, err := Output{}, fmt.Errorf("the host has no tool %q", f.ToolName)
		if known {
			out, err = c.run(ctx, tool, f)
		}
		if ctx.Err() == nil { // else the agent has ended the call itself
			c.hostResult(f.ID, out, err)
		}
	}()
}

// begin opens a host tool call or dialog, which a cancel frame may end. done
// must be called at its end.
func (c *Client) begin(id string) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(c.handlers)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[id] = cancel
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, id)
	}
}

func (c *Client) run(ctx context.Context, tool HostTool, f hostCallFrame) (out Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("host tool %q panicked: %v", tool.Name, p)
		}
	}()
	if args := bytes.TrimSpace(f.Arguments); len(args) == 0 || args[0] != '{' {
		return Output{}, errors.New("the arguments are no JSON object")
	}
	return tool.Run(ctx, HostCall{
		ToolCallID: f.ToolCallID, Name: f.ToolName, Arguments: f.Arguments,
		Update: func(o Output) error { return c.hostUpdate(ctx, f.ID, o) },
	})
}

func (c *Client) hostUpdate(ctx context.Context, id string, o Output) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	written := make(chan struct{})
	err := c.send(map[string]any{"type": "host_tool_update", "id": id, "partialResult": o.sound()}, written)
	if err != nil {
		return err
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Client) hostResult(id string, o Output, failure error) {
	frame := map[string]any{"type": "host_tool_result", "id": id, "result": o.sound()}
	if failure != nil {
		// What the tool has given besides the error stays for people to see.
		frame["result"] = Output{Text(failure.Error()).Content, o.Details}
		frame["isError"] = true
	}
	if err := c.send(frame, nil); err != nil && c.handlers.Err() == nil {
		// The result can't be encoded.
		_ = c.send(map[string]any{"type": "host_tool_result", "id": id, "result": Text(err.Error()), "isError": true}, nil)
	}
}

// sound has content, which the agent insists on.
func (o Output) sound() Output {
	if o.Content == nil {
		o.Content = []message.Block{}
	}
	return o
}
