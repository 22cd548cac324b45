package anthropic

import (
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// events turns the wire's events into the parts of an answer.
type events struct {
	w        *answer.Writer
	provider string
	blocks   map[int64]*block // open ones, by the wire's index
	usage    message.Usage
	reason   message.StopReason
	err      error
	complete bool // the reason to stop has arrived; only the goodbye may be missing
	over     bool // the last event has arrived
}

// block is an open block of the wire.
type block struct {
	index     int // the Writer's; of no meaning when kind is empty
	kind      message.BlockType
	signature string
	whole     string // arguments that came with the start
	empty     bool   // nothing was streamed yet
}

// next takes one event and reports whether to go on.
func (e *events) next(event anthropic.MessageStreamEventUnion) bool {
	switch event.Type {
	case "message_start":
		e.w.Identify(event.Message.ID)
		u := event.Message.Usage
		e.count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	case "content_block_start":
		if e.blocks[event.Index] != nil {
			return e.malformed("block %d starts twice", event.Index)
		}
		return e.start(event.Index, event.ContentBlock)
	case "content_block_delta":
		b := e.blocks[event.Index]
		if b == nil {
			return e.malformed("a delta of block %d, which isn't open", event.Index)
		}
		return e.delta(b, event.Delta)
	case "content_block_stop":
		b := e.blocks[event.Index]
		if b == nil {
			return e.malformed("block %d ends but isn't open", event.Index)
		}
		delete(e.blocks, event.Index)
		return e.stop(b)
	case "message_delta":
		u := event.Usage
		e.count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
		e.ended(event.Delta)
	case "message_stop":
		if !e.complete {
			return e.malformed("the answer stops without a reason")
		}
		e.over = true
		return false
	}
	return true
}

// count takes over counts that only ever grow; services that send one of them
// in one event leave it out, or at 0, in the other.
func (e *events) count(input, output, cacheRead, cacheWrite int64) {
	e.usage.Input = max(e.usage.Input, int(input))
	e.usage.Output = max(e.usage.Output, int(output))
	e.usage.CacheRead = max(e.usage.CacheRead, int(cacheRead))
	e.usage.CacheWrite = max(e.usage.CacheWrite, int(cacheWrite))
}

func (e *events) start(index int64, c anthropic.ContentBlockStartEventContentBlockUnion) bool {
	b := &block{empty: true}
	e.blocks[index] = b
	open, first := message.Block{}, ""
	switch c.Type {
	case "text":
		open.Type, first = message.TextBlock, c.Text
	case "thinking":
		open.Type, first = message.ThinkingBlock, c.Thinking
		b.signature = c.Signature
	case "redacted_thinking":
		open.Type, open.Data = message.RedactedBlock, c.Data
	case "tool_use":
		if c.Name == "" {
			return e.malformed("a tool call has no name")
		}
		if c.ID == "" { // some services leave ids out
			c.ID = fmt.Sprintf("call_%d", index)
		}
		open.Type, open.ID, open.Name = message.ToolCallBlock, c.ID, c.Name
		b.whole = c.JSON.Input.Raw()
	default: // of tools that run at the service, which we never ask for
		return true
	}
	b.kind = open.Type
	var ok bool
	if b.index, ok = e.w.Open(open); !ok {
		return false
	}
	return e.w.Delta(b.index, first)
}

func (e *events) delta(b *block, d anthropic.MessageStreamEventUnionDelta) bool {
	var of message.BlockType
	text := ""
	switch d.Type {
	case "text_delta":
		of, text = message.TextBlock, d.Text
	case "thinking_delta":
		of, text = message.ThinkingBlock, d.Thinking
	case "signature_delta":
		of = message.ThinkingBlock
		b.signature += d.Signature
	case "input_json_delta":
		of, text = message.ToolCallBlock, d.PartialJSON
	default:
		return true
	}
	switch b.kind {
	case "":
		return true
	case of:
		b.empty = b.empty && text == ""
		return e.w.Delta(b.index, text)
	}
	return e.malformed("a %s in a block of type %s", d.Type, b.kind)
}

func (e *events) stop(b *block) bool {
	if b.kind == "" {
		return true
	}
	if b.kind == message.ToolCallBlock && b.empty && b.whole != "{}" && b.whole != "null" && !e.w.Delta(b.index, b.whole) {
		return false
	}
	return e.w.Close(b.index, b.signature)
}

// ended notes why the answer stops. An empty reason leaves the choice between
// stop and toolUse to what the answer holds.
func (e *events) ended(d anthropic.MessageStreamEventUnionDelta) {
	e.complete = e.complete || d.StopReason != ""
	switch d.StopReason {
	case anthropic.StopReasonMaxTokens:
		e.reason = message.Length
	case anthropic.StopReasonRefusal:
		e.reason = message.Refusal
		e.err = &llm.Error{Kind: llm.Filtered, Provider: e.provider, Message: refusal(d.StopDetails)}
	case anthropic.StopReasonModelContextWindowExceeded:
		// To go on, the conversation must become shorter first: what the loop
		// does after this error, and not after an answer that is merely long.
		e.err = &llm.Error{Kind: llm.Overflow, Provider: e.provider, Message: "the answer was cut off where the context window ended"}
	case anthropic.StopReasonEndTurn, anthropic.StopReasonToolUse, anthropic.StopReasonStopSequence, anthropic.StopReasonPauseTurn:
	}
}

func refusal(d anthropic.RefusalStopDetails) string {
	text := "the content filter stopped the answer"
	if d.Category != "" {
		text += " (" + string(d.Category) + ")"
	}
	if d.Explanation != "" {
		text += ": " + d.Explanation
	}
	return text
}

// malformed gives up on a stream that breaks the wire's rules. The next
// attempt may be better: proxies lose and repeat what services send.
func (e *events) malformed(format string, args ...any) bool {
	e.err = &llm.Error{Kind: llm.Unavailable, Provider: e.provider, Message: "malformed stream: " + fmt.Sprintf(format, args...)}
	return false
}
