//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Stream rules and reminders in the chat: the answer that broke a rule leaves
// the screen, a line says why, and the task list moves as the model works.
func TestChatRulesAndTasks(t *testing.T) {
	p := newPlace(t)
	rules := filepath.Join(p.dir, ".hoopoe", "rules")
	if err := os.MkdirAll(rules, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: no-todo\ndescription: No notes to self.\ncondition: TODO\n---\nSay what is to be done in an issue.\n"
	if err := os.WriteFile(filepath.Join(rules, "no-todo.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, c := p.chat(p.script("ruled", `-- turn --
on: /system-interrupt/
-- call todo --
{"ops":[{"op":"replace","phases":[{"name":"Work","tasks":[{"content":"Read it"},{"content":"Fix it"}]}]}]}
-- turn --
on: go
-- text piece=8 --
I write a TODO here and more that nobody reads.
-- turn --
-- text --
I stop here.
-- turn --
-- call todo --
{"ops":[{"op":"update","id":"task-1","status":"completed"},{"op":"update","id":"task-2","status":"completed"}]}
-- turn --
-- text --
Now all of it is done.
`), "--approve", "go")
	s.see("Against your rules: no-todo", "○ Fix it", "reminded (1 of 3)", "✓ Fix it", "Now all of it is done.")
	if strings.Contains(s.text(), "that nobody reads") {
		t.Errorf("the answer that a rule took back is still there:\n%s", s.text())
	}
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
