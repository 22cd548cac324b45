package main

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/anthropic"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/openai"
)

// adapters are the wires that this program speaks, by the API's name in the
// catalogue.
func adapters() map[string]llm.Adapter {
	type keyFunc = func(context.Context) (string, error)
	open := func(m llm.Model, key keyFunc) (llm.Provider, error) {
		return openai.New(openai.Options{Model: m, Key: key}), nil
	}
	return map[string]llm.Adapter{
		anthropic.API: func(m llm.Model, key keyFunc) (llm.Provider, error) {
			return anthropic.New(anthropic.Options{Model: m, Key: key}), nil
		},
		google.API: func(m llm.Model, key keyFunc) (llm.Provider, error) {
			return google.New(google.Options{Model: m, Key: key}), nil
		},
		openai.Completions:    open,
		openai.Responses:      open,
		openai.AzureResponses: open,
	}
}
