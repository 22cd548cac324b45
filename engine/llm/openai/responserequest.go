package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/history"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

const (
	responseIDLimit = 64 // of call ids, in bytes
	leastTokens     = 16 // that a response may be limited to
)

// responseParams is the body of a response. Nothing is stored at the server:
// reasoning comes encrypted, and goes back with the conversation.
func (p *provider) responseParams(req llm.Request) responses.ResponseNewParams {
	params := responses.ResponseNewParams{Model: req.Model.ID, Store: sdk.Bool(false)}
	if strings.TrimSpace(req.System) != "" {
		params.Instructions = sdk.String(req.System)
	}
	var input responses.ResponseInputParam
	for _, m := range history.Strip(req.Messages, req.Model) {
		switch m.Role {
		case message.User:
			input = append(input, responses.ResponseInputItemUnionParam{OfMessage: userItem(m.Content)})
		case message.Assistant:
			input = append(input, answerItems(m.Content)...)
		case message.ToolResult:
			input = append(input, resultItem(m))
		}
	}
	params.Input.OfInputItemList = input
	for _, t := range req.Tools {
		f := responses.FunctionToolParam{Name: t.Name, Parameters: schemaOf(t.Parameters)}
		f.Strict = sdk.Bool(p.compat.SupportsStrictMode && strict(t.Parameters)) // the default would be true
		if t.Description != "" {
			f.Description = sdk.String(t.Description)
		}
		params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &f})
	}
	if req.MaxTokens > 0 {
		params.MaxOutputTokens = param.NewOpt(int64(max(req.MaxTokens, leastTokens)))
	}
	if p.compat.SupportsPromptCacheKey && req.SessionID != "" {
		params.PromptCacheKey = sdk.String(history.ToolID(req.SessionID, letters, cacheKeyLimit))
	}
	if req.Model.Reasoning {
		params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		level := req.Model.Clamp(req.Thinking)
		if effort := p.compat.effort(level); effort != "" && p.compat.SupportsReasoningEffort {
			params.Reasoning.Effort = shared.ReasoningEffort(effort)
		}
		if level != llm.Off {
			params.Reasoning.Summary = shared.ReasoningSummaryAuto
		}
	}
	return params
}

func userItem(blocks []message.Block) *responses.EasyInputMessageParam {
	m := &responses.EasyInputMessageParam{Role: responses.EasyInputMessageRoleUser}
	if len(blocks) == 1 && blocks[0].Type == message.TextBlock {
		m.Content.OfString = sdk.String(blocks[0].Text)
		return m
	}
	var list responses.ResponseInputMessageContentListParam
	for _, b := range blocks {
		switch b.Type {
		case message.TextBlock:
			list = append(list, responses.ResponseInputContentParamOfInputText(b.Text))
		case message.ImageBlock:
			image := responses.ResponseInputImageParam{Detail: responses.ResponseInputImageDetailAuto, ImageURL: sdk.String(dataURL(b))}
			list = append(list, responses.ResponseInputContentUnionParam{OfInputImage: &image})
		}
	}
	m.Content.OfInputItemContentList = list
	return m
}

func resultItem(m message.Message) responses.ResponseInputItemUnionParam {
	r := responses.ResponseInputItemFunctionCallOutputParam{CallID: sdk.String(history.ToolID(m.ToolCallID, letters, responseIDLimit))}
	var list responses.ResponseFunctionCallOutputItemListParam
	images := false
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputText: &responses.ResponseInputTextContentParam{Text: b.Text}})
		case message.ImageBlock:
			image := responses.ResponseInputImageContentParam{Detail: responses.ResponseInputImageContentDetailAuto, ImageURL: sdk.String(dataURL(b))}
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &image})
			images = true
		}
	}
	if images {
		r.Output.OfResponseFunctionCallOutputItemArray = list
	} else {
		r.Output.OfString = sdk.String(message.Text(m.Content))
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &r}
}

