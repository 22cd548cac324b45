package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// calls assembles tool calls from deltas. Servers number them, or name them by
// id, or send each whole with neither.
type calls struct {
	w    *answer.Writer
	list []*call
}

type call struct {
	numbered  bool
	index     int64
	id, name  string
	signature string
	text      strings.Builder // the arguments so far
	open      bool
	block     int
}

func (cs *calls) any() bool { return len(cs.list) > 0 }

// add takes one delta.
func (cs *calls) add(d *sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	c := cs.find(d)
	if c == nil {
		c = &call{numbered: d.JSON.Index.Valid(), index: d.Index}
		cs.list = append(cs.list, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	if extra := d.JSON.ExtraFields["extra_content"].Raw(); strings.HasPrefix(extra, "{") {
		c.signature = extra // Gemini's thought signature
	}
	arguments := d.Function.Arguments
	if raw := d.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") {
		arguments = raw // an object where a string belongs
	}
	return cs.write(c, arguments)
}

// find returns the call that a delta continues, nil when it starts one.
func (cs *calls) find(d *sdk.ChatCompletionChunkChoiceDeltaToolCall) *call {
	for i := len(cs.list) - 1; i >= 0; i-- {
		c := cs.list[i]
		same := d.ID != "" && d.ID == c.id
		if d.JSON.Index.Valid() && c.numbered {
			same = d.Index == c.index
		} else if d.ID == "" && d.Function.Name == "" {
			same = true // the last one goes on
		}
		if same && !cs.another(c, d) {
			return c
		}
		if same {
			return nil
		}
	}
	return nil
}

// another reports that a delta which seems to continue c is a call of its own:
// servers that send whole calls number all of them 0.
func (cs *calls) another(c *call, d *sdk.ChatCompletionChunkChoiceDeltaToolCall) bool {
	if d.Function.Name == "" || c.name == "" {
		return false
	}
	if d.ID != "" && c.id != "" {
		return d.ID != c.id
	}
	return strings.HasSuffix(c.text.String(), "}") && json.Valid([]byte(c.text.String()))
}

// write adds to the arguments and opens the block once the call has a name.
func (cs *calls) write(c *call, arguments string) bool {
	c.text.WriteString(arguments)
	if c.open {
		return cs.w.Delta(c.block, arguments)
	}
	if c.name == "" {
		return true
	}
	if c.id == "" {
		c.id = fmt.Sprintf("call_%d", len(cs.list))
	}
	block, ok := cs.w.Open(message.Block{Type: message.ToolCallBlock, ID: c.id, Name: c.name})
	if !ok {
		return false
	}
	c.open, c.block = true, block
	return cs.w.Delta(block, c.text.String())
}

// whole adds a call that is complete.
func (cs *calls) whole(name, arguments string) bool {
	c := &call{name: name}
	cs.list = append(cs.list, c)
	return cs.write(c, arguments)
}

// close ends all calls. One that never got a name can't be shown.
func (cs *calls) close() {
	for _, c := range cs.list {
		if c.open && !cs.w.Close(c.block, c.signature) {
			return
		}
	}
}
