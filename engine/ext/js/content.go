package js

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// block is a piece of content as extensions write it. An image holds its data
// itself or, as some write it, in its source.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
	Source   *struct {
		Data      string `json:"data"`
		MediaType string `json:"mediaType"`
	} `json:"source"`
}

// decodeContent reads a text or a list of text and image blocks.
func decodeContent(raw json.RawMessage) ([]message.Block, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, errors.New("the content is missing")
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []message.Block{message.TextOf(text)}, nil
	}
	var blocks []block
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, errors.New("the content must be a text or a list of blocks")
	}
	content := make([]message.Block, 0, len(blocks))
	for i, b := range blocks {
		switch {
		case b.Type == string(message.TextBlock):
			content = append(content, message.TextOf(b.Text))
		case b.Type != string(message.ImageBlock):
			return nil, fmt.Errorf("content[%d] must be a text or an image, not %q", i, b.Type)
		case b.Source != nil:
			content = append(content, message.ImageOf(b.Source.Data, b.Source.MediaType))
		default:
			content = append(content, message.ImageOf(b.Data, b.MimeType))
		}
	}
	return content, nil
}

// decodeResult reads what a tool has returned, or shows while it runs.
func decodeResult(raw json.RawMessage) (r tool.Result, isError bool, err error) {
	a, err := parse[struct {
		Content json.RawMessage
		Details json.RawMessage
		IsError bool
	}](raw)
	if err != nil {
		return r, false, err
	}
	if r.Content, err = decodeContent(a.Content); err != nil {
		return r, false, err
	}
	r.Details = objectOf(a.Details)
	return r, a.IsError, nil
}

// objectOf is what may stand as details: an object, or another value in one.
func objectOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '{' {
		return raw
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"value": raw})
	if err != nil {
		return nil
	}
	return wrapped
}
