//go:build unix

package main

import "github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"

func gemini() peer {
	with := []string{"--model", "gemini-2.5-flash", "--yolo"}
	return peer{
		name: "Gemini", program: "gemini", wire: mockserver.Google,
		configure: func(w *place) error {
			return w.writeJSON(".gemini/settings.json", object{
				"security":  object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
				"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true},
				"privacy":   object{"usageStatisticsEnabled": false},
				"telemetry": object{"enabled": false},
			})
		},
		env: func(w *place) []string {
			return []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + w.url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		read:  &mockserver.Call{Name: "read_file", Arguments: `{"file_path":"notes.txt"}`},
		shell: &mockserver.Call{Name: "run_shell_command", Arguments: `{"command":"true"}`},
		print: func(prompt string) []string { return append(with, "--prompt", prompt) },
		hosts: map[string]host{overACP: {args: append([]string{"--acp"}, with...), protocol: &acp{}}},
		chat:  &chat{args: with, ready: "Type your message"},
	}
}
