// Package answer builds one assistant message while its parts are yielded, so
// that every provider keeps the contract of llm.Stream in the same way.
//
//	provider ─▶ Open, Delta, Close … Finish ─▶ parts to the caller
//	                      └─▶ the message that Finish hands over
//
// The rules it holds: blocks are numbered from 0 in the order they open, each
// is closed before Finished, Finished comes exactly once and last, and nothing
// is yielded after the caller stopped ranging.
package answer

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Writer yields one answer. Its methods report whether to go on: false means
// that the caller stopped ranging or that ctx ended, and that the provider
// should return after a call of Finish. It belongs to one goroutine.
type Writer struct {
	ctx     context.Context
	yield   func(llm.Part) bool
	req     llm.Request
	id      string
	content []message.Block
	open    map[int]*strings.Builder
	stopped bool // the caller ranges no more
	done    bool // Finished was yielded
}

// New starts an answer to req. It keeps ctx, which is the stream's own.
func New(ctx context.Context, req llm.Request, yield func(llm.Part) bool) *Writer {
	return &Writer{ctx: ctx, yield: yield, req: req, open: map[int]*strings.Builder{}}
}

// Identify sets what the provider calls the answer.
func (w *Writer) Identify(responseID string) { w.id = responseID }

// Open starts a block and returns its index. Only the type, for a tool call ID
// and Name, and for redacted thinking Data are taken from b. When ok is false
// there may be no block.
func (w *Writer) Open(b message.Block) (index int, ok bool) {
	if w.over() {
		return -1, false
	}
	index = len(w.content)
	w.content = append(w.content, message.Block{Type: b.Type, ID: b.ID, Name: b.Name, Data: b.Data})
	w.open[index] = &strings.Builder{}
	return index, w.yieldPart(llm.BlockStarted{Index: index, Type: b.Type, ID: b.ID, Name: b.Name})
}

// Delta adds text to an open block; an empty text is dropped. What a caller
// never saw, because ctx had ended, isn't part of the message either.
func (w *Writer) Delta(index int, text string) bool {
	if w.over() {
		return false
	}
	if text == "" {
		return true
	}
	w.open[index].WriteString(text)
	return w.yieldPart(llm.BlockDelta{Index: index, Text: text})
}

// Close ends a block. Arguments of a tool call that are no JSON object are
// kept in Malformed.
func (w *Writer) Close(index int, signature string) bool {
	b := w.settle(index)
	b.Signature = signature
	return w.yieldPart(llm.BlockEnded{Index: index, Block: *b})
}

// settle fixes the block's content from the text that arrived.
func (w *Writer) settle(index int) *message.Block {
	b, text := &w.content[index], w.open[index].String()
	delete(w.open, index)
	if b.Type != message.ToolCallBlock {
		b.Text = text
		return b
	}
	b.Arguments = message.Object(json.RawMessage(text))
	if trimmed := strings.TrimSpace(text); trimmed != "" && trimmed != string(b.Arguments) {
		b.Malformed = text
	}
	return b
}

// Finish closes what is open and yields Finished. A nil err with an ended ctx
// counts as aborted. An empty reason is chosen from what the answer holds; one
// that an err comes with counts only when it is Refusal.
func (w *Writer) Finish(reason message.StopReason, usage message.Usage, err error) {
	if w.done {
		return
	}
	w.done = true
	if ctxErr := w.ctx.Err(); ctxErr != nil {
		reason, err = message.Aborted, ctxErr
	}
	for i := range w.content {
		if _, isOpen := w.open[i]; isOpen {
			b := w.settle(i)
			w.yieldPart(llm.BlockEnded{Index: i, Block: *b})
		}
	}
	m := message.Message{
		Role: message.Assistant, Content: w.content,
		API: w.req.Model.API, Provider: w.req.Model.Provider, Model: w.req.Model.ID, ResponseID: w.id,
		Usage: w.req.Model.Cost.Bill(usage), StopReason: reason,
	}
	switch {
	case err != nil:
		m.ErrorMessage = err.Error()
		if reason != message.Aborted && reason != message.Refusal {
			m.StopReason = message.Error
		}
	case reason == "" && len(m.Calls()) > 0:
		m.StopReason = message.ToolUse
	case reason == "":
		m.StopReason = message.Stop
	}
	w.yieldPart(llm.Finished{Message: m, Err: err})
}

// over reports that nothing new may be said.
func (w *Writer) over() bool { return w.stopped || w.ctx.Err() != nil }

// yieldPart yields a part, also one that ends something after ctx has ended:
// the caller still ranges then. It reports whether to go on.
func (w *Writer) yieldPart(p llm.Part) bool {
	if w.stopped {
		return false
	}
	w.stopped = !w.yield(p)
	return !w.over()
}
