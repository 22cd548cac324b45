package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/history"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

const (
	// cacheKeyLimit, chatIDLimit and nameLimit are OpenAI's, in bytes.
	cacheKeyLimit = 64
	chatIDLimit   = 40
	nameLimit     = 64 // on both wires
	// answerLimit is asked for where the caller names no limit: some services
	// cut answers after a few hundred tokens unless told otherwise.
	answerLimit = 32000

	letters      = history.Word
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// chatParams is the body of a chat completion.
func (p *provider) chatParams(req llm.Request) sdk.ChatCompletionNewParams {
	c := chatBuilder{compat: p.compat, req: req}
	c.params.Model = req.Model.ID
	if strings.TrimSpace(req.System) != "" {
		c.system(req.System)
	}
	for _, m := range history.Strip(req.Messages, req.Model) {
		c.message(m)
	}
	c.flushImages()
	c.tools()
	c.breakpoints()
	c.limits()
	c.thinking()
	if c.compat.SupportsStore {
		c.params.Store = sdk.Bool(false)
	}
	if c.compat.SupportsUsageInStreaming {
		c.params.StreamOptions.IncludeUsage = sdk.Bool(true)
	}
	if c.compat.SupportsPromptCacheKey && req.SessionID != "" {
		c.params.PromptCacheKey = sdk.String(history.ToolID(req.SessionID, letters, cacheKeyLimit))
	}
	if len(c.extra) > 0 {
		c.params.SetExtraFields(c.extra)
	}
	return c.params
}

type chatBuilder struct {
	compat compat
	req    llm.Request
	params sdk.ChatCompletionNewParams
	extra  map[string]any
	images []message.Block // of tool results, to follow them
}

func (c *chatBuilder) add(m sdk.ChatCompletionMessageParamUnion) {
	c.params.Messages = append(c.params.Messages, m)
}

func (c *chatBuilder) system(text string) {
	if c.req.Model.Reasoning && c.compat.SupportsDeveloperRole {
		c.add(sdk.DeveloperMessage(text))
		return
	}
	c.add(sdk.SystemMessage(text))
}

func (c *chatBuilder) message(m message.Message) {
	if m.Role != message.ToolResult {
		c.flushImages()
	}
	switch m.Role {
	case message.User:
		c.user(m.Content)
	case message.Assistant:
		c.assistant(m)
	case message.ToolResult:
		c.result(m)
	}
}

func (c *chatBuilder) user(blocks []message.Block) {
	if c.compat.RequiresAssistantAfterToolResult {
		if n := len(c.params.Messages); n > 0 && c.params.Messages[n-1].OfTool != nil {
			c.add(sdk.AssistantMessage("I have read the results."))
		}
	}
	if len(blocks) == 1 && blocks[0].Type == message.TextBlock {
		c.add(sdk.UserMessage(blocks[0].Text))
		return
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, b := range blocks {
		switch b.Type {
		case message.TextBlock:
			parts = append(parts, sdk.TextContentPart(b.Text))
		case message.ImageBlock:
			parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(b)}))
		}
	}
	if len(parts) > 0 {
		c.add(sdk.UserMessage(parts))
	}
}

func dataURL(b message.Block) string { return "data:" + b.MimeType + ";base64," + b.Data }

func (c *chatBuilder) assistant(m message.Message) {
	var a sdk.ChatCompletionAssistantMessageParam
	var texts []string
	extra := map[string]any{}
	for _, b := range m.Content {
		switch b.Type {
		case message.TextBlock:
			texts = append(texts, b.Text)
		case message.ThinkingBlock:
			if !c.compat.RequiresThinkingAsText {
				reasoned(extra, b)
			} else if strings.TrimSpace(b.Text) != "" {
				texts = append(texts, b.Text)
			}
		case message.ToolCallBlock:
			a.ToolCalls = append(a.ToolCalls, c.call(b))
		}
	}
	if len(texts) == 0 && len(a.ToolCalls) == 0 {
		return // thinking alone is no answer
	}
	if len(texts) > 0 {
		a.Content.OfString = sdk.String(strings.Join(texts, "\n"))
	}
	if len(extra) > 0 {
		a.SetExtraFields(extra)
	}
	c.add(sdk.ChatCompletionMessageParamUnion{OfAssistant: &a})
}

