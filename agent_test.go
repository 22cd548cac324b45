//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An agent whose calls of bash are to be approved.
const (
	careful = "name: Careful\nmodel: script/model.script\ntools: [read, {name: bash, needsApproval: true}]\n"
	maker   = "-- turn --\n-- call bash --\n{\"command\":\"touch made\"}\n-- turn --\n-- text --\nAll done here.\n"
)

// Requirement A-1: a host is asked about each call of a tool that needs
// approval, although all else is permitted in that mode.
func TestHostOfAgent(t *testing.T) {
	for answer, made := range map[string]bool{"Allow once": true, "Deny": false} {
		t.Run(answer, func(t *testing.T) {
			p := newPlace(t)
			p.script("model", maker)
			h := p.host("--agent", p.file("agent.yaml", careful))
			h.prompt("make it")
			q := h.next("extension_ui_request")
			if _, err := os.Stat(filepath.Join(p.dir, "made")); err == nil {
				t.Error("it was made before the approval")
			}
			h.send(map[string]any{"type": "extension_ui_response", "id": q["id"], "value": answer})
			h.next("agent_end")
			if code := h.done(); code != 0 {
				t.Errorf("exit code %d, stderr %q", code, h.stderr)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "made")); (err == nil) != made {
				t.Errorf("stat: %v, want the file: %t", err, made)
			}
		})
	}
}

// The same in the chat; a bad file ends it with the reason (E-2).
func TestChatOfAgent(t *testing.T) {
	p := newPlace(t)
	p.script("model", maker)
	p.file("agent.yaml", careful)
	s, c := p.chat("--agent", ".", "--permissions", "full", "make it")
	s.see("Allow this command?", "each call of this tool is to be approved", "Yes, this once")
	s.answer("y", "Allow this command?")
	s.see("All done here.")
	if _, err := os.Stat(filepath.Join(p.dir, "made")); err != nil {
		t.Error(err)
	}
	s.keys("/session\r")
	s.see("agent", "Careful")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}

	p.file("agent.yaml", "limits: {turns: lots}\n")
	s, c = p.chat("--agent", ".")
	s.see("hoopoe: HOOPOE_CONFIG_INVALID: ") // what follows is wrapped where the path ends
	if code := exitOf(t, c.Wait()); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
