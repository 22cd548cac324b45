//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// hoopoe is ours.
func hoopoe(program string) peer {
	with := []string{"--model", "mock/" + model, "--permissions", "full"}
	return peer{
		name: "Hoopoe", program: program, wire: mockserver.Anthropic,
		configure: func(w *place) error {
			return w.writeJSON(".config/hoopoe/models.json", object{"providers": object{"mock": object{
				"baseUrl": w.url, "api": mockserver.Anthropic, "apiKey": key, "models": []any{object{"id": model}},
			}}})
		},
		read:  &mockserver.Call{Name: "read", Arguments: `{"path":"notes.txt"}`},
		shell: &mockserver.Call{Name: "bash", Arguments: `{"command":"true"}`},
		print: func(prompt string) []string { return append(with, "-p", prompt) },
		hosts: map[string]host{
			overACP: {args: append([]string{"acp"}, with...), protocol: &acp{}},
			overRPC: {args: append([]string{"--mode", "rpc", "--rpc-updates", "delta"}, with...), protocol: piRPC{}},
			wholes:  {args: append([]string{"--mode", "rpc", "--rpc-updates", "full"}, with...), protocol: piRPC{}},
		},
		chat: &chat{args: with, ready: "›"},
		long: func(w *place, n int) (print, chat []string, err error) {
			err = w.write("long.jsonl", piSession(w.dir, n, mockserver.Anthropic))
			args := append([]string{"--session", filepath.Join(w.home, "long.jsonl")}, with...)
			return append(args, "-p", "go"), args, err
		},
	}
}

// lastLong is in the last message of a session of n.
func lastLong(n int) string { return fmt.Sprintf("Nr%dz", n-1) }

// message is the text of a long session's message number i.
func message(i int) string {
	return fmt.Sprintf("Nr%dz: the function reads the file, splits it into lines and returns those that match. See `main.go:%d`.", i, i)
}

// piSession is a session of n messages in the format that pi and ours share.
func piSession(dir string, n int, wire mockserver.Wire) string {
	var s strings.Builder
	fmt.Fprintf(&s, `{"type":"session","version":3,"id":"11111111-2222-4333-8444-555555555555","timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`+"\n", dir)
	parent := "null"
	for i := range n {
		role, rest := "user", ""
		if i%2 == 1 {
			role = "assistant"
			rest = fmt.Sprintf(`,"api":%q,"provider":"mock","model":%q,"usage":{"input":100,"output":50,"cacheRead":0,"cacheWrite":0,"totalTokens":150,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"`, wire, model)
		}
		fmt.Fprintf(&s, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":%q,"content":[{"type":"text","text":%q}],"timestamp":1767225600000%s}}`+"\n",
			i, parent, role, message(i), rest)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	return s.String()
}
