//go:build unix

package main

import (
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// piModels are the models of pi and of what was made of it.
func piModels(w *place) object {
	return object{"providers": object{"mock": object{
		"baseUrl": w.url + "/v1", "apiKey": key, "api": mockserver.Completions, "models": []any{object{
			"id": model, "name": model, "reasoning": false, "input": []string{"text"}, "contextWindow": 1_000_000, "maxTokens": 64_000,
			"cost": object{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		}},
	}}}
}

func pi() peer {
	with := []string{"--provider", "mock", "--model", model, "--offline"}
	return peer{
		name: "pi", program: "pi", wire: mockserver.Completions,
		configure: func(w *place) error {
			err := w.writeJSON(".pi/agent/models.json", piModels(w))
			if err != nil {
				return err
			}
			return w.writeJSON(".pi/agent/settings.json", object{"quietStartup": true, "enableInstallTelemetry": false})
		},
		env:   func(*place) []string { return []string{"PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1"} },
		read:  &mockserver.Call{Name: "read", Arguments: `{"path":"notes.txt"}`},
		shell: &mockserver.Call{Name: "bash", Arguments: `{"command":"true"}`},
		print: func(prompt string) []string { return append(with, "-p", prompt) },
		hosts: map[string]host{overRPC: {args: append([]string{"--mode", "rpc"}, with...), protocol: piRPC{}}},
		chat:  &chat{args: with, ready: model},
		long: func(w *place, n int) (print, chat []string, err error) {
			err = w.write("long.jsonl", piSession(w.dir, n, mockserver.Completions))
			args := append([]string{"--session", filepath.Join(w.home, "long.jsonl")}, with...)
			return append(args, "-p", "go"), args, err
		},
	}
}

func omp() peer {
	with := []string{"--model", "mock/" + model}
	return peer{
		name: "omp", program: "omp", wire: mockserver.Completions,
		configure: func(w *place) error { return w.writeJSON(".omp/agent/models.yml", piModels(w)) }, // JSON is YAML
		env:       func(*place) []string { return []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "OMP_SKIP_SETUP=1"} },
		read:      &mockserver.Call{Name: "read", Arguments: `{"path":"notes.txt"}`},
		shell:     &mockserver.Call{Name: "bash", Arguments: `{"command":"true"}`},
		print:     func(prompt string) []string { return append(with, "-p", prompt) },
		hosts: map[string]host{
			overRPC: {args: append([]string{"--mode", "rpc"}, with...), protocol: piRPC{}},
			overACP: {args: append([]string{"acp"}, with...), protocol: &acp{}},
		},
		chat: &chat{args: with, ready: model},
		long: func(w *place, n int) (print, chat []string, err error) {
			err = w.write("long.jsonl", piSession(w.dir, n, mockserver.Completions))
			args := append([]string{"--session", filepath.Join(w.home, "long.jsonl")}, with...)
			return append(args, "-p", "go"), args, err
		},
	}
}
