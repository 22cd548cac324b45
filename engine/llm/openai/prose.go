package openai

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// prose writes text and thinking into blocks: one is open at a time, and none
// opens for mere white space.
type prose struct {
	w     *answer.Writer
	kind  message.BlockType // of the open block; empty without one
	index int
	blank strings.Builder // white space that waits for its block
	wait  message.BlockType
}

// write adds text to the block of that kind.
func (p *prose) write(kind message.BlockType, text string) bool {
	if text == "" {
		return true
	}
	if p.kind == kind {
		return p.w.Delta(p.index, text)
	}
	if p.wait != kind {
		p.blank.Reset()
		p.wait = kind
	}
	p.blank.WriteString(text)
	if strings.TrimSpace(text) == "" {
		return true
	}
	text = strings.TrimLeft(p.blank.String(), "\r\n")
	p.blank.Reset()
	if !p.close("") {
		return false
	}
	index, ok := p.w.Open(message.Block{Type: kind})
	if !ok {
		return false
	}
	p.kind, p.index = kind, index
	return p.w.Delta(index, text)
}

// close ends the open block, if there is one.
func (p *prose) close(signature string) bool {
	if p.kind == "" {
		return true
	}
	p.kind = ""
	return p.w.Close(p.index, signature)
}
