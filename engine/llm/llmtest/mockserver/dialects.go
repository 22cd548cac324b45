package mockserver

import (
	"encoding/json"
	"fmt"
)

// dialect writes an answer's pieces as one wire's events.
type dialect interface {
	begin()
	thinking(text, signature string)
	text(say func(delta func(string)))
	call(i int, c Call)
	end(calls bool)
}

var dialects = map[Wire]func(*events) dialect{
	Anthropic:   func(e *events) dialect { return &messages{events: e} },
	Completions: func(e *events) dialect { return &chat{e} },
	Responses:   func(e *events) dialect { return &response{events: e} },
	Google:      func(e *events) dialect { return &gemini{e} },
}

// messages is Anthropic's dialect.
type messages struct {
	*events
	index int
}

func (m *messages) send(kind string, fields object) {
	fields["type"] = kind
	m.event(kind, fields)
}

func (m *messages) block(start object, deltas func(delta func(object))) {
	m.send("content_block_start", object{"index": m.index, "content_block": start})
	deltas(func(d object) { m.send("content_block_delta", object{"index": m.index, "delta": d}) })
	m.send("content_block_stop", object{"index": m.index})
	m.index++
}

func (m *messages) begin() {
	m.send("message_start", object{"message": object{
		"id": m.id("msg"), "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": 10, "output_tokens": 1},
	}})
}

func (m *messages) thinking(text, signature string) {
	m.block(object{"type": "thinking", "thinking": "", "signature": ""}, func(delta func(object)) {
		delta(object{"type": "thinking_delta", "thinking": text})
		delta(object{"type": "signature_delta", "signature": signature})
	})
}

func (m *messages) text(say func(func(string))) {
	m.block(object{"type": "text", "text": ""}, func(delta func(object)) {
		say(func(text string) { delta(object{"type": "text_delta", "text": text}) })
	})
}

func (m *messages) call(_ int, c Call) {
	m.block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, func(delta func(object)) {
		delta(object{"type": "input_json_delta", "partial_json": c.Arguments})
	})
}

func (m *messages) end(calls bool) {
	reason := "end_turn"
	if calls {
		reason = "tool_use"
	}
	m.send("message_delta", object{"delta": object{"stop_reason": reason}, "usage": object{"output_tokens": 5}})
	m.send("message_stop", object{})
}

// chat is the dialect of chat completions.
type chat struct{ *events }

func (c *chat) send(delta object, finish any) {
	c.event("", object{
		"id": c.id("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": model,
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func (c *chat) begin() { c.send(object{"role": "assistant", "content": ""}, nil) }

func (c *chat) thinking(text, _ string) { c.send(object{"reasoning_content": text}, nil) }

func (c *chat) text(say func(func(string))) {
	say(func(text string) { c.send(object{"content": text}, nil) })
}

func (c *chat) call(i int, call Call) {
	c.send(object{"tool_calls": []any{object{
		"index": i, "id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": ""},
	}}}, nil)
	c.send(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": call.Arguments}}}}, nil)
}

func (c *chat) end(calls bool) {
	reason := "stop"
	if calls {
		reason = "tool_calls"
	}
	c.send(object{}, reason)
	c.event("", object{
		"id": c.id("chatcmpl"), "object": "chat.completion.chunk", "created": 1, "model": model, "choices": []any{},
		"usage": object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	})
	fmt.Fprint(c.w, "data: [DONE]\n\n")
}

// response is the dialect of responses.
type response struct {
	*events
	number, index int
	output        []any
}

func (r *response) send(kind string, fields object) {
	fields["type"], fields["sequence_number"] = kind, r.number
	r.number++
	r.event(kind, fields)
}

func (r *response) state(status string) object {
	return object{
		"id": r.id("resp"), "object": "response", "created_at": 1, "model": model, "status": status, "output": r.output,
		"usage": object{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
	}
}

func (r *response) begin() {
	r.output = []any{}
	r.send("response.created", object{"response": r.state("in_progress")})
}

func (r *response) item(start, done object, between func()) {
	r.send("response.output_item.added", object{"output_index": r.index, "item": start})
	between()
	r.send("response.output_item.done", object{"output_index": r.index, "item": done})
	r.output = append(r.output, done)
	r.index++
}

func (r *response) thinking(text, signature string) {
	id := fmt.Sprintf("rs_%d", r.index)
	part := object{"type": "summary_text", "text": text}
	at := func(fields object) object {
		fields["item_id"], fields["output_index"], fields["summary_index"] = id, r.index, 0
		return fields
	}
	r.item(
		object{"type": "reasoning", "id": id, "summary": []any{}},
		object{"type": "reasoning", "id": id, "summary": []any{part}, "encrypted_content": signature},
		func() {
			r.send("response.reasoning_summary_part.added", at(object{"part": object{"type": "summary_text", "text": ""}}))
			r.send("response.reasoning_summary_text.delta", at(object{"delta": text}))
			r.send("response.reasoning_summary_text.done", at(object{"text": text}))
			r.send("response.reasoning_summary_part.done", at(object{"part": part}))
		})
}

func (r *response) text(say func(func(string))) {
	id := fmt.Sprintf("msg_%d", r.index)
	var whole []byte
	done := object{"type": "message", "id": id, "role": "assistant", "status": "completed"}
	at := func(fields object) object {
		fields["item_id"], fields["output_index"], fields["content_index"] = id, r.index, 0
		return fields
	}
	part := func() object { return object{"type": "output_text", "text": string(whole), "annotations": []any{}} }
	r.item(object{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{}}, done, func() {
		r.send("response.content_part.added", at(object{"part": part()}))
		say(func(text string) {
			whole = append(whole, text...)
			r.send("response.output_text.delta", at(object{"delta": text}))
		})
		r.send("response.output_text.done", at(object{"text": string(whole)}))
		r.send("response.content_part.done", at(object{"part": part()}))
		done["content"] = []any{part()}
	})
}

func (r *response) call(_ int, c Call) {
	item := func(status, arguments string) object {
		return object{"type": "function_call", "id": c.Item, "call_id": c.ID, "name": c.Name, "arguments": arguments, "status": status}
	}
	r.item(item("in_progress", ""), item("completed", c.Arguments), func() {
		r.send("response.function_call_arguments.delta", object{"item_id": c.Item, "output_index": r.index, "delta": c.Arguments})
		r.send("response.function_call_arguments.done", object{"item_id": c.Item, "output_index": r.index, "name": c.Name, "arguments": c.Arguments})
	})
}

func (r *response) end(bool) { r.send("response.completed", object{"response": r.state("completed")}) }

// gemini is Google's dialect.
type gemini struct{ *events }

func (g *gemini) send(finish string, parts ...any) {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	g.event("", object{
		"responseId": g.id("r"), "modelVersion": model, "candidates": []any{candidate},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	})
}

func (g *gemini) begin() {}

func (g *gemini) thinking(text, _ string) { g.send("", object{"text": text, "thought": true}) }

func (g *gemini) text(say func(func(string))) {
	say(func(text string) { g.send("", object{"text": text}) })
}

func (g *gemini) call(_ int, c Call) {
	call := object{"name": c.Name, "args": json.RawMessage(c.Arguments)}
	if c.ID != "" {
		call["id"] = c.ID
	}
	part := object{"functionCall": call}
	if c.Signature != "" {
		part["thoughtSignature"] = c.Signature
	}
	g.send("", part)
}

func (g *gemini) end(bool) { g.send("STOP", object{"text": ""}) }
