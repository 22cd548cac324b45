package openai

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// compat says how a server differs from OpenAI's own. A model's Compat holds
// some of these as JSON; what it leaves out is chosen by the base URL.
type compat struct {
	SupportsStore           bool `json:"supportsStore"`         // takes store:false
	SupportsDeveloperRole   bool `json:"supportsDeveloperRole"` // for reasoning models
	SupportsReasoningEffort bool `json:"supportsReasoningEffort"`
	// SupportsUsageInStreaming: takes stream_options.
	SupportsUsageInStreaming bool `json:"supportsUsageInStreaming"`
	// SupportsStrictMode: takes strict in a tool's definition.
	SupportsStrictMode bool `json:"supportsStrictMode"`
	// SupportsPromptCacheKey: takes the session as prompt_cache_key.
	SupportsPromptCacheKey bool `json:"supportsPromptCacheKey"`
	// MaxTokensField is max_tokens or max_completion_tokens.
	MaxTokensField string `json:"maxTokensField"`
	// RequiresToolResultName: a tool's result names the tool.
	RequiresToolResultName bool `json:"requiresToolResultName"`
	// RequiresAssistantAfterToolResult: no user message may follow a tool's result.
	RequiresAssistantAfterToolResult bool `json:"requiresAssistantAfterToolResult"`
	// RequiresThinkingAsText: earlier thinking goes back as text.
	RequiresThinkingAsText bool `json:"requiresThinkingAsText"`
	// RequiresMistralToolIDs: tool call ids of nine letters and digits.
	RequiresMistralToolIDs bool `json:"requiresMistralToolIds"`
	// ThinkingFormat is how thinking is asked for: openai (reasoning_effort),
	// openrouter (reasoning.effort), deepseek, zai (thinking.type), qwen
	// (enable_thinking) or qwen-chat-template (the same for the template).
	ThinkingFormat string `json:"thinkingFormat"`
	// ReasoningEffortMap renames levels for this model.
	ReasoningEffortMap map[llm.Level]string `json:"reasoningEffortMap"`
	// TextToolCalls: tool calls printed as text are taken for calls.
	TextToolCalls bool `json:"textToolCalls"`
	// CacheControlFormat is anthropic where the request marks what to cache.
	CacheControlFormat string `json:"cacheControlFormat"`
	// KeyHeader carries the key instead of Authorization.
	KeyHeader string `json:"keyHeader"`

	err error // of reading the model's Compat
}

// general fits most servers: only what all of them take.
func general() compat {
	return compat{
		SupportsReasoningEffort:  true,
		SupportsUsageInStreaming: true,
		MaxTokensField:           "max_tokens",
		ThinkingFormat:           "openai",
	}
}

// official fits OpenAI's own servers, also at Azure.
func official(c *compat) {
	c.SupportsStore, c.SupportsDeveloperRole, c.SupportsStrictMode, c.SupportsPromptCacheKey = true, true, true, true
	c.MaxTokensField = "max_completion_tokens"
}

func azure(c *compat) {
	official(c)
	c.KeyHeader = "api-key"
}

// known servers by the end of their host name.
var known = []struct {
	host string
	set  func(*compat)
}{
	{"api.openai.com", official},
	{".openai.azure.com", azure},
	{".cognitiveservices.azure.com", azure},
	{".services.ai.azure.com", azure},
	{"openrouter.ai", func(c *compat) { c.ThinkingFormat = "openrouter" }},
	{"api.deepseek.com", func(c *compat) { c.ThinkingFormat = "deepseek" }},
	{"api.z.ai", func(c *compat) { c.ThinkingFormat = "zai" }},
	{"open.bigmodel.cn", func(c *compat) { c.ThinkingFormat = "zai" }},
	{".aliyuncs.com", func(c *compat) { c.ThinkingFormat = "qwen" }},
	{"api.mistral.ai", func(c *compat) {
		c.RequiresMistralToolIDs, c.SupportsReasoningEffort, c.SupportsUsageInStreaming = true, false, false
	}},
}

func compatOf(m llm.Model) compat {
	c := general()
	if m.API == AzureResponses {
		azure(&c)
	}
	if u, err := url.Parse(m.BaseURL); err == nil {
		for _, k := range known {
			if host := strings.ToLower(u.Hostname()); host == k.host || strings.HasPrefix(k.host, ".") && strings.HasSuffix(host, k.host) {
				k.set(&c)
			}
		}
	}
	if c.ThinkingFormat == "openrouter" && strings.HasPrefix(m.ID, "anthropic/") {
		c.CacheControlFormat = anthropicCache
	}
	if len(m.Compat) > 0 {
		if err := json.Unmarshal(m.Compat, &c); err != nil {
			c.err = &llm.Error{Kind: llm.BadRequest, Provider: m.Provider, Message: fmt.Sprintf("the compat settings of model %s can't be read: %v", m.ID, err)}
		}
	}
	return c
}

// effort is the wire's word for a level; "" leaves the choice to the server.
func (c compat) effort(l llm.Level) string {
	if word, ok := c.ReasoningEffortMap[l]; ok {
		return word
	}
	if l == llm.Off {
		return ""
	}
	return string(l)
}
