//go:build unix

package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

func claude() peer {
	with := []string{"--model", model, "--allowedTools", "Bash,Read"}
	return peer{
		name: "Claude", program: "claude", wire: mockserver.Anthropic,
		configure: func(w *place) error {
			return w.writeJSON(".claude.json", object{
				"hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false,
				"projects": object{w.dir: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
			})
		},
		env: func(w *place) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + w.url, "ANTHROPIC_AUTH_TOKEN=" + key, "ANTHROPIC_MODEL=" + model, "ANTHROPIC_SMALL_FAST_MODEL=" + model,
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
			}
		},
		read:  &mockserver.Call{Name: "Read", Arguments: `{"file_path":"notes.txt"}`},
		shell: &mockserver.Call{Name: "Bash", Arguments: `{"command":"true","description":"nothing"}`},
		print: func(prompt string) []string { return append([]string{"-p", prompt}, with...) },
		hosts: map[string]host{overACP: {program: "claude-agent-acp", protocol: &acp{}}},
		chat:  &chat{args: with, ready: "❯"},
		long: func(w *place, n int) (print, chat []string, err error) {
			const id = "11111111-2222-4333-8444-555555555555"
			slug := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(w.dir, "-")
			err = w.write(".claude/projects/"+slug+"/"+id+".jsonl", claudeSession(w.dir, id, n))
			args := append([]string{"--resume", id}, with...)
			return append([]string{"-p", "go"}, args...), args, err
		},
	}
}

// claudeSession is a session of n messages in Claude Code's format.
func claudeSession(dir, id string, n int) string {
	var s strings.Builder
	parent := "null"
	for i := range n {
		uuid := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		said := fmt.Sprintf(`{"role":"user","content":%q}`, message(i))
		kind := "user"
		if i%2 == 1 {
			kind = "assistant"
			said = fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":%q}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}`, i, model, message(i))
		}
		fmt.Fprintf(&s, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.332","gitBranch":"","type":%q,"message":%s,"uuid":%q,"timestamp":"2026-01-01T00:00:00.000Z"}`+"\n",
			parent, dir, id, kind, said, uuid)
		parent = fmt.Sprintf("%q", uuid)
	}
	return s.String()
}