func (c *chatBuilder) call(b message.Block) sdk.ChatCompletionMessageToolCallUnionParam {
	call := sdk.ChatCompletionMessageFunctionToolCallParam{ID: c.id(b.ID)}
	call.Function.Name = toolName(b.Name)
	call.Function.Arguments = string(message.Object(b.Arguments))
	if strings.HasPrefix(b.Signature, "{") && json.Valid([]byte(b.Signature)) {
		call.SetExtraFields(map[string]any{"extra_content": json.RawMessage(b.Signature)})
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &call}
}

// toolName is the name of a call as the services take it: a tool that the model
// made up has one of any form.
func toolName(name string) string { return history.ToolID(name, letters, nameLimit) }

func (c *chatBuilder) id(id string) string {
	if c.compat.RequiresMistralToolIDs {
		if len(id) != 9 {
			id += "\x00" // so that a shorter one isn't valid as it is
		}
		return history.ToolID(id, alphanumeric, 9)
	}
	return history.ToolID(id, letters, chatIDLimit)
}

// result adds a tool's result. This wire takes only text there, so images
// follow in a user message once all results of the turn are said.
func (c *chatBuilder) result(m message.Message) {
	text := message.Text(m.Content)
	images := 0
	for _, b := range m.Content {
		if b.Type == message.ImageBlock {
			c.images = append(c.images, b)
			images++
		}
	}
	if images > 0 {
		text = strings.TrimPrefix(text+"\n(see the image in the message below)", "\n")
	}
	r := sdk.ChatCompletionToolMessageParam{ToolCallID: c.id(m.ToolCallID)}
	r.Content.OfString = sdk.String(text)
	if c.compat.RequiresToolResultName && m.ToolName != "" {
		r.SetExtraFields(map[string]any{"name": toolName(m.ToolName)})
	}
	c.add(sdk.ChatCompletionMessageParamUnion{OfTool: &r})
}

func (c *chatBuilder) flushImages() {
	if len(c.images) == 0 {
		return
	}
	images := c.images
	c.images = nil
	c.user(append([]message.Block{message.TextOf("Images from the tool results above:")}, images...))
}

func (c *chatBuilder) tools() {
	for _, t := range c.req.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: schemaOf(t.Parameters)}
		if t.Description != "" {
			f.Description = sdk.String(t.Description)
		}
		if c.compat.SupportsStrictMode {
			f.Strict = sdk.Bool(strict(t.Parameters))
		}
		c.params.Tools = append(c.params.Tools, sdk.ChatCompletionFunctionTool(f))
	}
}

func (c *chatBuilder) limits() {
	n := c.req.MaxTokens
	if n == 0 && c.compat.MaxTokensField == "max_tokens" {
		n = min(c.req.Model.MaxTokens, answerLimit)
		if w := c.req.Model.ContextWindow; w > 0 && n > w/2 {
			n = 0 // prompt and answer might not fit together
		}
	}
	if n <= 0 {
		return
	}
	if c.compat.MaxTokensField == "max_tokens" {
		c.params.MaxTokens = param.NewOpt(int64(n))
	} else {
		c.params.MaxCompletionTokens = param.NewOpt(int64(n))
	}
}

// thinking asks for the level in the server's own way.
func (c *chatBuilder) thinking() {
	if !c.req.Model.Reasoning {
		return
	}
	level := c.req.Model.Clamp(c.req.Thinking)
	effort, on := c.compat.effort(level), level != llm.Off
	switch c.compat.ThinkingFormat {
	case "openrouter":
		if effort != "" {
			c.set("reasoning", map[string]any{"effort": effort})
		}
		return
	case "zai":
		c.set("thinking", map[string]any{"type": enabled(on)})
		return
	case "deepseek":
		c.set("thinking", map[string]any{"type": enabled(on)})
	case "qwen":
		c.set("enable_thinking", on)
		return
	case "qwen-chat-template":
		c.set("chat_template_kwargs", map[string]any{"enable_thinking": on})
		return
	}
	if effort != "" && c.compat.SupportsReasoningEffort {
		c.params.ReasoningEffort = shared.ReasoningEffort(effort)
	}
}

func (c *chatBuilder) set(field string, value any) {
	if c.extra == nil {
		c.extra = map[string]any{}
	}
	c.extra[field] = value
}

func enabled(on bool) string {
	if on {
		return "enabled"
	}
	return "disabled"
}
