package main

import (
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/anthropic"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/openai"
)

// adapters are the wires that this program speaks, by the API's name in the
// catalogue.
func adapters() map[string]llm.Adapter {
	open := func(m llm.Model, c llm.Connection) (llm.Provider, error) {
		return openai.New(openai.Options{Model: m, Key: c.Key, IdleTimeout: c.IdleTimeout}), nil
	}
	return map[string]llm.Adapter{
		anthropic.API: func(m llm.Model, c llm.Connection) (llm.Provider, error) {
			return anthropic.New(anthropic.Options{Model: m, Key: c.Key, IdleTimeout: c.IdleTimeout}), nil
		},
		google.API: func(m llm.Model, c llm.Connection) (llm.Provider, error) {
			return google.New(google.Options{Model: m, Key: c.Key, IdleTimeout: c.IdleTimeout}), nil
		},
		openai.Completions:    open,
		openai.Responses:      open,
		openai.AzureResponses: open,
	}
}