// answerItems are the items of an earlier answer. A reasoning item must be
// followed by what it led to, so one at the end, of an answer that broke off,
// goes; and the ids of items are checked against their reasoning, so without
// it they go too.
func answerItems(blocks []message.Block) []responses.ResponseInputItemUnionParam {
	var items, reasoning []responses.ResponseInputItemUnionParam
	reasoned := false
	for _, b := range blocks {
		switch b.Type {
		case message.ThinkingBlock:
			if r, ok := reasoningItem(b.Signature); ok {
				reasoning = append(reasoning, responses.ResponseInputItemUnionParam{OfReasoning: &r})
			}
			continue
		case message.TextBlock, message.ToolCallBlock:
		default:
			continue
		}
		reasoned = reasoned || len(reasoning) > 0
		items, reasoning = append(items, reasoning...), nil
		if b.Type == message.TextBlock {
			items = append(items, textItem(b, reasoned))
		} else {
			items = append(items, callItem(b, reasoned))
		}
	}
	return items
}

// textSignature is what a text block keeps of its item.
type textSignature struct {
	ID    string `json:"id,omitempty"`
	Phase string `json:"phase,omitempty"` // commentary or final_answer
}

func textItem(b message.Block, reasoned bool) responses.ResponseInputItemUnionParam {
	var s textSignature
	if json.Unmarshal([]byte(b.Signature), &s) == nil && s.ID != "" && reasoned {
		m := responses.ResponseOutputMessageParam{
			ID: s.ID, Phase: responses.ResponseOutputMessagePhase(s.Phase), Status: responses.ResponseOutputMessageStatusCompleted,
			Content: []responses.ResponseOutputMessageContentUnionParam{{OfOutputText: &responses.ResponseOutputTextParam{
				Text: b.Text, Annotations: []responses.ResponseOutputTextAnnotationUnionParam{},
			}}},
		}
		return responses.ResponseInputItemUnionParam{OfOutputMessage: &m}
	}
	m := responses.EasyInputMessageParam{Role: responses.EasyInputMessageRoleAssistant, Phase: responses.EasyInputMessagePhase(s.Phase)}
	m.Content.OfString = sdk.String(b.Text)
	return responses.ResponseInputItemUnionParam{OfMessage: &m}
}

func callItem(b message.Block, reasoned bool) responses.ResponseInputItemUnionParam {
	c := responses.ResponseFunctionToolCallParam{
		Name: toolName(b.Name), Arguments: string(message.Object(b.Arguments)), CallID: history.ToolID(b.ID, letters, responseIDLimit),
	}
	if reasoned && strings.HasPrefix(b.Signature, "fc_") {
		c.ID = sdk.String(b.Signature)
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCall: &c}
}

// reasoningSignature is what a thinking block keeps of its item. Without the
// encrypted content there is nothing that the server could read.
type reasoningSignature struct {
	ID               string     `json:"id"`
	Summary          []textPart `json:"summary"`
	Content          []textPart `json:"content,omitempty"`
	EncryptedContent string     `json:"encrypted_content"`
}

type textPart struct {
	Type    string `json:"type"`
	Text    string `json:"text,omitempty"`
	Refusal string `json:"refusal,omitempty"`
}

func reasoningItem(signature string) (responses.ResponseReasoningItemParam, bool) {
	var s reasoningSignature
	if json.Unmarshal([]byte(signature), &s) != nil || s.ID == "" || s.EncryptedContent == "" {
		return responses.ResponseReasoningItemParam{}, false
	}
	r := responses.ResponseReasoningItemParam{
		ID: s.ID, EncryptedContent: sdk.String(s.EncryptedContent), Summary: []responses.ResponseReasoningItemSummaryParam{},
	}
	for _, part := range s.Summary {
		r.Summary = append(r.Summary, responses.ResponseReasoningItemSummaryParam{Text: part.Text})
	}
	for _, part := range s.Content {
		r.Content = append(r.Content, responses.ResponseReasoningItemContentParam{Text: part.Text})
	}
	return r, true
}
