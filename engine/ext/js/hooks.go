package js

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// object is a payload in the making.
type object = map[string]any

// fire gives an event to its handlers and reads what they reply into reply, if
// that isn't nil.
func (in *instance) fire(ctx context.Context, name string, payload, reply any) error {
	return in.fireFor(&call{ctx: ctx}, name, payload, reply)
}

// fireFor is fire on behalf of a call: a tool's, to which questions then belong.
func (in *instance) fireFor(c *call, name string, payload, reply any) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	raw, err := in.run(c, "event", name, json.RawMessage(text))
	if err != nil || raw == nil || reply == nil {
		return err
	}
	if err := json.Unmarshal(raw, reply); err != nil {
		return fmt.Errorf("the reply to %s: %w", name, err)
	}
	return nil
}

// tell is fire for what has no reply, when anybody listens.
func (in *instance) tell(ctx context.Context, name string, payload any) error {
	if !in.wants(name) {
		return nil
	}
	return in.fire(ctx, name, payload, nil)
}

func (in *instance) hooks() ext.Hooks {
	return ext.Hooks{
		Name: in.of.Name(),
		SessionStart: func(ctx context.Context, _ ext.Session) error {
			return in.tell(ctx, "session_start", object{"reason": "startup"})
		},
		SessionShutdown: func(ctx context.Context, _ ext.Session) error { return in.tell(ctx, "session_shutdown", object{}) },
		Input:           in.input,
		BeforeRun:       in.beforeRun,
		Event:           in.event,
		Context:         in.context,
		Request:         in.request,
		ToolCall:        in.toolCall,
		ToolResult:      in.toolResult,
		// The handlers of agent_end are called by Event; that this hook is there
		// makes the session wait for them.
		RunEnd:        func(context.Context, ext.Session, ext.RunEnd) error { return nil },
		BeforeCompact: in.beforeCompact,
		Compacted:     in.compacted,
		BeforeReplace: in.beforeReplace,
		Replaced:      in.replaced,
		BeforeMove:    in.beforeMove,
		Moved:         in.moved,
		UserBash:      in.userBash,
		Discover:      in.discover,
	}
}

// decision is what stops something.
type decision struct {
	Block  bool
	Reason string
}

func (in *instance) input(ctx context.Context, _ ext.Session, i ext.Input) (r ext.InputReply, err error) {
	if !in.wants("input") {
		return r, nil
	}
	payload := object{"text": i.Text, "source": i.Source}
	if len(i.Images) > 0 {
		payload["images"] = i.Images
	}
	var reply struct {
		decision
		Handled bool
		Text    *string
		Images  json.RawMessage
	}
	if err := in.fire(ctx, "input", payload, &reply); err != nil {
		return r, err
	}
	r = ext.InputReply{Handled: reply.Handled, Block: reply.Block, Reason: reply.Reason, Text: reply.Text}
	if reply.Images != nil {
		r.Images, err = decodeContent(reply.Images)
	}
	return r, err
}

func (in *instance) beforeRun(ctx context.Context, _ ext.Session, b ext.BeforeRun) (r ext.BeforeRunReply, err error) {
	if !in.wants("before_agent_start") {
		return r, nil
	}
	payload := object{"prompt": b.Prompt, "systemPrompt": b.System}
	if len(b.Images) > 0 {
		payload["images"] = b.Images
	}
	var reply struct {
		decision
		Messages     []customMessage
		SystemPrompt string
	}
	if err := in.fire(ctx, "before_agent_start", payload, &reply); err != nil {
		return r, err
	}
	r = ext.BeforeRunReply{System: reply.SystemPrompt, Block: reply.Block, Reason: reply.Reason}
	for _, m := range reply.Messages {
		made, err := m.message(in.of.modules.options.Now())
		if err != nil {
			return r, err
		}
		r.Messages = append(r.Messages, made)
	}
	return r, nil
}

