package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// answer streams one assistant message. It always returns a message that was
// announced and ended, whatever happened.
func (r *run) answer(ctx context.Context) (message.Message, error) {
	a := assembly{run: r, id: r.NewID(), started: r.Now(), model: r.Model}
	if err := ctx.Err(); err != nil {
		return a.finish(llm.Finished{Err: err})
	}
	provider, req, err := r.Request(ctx, r.history)
	if err != nil {
		return a.finish(llm.Finished{Err: err})
	}
	a.model = req.Model
	if r.Watch != nil {
		r.Watch.Begin()
		ctx, a.stop = context.WithCancel(ctx)
		defer a.stop()
	}
	return a.finish(a.stream(ctx, provider, req))
}

// assembly puts an answer together from its parts.
type assembly struct {
	*run
	id      string
	model   llm.Model
	started time.Time
	first   time.Time
	open    bool // MessageStarted is out
	blocks  []block
	stop    func() // ends the stream; nil when nobody watches
}

// block is one content block as far as it has come.
type block struct {
	kind     message.BlockType
	text     strings.Builder
	id, name string
	sent     int // bytes of text already published
	final    *message.Block
}

// stream ranges over the provider's parts; a panic in there is a failure of
// the answer, not of the process. One that was cut off is read to its end, like
// an aborted one, for what it has used.
func (a *assembly) stream(ctx context.Context, p llm.Provider, req llm.Request) (fin llm.Finished) {
	defer func() {
		if v := recover(); v != nil {
			fin = llm.Finished{Err: fmt.Errorf("the %s provider panicked: %v", req.Model.Provider, v)}
		}
	}()
	fin.Err = errors.New("the provider's stream ended without a result")
	for part := range p.Stream(ctx, req) {
		switch part := part.(type) {
		case llm.BlockStarted:
			if !a.cut {
				a.begin(part)
			}
		case llm.BlockDelta:
			if !a.cut {
				a.delta(part)
			}
		case llm.BlockEnded:
			a.done(part)
		case llm.Finished:
			return a.last(part)
		}
	}
	return fin
}

// last is the end of the stream as the watcher leaves it.
func (a *assembly) last(fin llm.Finished) llm.Finished {
	if a.Watch != nil && !a.cut && fin.Err == nil && fin.Message.StopReason != message.Refusal {
		a.cut = a.Watch.End()
	}
	if a.cut {
		fin.Err = context.Canceled
	}
	return fin
}

func (a *assembly) start() {
	if a.open {
		return
	}
	a.open, a.first = true, a.Now()
	a.Emit(event.MessageStarted{ID: a.id, Message: a.blank()})
}

func (a *assembly) blank() message.Message {
	return message.Message{
		ID: a.id, Role: message.Assistant, Timestamp: a.started.UnixMilli(),
		API: a.model.API, Provider: a.model.Provider, Model: a.model.ID, StopReason: message.Stop,
	}
}

func (a *assembly) begin(p llm.BlockStarted) {
	a.start()
	b := a.at(p.Index)
	if b == nil {
		return
	}
	b.kind, b.name = p.Type, p.Name
	if p.Type == message.ToolCallBlock {
		b.id = a.CallID(p.ID)
	}
	a.publish(p.Index, b, false)
}

func (a *assembly) delta(p llm.BlockDelta) {
	if b := a.at(p.Index); b != nil && b.kind != "" {
		b.text.WriteString(p.Text)
		a.publish(p.Index, b, false)
	}
}

func (a *assembly) done(p llm.BlockEnded) {
	a.start()
	b := a.at(p.Index)
	if b == nil {
		return
	}
	final := p.Block
	if b.kind == "" {
		b.kind, b.name = final.Type, final.Name
	}
	if final.Type == message.ToolCallBlock {
		if b.id == "" {
			b.id = a.CallID(final.ID)
		}
		if final.ID != b.id {
			final.ProviderID, final.ID = final.ID, b.id
		}
		final.Arguments = message.Object(final.Arguments)
	}
	b.final = &final
	a.publish(p.Index, b, true)
}

func (a *assembly) publish(index int, b *block, done bool) {
	d := event.MessageDelta{
		ID: a.id, Index: index, Block: b.kind, CallID: b.id, Name: b.name,
		From: b.sent, Text: b.text.String(), Done: done,
	}
	a.Emit(d)
	b.sent = b.text.Len()
	if a.Watch != nil && !a.cut && a.Watch.Delta(d) {
		a.cut = true
		a.stop()
	}
}

// at returns the block of that index, making room for it. A provider's index
// is bounded: no model answers with thousands of blocks.
func (a *assembly) at(index int) *block {
	if index < 0 || index > 4096 {
		return nil
	}
	for len(a.blocks) <= index {
		a.blocks = append(a.blocks, block{})
	}
	return &a.blocks[index]
}

// finish ends the message. Its blocks are the assembled ones: a provider's
// Finished may hold fewer after a failure, and ids are ours.
func (a *assembly) finish(fin llm.Finished) (message.Message, error) {
	a.start()
	m := a.blank()
	m.Content = a.content()
	m.Usage = a.model.Cost.Bill(fin.Message.Usage)
	m.ResponseID = fin.Message.ResponseID
	m.StopReason, m.ErrorMessage = fin.Message.StopReason, fin.Message.ErrorMessage
	now := a.Now()
	m.DurationMS, m.TTFTMS = now.Sub(a.started).Milliseconds(), a.first.Sub(a.started).Milliseconds()
	switch {
	case errors.Is(fin.Err, context.Canceled):
		m.StopReason, m.ErrorMessage = message.Aborted, AbortedText
	case fin.Err != nil:
		m.ErrorMessage = fin.Err.Error()
		if m.StopReason != message.Refusal {
			m.StopReason = message.Error
		}
	case len(m.Calls()) > 0 && m.StopReason != message.Length:
		m.StopReason = message.ToolUse
	case m.StopReason == "" || m.StopReason == message.ToolUse:
		m.StopReason = message.Stop
	}
	a.end(m)
	return m, fin.Err
}

// content lists what is worth keeping: finished blocks, and the open text of
// a cut stream. A tool call whose arguments never ended can't be run or sent
// back, so it goes.
func (a *assembly) content() []message.Block {
	var out []message.Block
	for i := range a.blocks {
		b := &a.blocks[i]
		switch {
		case b.final != nil:
			out = append(out, *b.final)
		case b.kind == message.TextBlock || b.kind == message.ThinkingBlock:
			if b.text.Len() > 0 {
				out = append(out, message.Block{Type: b.kind, Text: b.text.String()})
			}
		}
	}
	return out
}
