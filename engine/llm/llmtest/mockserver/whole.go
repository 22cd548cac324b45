package mockserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// aside answers what isn't asked of the model: which there are, and how many
// tokens a text has.
func aside(w http.ResponseWriter, r *http.Request) {
	post := r.Method == http.MethodPost
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case post && strings.HasSuffix(path, "/messages/count_tokens"):
		reply(w, object{"input_tokens": tokens(r.Body)})
	case post && strings.HasSuffix(path, ":countTokens"):
		reply(w, object{"totalTokens": tokens(r.Body)})
	case !post && strings.HasSuffix(path, "/v1beta/models"):
		reply(w, object{"models": []any{object{"name": "models/" + model, "supportedGenerationMethods": []string{"generateContent"}}}})
	case !post && strings.HasSuffix(path, "/models"):
		reply(w, object{"object": "list", "has_more": false, "data": []any{object{
			"id": model, "object": "model", "type": "model", "display_name": model, "created": 1, "created_at": "2026-01-01T00:00:00Z",
		}}})
	default:
		http.NotFound(w, r)
	}
}

// tokens is a guess, of four bytes to a token.
func tokens(body io.Reader) int64 {
	n, _ := io.Copy(io.Discard, body) // the client may have left
	return n/4 + 1
}

// whole answers with one object.
func whole(w http.ResponseWriter, wire Wire, number int, a Answer) {
	e := &events{number: number}
	text := strings.Join(a.Text, "")
	switch wire {
	case Anthropic:
		reply(w, (&messages{events: e}).whole(text, a.Calls))
	case Completions:
		reply(w, (&chat{e}).whole(text, a.Calls))
	case Responses:
		r := &response{events: &events{w: io.Discard, flush: func() {}, number: number}}
		r.begin()
		r.text(func(delta func(string)) { delta(text) })
		for i, c := range a.Calls {
			r.call(i, c)
		}
		reply(w, r.state("completed"))
	case Google:
		reply(w, (&gemini{e}).whole(text, a.Calls))
	}
}

func (m *messages) whole(text string, calls []Call) object {
	content := []any{object{"type": "text", "text": text}}
	reason := "end_turn"
	for _, c := range calls {
		reason = "tool_use"
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return object{
		"id": m.id("msg"), "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": reason,
		"usage": object{"input_tokens": 10, "output_tokens": 5},
	}
}

func (c *chat) whole(text string, calls []Call) object {
	message, reason := object{"role": "assistant", "content": text}, "stop"
	var made []any
	for _, call := range calls {
		made = append(made, object{
			"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": call.Arguments},
		})
	}
	if made != nil {
		message["tool_calls"], reason = made, "tool_calls"
	}
	return object{
		"id": c.id("chatcmpl"), "object": "chat.completion", "created": 1, "model": model,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}},
		"usage":   object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
	}
}

func (g *gemini) whole(text string, calls []Call) object {
	parts := []any{object{"text": text}}
	for _, c := range calls {
		parts = append(parts, object{"functionCall": object{"name": c.Name, "args": json.RawMessage(c.Arguments)}})
	}
	return object{
		"responseId": g.id("r"), "modelVersion": model,
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(fmt.Sprintf("encode a test's answer: %v", err)) // or the client left, which ends the request too
	}
}
