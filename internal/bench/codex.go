//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

const codexConfig = `model = %q
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "%s/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
[analytics]
enabled = false
[projects.%q]
trust_level = "trusted"
`

func codex() peer {
	// It has no tool that reads: it runs a command.
	return peer{
		name: "Codex", program: "codex", wire: mockserver.Responses,
		configure: func(w *place) error {
			return w.write(".codex/config.toml", fmt.Sprintf(codexConfig, model, w.url, w.dir))
		},
		env:   func(*place) []string { return []string{"MOCK_KEY=" + key} },
		read:  &mockserver.Call{Name: "exec_command", Arguments: `{"cmd":"cat notes.txt"}`},
		shell: &mockserver.Call{Name: "exec_command", Arguments: `{"cmd":"true"}`},
		print: func(prompt string) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
		},
		hosts: map[string]host{
			overRPC: {args: []string{"app-server"}, protocol: &appServer{}},
			overACP: {program: "codex-acp", protocol: &acp{}},
		},
		chat: &chat{ready: "›"},
		long: func(w *place, n int) (print, chat []string, err error) {
			const id = "11111111-2222-4333-8444-555555555555"
			err = w.write(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-"+id+".jsonl", codexSession(w.dir, id, n))
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "resume", id, "go"}, []string{"resume", id}, err
		},
	}
}

// codexSession is a session of n messages in Codex's format.
func codexSession(dir, id string, n int) string {
	var s strings.Builder
	fmt.Fprintf(&s, `{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q,"originator":"codex_cli_rs","cli_version":"0.171.0","source":"cli","model_provider":"mock"}}`+"\n", id, dir)
	for i := range n {
		role, kind, event := "user", "input_text", "user_message"
		if i%2 == 1 {
			role, kind, event = "assistant", "output_text", "agent_message"
		}
		fmt.Fprintf(&s, `{"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}}`+"\n", role, kind, message(i))
		fmt.Fprintf(&s, `{"timestamp":"2026-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":%q,"message":%q}}`+"\n", event, message(i))
	}
	return s.String()
}
