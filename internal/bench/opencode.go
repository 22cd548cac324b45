//go:build unix

package main

import "github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"

func opencode() peer {
	return peer{
		name: "opencode", program: "opencode", wire: mockserver.Completions,
		configure: func(w *place) error {
			return w.writeJSON(".config/opencode/opencode.json", object{
				"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled", "model": "mock/" + model, "small_model": "mock/" + model,
				"permission": "allow",
				"provider": object{"mock": object{
					"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": object{"baseURL": w.url + "/v1", "apiKey": key},
					"models": object{model: object{"name": model, "tool_call": true, "limit": object{"context": 1_000_000, "output": 64_000}}},
				}},
			})
		},
		env: func(*place) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		read:  &mockserver.Call{Name: "read", Arguments: `{"filePath":"notes.txt"}`},
		shell: &mockserver.Call{Name: "bash", Arguments: `{"command":"true","description":"nothing"}`},
		print: func(prompt string) []string { return []string{"run", prompt} },
		hosts: map[string]host{overACP: {args: []string{"acp"}, protocol: &acp{}}},
		chat:  &chat{ready: "Ask anything"},
	}
}
