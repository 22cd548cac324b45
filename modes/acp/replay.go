package acp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// replay tells the whole conversation, from its beginning and not only what the
// model still knows.
func (l *live) replay(ctx context.Context) error {
	entries, leaf, err := l.session.Entries(ctx)
	if err != nil {
		return err
	}
	told := newProjection(l.client, l.read, isFolder)
	for _, m := range branch(entries, leaf) {
		if err := ctx.Err(); err != nil { // a line that has room doesn't ask
			return err
		}
		for _, u := range told.again(m, l.describe(ctx)) {
			if err := l.server.peer.Send(ctx, l.notification(u)); err != nil {
				return err
			}
		}
	}
	for _, u := range told.cut() {
		l.update(u)
	}
	if v, err := l.session.View(ctx); err == nil && len(v.Todos) > 0 {
		l.update(planOf(v.Todos))
	}
	return nil
}

func (l *live) describe(ctx context.Context) func(name string, arguments json.RawMessage) (event.ToolRunning, error) {
	return func(name string, arguments json.RawMessage) (event.ToolRunning, error) {
		return l.session.Describe(ctx, name, arguments)
	}
}

// branch are the messages from the root to the leaf.
func branch(entries []session.Entry, leaf string) []message.Message {
	at := map[string]*session.Entry{}
	for i := range entries {
		at[entries[i].ID] = &entries[i]
	}
	var messages []message.Message
	for e := at[leaf]; e != nil; e = at[e.ParentID] {
		if e.Message != nil {
			m := *e.Message
			m.ID = e.ID
			messages = append(messages, m)
		}
		delete(at, e.ID) // a damaged file may go round
	}
	slices.Reverse(messages)
	return messages
}

// again tells a stored message as it was told when it was new.
func (p *projection) again(m message.Message, describe func(string, json.RawMessage) (event.ToolRunning, error)) []any {
	switch m.Role {
	case message.User:
		if m.Synthetic {
			return nil
		}
		return chunks("user_message_chunk", m.ID, m.Content)
	case message.Assistant:
		var updates []any
		for _, b := range m.Content {
			switch {
			case b.Type == message.ToolCallBlock:
				updates = append(updates, p.calledAgain(b, describe))
			case names[b.Type] != "" && b.Text != "":
				updates = append(updates, chunk{names[b.Type], textContent(b.Text), m.ID})
			}
		}
		return updates
	case message.ToolResult:
		if p.calls[m.ToolCallID] == nil {
			return nil
		}
		return p.finished(event.ToolEnded{CallID: m.ToolCallID, Name: m.ToolName, Content: m.Content, Details: m.Details, IsError: m.IsError})
	case message.Custom:
		if m.Display {
			return chunks("agent_message_chunk", m.ID, m.Content)
		}
	case message.BashExecution:
		if m.Bash != nil {
			return one(chunk{"user_message_chunk", textContent("!" + m.Bash.Command + "\n" + m.Bash.Output), m.ID})
		}
	}
	return nil
}

func (p *projection) calledAgain(b message.Block, describe func(string, json.RawMessage) (event.ToolRunning, error)) any {
	c := p.call(b.ID, b.Name)
	c.arguments = b.Arguments
	if r, err := describe(b.Name, b.Arguments); err == nil {
		c.arguments = r.Arguments
		p.describe(c, r.Title, r.ToolKind, r.Locations)
	}
	running := p.running(b.ID, c)
	return running[0]
}

// cut closes the calls that have no result.
func (p *projection) cut() []any {
	var updates []any
	for id := range p.calls {
		updates = append(updates, toolCall{SessionUpdate: "tool_call_update", ToolCallID: id, Status: "failed"})
	}
	return updates
}
