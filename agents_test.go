//go:build unix

package main

import "testing"

const agentsAtWork = `-- turn --
on: begin
-- call task --
{"agent": "explore", "description": "look around", "prompt": "look for ever"}
-- call task --
{"agent": "general", "description": "make a file", "prompt": "make it"}
-- turn --
on: look for ever
-- call ls --
{}
-- turn --
on: look for ever
-- text --
I am looking
-- delay 1h --
-- turn --
on: make it
-- text --
I make it.
-- call bash --
{"command": "touch made"}
-- turn --
on: make it
-- text --
It is made.
-- turn --
on: begin
-- text --
Both have ended.
`

// Sub-agents in the chat: what each does is seen while it works, a question
// names the one that asks, and one is stopped without the other.
func TestChatAgents(t *testing.T) {
	p := newPlace(t)
	s, c := p.chat(p.script("agents", agentsAtWork), "begin")
	s.see("● explore: look around  1 tool call", "✓ List .", "I am looking", "? general: make a file  needs your approval", "Allow this command of general?", "touch made")
	s.answer("y", "Allow this command")
	s.see("✓ general: make a file  1 tool call", "It is made.")
	s.keys("\x0f") // Ctrl+O
	s.see("I make it.", "✓ Run touch made")
	s.keys("/agents\r")
	s.see("finds things out", "1. explore: look around")
	s.keys("/agents stop\r")
	s.see("Stopped: explore: look around", "■ explore: look around  stopped", "Both have ended.")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
