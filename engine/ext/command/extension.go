package command

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// customType marks the messages that hooks add.
const customType = "hook"

// extension is one hook as the host knows it.
type extension struct {
	name string
	hook *hook
}

func (e extension) Name() string { return e.name }

// Load makes the hooks of the one point at which the command runs.
func (e extension) Load(context.Context, ext.Session) (*ext.Instance, error) {
	h := e.hook
	hooks := ext.Hooks{Name: e.name}
	switch h.event {
	case "session_start":
		hooks.SessionStart = h.sessionStart
	case "session_shutdown":
		hooks.SessionShutdown = func(ctx context.Context, s ext.Session) error { return h.tell(ctx, s, payload{}) }
	case "input":
		hooks.Input = h.input
	case "before_agent_start":
		hooks.BeforeRun = h.beforeRun
	case "tool_call":
		hooks.ToolCall = h.toolCall
	case "tool_result":
		hooks.ToolResult = h.toolResult
	case "agent_end":
		hooks.RunEnd = (&ending{hook: h}).runEnd
	case "session_before_compact":
		hooks.BeforeCompact = h.beforeCompact
	case "session_compact":
		hooks.Compacted = func(ctx context.Context, s ext.Session, _ ext.Compacted) error { return h.tell(ctx, s, payload{}) }
	case "session_before_switch", "session_before_branch":
		hooks.BeforeReplace = h.beforeReplace
	case "session_switch", "session_branch":
		hooks.Replaced = h.replaced
	case "notification":
		hooks.Event = h.notification
	}
	return &ext.Instance{Hooks: hooks}, nil
}

// openly runs the command where the model doesn't hear of a block: the user
// does.
func (h *hook) openly(ctx context.Context, s ext.Session, p payload) (decision, error) {
	d, err := h.run(ctx, s, p)
	if err == nil && d.block && d.reason != "" {
		s.Notify(ctx, "warning", d.reason)
	}
	return d, err
}

// tell runs the command where nothing can be changed.
func (h *hook) tell(ctx context.Context, s ext.Session, p payload) error {
	_, err := h.openly(ctx, s, p)
	return err
}

// add gives the model a text beside the conversation.
func add(ctx context.Context, s ext.Session, text, delivery string) error {
	if text == "" {
		return nil
	}
	return s.SendMessage(ctx, ext.CustomMessage{Type: customType, Content: []message.Block{message.TextOf(text)}, Display: true, Delivery: delivery})
}

func (h *hook) sessionStart(ctx context.Context, s ext.Session) error {
	const source = "startup"
	if !h.matches(source) {
		return nil
	}
	d, err := h.openly(ctx, s, payload{Source: source})
	if err != nil {
		return err
	}
	return add(ctx, s, d.context, "nextTurn")
}

func (h *hook) input(ctx context.Context, s ext.Session, in ext.Input) (ext.InputReply, error) {
	if !h.matches(in.Source) {
		return ext.InputReply{}, nil
	}
	d, err := h.run(ctx, s, payload{Prompt: in.Text, Source: in.Source})
	if err != nil || d.block {
		return ext.InputReply{Block: d.block, Reason: d.reason}, err
	}
	reply := ext.InputReply{Handled: d.handled, Text: d.text}
	if d.context != "" {
		text := in.Text
		if d.text != nil {
			text = *d.text
		}
		text = join(text, d.context)
		reply.Text = &text
	}
	return reply, nil
}

func (h *hook) beforeRun(ctx context.Context, s ext.Session, b ext.BeforeRun) (ext.BeforeRunReply, error) {
	d, err := h.run(ctx, s, payload{Prompt: b.Prompt, SystemPrompt: b.System})
	if err != nil || d.block {
		return ext.BeforeRunReply{Block: d.block, Reason: d.reason}, err
	}
	reply := ext.BeforeRunReply{System: d.system}
	if d.context != "" {
		reply.Messages = []message.Message{{Role: message.Custom, CustomType: customType, Display: true, Content: []message.Block{message.TextOf(d.context)}}}
	}
	return reply, nil
}

func (h *hook) toolCall(ctx context.Context, s ext.Session, c ext.ToolCall) (ext.ToolCallReply, error) {
	if !h.matches(c.Name) {
		return ext.ToolCallReply{}, nil
	}
	d, err := h.run(ctx, s, payload{ToolName: c.Name, ToolUseID: c.ID, ToolInput: c.Arguments})
	if err != nil {
		return ext.ToolCallReply{}, err
	}
	if d.stop {
		if err := s.Abort(ctx); err != nil {
			return ext.ToolCallReply{}, err
		}
	}
	if !d.block && d.ask {
		d.block, d.reason = h.ask(ctx, s, c, d.reason)
	}
	if d.block {
		return ext.ToolCallReply{Block: true, Reason: d.reason}, nil
	}
	if !d.plain { // a program's output is no remark for the model
		if err := add(ctx, s, d.context, "steer"); err != nil {
			return ext.ToolCallReply{}, err
		}
	}
	return ext.ToolCallReply{Arguments: d.input}, nil
}

