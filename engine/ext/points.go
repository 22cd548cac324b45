package ext

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// SessionStart calls every extension's start hook.
func (h *Host) SessionStart(ctx context.Context) {
	for _, p := range h.own() {
		h.Start(ctx, p)
	}
}

// Start calls one extension's start hook.
func (h *Host) Start(ctx context.Context, p *Part) {
	if hook := p.Instance.SessionStart; hook != nil {
		h.tell(ctx, p, "session_start", func(ctx context.Context) error { return hook(ctx, p.Session) })
	}
}

// SessionShutdown calls every extension's shutdown hook.
func (h *Host) SessionShutdown(ctx context.Context) {
	for _, p := range h.own() {
		h.Stop(ctx, p)
	}
}

// Stop calls one extension's shutdown hook.
func (h *Host) Stop(ctx context.Context, p *Part) {
	if hook := p.Instance.SessionShutdown; hook != nil {
		h.tell(ctx, p, "session_shutdown", func(ctx context.Context) error { return hook(ctx, p.Session) })
	}
}

// Input folds the replies: each extension sees what the one before it made.
func (h *Host) Input(ctx context.Context, in Input) (Input, InputReply) {
	for _, p := range h.own() {
		hook := p.Instance.Input
		if hook == nil || (in.Sender != "" && p.Name == in.Sender) {
			continue
		}
		reply, err := ask(ctx, h, p, "input", func(ctx context.Context) (InputReply, error) { return hook(ctx, p.Session, in) })
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

// BeforeRun collects messages; each extension sees the system prompt that the
// one before it made.
func (h *Host) BeforeRun(ctx context.Context, b BeforeRun) BeforeRunReply {
	var all BeforeRunReply
	for _, p := range h.own() {
		hook := p.Instance.BeforeRun
		if hook == nil {
			continue
		}
		reply, err := ask(ctx, h, p, "before_run", func(ctx context.Context) (BeforeRunReply, error) { return hook(ctx, p.Session, b) })
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

// Event tells one extension what has happened, but for failures of extensions,
// which would make more of their like. Of failures that follow each other the
// same one is reported once. It is not for concurrent use.
func (h *Host) Event(ctx context.Context, p *Part, e event.Event) {
	hook := p.Instance.Event
	if _, fault := e.(event.ExtensionFailed); hook == nil || fault {
		return
	}
	leave, ok := p.Enter()
	if !ok {
		return
	}
	defer leave()
	before := p.deaf
	p.deaf = ""
	_ = h.run(ctx, !p.Instance.Heeds, func(err error) {
		if p.deaf = err.Error(); p.deaf != before {
			h.Failed(p.Name, string(e.Kind()), err)
		}
	}, func(ctx context.Context) error { return hook(ctx, p.Session, e) })
}

// Context folds the messages of one request.
func (h *Host) Context(ctx context.Context, messages []message.Message) []message.Message {
	for _, p := range h.guards() {
		hook := p.Instance.Context
		if hook == nil {
			continue
		}
		out, err := ask(ctx, h, p, "context", func(ctx context.Context) ([]message.Message, error) {
			return hook(ctx, p.Session, slices.Clone(messages))
		})
		if err == nil && out != nil {
			messages = out
		}
	}
	return messages
}

// Request folds the body of one request to a provider.
func (h *Host) Request(ctx context.Context, body json.RawMessage) json.RawMessage {
	for _, p := range h.guards() {
		hook := p.Instance.Request
		if hook == nil {
			continue
		}
		out, err := ask(ctx, h, p, "request", func(ctx context.Context) (json.RawMessage, error) {
			out, err := hook(ctx, p.Session, slices.Clone(body))
			if err == nil && out != nil && !json.Valid(out) {
				err = fmt.Errorf("its body of the request isn't JSON")
			}
			return out, err
		})
		if err == nil && out != nil {
			body = out
		}
	}
	return body
}

// ToolCall folds arguments and stops at the first block. It fails closed.
func (h *Host) ToolCall(ctx context.Context, c ToolCall) (json.RawMessage, ToolCallReply) {
	for _, p := range h.guards() {
		hook := p.Instance.ToolCall
		if hook == nil {
			continue
		}
		reply, err := ask(ctx, h, p, "tool_call", func(ctx context.Context) (ToolCallReply, error) { return hook(ctx, p.Session, c) })
		if err != nil {
			return c.Arguments, ToolCallReply{Block: true, Reason: fmt.Sprintf("Extension %s failed: %v", p.Name, err)}
		}
		if reply.Block {
			if reply.Reason == "" {
				reply.Reason = "The extension " + p.Name + " blocked this call."
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
	for _, p := range h.guards() {
		hook := p.Instance.ToolResult
		if hook == nil {
			continue
		}
		if out, err := ask(ctx, h, p, "tool_result", func(ctx context.Context) (ToolResult, error) { return hook(ctx, p.Session, r) }); err == nil {
			r.Content, r.Details, r.IsError = out.Content, out.Details, out.IsError
		}
	}
	return r
}

// RunEnd calls every extension.
func (h *Host) RunEnd(ctx context.Context, e RunEnd) {
	for _, p := range h.own() {
		if hook := p.Instance.RunEnd; hook != nil {
			h.tell(ctx, p, "run_end", func(ctx context.Context) error { return hook(ctx, p.Session, e) })
		}
	}
}

// BeforeCompact returns the first reply that decides; what only changes how the
// summary is asked for is collected, of several prompts the last.
func (h *Host) BeforeCompact(ctx context.Context, b BeforeCompact) BeforeCompactReply {
	var all BeforeCompactReply
	for _, p := range h.own() {
		hook := p.Instance.BeforeCompact
		if hook == nil {
			continue
		}
		reply, err := ask(ctx, h, p, "before_compact", func(ctx context.Context) (BeforeCompactReply, error) {
			return hook(ctx, p.Session, b)
		})
		switch {
		case err != nil:
			continue
		case reply.Cancel || reply.Summary != "":
			return reply
		}
		all.Context = append(all.Context, reply.Context...)
		if reply.Prompt != "" {
			all.Prompt = reply.Prompt
		}
		if reply.Preserve != nil {
			all.Preserve = reply.Preserve
		}
	}
	return all
}

// Compacted calls every extension.
func (h *Host) Compacted(ctx context.Context, c Compacted) {
	for _, p := range h.own() {
		if hook := p.Instance.Compacted; hook != nil {
			h.tell(ctx, p, "compacted", func(ctx context.Context) error { return hook(ctx, p.Session, c) })
		}
	}
}

// BeforeReplace reports whether an extension vetoed.
func (h *Host) BeforeReplace(ctx context.Context, r Replace) (veto bool) {
	for _, p := range h.own() {
		hook := p.Instance.BeforeReplace
		if hook == nil {
			continue
		}
		if no, err := ask(ctx, h, p, "before_replace", func(ctx context.Context) (bool, error) { return hook(ctx, p.Session, r) }); err == nil && no {
			return true
		}
	}
	return false
}

// Replaced calls every extension.
func (h *Host) Replaced(ctx context.Context, r Replace) {
	for _, p := range h.own() {
		if hook := p.Instance.Replaced; hook != nil {
			h.tell(ctx, p, "replaced", func(ctx context.Context) error { return hook(ctx, p.Session, r) })
		}
	}
}

// BeforeMove returns the first reply that decides.
func (h *Host) BeforeMove(ctx context.Context, m Move) BeforeMoveReply {
	for _, p := range h.own() {
		hook := p.Instance.BeforeMove
		if hook == nil {
			continue
		}
		reply, err := ask(ctx, h, p, "before_move", func(ctx context.Context) (BeforeMoveReply, error) { return hook(ctx, p.Session, m) })
		if err == nil && (reply.Cancel || reply.Summary != "") {
			return reply
		}
	}
	return BeforeMoveReply{}
}

// Moved calls every extension.
func (h *Host) Moved(ctx context.Context, m Moved) {
	for _, p := range h.own() {
		if hook := p.Instance.Moved; hook != nil {
			h.tell(ctx, p, "moved", func(ctx context.Context) error { return hook(ctx, p.Session, m) })
		}
	}
}

// UserBash returns the first reply that has run the command.
func (h *Host) UserBash(ctx context.Context, b UserBash) UserBashReply {
	for _, p := range h.own() {
		hook := p.Instance.UserBash
		if hook == nil {
			continue
		}
		reply, err := ask(ctx, h, p, "user_bash", func(ctx context.Context) (UserBashReply, error) { return hook(ctx, p.Session, b) })
		if err == nil && reply.Handled {
			return reply
		}
	}
	return UserBashReply{}
}

// Discover collects what one extension names.
func (h *Host) Discover(ctx context.Context, p *Part, reason string) Discovered {
	hook := p.Instance.Discover
	if hook == nil {
		return Discovered{}
	}
	found, _ := ask(ctx, h, p, "discover", func(ctx context.Context) (Discovered, error) { return hook(ctx, p.Session, reason) })
	return found
}
