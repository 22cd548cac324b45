package strict

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// answer follows the assistant message that is being streamed.
type answer struct {
	first  object // as it was announced
	blocks map[int]*block
	top    int // highest contentIndex so far; -1: none
}

// block is one piece of its content, as told by deltas.
type block struct {
	kind     string // text, thinking or toolCall
	id, name string // of a call
	text     strings.Builder
	call     object // at its end
	ended    bool
}

func newAnswer(m object) *answer {
	return &answer{first: m, blocks: map[int]*block{}, top: -1}
}

// kinds maps the first part of an update's type to the block's type.
var kinds = map[string]string{"text": "text", "thinking": "thinking", "toolcall": "toolCall"}

func (a *answer) update(o object) error {
	e := o.object("assistantMessageEvent")
	kind, phase, _ := strings.Cut(e.text("type"), "_")
	index := e.number("contentIndex")
	b, err := a.block(kinds[kind], phase, index)
	if err != nil {
		return err
	}
	switch phase {
	case "start":
		b.id, b.name = e.text("id"), e.text("toolName")
	case "delta":
		b.text.WriteString(e.text("delta"))
	case "end":
		if err := b.close(e); err != nil {
			return err
		}
	}
	m := o.object("message")
	if m == nil {
		return nil
	}
	if u, ok := o["usage"]; ok && !same(u, m["usage"]) {
		return errors.New("usage is not the message's")
	}
	if !same(e["partial"], any(m)) {
		return errors.New("partial is not the message")
	}
	return b.shown(m.list("content"), index)
}

// block finds the block that an update is about, or opens it.
func (a *answer) block(kind, phase string, index int) (*block, error) {
	b := a.blocks[index]
	switch {
	case phase == "start" && index <= a.top:
		return nil, fmt.Errorf("block %d starts after block %d", index, a.top)
	case phase == "start":
		b = &block{kind: kind}
		a.blocks[index], a.top = b, index
	case b == nil || b.ended:
		return nil, fmt.Errorf("block %d is not open", index)
	case b.kind != kind:
		return nil, fmt.Errorf("block %d is of the kind %s, not %s", index, b.kind, kind)
	}
	return b, nil
}

// close takes the end of a block, which repeats the whole of it.
func (b *block) close(e object) error {
	b.ended = true
	if b.kind != "toolCall" {
		if e.text("content") != b.text.String() {
			return errors.New("content is not the sum of the deltas")
		}
		return nil
	}
	b.call = e.object("toolCall")
	if b.id != "" && (b.call.text("id") != b.id || b.call.text("name") != b.name) {
		return errors.New("another call than the one that started")
	}
	b.id, b.name = b.call.text("id"), b.call.text("name")
	want := object{} // what is no object becomes an empty one
	if v, err := decodeObject([]byte(b.text.String())); err == nil {
		want = v
	}
	if !same(b.call["arguments"], any(want)) {
		return errors.New("the arguments are not the sum of the deltas")
	}
	return nil
}

// shown checks the block in the message so far.
func (b *block) shown(content []any, index int) error {
	if index >= len(content) {
		return fmt.Errorf("the message so far has no block %d", index)
	}
	c, _ := content[index].(object)
	if c.text("type") != b.kind {
		return fmt.Errorf("block %d of the message so far is a %s, not a %s", index, c.text("type"), b.kind)
	}
	if b.kind == "toolCall" {
		if b.id == "" {
			b.id, b.name = c.text("id"), c.text("name")
		}
		if c.text("id") != b.id || c.text("name") != b.name {
			return fmt.Errorf("block %d of the message so far is another call", index)
		}
		return nil
	}
	if c.text(b.kind) != b.text.String() {
		return fmt.Errorf("block %d of the message so far is not the sum of the deltas", index)
	}
	return nil
}

// final reports whether c is the block as it ended.
func (b *block) final(c object) bool {
	switch {
	case c.text("type") != b.kind:
		return false
	case b.kind == "toolCall": // the message may add signatures
		return b.call != nil && c.text("id") == b.id && c.text("name") == b.name && same(b.call["arguments"], c["arguments"])
	}
	return c.text(b.kind) == b.text.String()
}

// end compares the finished message with what was streamed of it.
func (a *answer) end(m object) error {
	content := m.list("content")
	if len(a.blocks) == 0 {
		if !same(a.first["content"], m["content"]) {
			return errors.New("content that was neither announced nor streamed")
		}
		return nil
	}
	switch m.text("stopReason") {
	case "aborted", "error", "length":
		return a.endCut(content)
	}
	for i, c := range content {
		c, _ := c.(object)
		b := a.blocks[i]
		switch {
		case b == nil && c.text("text")+c.text("thinking") == "" && c.text("type") != "toolCall":
			// nothing to stream: redacted, or a signature alone
		case b == nil:
			return fmt.Errorf("block %d was not streamed", i)
		case !b.ended:
			return fmt.Errorf("block %d has no end", i)
		case !b.final(c):
			return fmt.Errorf("block %d is not what was streamed", i)
		}
	}
	if a.top >= len(content) {
		return fmt.Errorf("the message has %d blocks; block %d was streamed", len(content), a.top)
	}
	return nil
}

// endCut is end for an answer that broke off: blocks may be open, and calls
// without their end are left out.
func (a *answer) endCut(content []any) error {
	indexes := slices.Sorted(maps.Keys(a.blocks))
	for i, c := range content {
		c, _ := c.(object)
		at := slices.IndexFunc(indexes, func(index int) bool { return a.blocks[index].final(c) })
		if at < 0 && c.text("text")+c.text("thinking") == "" && c.text("type") != "toolCall" {
			continue
		}
		if at < 0 {
			return fmt.Errorf("block %d is not what was streamed", i)
		}
		for _, left := range indexes[:at] {
			if b := a.blocks[left]; b.kind != "toolCall" && b.text.Len() > 0 {
				return fmt.Errorf("the text of the streamed block %d is lost", left)
			}
		}
		indexes = indexes[at+1:]
	}
	for _, left := range indexes {
		if b := a.blocks[left]; b.kind != "toolCall" && b.text.Len() > 0 {
			return fmt.Errorf("the text of the streamed block %d is lost", left)
		}
	}
	return nil
}
