package ext

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Host calls a session's extensions in load order.
type Host struct {
	Hooks []Hooks
	// Session is what an extension, by its name, may call back.
	Session func(extension string) Session
	// Timeout is each call's deadline; 0 means 30 s.
	Timeout time.Duration
	// Failed reports an extension that failed; it must not call hooks.
	Failed func(extension, point string, err error)
}

// Has reports whether any extension wants the point.
func (h *Host) Has(wants func(Hooks) bool) bool {
	for _, k := range h.Hooks {
		if wants(k) {
			return true
		}
	}
	return false
}

// call runs one hook under its deadline, then what the hook put off.
func (h *Host) call(ctx context.Context, k Hooks, point string, fn func(context.Context) error) error {
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	f := newFrame(ctx, timeout)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panicked: %v", p)
			}
		}()
		done <- fn(f.ctx)
	}()
	var err error
	select {
	case err = <-done:
	case <-f.ctx.Done(): // a hook that ignores its context is left behind
		err = context.Cause(f.ctx)
	}
	f.close()
	if err != nil && ctx.Err() == nil { // else the session stopped it
		h.Failed(k.Name, point, err)
	}
	f.runDeferred()
	return err
}

// SessionStart calls every extension's start hook.
func (h *Host) SessionStart(ctx context.Context) {
	for _, k := range h.Hooks {
		if k.SessionStart != nil {
			_ = h.call(ctx, k, "session_start", func(ctx context.Context) error { return k.SessionStart(ctx, h.Session(k.Name)) })
		}
	}
}

// SessionShutdown calls every extension's shutdown hook.
func (h *Host) SessionShutdown(ctx context.Context) {
	for _, k := range h.Hooks {
		if k.SessionShutdown != nil {
			_ = h.call(ctx, k, "session_shutdown", func(ctx context.Context) error { return k.SessionShutdown(ctx, h.Session(k.Name)) })
		}
	}
}

// Input folds the replies: each extension sees what the one before it made.
func (h *Host) Input(ctx context.Context, in Input) (Input, InputReply) {
	for _, k := range h.Hooks {
		if k.Input == nil || (in.Sender != "" && k.Name == in.Sender) {
			continue
		}
		reply, err := ask(ctx, h, k, "input", func(ctx context.Context) (InputReply, error) { return k.Input(ctx, h.Session(k.Name), in) })
		if err != nil {
			continue
		}
		if reply.Text != nil {
			in.Text = *reply.Text
		}
		if reply.Images != nil {
			in.Images = reply.Images
		}
		if reply.Handled || reply.Block {
			return in, reply
		}
	}
	return in, InputReply{}
}

// BeforeRun collects messages; the last system prompt wins.
func (h *Host) BeforeRun(ctx context.Context, b BeforeRun) BeforeRunReply {
	var all BeforeRunReply
	for _, k := range h.Hooks {
		if k.BeforeRun == nil {
			continue
		}
		reply, err := ask(ctx, h, k, "before_run", func(ctx context.Context) (BeforeRunReply, error) { return k.BeforeRun(ctx, h.Session(k.Name), b) })
		if err != nil {
			continue
		}
		if reply.Block {
			return reply
		}
		all.Messages = append(all.Messages, reply.Messages...)
		if reply.System != "" {
			all.System, b.System = reply.System, reply.System
		}
	}
	return all
}

// Context folds the messages of one request.
func (h *Host) Context(ctx context.Context, messages []message.Message) []message.Message {
	for _, k := range h.Hooks {
		if k.Context == nil {
			continue
		}
		out, err := ask(ctx, h, k, "context", func(ctx context.Context) ([]message.Message, error) {
			return k.Context(ctx, h.Session(k.Name), append([]message.Message(nil), messages...))
		})
		if err == nil && out != nil {
			messages = out
		}
	}
	return messages
}

// ToolCall folds arguments and stops at the first block. It fails closed.
func (h *Host) ToolCall(ctx context.Context, c ToolCall) (json.RawMessage, ToolCallReply) {
	for _, k := range h.Hooks {
		if k.ToolCall == nil {
			continue
		}
		reply, err := ask(ctx, h, k, "tool_call", func(ctx context.Context) (ToolCallReply, error) { return k.ToolCall(ctx, h.Session(k.Name), c) })
		if err != nil {
			return c.Arguments, ToolCallReply{Block: true, Reason: fmt.Sprintf("Extension %s failed: %v", k.Name, err)}
		}
		if reply.Block {
			if reply.Reason == "" {
				reply.Reason = "The extension " + k.Name + " blocked this call."
			}
			return c.Arguments, reply
		}
		if reply.Arguments != nil {
			c.Arguments = reply.Arguments
		}
	}
	return c.Arguments, ToolCallReply{}
}

// ToolResult folds a result.
func (h *Host) ToolResult(ctx context.Context, r ToolResult) ToolResult {
	for _, k := range h.Hooks {
		if k.ToolResult == nil {
			continue
		}
		if out, err := ask(ctx, h, k, "tool_result", func(ctx context.Context) (ToolResult, error) { return k.ToolResult(ctx, h.Session(k.Name), r) }); err == nil {
			r.Content, r.Details, r.IsError = out.Content, out.Details, out.IsError
		}
	}
	return r
}

// RunEnd calls every extension.
func (h *Host) RunEnd(ctx context.Context, e RunEnd) {
	for _, k := range h.Hooks {
		if k.RunEnd != nil {
			_ = h.call(ctx, k, "run_end", func(ctx context.Context) error { return k.RunEnd(ctx, h.Session(k.Name), e) })
		}
	}
}

// BeforeCompact returns the first reply that decides.
func (h *Host) BeforeCompact(ctx context.Context, b BeforeCompact) BeforeCompactReply {
	for _, k := range h.Hooks {
		if k.BeforeCompact == nil {
			continue
		}
		reply, err := ask(ctx, h, k, "before_compact", func(ctx context.Context) (BeforeCompactReply, error) {
			return k.BeforeCompact(ctx, h.Session(k.Name), b)
		})
		if err == nil && (reply.Cancel || reply.Summary != "") {
			return reply
		}
	}
	return BeforeCompactReply{}
}

// BeforeReplace reports whether an extension vetoed.
func (h *Host) BeforeReplace(ctx context.Context, r Replace) (veto bool) {
	for _, k := range h.Hooks {
		if k.BeforeReplace == nil {
			continue
		}
		if no, err := ask(ctx, h, k, "before_replace", func(ctx context.Context) (bool, error) { return k.BeforeReplace(ctx, h.Session(k.Name), r) }); err == nil && no {
			return true
		}
	}
	return false
}

// Replaced calls every extension.
func (h *Host) Replaced(ctx context.Context, r Replace) {
	for _, k := range h.Hooks {
		if k.Replaced != nil {
			_ = h.call(ctx, k, "replaced", func(ctx context.Context) error { return k.Replaced(ctx, h.Session(k.Name), r) })
		}
	}
}

// ask is call for a hook with a reply.
func ask[R any](ctx context.Context, h *Host, k Hooks, point string, fn func(context.Context) (R, error)) (R, error) {
	replies := make(chan R, 1) // a hook left behind must not write what we read
	err := h.call(ctx, k, point, func(ctx context.Context) error {
		r, err := fn(ctx)
		replies <- r
		return err
	})
	var zero R
	if err != nil {
		return zero, err
	}
	return <-replies, nil
}
