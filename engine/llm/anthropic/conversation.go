package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/history"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// The longest id and name of a tool call, in bytes.
const (
	maxID   = 64
	maxName = 128
)

// turn is the SDK's MessageParam. A conversation has thousands of blocks and
// goes out anew with each request; the SDK's own types take five times as long
// to encode.
type turn struct {
	Role    string `json:"role"`
	Content []item `json:"content"`
}

// item is a block: the union of the fields of the SDK's TextBlockParam,
// ImageBlockParam, ThinkingBlockParam, RedactedThinkingBlockParam,
// ToolUseBlockParam and ToolResultBlockParam.
type item struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"` // empty where it is kept secret
	Signature *string         `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   []item          `json:"content,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
}

// source is the SDK's Base64ImageSourceParam.
type source struct {
	Type      string                               `json:"type"`
	MediaType anthropic.Base64ImageSourceMediaType `json:"media_type"`
	Data      string                               `json:"data"`
}

// cache is the SDK's CacheControlEphemeralParam.
type cache struct {
	Type string `json:"type"`
}

const (
	user      = "user"
	assistant = "assistant"

	textItem     = "text"
	imageItem    = "image"
	thinkingItem = "thinking"
	redactedItem = "redacted_thinking"
	callItem     = "tool_use"
	resultItem   = "tool_result"
)

// conversation gives the messages the wire's form: user and assistant take
// turns, the results of a turn are in one message, before what the user said.
func (c compat) conversation(req llm.Request) []turn {
	var out []turn
	for _, m := range history.Strip(req.Messages, req.Model) {
		role, items := user, []item(nil)
		switch m.Role {
		case message.Assistant:
			role, items = assistant, c.said(m)
		case message.ToolResult:
			items = result(m)
		default:
			items = plain(m.Content)
		}
		if len(items) == 0 {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Role != role {
			out = append(out, turn{Role: role})
		}
		out[len(out)-1].add(items)
	}
	markCache(out)
	return out
}

// add appends items, a result behind the results that there are.
func (t *turn) add(items []item) {
	if items[0].Type == resultItem {
		at := 0
		for at < len(t.Content) && t.Content[at].Type == resultItem {
			at++
		}
		t.Content = slices.Insert(t.Content, at, items[0])
		items = items[1:]
	}
	t.Content = append(t.Content, items...)
}

// result gives a result, and behind it what can't be inside: the API takes
// nothing but text in a failure's.
func result(m message.Message) []item {
	r := item{Type: resultItem, ToolUseID: toolID(m.ToolCallID), IsError: m.IsError, Content: plain(m.Content)}
	if !m.IsError {
		return []item{r}
	}
	var texts, images []item
	for _, i := range r.Content {
		if i.Type == imageItem {
			images = append(images, i)
		} else {
			texts = append(texts, i)
		}
	}
	if r.Content = texts; len(images) > 0 && len(texts) == 0 {
		r.Content = []item{{Type: textItem, Text: "(see the image)"}}
	}
	return append([]item{r}, images...)
}

func toolID(id string) string { return history.ToolID(id, history.Word, maxID) }

// plain converts what users and tools can say: text and images, the latter a
// note where the vendor doesn't take the format.
func plain(blocks []message.Block) []item {
	out := make([]item, 0, len(blocks))
	for _, b := range blocks {
		if b.Type != message.ImageBlock {
			out = append(out, item{Type: textItem, Text: b.Text})
			continue
		}
		switch kind := anthropic.Base64ImageSourceMediaType(b.MimeType); kind {
		case anthropic.Base64ImageSourceMediaTypeImageJPEG, anthropic.Base64ImageSourceMediaTypeImagePNG,
			anthropic.Base64ImageSourceMediaTypeImageGIF, anthropic.Base64ImageSourceMediaTypeImageWebP:
			out = append(out, item{Type: imageItem, Source: &source{Type: "base64", MediaType: kind, Data: b.Data}})
		default:
			note := history.ImageNote("this model doesn't take " + b.MimeType)
			out = append(out, item{Type: textItem, Text: note.Text})
		}
	}
	return out
}

// said converts an answer. Thinking goes back unchanged or not at all.
func (c compat) said(m message.Message) []item {
	out := make([]item, 0, len(m.Content))
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			out = append(out, item{Type: textItem, Text: b.Text})
		case message.ThinkingBlock:
			if b.Signature != "" || c.AllowEmptySignature {
				out = append(out, item{Type: thinkingItem, Thinking: &b.Text, Signature: &b.Signature})
			}
		case message.RedactedBlock:
			out = append(out, item{Type: redactedItem, Data: b.Data})
		case message.ToolCallBlock:
			// A tool that the model made up has a name of any form, too.
			name := history.ToolID(b.Name, history.Word, maxName)
			out = append(out, item{Type: callItem, ID: toolID(b.ID), Name: name, Input: message.Object(b.Arguments)})
		}
	}
	return out
}

// markCache sets the breakpoints of the last two user turns: the last is what
// the next request starts with, the one before is where this one can read.
func markCache(turns []turn) {
	marked := 0
	for i := len(turns) - 1; i >= 0 && marked < 2; i-- {
		if turns[i].Role == user {
			turns[i].Content[len(turns[i].Content)-1].Cache = &cache{Type: "ephemeral"}
			marked++
		}
	}
}

// resumable reports whether the model may think with a budget now: a turn that
// began without thinking, as another model's does, has to end without it.
func resumable(turns []turn) bool {
	first := thinkingItem
	for i := len(turns) - 1; i >= 0; i-- {
		kind := turns[i].Content[0].Type
		if turns[i].Role == assistant {
			first = kind
		} else if kind != resultItem {
			break
		}
	}
	return first == thinkingItem || first == redactedItem
}

// join puts the conversation into the rest of a request's body.
func join(rest anthropic.MessageNewParams, turns []turn) ([]byte, error) {
	head, err := rest.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	var body bytes.Buffer
	body.Write(bytes.TrimSuffix(head, []byte("}")))
	body.WriteString(`,"messages":`)
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(turns); err != nil {
		return nil, fmt.Errorf("encode the conversation: %w", err)
	}
	body.WriteByte('}')
	return body.Bytes(), nil
}
