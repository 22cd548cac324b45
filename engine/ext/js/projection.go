package js

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// projection tells the session's events in the family's names and shapes, which
// are those of its wire. It is used by one goroutine at a time.
type projection struct {
	turn   int
	answer *answer
	calls  map[string]object // of calls in progress, by id: what their events repeat
	model  *model
	level  string
}

// told is an event for handlers.
type told struct {
	name    string
	payload object
}

// answer is the assistant's message that is coming.
type answer struct {
	id     string
	start  message.Message
	blocks []event.MessageDelta
}

// of is what an event comes to. What nobody wants isn't made.
func (p *projection) of(e event.Event, wants func(string) bool) []told {
	if d, ok := e.(event.MessageDelta); ok {
		return p.delta(d, wants)
	}
	t := p.plain(e)
	if t.name == "" || !wants(t.name) {
		return nil
	}
	return []told{t}
}

func (p *projection) plain(e event.Event) told {
	switch e := e.(type) {
	case event.RunStarted:
		p.turn = 0
		return told{"agent_start", object{}}
	case event.RunEnded:
		return told{"agent_end", object{"messages": listed(e.Messages), "willRetry": e.Will == event.WillRetry}}
	case event.RunSettled:
		return told{"agent_settled", object{"aborted": e.Aborted}}
	case event.TurnStarted:
		return told{"turn_start", object{"turnIndex": p.turn}}
	case event.TurnEnded:
		p.turn++
		return told{"turn_end", object{"turnIndex": p.turn - 1, "message": e.Message, "toolResults": listed(e.ToolResults)}}
	case event.MessageStarted:
		if e.Message.Role == message.Assistant {
			p.answer = &answer{id: e.ID, start: e.Message}
		}
		return told{"message_start", object{"message": e.Message}}
	case event.MessageEnded:
		if p.answer != nil && p.answer.id == e.ID {
			p.answer = nil
		}
		return told{"message_end", object{"message": e.Message}}
	case event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded:
		return p.tool(e)
	case event.SessionReplaced:
		p.answer, p.calls, p.turn = nil, nil, 0
	}
	return p.settings(e)
}

// settings are events about what the session does besides answering.
func (p *projection) settings(e event.Event) told {
	switch e := e.(type) {
	case event.RetryScheduled:
		return told{"auto_retry_start", object{"attempt": e.Attempt, "maxAttempts": e.MaxAttempts, "delayMs": e.DelayMS, "errorMessage": e.Error}}
	case event.RetryEnded:
		return told{"auto_retry_end", with(object{"success": e.Success, "attempt": e.Attempt}, "finalError", e.Error)}
	case event.CompactionStarted:
		if e.Reason != "manual" {
			return told{"auto_compaction_start", object{"reason": e.Reason, "action": wholeContext}}
		}
	case event.CompactionEnded:
		if e.Reason != "manual" {
			end := with(object{"action": wholeContext, "aborted": e.Aborted, "willRetry": e.WillRetry && e.Reason == "overflow"}, "errorMessage", e.Error)
			if e.Result != nil {
				end["result"] = e.Result
			}
			return told{"auto_compaction_end", end}
		}
	case event.RuleTriggered:
		return told{"ttsr_triggered", object{"rules": listed(e.Rules)}}
	case event.TodoReminder:
		return told{"todo_reminder", object{"todos": listed(e.Todos), "attempt": e.Attempt, "maxAttempts": e.MaxAttempts}}
	case event.TodoCleared:
		return told{"todo_auto_clear", object{}}
	case event.ModelChanged:
		next := object{"model": modelOf(e.Model), "source": "set"}
		if p.model != nil {
			next["previousModel"] = p.model
		}
		p.model = modelOf(e.Model)
		return told{"model_select", next}
	case event.ThinkingChanged:
		next := with(object{"level": e.Level}, "previousLevel", p.level)
		p.level = e.Level
		return told{"thinking_level_select", next}
	}
	return told{}
}

// wholeContext is the family's name for a compaction that replaces the old part
// of the context by a summary.
const wholeContext = "context-full"

// with sets a text that isn't empty.
func with(o object, name, text string) object {
	if text != "" {
		o[name] = text
	}
	return o
}

func (p *projection) tool(e event.Event) told {
	switch e := e.(type) {
	case event.ToolStarted:
		return told{"tool_execution_start", p.begin(e.CallID, e.Name, e.Arguments)}
	case event.ToolRunning:
		p.begin(e.CallID, e.Name, e.Arguments) // hooks may have changed the arguments
	case event.ToolProgress:
		update := object{"toolCallId": e.CallID, "partialResult": contents(e.Content, e.Details)}
		for name, value := range p.calls[e.CallID] {
			update[name] = value
		}
		return told{"tool_execution_update", update}
	case event.ToolEnded:
		delete(p.calls, e.CallID)
		return told{"tool_execution_end", object{
			"toolCallId": e.CallID, "toolName": e.Name, "result": contents(e.Content, e.Details), "isError": e.IsError, "durationMs": e.DurationMS,
		}}
	}
	return told{}
}

func (p *projection) begin(id, name string, arguments []byte) object {
	if p.calls == nil {
		p.calls = map[string]object{}
	}
	p.calls[id] = object{"toolCallId": id, "toolName": name, "args": message.Object(arguments)}
	return p.calls[id]
}

func contents(content []message.Block, details []byte) object {
	o := object{"content": listed(content)}
	if len(details) > 0 {
		o["details"] = json.RawMessage(details)
	}
	return o
}

// delta takes news about a block of the answer: its beginning, more of it, its
// end. Merged news are told as one.
func (p *projection) delta(d event.MessageDelta, wants func(string) bool) []told {
	a := p.answer
	if a == nil || a.id != d.ID || d.Index < 0 || d.Index > len(a.blocks) {
		return nil
	}
	begins := d.Index == len(a.blocks)
	if begins {
		a.blocks = append(a.blocks, d)
	}
	a.blocks[d.Index] = d
	kind := steps[d.Block]
	if kind == "" || !wants("message_update") {
		return nil
	}
	so := a.soFar()
	step := func(name string, more object) told {
		more["type"], more["contentIndex"], more["partial"] = kind+name, d.Index, so
		return told{"message_update", object{"message": so, "assistantMessageEvent": more}}
	}
	var out []told
	if begins {
		out = append(out, step("_start", object{}))
	}
	if d.Delta() != "" {
		out = append(out, step("_delta", object{"delta": d.Delta()}))
	}
	if d.Done {
		if d.Block == message.ToolCallBlock {
			out = append(out, step("_end", object{"toolCall": so.Content[d.Index]}))
		} else {
			out = append(out, step("_end", object{"content": d.Text}))
		}
	}
	return out
}

// steps are how the family calls the steps of a block.
var steps = map[message.BlockType]string{message.TextBlock: "text", message.ThinkingBlock: "thinking", message.ToolCallBlock: "toolcall"}

// soFar is the message as far as it has come.
func (a *answer) soFar() message.Message {
	m := a.start
	m.Content = make([]message.Block, 0, len(a.blocks))
	for _, b := range a.blocks {
		block := message.Block{Type: b.Block}
		if b.Block == message.ToolCallBlock {
			block.ID, block.Name, block.Arguments = b.CallID, b.Name, message.Object([]byte(b.Text))
		} else {
			block.Text = b.Text
		}
		m.Content = append(m.Content, block)
	}
	return m
}
