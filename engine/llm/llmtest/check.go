package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Check reports the first rule of llm.Stream that the parts of one whole
// stream break.
func Check(parts []llm.Part) error {
	c := checker{text: map[int]*strings.Builder{}}
	for i, p := range parts {
		if c.finished {
			return fmt.Errorf("part %d, %T, comes after Finished", i, p)
		}
		if err := c.next(p); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	if !c.finished {
		return fmt.Errorf("the stream of %d parts has no Finished", len(parts))
	}
	return nil
}

type checker struct {
	started  []llm.BlockStarted
	ended    map[int]message.Block
	text     map[int]*strings.Builder // of open blocks
	finished bool
}

func (c *checker) next(p llm.Part) error {
	switch p := p.(type) {
	case llm.BlockStarted:
		return c.start(p)
	case llm.BlockDelta:
		if c.text[p.Index] == nil {
			return fmt.Errorf("delta for block %d, which isn't open", p.Index)
		}
		if p.Text == "" {
			return fmt.Errorf("empty delta for block %d", p.Index)
		}
		c.text[p.Index].WriteString(p.Text)
	case llm.BlockEnded:
		return c.end(p)
	case llm.Finished:
		c.finished = true
		return c.finish(p)
	default:
		return fmt.Errorf("unknown part %T", p)
	}
	return nil
}

func (c *checker) start(p llm.BlockStarted) error {
	if p.Index != len(c.started) {
		return fmt.Errorf("block %d starts, want index %d", p.Index, len(c.started))
	}
	if isCall := p.Type == message.ToolCallBlock; isCall != (p.Name != "") || isCall != (p.ID != "") {
		return fmt.Errorf("block %d of type %s has id %q and name %q", p.Index, p.Type, p.ID, p.Name)
	}
	c.started = append(c.started, p)
	c.text[p.Index] = &strings.Builder{}
	return nil
}

func (c *checker) end(p llm.BlockEnded) error {
	builder := c.text[p.Index]
	if builder == nil {
		return fmt.Errorf("block %d ends but isn't open", p.Index)
	}
	delete(c.text, p.Index)
	if c.ended == nil {
		c.ended = map[int]message.Block{}
	}
	c.ended[p.Index] = p.Block
	s, b, streamed := c.started[p.Index], p.Block, builder.String()
	if b.Type != s.Type || b.ID != s.ID || b.Name != s.Name {
		return fmt.Errorf("block %d started as %s %s %s and ended as %s %s %s", p.Index, s.Type, s.ID, s.Name, b.Type, b.ID, b.Name)
	}
	switch b.Type {
	case message.TextBlock, message.ThinkingBlock:
		if streamed != b.Text {
			return fmt.Errorf("block %d streamed %q and ended as %q", p.Index, streamed, b.Text)
		}
	case message.ToolCallBlock:
		return checkArguments(p.Index, b, streamed)
	}
	return nil
}

func checkArguments(index int, b message.Block, streamed string) error {
	if !bytes.Equal(message.Object(b.Arguments), b.Arguments) {
		return fmt.Errorf("block %d has arguments %q, which are no JSON object", index, b.Arguments)
	}
	switch {
	case b.Malformed != "":
		if b.Malformed != streamed || string(b.Arguments) != "{}" {
			return fmt.Errorf("block %d streamed %q, kept malformed %q with arguments %s", index, streamed, b.Malformed, b.Arguments)
		}
	case streamed != "":
		if !sameJSON([]byte(streamed), b.Arguments) {
			return fmt.Errorf("block %d streamed %q and ended with arguments %s", index, streamed, b.Arguments)
		}
	}
	return nil
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func (c *checker) finish(p llm.Finished) error {
	m := p.Message
	if len(c.text) > 0 {
		return fmt.Errorf("%d blocks are still open at Finished", len(c.text))
	}
	if m.Role != message.Assistant {
		return fmt.Errorf("the message has role %q", m.Role)
	}
	if len(m.Content) != len(c.started) {
		return fmt.Errorf("%d blocks were streamed, the message holds %d", len(c.started), len(m.Content))
	}
	for i, b := range m.Content {
		if !reflect.DeepEqual(b, c.ended[i]) {
			return fmt.Errorf("block %d ended as %+v, the message holds %+v", i, c.ended[i], b)
		}
	}
	failed := m.StopReason == message.Error || m.StopReason == message.Aborted
	if m.StopReason == message.Refusal { // may say why, but needn't
		failed = p.Err != nil
	}
	switch {
	case m.StopReason == "":
		return fmt.Errorf("the message has no stop reason")
	case failed != (p.Err != nil):
		return fmt.Errorf("stop reason %q with error %v", m.StopReason, p.Err)
	case failed != (m.ErrorMessage != ""):
		return fmt.Errorf("stop reason %q with error message %q", m.StopReason, m.ErrorMessage)
	case m.StopReason == message.ToolUse && len(m.Calls()) == 0:
		return fmt.Errorf("stop reason toolUse without a tool call")
	case m.Usage.Input < 0 || m.Usage.Output < 0 || m.Usage.TotalTokens < 0:
		return fmt.Errorf("negative usage %+v", m.Usage)
	}
	return nil
}