func (in *instance) event(ctx context.Context, _ ext.Session, e event.Event) error {
	var first error
	for _, t := range in.told.of(e, in.wants) {
		if err := in.fire(ctx, t.name, t.payload, nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (in *instance) context(ctx context.Context, _ ext.Session, messages []message.Message) ([]message.Message, error) {
	if !in.wants("context") {
		return nil, nil
	}
	var reply struct{ Messages []message.Message }
	err := in.fire(ctx, "context", object{"messages": listed(messages)}, &reply)
	return reply.Messages, err
}

func (in *instance) request(ctx context.Context, _ ext.Session, body json.RawMessage) (json.RawMessage, error) {
	if !in.wants("before_provider_request") {
		return nil, nil
	}
	var reply struct{ Payload json.RawMessage }
	err := in.fire(ctx, "before_provider_request", object{"payload": body}, &reply)
	return reply.Payload, err
}

func (in *instance) toolCall(ctx context.Context, _ ext.Session, c ext.ToolCall) (r ext.ToolCallReply, err error) {
	if !in.wants("tool_call") {
		return r, nil
	}
	var reply struct {
		decision
		Input json.RawMessage
	}
	err = in.fireFor(&call{ctx: ctx, tool: c.ID}, "tool_call", object{"toolName": c.Name, "toolCallId": c.ID, "input": message.Object(c.Arguments)}, &reply)
	return ext.ToolCallReply{Arguments: reply.Input, Block: reply.Block, Reason: reply.Reason}, err
}

func (in *instance) toolResult(ctx context.Context, _ ext.Session, r ext.ToolResult) (ext.ToolResult, error) {
	if !in.wants("tool_result") {
		return r, nil
	}
	var reply struct {
		Content json.RawMessage
		Details json.RawMessage
		IsError *bool
	}
	payload := object{
		"toolName": r.Call.Name, "toolCallId": r.Call.ID, "input": message.Object(r.Call.Arguments),
		"content": listed(r.Content), "isError": r.IsError,
	}
	if r.Details != nil {
		payload["details"] = r.Details
	}
	if err := in.fireFor(&call{ctx: ctx, tool: r.Call.ID}, "tool_result", payload, &reply); err != nil {
		return r, err
	}
	if reply.Content != nil {
		content, err := decodeContent(reply.Content)
		if err != nil {
			return r, err
		}
		r.Content = content
	}
	if reply.Details != nil {
		r.Details = objectOf(reply.Details)
	}
	if reply.IsError != nil {
		r.IsError = *reply.IsError
	}
	return r, nil
}

func (in *instance) beforeCompact(ctx context.Context, s ext.Session, b ext.BeforeCompact) (r ext.BeforeCompactReply, err error) {
	if in.wants("session_before_compact") {
		if r, err = in.askCompaction(ctx, s, b); err != nil || r.Cancel || r.Summary != "" {
			return r, err
		}
	}
	if !in.wants("session.compacting") {
		return r, nil
	}
	d, err := s.Document(ctx)
	if err != nil {
		return r, err
	}
	var reply struct {
		Context      []string
		Prompt       string
		PreserveData json.RawMessage
	}
	err = in.fire(ctx, "session.compacting", object{"sessionId": d.ID, "messages": listed(b.Messages)}, &reply)
	return ext.BeforeCompactReply{Context: reply.Context, Prompt: reply.Prompt, Preserve: reply.PreserveData}, err
}

func (in *instance) askCompaction(ctx context.Context, s ext.Session, b ext.BeforeCompact) (r ext.BeforeCompactReply, err error) {
	t, err := treeOf(ctx, s)
	if err != nil {
		return r, err
	}
	preparation := object{
		"firstKeptEntryId": b.FirstKeptID, "tokensBefore": b.TokensBefore, "messagesToSummarize": listed(b.Messages),
		"turnPrefixMessages": []message.Message{}, "isSplitTurn": false,
	}
	if b.PreviousSummary != "" {
		preparation["previousSummary"] = b.PreviousSummary
	}
	payload := object{"preparation": preparation, "branchEntries": t.branch(t.leaf), "reason": b.Reason}
	if b.Instructions != "" {
		payload["customInstructions"] = b.Instructions
	}
	var reply struct {
		Cancel     bool
		Compaction struct {
			Summary, FirstKeptEntryID string
			Details                   json.RawMessage
		}
	}
	err = in.fire(ctx, "session_before_compact", payload, &reply)
	c := reply.Compaction
	return ext.BeforeCompactReply{Cancel: reply.Cancel, Summary: c.Summary, FirstKeptID: c.FirstKeptEntryID, Details: objectOf(c.Details)}, err
}

func (in *instance) compacted(ctx context.Context, s ext.Session, c ext.Compacted) error {
	if !in.wants("session_compact") {
		return nil
	}
	t, err := treeOf(ctx, s)
	if err != nil {
		return err
	}
	payload := object{"fromExtension": c.FromExtension}
	if e, ok := t.byID[c.EntryID]; ok {
		payload["compactionEntry"] = e.raw
	}
	return in.fire(ctx, "session_compact", payload, nil)
}

// veto asks about something that a handler may cancel.
func (in *instance) veto(ctx context.Context, name string, payload object) (bool, error) {
	if !in.wants(name) {
		return false, nil
	}
	var reply struct{ Cancel bool }
	err := in.fire(ctx, name, payload, &reply)
	return reply.Cancel, err
}

// branches tells a new file that ends before an entry from any other document.
func branches(r ext.Replace) bool { return r.Reason == "fork" && r.EntryID != "" }

func (in *instance) beforeReplace(ctx context.Context, _ ext.Session, r ext.Replace) (bool, error) {
	if branches(r) {
		return in.veto(ctx, "session_before_branch", object{"entryId": r.EntryID})
	}
	payload := object{"reason": r.Reason}
	if r.Path != "" {
		payload["targetSessionFile"] = r.Path
	}
	return in.veto(ctx, "session_before_switch", payload)
}

func (in *instance) replaced(ctx context.Context, _ ext.Session, r ext.Replace) error {
	payload := object{}
	if r.Previous != "" {
		payload["previousSessionFile"] = r.Previous
	}
	if branches(r) {
		return in.tell(ctx, "session_branch", payload)
	}
	payload["reason"] = r.Reason
	return in.tell(ctx, "session_switch", payload)
}

func (in *instance) beforeMove(ctx context.Context, s ext.Session, m ext.Move) (r ext.BeforeMoveReply, err error) {
	if !in.wants("session_before_tree") {
		return r, nil
	}
	t, err := treeOf(ctx, s)
	if err != nil {
		return r, err
	}
	left, ancestor := t.left(m.LeafID, m.TargetID)
	preparation := object{
		"targetId": m.TargetID, "oldLeafId": m.LeafID, "commonAncestorId": ancestor,
		"entriesToSummarize": left, "userWantsSummary": m.Summarize,
	}
	if m.Instructions != "" {
		preparation["customInstructions"] = m.Instructions
	}
	var reply struct {
		Cancel  bool
		Summary struct {
			Summary string
			Details json.RawMessage
		}
	}
	err = in.fire(ctx, "session_before_tree", object{"preparation": preparation}, &reply)
	return ext.BeforeMoveReply{Cancel: reply.Cancel, Summary: reply.Summary.Summary, Details: objectOf(reply.Summary.Details)}, err
}

func (in *instance) moved(ctx context.Context, s ext.Session, m ext.Moved) error {
	if !in.wants("session_tree") {
		return nil
	}
	payload := object{"newLeafId": m.LeafID, "oldLeafId": m.OldLeafID}
	if m.SummaryID != "" {
		t, err := treeOf(ctx, s)
		if err != nil {
			return err
		}
		if e, ok := t.byID[m.SummaryID]; ok {
			payload["summaryEntry"] = e.raw
		}
	}
	return in.fire(ctx, "session_tree", payload, nil)
}

func (in *instance) userBash(ctx context.Context, _ ext.Session, b ext.UserBash) (r ext.UserBashReply, err error) {
	if !in.wants("user_bash") {
		return r, nil
	}
	var reply struct {
		Result *struct {
			Output               string
			ExitCode             *int
			Cancelled, Truncated bool
		}
	}
	err = in.fire(ctx, "user_bash", object{"command": b.Command, "excludeFromContext": b.ExcludeFromContext, "cwd": b.Cwd}, &reply)
	if err != nil || reply.Result == nil {
		return r, err
	}
	a := reply.Result
	return ext.UserBashReply{Handled: true, Output: a.Output, ExitCode: a.ExitCode, Cancelled: a.Cancelled, Truncated: a.Truncated}, nil
}

func (in *instance) discover(ctx context.Context, _ ext.Session, reason string) (d ext.Discovered, err error) {
	if !in.wants("resources_discover") {
		return d, nil
	}
	var reply struct{ SkillPaths, PromptPaths, ThemePaths []string }
	if err := in.fire(ctx, "resources_discover", object{"cwd": in.cwd(), "reason": reason}, &reply); err != nil {
		return d, err
	}
	return ext.Discovered{Skills: in.beside(reply.SkillPaths), Prompts: in.beside(reply.PromptPaths), Themes: in.beside(reply.ThemePaths)}, nil
}

// beside makes paths absolute: they are meant from the extension's folder on.
func (in *instance) beside(paths []string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(dirOf(in.of.module.Path), p)
		}
		out = append(out, filepath.Clean(p))
	}
	return out
}

func dirOf(path string) string { return filepath.Dir(path) }
