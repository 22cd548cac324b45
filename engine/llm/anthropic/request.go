package anthropic

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// compat says how a service or a model differs. Absent flags mean what the
// vendor's own service does.
type compat struct {
	// AuthHeader true sends the key as Authorization alone, false as X-Api-Key.
	AuthHeader *bool `json:"authHeader"`
	// ForceAdaptiveThinking chooses between efforts, where the model decides how
	// long it thinks, and budgets of tokens.
	ForceAdaptiveThinking *bool `json:"forceAdaptiveThinking"`
	// SupportsInterleavedThinking false leaves out the beta header that lets a
	// model with a budget think between its tool calls.
	SupportsInterleavedThinking *bool `json:"supportsInterleavedThinking"`
	// SupportsCacheControlOnTools false leaves out the tools' cache breakpoint.
	SupportsCacheControlOnTools *bool `json:"supportsCacheControlOnTools"`
	// SupportsEagerToolInputStreaming true asks for arguments as they are made.
	SupportsEagerToolInputStreaming bool `json:"supportsEagerToolInputStreaming"`
	// AllowEmptySignature returns thinking that came without a signature.
	AllowEmptySignature bool `json:"allowEmptySignature"`
	// ReasoningEffortMap names levels as the service does. An entry for off is
	// the thinking type that turns it off where leaving it out doesn't.
	ReasoningEffortMap map[llm.Level]string `json:"reasoningEffortMap"`
}

// parseCompat reads the flags it knows; a damaged object counts as none, since
// it was the catalogue's part to refuse it.
func parseCompat(raw json.RawMessage) compat {
	var c compat
	if json.Unmarshal(raw, &c) != nil {
		return compat{}
	}
	return c
}

func unless(flag *bool) bool { return flag == nil || *flag }

const (
	// defaultMaxTokens is for a model whose limit nobody stated.
	defaultMaxTokens = 16384
	// leastBudget is the smallest that the API takes, and what an answer is left
	// beside the thinking when both share a small limit.
	leastBudget = 1024
)

// budgets in tokens, for models that are given one.
var budgets = map[llm.Level]int{llm.Minimal: 1024, llm.Low: 2048, llm.Medium: 8192, llm.High: 16384, llm.XHigh: 32768}

// request builds the body and the headers that belong to it.
func (c compat) request(req llm.Request) ([]byte, http.Header, error) {
	headers := http.Header{}
	turns := c.conversation(req)
	params := anthropic.MessageNewParams{Model: req.Model.ID, MaxTokens: int64(maxTokens(req)), Tools: c.tools(req.Tools)}
	if strings.TrimSpace(req.System) != "" {
		params.System = []anthropic.TextBlockParam{{Text: req.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	c.think(&params, headers, req, turns)
	body, err := join(params, turns)
	return body, headers, err
}

func maxTokens(req llm.Request) int {
	limit := req.Model.MaxTokens
	if limit <= 0 {
		limit = defaultMaxTokens
	}
	if req.MaxTokens > 0 {
		limit = min(limit, req.MaxTokens)
	}
	return limit
}

// think sets how much the model thinks.
func (c compat) think(params *anthropic.MessageNewParams, headers http.Header, req llm.Request, turns []turn) {
	level := req.Model.Clamp(req.Thinking)
	switch {
	case level == llm.Off:
		if kind := c.ReasoningEffortMap[llm.Off]; kind != "" && req.Model.Reasoning {
			params.Thinking = thinking(map[string]any{"type": kind})
		}
	case c.adaptive(req.Model):
		// Without display the newest models think in silence.
		params.Thinking = thinking(map[string]any{"type": "adaptive", "display": "summarized"})
		params.OutputConfig.Effort = anthropic.OutputConfigEffort(c.effort(level))
	case resumable(turns):
		budget := min(budgets[level], int(params.MaxTokens)-leastBudget)
		if budget < leastBudget {
			return
		}
		params.Thinking = thinking(map[string]any{"type": "enabled", "budget_tokens": budget})
		if len(params.Tools) > 0 && unless(c.SupportsInterleavedThinking) {
			headers.Set("Anthropic-Beta", string(anthropic.AnthropicBetaInterleavedThinking2025_05_14))
		}
	}
}

// thinking goes around the SDK's own type, for which it warns on stderr, in the
// middle of a face that owns the terminal.
func thinking(config map[string]any) anthropic.ThinkingConfigParamUnion {
	return param.Override[anthropic.ThinkingConfigParamUnion](config)
}

// adaptive reports whether the model is asked by effort. A catalogue without
// the flag tells by its levels: only such models have the highest one.
func (c compat) adaptive(m llm.Model) bool {
	if c.ForceAdaptiveThinking != nil {
		return *c.ForceAdaptiveThinking
	}
	return slices.Contains(m.Levels, llm.XHigh)
}

func (c compat) effort(level llm.Level) string {
	if name := c.ReasoningEffortMap[level]; name != "" {
		return name
	}
	if level == llm.Minimal {
		return string(llm.Low)
	}
	return string(level)
}

func (c compat) tools(specs []llm.ToolSpec) []anthropic.ToolUnionParam {
	var tools []anthropic.ToolUnionParam
	for i, spec := range specs {
		schema := spec.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tool := &anthropic.ToolParam{Name: spec.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
		if spec.Description != "" {
			tool.Description = anthropic.String(spec.Description)
		}
		if c.SupportsEagerToolInputStreaming {
			tool.EagerInputStreaming = anthropic.Bool(true)
		}
		if i == len(specs)-1 && unless(c.SupportsCacheControlOnTools) {
			tool.CacheControl = anthropic.NewCacheControlEphemeralParam()
		}
		tools = append(tools, anthropic.ToolUnionParam{OfTool: tool})
	}
	return tools
}
