// The texts of errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// hostTools are tools that the host carries out: a call goes out as a frame and
// comes back as a line.
type hostTools struct {
	session *engine.Session
	sub     *engine.Subscription

	mu    sync.Mutex
	next  int
	calls map[string]*hostCall
	gone  error // why no more calls can be made
}

// hostCall is one call that the host works on.
type hostCall struct {
	progress func(tool.Result)
	done     chan hostResult // room for the one result
}

type hostResult struct {
	result tool.Result
	err    error
}

func newHostTools(s *engine.Session, sub *engine.Subscription) *hostTools {
	return &hostTools{session: s, sub: sub, calls: map[string]*hostCall{}}
}

// hostTool is one of them, as the engine knows tools.
type hostTool struct {
	spec tool.Spec
	host *hostTools
}

func (t hostTool) Spec() tool.Spec { return t.spec }

func (t hostTool) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	return t.host.call(ctx, t.spec.Name, c)
}

// Describe says what the call would do, for the question whether it may: the
// tool's label and what the model gives it.
func (t hostTool) Describe(_ context.Context, c tool.Call) (tool.Description, error) {
	title := cmp.Or(t.spec.Label, t.spec.Name)
	if args := string(message.Object(c.Arguments)); args != "{}" {
		const most = 300 // bytes
		if len(args) > most {
			args = strings.ToValidUTF8(args[:most], "") + "…"
		}
		title += " " + args
	}
	return tool.Description{Title: title, Kind: t.spec.Kind}, nil
}

type hostToolCall struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Arguments  json.RawMessage `json:"arguments"`
}

type hostToolCancel struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	TargetID string `json:"targetId"`
}

func (h *hostTools) newID() string {
	h.next++
	return "host_" + strconv.Itoa(h.next)
}

// call sends a call out and waits for its result. Its frame takes its place
// behind the events that announce the call.
func (h *hostTools) call(ctx context.Context, name string, c tool.Call) (tool.Result, error) {
	pending := &hostCall{progress: c.Progress, done: make(chan hostResult, 1)}
	h.mu.Lock()
	if h.gone != nil {
		h.mu.Unlock()
		return tool.Result{}, h.gone
	}
	id := h.newID()
	h.calls[id] = pending
	h.mu.Unlock()
	frame := hostToolCall{Type: "host_tool_call", ID: id, ToolCallID: c.ID, ToolName: name, Arguments: message.Object(c.Arguments)}
	h.session.Place(&engine.Ack{Sub: h.sub, Value: frame})
	select {
	case r := <-pending.done:
		return r.result, r.err
	case <-ctx.Done():
	}
	h.mu.Lock()
	_, open := h.calls[id]
	delete(h.calls, id)
	cancel := hostToolCancel{Type: "host_tool_cancel", ID: h.newID(), TargetID: id}
	h.mu.Unlock()
	if !open { // the result came in the same moment
		r := <-pending.done
		return r.result, r.err
	}
	h.session.Place(&engine.Ack{Sub: h.sub, Value: cancel})
	return tool.Result{}, &tool.AbortedError{Text: fmt.Sprintf("Host tool %q was aborted", name)}
}

// disconnect fails the calls that are open, and all that follow.
func (h *hostTools) disconnect() {
	err := &tool.AbortedError{Text: "RPC client disconnected before host tool execution completed"}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = err
	for id, c := range h.calls {
		c.done <- hostResult{err: err}
		delete(h.calls, id)
	}
}

// answered takes a line about a call. One about a call that there isn't is
// dropped; one without content is no such line.
func (h *hostTools) answered(r request) bool {
	field := "result"
	switch r.Type {
	case "host_tool_update":
		field = "partialResult"
	case "host_tool_result":
	default:
		return false
	}
	var id string
	var content struct {
		Content *[]json.RawMessage `json:"content"`
		Details json.RawMessage    `json:"details"`
	}
	if json.Unmarshal(r.ID, &id) != nil || json.Unmarshal(r.fields[field], &content) != nil || content.Content == nil {
		return false
	}
	result := tool.Result{Content: blocks(*content.Content)}
	if !isNull(content.Details) {
		result.Details = content.Details
	}
	var failed bool
	_ = json.Unmarshal(r.fields["isError"], &failed)
	h.mu.Lock()
	c := h.calls[id]
	if c != nil && field == "result" {
		delete(h.calls, id)
		c.done <- resultOf(result, failed)
	}
	h.mu.Unlock()
	if c != nil && field == "partialResult" {
		c.progress(result)
	}
	return true
}

// blocks keeps the text and images of a host's content.
func blocks(raw []json.RawMessage) []message.Block {
	out := []message.Block{}
	for _, r := range raw {
		var b message.Block
		if json.Unmarshal(r, &b) == nil && (b.Type == message.TextBlock || b.Type == message.ImageBlock) {
			out = append(out, b)
		}
	}
	return out
}

// resultOf is a call's end. The text of one that failed is its error.
func resultOf(r tool.Result, failed bool) hostResult {
	if !failed {
		return hostResult{result: r}
	}
	text := message.Text(r.Content)
	if text == "" {
		text = "Host tool execution failed"
	}
	return hostResult{tool.Result{Details: r.Details}, errors.New(text)}
}

type hostDefinition struct {
	Name        json.RawMessage `json:"name"`
	Label       json.RawMessage `json:"label"`
	Description json.RawMessage `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Hidden      json.RawMessage `json:"hidden"`
}

// set replaces the host's tools and returns their names. The checks and their
// texts are the protocol's, in its order.
func (h *hostTools) set(ctx context.Context, definitions []hostDefinition) ([]string, error) {
	names := make([]string, len(definitions))
	tools := make([]tool.Tool, len(definitions))
	seen := map[string]bool{}
	unique := true
	for i, d := range definitions {
		spec := tool.Spec{Name: trimmed(d.Name), Label: trimmed(d.Label), Description: trimmed(d.Description), Kind: tool.Other, Parameters: d.Parameters}
		if spec.Name == "" {
			return nil, fmt.Errorf("Host tool at index %d must provide a non-empty name", i)
		}
		if spec.Description == "" {
			return nil, fmt.Errorf("Host tool %q must provide a non-empty description", spec.Name)
		}
		var schema map[string]json.RawMessage
		if json.Unmarshal(d.Parameters, &schema) != nil || schema == nil {
			return nil, fmt.Errorf("Host tool %q must provide a JSON Schema object", spec.Name)
		}
		spec.Hidden = string(d.Hidden) == "true"
		unique = unique && !seen[spec.Name]
		seen[spec.Name] = true
		names[i], tools[i] = spec.Name, hostTool{spec, h}
	}
	if !unique {
		return nil, errors.New("RPC host tool names must be unique")
	}
	err := h.session.SetHostTools(ctx, tools)
	if conflict, ok := errors.AsType[*engine.ToolConflictError](err); ok {
		return nil, fmt.Errorf("RPC host tool %q conflicts with an existing tool", conflict.Name)
	}
	return names, err
}

// trimmed is a string without the blanks around it; "" for anything else.
func trimmed(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return strings.TrimSpace(s)
}
