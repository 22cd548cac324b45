package anthropic

import (
	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/history"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// maxName is the longest id and name of a tool call, in bytes.
const (
	maxID   = 64
	maxName = 128
)

// conversation gives the messages the wire's form: user and assistant take
// turns, the results of a turn are in one message, before what the user said.
func (c compat) conversation(req llm.Request) []anthropic.MessageParam {
	var out []anthropic.MessageParam
	for _, m := range history.Strip(req.Messages, req.Model) {
		if m.Role != message.Assistant {
			out = appendUser(out, m)
			continue
		}
		blocks := c.said(m)
		switch last := len(out) - 1; {
		case len(blocks) == 0:
		case last >= 0 && out[last].OfAssistant != nil:
			out[last].OfAssistant.Content = append(out[last].OfAssistant.Content, blocks...)
		default:
			out = append(out, anthropic.NewAssistantMessage(blocks...))
		}
	}
	markCache(out)
	return out
}

// appendUser adds a user's message or a tool's result to the current turn.
func appendUser(out []anthropic.MessageParam, m message.Message) []anthropic.MessageParam {
	if len(out) == 0 || out[len(out)-1].OfUser == nil {
		out = append(out, anthropic.NewUserMessage())
	}
	turn := out[len(out)-1].OfUser
	if m.Role == message.ToolResult {
		results := 0
		for results < len(turn.Content) && turn.Content[results].OfToolResult != nil {
			results++
		}
		turn.Content = append(turn.Content[:results:results], append([]anthropic.ContentBlockParamUnion{result(m)}, turn.Content[results:]...)...)
		return out
	}
	for _, b := range m.Content {
		text, image := plain(b)
		turn.Content = append(turn.Content, anthropic.ContentBlockParamUnion{OfText: text, OfImage: image})
	}
	return out
}

func result(m message.Message) anthropic.ContentBlockParamUnion {
	r := &anthropic.ToolResultBlockParam{ToolUseID: history.ToolID(m.ToolCallID, history.Word, maxID)}
	if m.IsError {
		r.IsError = anthropic.Bool(true)
	}
	for _, b := range m.Content {
		text, image := plain(b)
		r.Content = append(r.Content, anthropic.ToolResultBlockParamContentUnion{OfText: text, OfImage: image})
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: r}
}

// plain converts what users and tools can say: text and images, the latter a
// note where the vendor doesn't take the format.
func plain(b message.Block) (*anthropic.TextBlockParam, *anthropic.ImageBlockParam) {
	if b.Type == message.ImageBlock {
		switch kind := anthropic.Base64ImageSourceMediaType(b.MimeType); kind {
		case anthropic.Base64ImageSourceMediaTypeImageJPEG, anthropic.Base64ImageSourceMediaTypeImagePNG,
			anthropic.Base64ImageSourceMediaTypeImageGIF, anthropic.Base64ImageSourceMediaTypeImageWebP:
			source := &anthropic.Base64ImageSourceParam{Data: b.Data, MediaType: kind}
			return nil, &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{OfBase64: source}}
		}
		b = history.ImageNote("this model doesn't take " + b.MimeType)
	}
	return &anthropic.TextBlockParam{Text: b.Text}, nil
}

// said converts an answer. Thinking goes back unchanged or not at all.
func (c compat) said(m message.Message) []anthropic.ContentBlockParamUnion {
	var out []anthropic.ContentBlockParamUnion
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			out = append(out, anthropic.NewTextBlock(b.Text))
		case message.ThinkingBlock:
			if b.Signature != "" || c.AllowEmptySignature {
				out = append(out, anthropic.NewThinkingBlock(b.Signature, b.Text))
			}
		case message.RedactedBlock:
			out = append(out, anthropic.NewRedactedThinkingBlock(b.Data))
		case message.ToolCallBlock:
			out = append(out, anthropic.NewToolUseBlock(
				history.ToolID(b.ID, history.Word, maxID), message.Object(b.Arguments),
				history.ToolID(b.Name, history.Word, maxName), // also of a tool that the model made up
			))
		}
	}
	return out
}

// markCache sets the breakpoints of the last two user turns: the last is what
// the next request starts with, the one before is where this one can read.
func markCache(messages []anthropic.MessageParam) {
	marked := 0
	for i := len(messages) - 1; i >= 0 && marked < 2; i-- {
		turn := messages[i].OfUser
		if turn == nil || len(turn.Content) == 0 {
			continue
		}
		if mark := turn.Content[len(turn.Content)-1].GetCacheControl(); mark != nil {
			*mark = anthropic.NewCacheControlEphemeralParam()
			marked++
		}
	}
}

// resumable reports whether the model may think with a budget now: a turn that
// began without thinking, as another model's does, has to end without it.
func resumable(messages []anthropic.MessageParam) bool {
	first := (*anthropic.AssistantMessageParam)(nil)
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i].OfAssistant; m != nil {
			first = m
			continue
		}
		if turn := messages[i].OfUser.Content; len(turn) == 0 || turn[0].OfToolResult == nil {
			break
		}
	}
	return first == nil || first.Content[0].OfThinking != nil || first.Content[0].OfRedactedThinking != nil
}
