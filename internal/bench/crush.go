//go:build unix

package main

import "github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"

func crush() peer {
	chosen := object{"provider": "mock", "model": model}
	return peer{
		name: "Crush", program: "crush", wire: mockserver.Anthropic,
		configure: func(w *place) error {
			return w.writeJSON(".config/crush/crush.json", object{
				"providers": object{"mock": object{
					"type": "anthropic", "name": "mock", "base_url": w.url, "api_key": key,
					"models": []any{object{"id": model, "name": model, "context_window": 1_000_000, "default_max_tokens": 64_000}},
				}},
				"models":  object{"large": chosen, "small": chosen},
				"options": object{"disable_provider_auto_update": true, "disable_metrics": true},
			})
		},
		env: func(*place) []string {
			return []string{"CRUSH_DISABLE_METRICS=1", "CRUSH_DISABLE_PROVIDER_AUTO_UPDATE=1"}
		},
		read:  &mockserver.Call{Name: "view", Arguments: `{"file_path":"notes.txt"}`},
		shell: &mockserver.Call{Name: "bash", Arguments: `{"command":"true","description":"nothing"}`},
		print: func(prompt string) []string { return []string{"run", "--quiet", prompt} },
		chat:  &chat{args: []string{"--yolo"}, ready: ">"},
	}
}
