package rpc

import (
	"encoding/json"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// answer is the assistant message that is being told.
type answer struct {
	id     string
	start  message.Message
	blocks []block
	// at is when the last update that carried text was written.
	at time.Time
}

// block is one piece of it: what the model has said, and how much of it the
// host has been told.
type block struct {
	event.MessageDelta
	begun, ended bool
	told         int // bytes of Text
}

func (b *block) pending() bool { return b.begun && !b.ended && b.told < len(b.Text) }

// updateEvery is the least time between two updates of a message that bring
// only more text: every one of them holds the whole message.
const updateEvery = 33 * time.Millisecond

// delta takes news about a block. Its beginning and its end are told at once,
// text in between at intervals.
func (p *projection) delta(d event.MessageDelta, now time.Time) []any {
	a := p.answer
	if a == nil || a.id != d.ID {
		return nil
	}
	var frames []any
	for len(a.blocks) <= d.Index {
		a.blocks = append(a.blocks, block{})
	}
	for i := range a.blocks { // another block's rest goes before this one
		if i != d.Index && a.blocks[i].pending() {
			frames = append(frames, p.text(i, now))
		}
	}
	b := &a.blocks[d.Index]
	b.MessageDelta = d
	if names(d.Block) == "" {
		return frames
	}
	if !b.begun {
		b.begun = true
		frames = append(frames, p.begin(d.Index))
	}
	if b.pending() && (d.Done || now.Sub(a.at) >= updateEvery) {
		frames = append(frames, p.text(d.Index, now))
	}
	if d.Done && !b.ended {
		b.ended = true
		frames = append(frames, p.finish(d.Index))
	}
	return frames
}

// flush tells what was held back.
func (p *projection) flush(now time.Time) []any {
	if p.answer == nil {
		return nil
	}
	var frames []any
	for i := range p.answer.blocks {
		if p.answer.blocks[i].pending() {
			frames = append(frames, p.text(i, now))
		}
	}
	return frames
}

// due says when something that is held back has to be told.
func (p *projection) due() (at time.Time, ok bool) {
	if p.answer == nil {
		return at, false
	}
	for i := range p.answer.blocks {
		if p.answer.blocks[i].pending() {
			return p.answer.at.Add(updateEvery), true
		}
	}
	return at, false
}

func (p *projection) begin(i int) any {
	b := p.answer.blocks[i]
	e := assistantEvent{Type: names(b.Block) + "_start", ContentIndex: i}
	if b.Block == message.ToolCallBlock {
		e.ID, e.ToolName = b.CallID, b.Name
	}
	return p.update(e)
}

func (p *projection) text(i int, now time.Time) any {
	b := &p.answer.blocks[i]
	news := b.Text[b.told:]
	b.told = len(b.Text)
	p.answer.at = now
	return p.update(assistantEvent{Type: names(b.Block) + "_delta", ContentIndex: i, Delta: &news})
}

func (p *projection) finish(i int) any {
	b := p.answer.blocks[i]
	e := assistantEvent{Type: names(b.Block) + "_end", ContentIndex: i}
	if b.Block == message.ToolCallBlock {
		e.ToolCall = &message.Block{Type: b.Block, ID: b.CallID, Name: b.Name, Arguments: message.Object([]byte(b.Text))}
	} else {
		e.Content = &b.Text
	}
	return p.update(e)
}

// names are how the protocol calls the steps of a block.
func names(t message.BlockType) string {
	switch t {
	case message.TextBlock:
		return "text"
	case message.ThinkingBlock:
		return "thinking"
	case message.ToolCallBlock:
		return "toolcall"
	}
	return "" // redacted thinking has no steps
}

// update wraps an event, with the message so far unless the host wants none.
func (p *projection) update(e assistantEvent) any {
	u := messageUpdate{Type: "message_update", Usage: p.answer.start.Usage, Event: e}
	if !p.deltas {
		whole := p.answer.encoded()
		u.Message, u.Event.Partial = whole, whole
	}
	return u
}

// encoded is the message as far as the host has been told.
func (a *answer) encoded() json.RawMessage {
	m := a.start
	m.Content = make([]message.Block, 0, len(a.blocks))
	for i := range a.blocks {
		m.Content = append(m.Content, a.blocks[i].content())
	}
	return raw(m)
}

func (b *block) content() message.Block {
	out := message.Block{Type: b.Block}
	switch b.Block {
	case message.ToolCallBlock:
		out.ID, out.Name, out.Arguments = b.CallID, b.Name, wire.Partial(b.Text[:b.told])
	case "":
		out.Type = message.TextBlock // not told of yet
	default:
		out.Text = b.Text[:b.told]
	}
	return out
}
