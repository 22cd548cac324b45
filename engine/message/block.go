package message

import (
	"encoding/json"
	"strings"
)

// BlockType names a content block. The values are the wire's.
type BlockType string

const (
	TextBlock     BlockType = "text"
	ThinkingBlock BlockType = "thinking"
	RedactedBlock BlockType = "redactedThinking"
	ImageBlock    BlockType = "image"
	ToolCallBlock BlockType = "toolCall"
)

// Block is one piece of a message's content.
type Block struct {
	Type BlockType
	// Text of a text or thinking block.
	Text string
	// Signature is opaque: what the provider wants back with a text, thinking
	// or toolCall block. It is returned only to the model that made it.
	Signature string
	// Data is base64: an image, or redacted thinking.
	Data     string
	MimeType string

	// Tool call. ID is unique in the session; ProviderID is what the provider
	// called it, empty when it is the same.
	ID, ProviderID, Name string
	// Arguments is a JSON object, never null. When the model's text was no
	// JSON object it is {} and Malformed holds that text.
	Arguments json.RawMessage
	Malformed string

	// Raw is the JSON of a block type this build doesn't know.
	Raw json.RawMessage
}

// TextOf returns a text block.
func TextOf(s string) Block { return Block{Type: TextBlock, Text: s} }

// ImageOf returns an image block of base64 data.
func ImageOf(base64, mimeType string) Block {
	return Block{Type: ImageBlock, Data: base64, MimeType: mimeType}
}

// Text joins the text blocks with newlines.
func Text(blocks []Block) string {
	switch {
	case len(blocks) == 0:
		return ""
	case len(blocks) == 1 && blocks[0].Type == TextBlock:
		return blocks[0].Text
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == TextBlock {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}
