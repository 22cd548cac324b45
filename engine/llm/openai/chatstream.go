package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// chatReader turns the chunks of a chat completion into an answer.
type chatReader struct {
	w       *answer.Writer
	x       *exchange
	prose   prose
	calls   calls
	spot    *spotter // nil unless calls may be printed as text
	details details
	field   string // where the thinking came in
	refused bool
	reason  string // finish_reason, once it came
	usage   message.Usage
}

func newChatReader(w *answer.Writer, x *exchange, req llm.Request, c compat) *chatReader {
	r := &chatReader{w: w, x: x, prose: prose{w: w}, calls: calls{w: w}}
	if c.TextToolCalls && len(req.Tools) > 0 {
		r.spot = newSpotter(req.Tools)
	}
	return r
}

func (r *chatReader) event(data []byte) (bool, error) {
	var chunk sdk.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, malformed(r.x.name, err)
	}
	if e := chunk.JSON.ExtraFields["error"].Raw(); e != "" && e != "null" {
		return false, r.x.failed(data)
	}
	if chunk.ID != "" {
		r.w.Identify(chunk.ID)
	}
	if chunk.JSON.Usage.Valid() {
		r.usage = chatUsage(chunk.Usage)
	}
	for i := range chunk.Choices {
		if choice := &chunk.Choices[i]; choice.Index == 0 && !r.choice(choice) {
			return false, nil
		}
	}
	return true, nil
}

// choice takes one chunk's piece of the answer.
func (r *chatReader) choice(c *sdk.ChatCompletionChunkChoice) bool {
	if !r.think(&c.Delta) || !r.say(&c.Delta) {
		return false
	}
	for i := range c.Delta.ToolCalls {
		if !r.startCalls() || !r.calls.add(&c.Delta.ToolCalls[i]) {
			return false
		}
	}
	if c.FinishReason != "" {
		r.reason = c.FinishReason
	}
	return true
}

func (r *chatReader) think(delta *sdk.ChatCompletionChunkChoiceDelta) bool {
	if len(delta.JSON.ExtraFields) == 0 {
		return true
	}
	detailed := r.details.add(delta.JSON.ExtraFields[detailsField].Raw())
	text, field := reasoningText(delta)
	switch {
	case text != "":
		r.field = field
	case detailed != "":
		text = detailed
	default:
		return true
	}
	return r.prose.write(message.ThinkingBlock, text)
}

func (r *chatReader) say(delta *sdk.ChatCompletionChunkChoiceDelta) bool {
	text := delta.Content
	if raw := delta.JSON.Content.Raw(); strings.HasPrefix(raw, "[") {
		var thinking string
		if text, thinking = contentParts(raw); !r.prose.write(message.ThinkingBlock, thinking) {
			return false
		}
	}
	if delta.Refusal != "" {
		r.refused = true
		text += delta.Refusal
	}
	if r.spot != nil {
		text = r.spot.write(text)
	}
	return r.text(text)
}

func (r *chatReader) text(text string) bool {
	if text != "" && strings.TrimSpace(text) != "" && !r.endThinking() {
		return false
	}
	return r.prose.write(message.TextBlock, text)
}

// contentParts reads content that comes as a list: Mistral's, of which the
// thinking is a list again.
func contentParts(raw string) (text, thinking string) {
	type part struct {
		Type, Text string
		Thinking   []struct{ Text string }
	}
	var parts []part
	if json.Unmarshal([]byte(raw), &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		text += p.Text
		for _, t := range p.Thinking {
			thinking += t.Text
		}
	}
	return text, thinking
}

func (r *chatReader) endThinking() bool {
	if r.prose.kind != message.ThinkingBlock {
		return true
	}
	signature := r.details.take()
	if signature == "" {
		signature = r.field
	}
	return r.prose.close(signature)
}

// startCalls ends what was said before the first tool call.
func (r *chatReader) startCalls() bool {
	return r.endThinking() && r.prose.close("")
}

func (r *chatReader) end(done bool) (message.StopReason, message.Usage, error) {
	complete := done || r.reason != ""
	if r.spot != nil {
		r.endSpotting(complete)
	}
	r.endThinking()
	r.prose.close("")
	// Encrypted thinking that came without or after its text.
	if signature := r.details.take(); signature != "" {
		if i, ok := r.w.Open(message.Block{Type: message.ThinkingBlock}); ok {
			r.w.Close(i, signature)
		}
	}
	r.calls.close()
	if !complete {
		return "", r.usage, brokenOff(r.x.name)
	}
	reason, err := r.outcome()
	return reason, r.usage, err
}

// endSpotting says what was held back: tool calls if it is that, else text.
// Of an answer that broke off no call is made up.
func (r *chatReader) endSpotting(complete bool) {
	var found []printedCall
	if complete && r.reason != "length" && !r.calls.any() {
		found = r.spot.end()
	}
	if !r.text(r.spot.rest()) || len(found) == 0 || !r.startCalls() {
		return
	}
	for _, c := range found {
		if !r.calls.whole(c.name, c.arguments) {
			return
		}
	}
}

func (r *chatReader) outcome() (message.StopReason, error) {
	switch r.reason {
	case "length", "max_tokens":
		return message.Length, nil
	case "content_filter":
		return message.Refusal, &llm.Error{Kind: llm.Filtered, Provider: r.x.name, Message: "the content filter stopped the answer"}
	case "model_context_window_exceeded":
		return "", &llm.Error{Kind: llm.Overflow, Provider: r.x.name, Message: "the context window is full"}
	case "error":
		return "", &llm.Error{Kind: llm.Unavailable, Provider: r.x.name, Message: "the model failed while it answered"}
	}
	if r.refused {
		return message.Refusal, refusedError(r.x.name)
	}
	return "", nil // toolUse or stop, whatever the server called it
}

// chatUsage counts cached tokens apart, as message.Usage wants it.
func chatUsage(u sdk.CompletionUsage) message.Usage {
	cached, written := u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens
	if cached == 0 { // DeepSeek's own name
		var hit int64
		if json.Unmarshal([]byte(u.JSON.ExtraFields["prompt_cache_hit_tokens"].Raw()), &hit) == nil {
			cached = hit
		}
	}
	output := u.CompletionTokens
	if r := u.CompletionTokensDetails.ReasoningTokens; r > 0 && u.TotalTokens == u.PromptTokens+output+r {
		output += r // xAI counts thinking apart
	}
	return counted(u.PromptTokens, cached, written, output)
}

// counted bounds the numbers: a server may say anything.
func counted(input, cached, written, output int64) message.Usage {
	const most = 1 << 40
	bound := func(n, high int64) int64 { return min(max(n, 0), high) }
	input = bound(input, most)
	cached = bound(cached, input)
	written = bound(written, input-cached)
	return message.Usage{
		Input: int(input - cached - written), CacheRead: int(cached), CacheWrite: int(written),
		Output: int(bound(output, most)),
	}
}
