package slash_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
)

func TestAgentsCommand(t *testing.T) {
	s := newFake()
	if r, err := dispatch(t, s, pipe, "/agents"); err != nil || !strings.HasPrefix(r.Reply, "There are no agents") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := dispatch(t, s, pipe, "/agents stop"); err == nil || err.Error() != "/agents: no agent is at work" {
		t.Errorf("error %v", err)
	}
	s.agents = []prompt.Agent{
		{Name: "explore", Description: "finds\x1b[2J things", Tools: []string{"read", "grep"}, Source: "builtin"},
		{Name: "tester", Description: "Runs tests", NotTools: []string{"write"}, Model: "haiku", Thinking: "low", Mode: "edit", MaxTurns: 9, Path: "/w/.claude/agents/tester.md", Source: "project", Family: "claude"},
	}
	const list = "explore  finds things\ntester   Runs tests"
	check := func(text, want string) {
		t.Helper()
		if r, err := dispatch(t, s, pipe, text); err != nil || !r.Handled || r.Reply != want {
			t.Errorf("%s: %v\n got %q\nwant %q", text, err, r.Reply, want)
		}
	}
	check("/agents", list)
	check("/subagents Explore", "agent  explore\nfor    finds things\nfrom   builtin\ntools  read, grep")
	check("/agents tester", "agent     tester\nfor       Runs tests\nfile      /w/.claude/agents/tester.md\nfrom      project, claude\nwithout   write\nmodel     haiku\nthinking  low\nat most   edit\nturns     9")
	s.tasks = []engine.Task{{CallID: "c1", Agent: "explore", Description: "look\naround"}}
	check("/agents stop", "Stopped: explore: look around")
	s.tasks = append(s.tasks, engine.Task{CallID: "gone", Agent: "tester", Description: "run them"})
	check("/agents", list+"\n\nAt work, stopped by /agents stop and the number:\n1. explore: look around\n2. tester: run them")
	check("/agents stop 1", "Stopped: explore: look around")
	check("/agents stop 2", "It has ended already: tester: run them")
	if got := strings.Join(s.did, "|"); got != "stop c1|stop c1|stop gone" {
		t.Errorf("did %s", got)
	}
	for text, want := range map[string]string{
		"/agents nope": "there is no agent nope; /agents lists them", "/agents stop": "say which: a number from 1 to 2", "/agents stop 3": "say which", "/agents stop x": "say which",
	} {
		if _, err := dispatch(t, s, pipe, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := strings.Join(builtins().Complete(t.Context(), s, chat, "/agents "), "|"); got != "/agents explore|/agents tester|/agents stop" {
		t.Errorf("completed %q", got)
	}
}