// ask puts a call to the user; nobody there is a no.
func (h *hook) ask(ctx context.Context, s ext.Session, c ext.ToolCall, why string) (block bool, reason string) {
	a, answered := s.Ask(ctx, event.Question{
		Kind: event.AskConfirm, CallID: c.ID,
		Title: fmt.Sprintf("Let %s run?", c.Name), Message: first(why, "The hook "+brief(h.Command)+" asks."),
	})
	switch {
	case !answered:
		return true, join("This call needs the user's consent, and nobody answered.", why)
	case !a.Confirmed:
		return true, first(a.Reason, join("The user declined this call.", why))
	}
	return false, ""
}

func (h *hook) toolResult(ctx context.Context, s ext.Session, r ext.ToolResult) (ext.ToolResult, error) {
	if !h.matches(r.Call.Name) {
		return r, nil
	}
	d, err := h.run(ctx, s, payload{
		ToolName: r.Call.Name, ToolUseID: r.Call.ID, ToolInput: r.Call.Arguments,
		ToolResponse: &response{Content: message.Text(r.Content), IsError: r.IsError, Details: r.Details},
	})
	if err != nil {
		return r, err
	}
	if d.stop {
		if err := s.Abort(ctx); err != nil {
			return r, err
		}
	}
	if d.content != nil {
		r.Content = []message.Block{message.TextOf(*d.content)}
	}
	if d.isError != nil {
		r.IsError = *d.isError
	}
	var remark string
	if d.block {
		remark = d.reason
	}
	if !d.plain {
		remark = join(remark, d.context)
	}
	if remark != "" {
		r.Content = append(r.Content[:len(r.Content):len(r.Content)], message.TextOf(remark))
	}
	return r, nil
}

// ending is an agent_end hook in one session.
type ending struct {
	*hook
	continued atomic.Int32 // times in a row that it sent the model back
}

func (h *ending) runEnd(ctx context.Context, s ext.Session, e ext.RunEnd) error {
	if !h.matches(string(e.Reason)) {
		return nil
	}
	active := h.continued.Load() > 0
	p := payload{Reason: string(e.Reason), StopActive: &active}
	for _, m := range e.Messages {
		if m.Role == message.Assistant {
			p.LastMessage = message.Text(m.Content)
		}
	}
	d, err := h.run(ctx, s, p)
	switch {
	case err != nil:
		return err
	case !d.block || d.stop || e.Reason == message.Aborted || e.Reason == message.Error:
		h.continued.Store(0)
		return nil
	case h.continued.Add(1) > maxContinued:
		h.continued.Store(0)
		return fmt.Errorf("sent the model back %d times in a row; it ends here", maxContinued)
	case d.reason == "":
		return errors.New("blocked the end without a reason; print on stderr what is left to do")
	}
	return s.Send(ctx, []message.Block{message.TextOf(d.reason)}, "")
}

func (h *hook) beforeCompact(ctx context.Context, s ext.Session, b ext.BeforeCompact) (ext.BeforeCompactReply, error) {
	if !h.matches(b.Reason) {
		return ext.BeforeCompactReply{}, nil
	}
	d, err := h.openly(ctx, s, payload{Trigger: b.Reason, Instructions: b.Instructions})
	if err != nil {
		return ext.BeforeCompactReply{}, err
	}
	reply := ext.BeforeCompactReply{Cancel: d.block, Summary: d.summary}
	if d.context != "" {
		reply.Context = []string{d.context}
	}
	return reply, nil
}

// concerns tells the two sorts of replacement apart: a branch has events of its
// own.
func (h *hook) concerns(r ext.Replace) bool {
	isBranch := h.event == "session_before_branch" || h.event == "session_branch"
	return isBranch == (r.Reason == "fork") && h.matches(r.Reason)
}

func (h *hook) beforeReplace(ctx context.Context, s ext.Session, r ext.Replace) (bool, error) {
	if !h.concerns(r) {
		return false, nil
	}
	d, err := h.openly(ctx, s, payload{Reason: r.Reason, Path: r.Path})
	return d.block, err
}

func (h *hook) replaced(ctx context.Context, s ext.Session, r ext.Replace) error {
	if !h.concerns(r) {
		return nil
	}
	return h.tell(ctx, s, payload{Reason: r.Reason, Path: r.Path})
}

func (h *hook) notification(ctx context.Context, s ext.Session, e event.Event) error {
	asked, ok := e.(event.AskOpened)
	if !ok {
		return nil
	}
	q := asked.Question
	return h.tell(ctx, s, payload{Title: q.Title, Message: first(q.Message, q.Title)})
}
