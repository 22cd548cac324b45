package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// responseReader turns the events of a response into an answer: each output
// item becomes a block.
type responseReader struct {
	w       *answer.Writer
	x       *exchange
	items   map[int64]*item // by output index; item ids change at some servers
	refused bool
	final   *responses.Response
	status  responses.ResponseStatus // of final
}

// item is an output item while it streams.
type item struct {
	block   int
	open    bool
	closed  bool
	text    strings.Builder // what was streamed
	source  string          // kind of event that a reasoning item's text comes from
	section int64           // of its summary or content
}

func newResponseReader(w *answer.Writer, x *exchange) *responseReader {
	return &responseReader{w: w, x: x, items: map[int64]*item{}}
}

func (r *responseReader) event(data []byte) (bool, error) {
	var e responses.ResponseStreamEventUnion
	if err := json.Unmarshal(data, &e); err != nil {
		return false, malformed(r.x.name, err)
	}
	switch e.Type {
	case "response.created":
		r.w.Identify(e.Response.ID)
	case "response.output_text.delta":
		return r.write(e.OutputIndex, message.TextBlock, e.Delta), nil
	case "response.refusal.delta":
		r.refused = true
		return r.write(e.OutputIndex, message.TextBlock, e.Delta), nil
	case "response.reasoning_summary_text.delta":
		return r.think(&e, e.SummaryIndex), nil
	case "response.reasoning_text.delta":
		return r.think(&e, e.ContentIndex), nil
	case "response.output_item.added":
		return r.start(e.OutputIndex, e.Item.RawJSON()), nil
	case "response.function_call_arguments.delta":
		return r.arguments(e.OutputIndex, e.Delta), nil
	case "response.output_item.done":
		return r.finish(e.OutputIndex, e.Item.RawJSON()), nil
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		r.last(&e.Response, strings.TrimPrefix(e.Type, "response."))
		return false, nil
	case "error":
		return false, r.x.failed(data)
	case "":
		if bytes.Contains(data, []byte(`"error"`)) {
			return false, r.x.failed(data)
		}
	}
	return true, nil
}

// at returns the item of an output index, which a server may not announce.
func (r *responseReader) at(index int64) *item {
	it := r.items[index]
	if it == nil {
		it = &item{}
		r.items[index] = it
	}
	return it
}

// write streams text into the item's block.
func (r *responseReader) write(index int64, kind message.BlockType, text string) bool {
	it := r.at(index)
	if it.closed || text == "" {
		return true
	}
	if !it.open && !r.openBlock(it, message.Block{Type: kind}) {
		return false
	}
	it.text.WriteString(text)
	return r.w.Delta(it.block, text)
}

func (r *responseReader) openBlock(it *item, b message.Block) bool {
	block, ok := r.w.Open(b)
	if ok {
		it.block, it.open = block, true
	}
	return ok
}

// think streams a summary, or the reasoning itself where a server shows that,
// but not both. Its sections become paragraphs.
func (r *responseReader) think(e *responses.ResponseStreamEventUnion, section int64) bool {
	it := r.at(e.OutputIndex)
	if it.source == "" {
		it.source, it.section = e.Type, section
	}
	if it.source != e.Type {
		return true
	}
	text := e.Delta
	if section != it.section && it.text.Len() > 0 {
		text = "\n\n" + text
	}
	it.section = section
	return r.write(e.OutputIndex, message.ThinkingBlock, text)
}

// outputItem holds the fields of the items that an answer is made of.
type outputItem struct {
	reasoningSignature
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Phase     string `json:"phase"`
	Arguments string `json:"arguments"`
}

// start opens the block of a function call; others wait for their text.
func (r *responseReader) start(index int64, raw string) bool {
	var o outputItem
	if json.Unmarshal([]byte(raw), &o) != nil || o.Type != "function_call" {
		return true
	}
	return r.startCall(index, &o)
}

func (r *responseReader) startCall(index int64, o *outputItem) bool {
	it := r.at(index)
	if it.open || it.closed || o.Name == "" {
		return true
	}
	id := o.CallID
	if id == "" {
		id = o.ID
	}
	if id == "" {
		id = fmt.Sprintf("call_%d", index+1)
	}
	return r.openBlock(it, message.Block{Type: message.ToolCallBlock, ID: id, Name: o.Name})
}

