package google

import (
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// compat are the flags of the catalogue that this wire knows.
type compat struct {
	// ThinkingFormat is "level" for models that take a thinking level, which are
	// also those that insist on signatures and take images in tool results, or
	// "budget" for models that take a number of tokens. Without it, a model with
	// levels of its own takes a level.
	ThinkingFormat string `json:"thinkingFormat"`
	// ThinkingRequired marks a model that can't be told not to think.
	ThinkingRequired bool `json:"thinkingRequired"`
	// ReasoningEffortMap gives levels another name on the wire.
	ReasoningEffortMap map[llm.Level]string `json:"reasoningEffortMap"`
}

// compatOf reads a model's flags. Flags that don't parse are other wires'.
func compatOf(m llm.Model) compat {
	var c compat
	if json.Unmarshal(m.Compat, &c) != nil {
		return compat{}
	}
	return c
}

func (c compat) levels(m llm.Model) bool {
	return m.Reasoning && (c.ThinkingFormat == "level" || c.ThinkingFormat == "" && len(m.Levels) > 0)
}

// smallestBudget is what a model that must think can do with.
const smallestBudget = 128

// thinking says how much the model shall think; nil for one that can't.
func thinking(req llm.Request) *genai.ThinkingConfig {
	m := req.Model
	if !m.Reasoning {
		return nil
	}
	c, level := compatOf(m), m.Clamp(req.Thinking)
	t := &genai.ThinkingConfig{IncludeThoughts: level != llm.Off}
	if c.levels(m) {
		t.ThinkingLevel = c.level(m, level)
		return t
	}
	budget := budgetOf(level)
	if level == llm.Off && c.ThinkingRequired {
		budget = smallestBudget
	}
	if req.MaxTokens > 0 && level != llm.Off { // thoughts count as output
		budget = max(smallestBudget, min(budget, int32(min(req.MaxTokens, 1<<20)/2)))
	}
	t.ThinkingBudget = &budget
	return t
}

// level names a level on the wire. These models always think: off is the least
// they can.
func (c compat) level(m llm.Model, l llm.Level) genai.ThinkingLevel {
	if l == llm.Off {
		l = llm.Low
		if levels := m.Supported(); len(levels) > 1 {
			l = levels[1]
		}
	}
	if name := c.ReasoningEffortMap[l]; name != "" {
		return genai.ThinkingLevel(strings.ToUpper(name))
	}
	switch l {
	case llm.Minimal:
		return genai.ThinkingLevelMinimal
	case llm.Low:
		return genai.ThinkingLevelLow
	case llm.Medium:
		return genai.ThinkingLevelMedium
	}
	return genai.ThinkingLevelHigh
}

func budgetOf(l llm.Level) int32 {
	switch l {
	case llm.Minimal:
		return 1024
	case llm.Low:
		return 2048
	case llm.Medium:
		return 8192
	case llm.High:
		return 16384
	case llm.XHigh:
		return 32768
	}
	return 0
}