func (r *responseReader) arguments(index int64, text string) bool {
	it := r.at(index)
	if it.closed {
		return true
	}
	it.text.WriteString(text)
	if !it.open { // never announced: it comes whole when it is done
		return true
	}
	return r.w.Delta(it.block, text)
}

// finish ends an item's block with what hadn't been streamed and with its
// signature.
func (r *responseReader) finish(index int64, raw string) bool {
	var o outputItem
	it := r.at(index)
	if json.Unmarshal([]byte(raw), &o) != nil || it.closed {
		return true
	}
	switch o.Type {
	case "function_call":
		streamed := it.text.String()
		if !it.open {
			streamed = ""
		}
		if !r.startCall(index, &o) {
			return false
		}
		if tail, ok := strings.CutPrefix(o.Arguments, streamed); ok && it.open && !r.w.Delta(it.block, tail) {
			return false
		}
		return r.close(it, o.ID)
	case "message":
		if !it.open && !r.write(index, message.TextBlock, r.said(o.Content)) {
			return false
		}
		return r.close(it, encode(textSignature{o.ID, o.Phase}))
	case "reasoning":
		return r.finishReasoning(index, it, &o)
	}
	return true
}

func (r *responseReader) finishReasoning(index int64, it *item, o *outputItem) bool {
	if !it.open {
		text := joinParts(o.Summary)
		if text == "" {
			text = joinParts(o.Content)
		}
		if !r.write(index, message.ThinkingBlock, text) {
			return false
		}
	}
	if o.EncryptedContent == "" {
		return r.close(it, "")
	}
	if o.Summary == nil {
		o.Summary = []textPart{}
	}
	// Encrypted thinking without a summary makes an empty block: it has to be
	// returned.
	if !it.open && !r.openBlock(it, message.Block{Type: message.ThinkingBlock}) {
		return false
	}
	return r.close(it, encode(o.reasoningSignature))
}

func (r *responseReader) close(it *item, signature string) bool {
	wasOpen := it.open
	it.open, it.closed = false, true
	return !wasOpen || r.w.Close(it.block, signature)
}

// said is the whole text of a message item.
func (r *responseReader) said(content []textPart) string {
	var s strings.Builder
	for _, c := range content {
		s.WriteString(c.Text)
		s.WriteString(c.Refusal)
		r.refused = r.refused || c.Refusal != ""
	}
	return s.String()
}

func joinParts(parts []textPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n\n")
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// last takes the last event. A server that streams no items has them in its
// response.
func (r *responseReader) last(res *responses.Response, status string) {
	r.final, r.status = res, res.Status
	if r.status == "" {
		r.status = responses.ResponseStatus(status)
	}
	if res.ID != "" {
		r.w.Identify(res.ID)
	}
	if len(r.items) > 0 {
		return
	}
	for i := range res.Output {
		if !r.finish(int64(i), res.Output[i].RawJSON()) {
			return
		}
	}
}

func (r *responseReader) end(bool) (message.StopReason, message.Usage, error) {
	if r.final == nil {
		return "", message.Usage{}, brokenOff(r.x.name)
	}
	u := r.final.Usage
	usage := counted(u.InputTokens, u.InputTokensDetails.CachedTokens, u.InputTokensDetails.CacheWriteTokens, u.OutputTokens)
	reason, err := r.outcome()
	return reason, usage, err
}

func (r *responseReader) outcome() (message.StopReason, error) {
	switch r.status {
	case responses.ResponseStatusFailed:
		if e := r.final.Error.RawJSON(); e != "" {
			return "", r.x.failed([]byte(`{"error":` + e + `}`))
		}
		return "", &llm.Error{Kind: llm.Unavailable, Provider: r.x.name, Message: "the answer failed"}
	case responses.ResponseStatusCancelled:
		return "", &llm.Error{Kind: llm.Unavailable, Provider: r.x.name, Message: "the service cancelled the answer"}
	case responses.ResponseStatusIncomplete:
		switch r.final.IncompleteDetails.Reason {
		case "content_filter":
			return message.Refusal, &llm.Error{Kind: llm.Filtered, Provider: r.x.name, Message: "the content filter stopped the answer"}
		case "max_output_tokens":
			return message.Length, nil
		}
		return "", &llm.Error{Kind: llm.Unavailable, Provider: r.x.name, Message: "the answer is incomplete: " + oneLine([]byte(r.final.IncompleteDetails.Reason))}
	}
	if r.refused {
		return message.Refusal, refusedError(r.x.name)
	}
	return "", nil
}
