package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
)

// agent reads a spec from a folder of the world.
func (w *world) agent(text string) *spec.Agent {
	w.t.Helper()
	w.write(map[string]string{"bird/agent.yaml": text, "bird/skills/sing/SKILL.md": "---\nname: sing\ndescription: How birds sing.\n---\nLoudly.\n"})
	a, err := spec.Load(filepath.Join(filepath.Dir(w.dir), "bird"))
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

const idle = "-- model --\nlevels: low medium high\n-- turn --\ntimes: always\n-- text --\nok\n"

func offeredNames(s *Session) (names []string) {
	for _, t := range s.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// what the file says holds, and what it leaves out is as ever.
func TestAgent(t *testing.T) {
	w := newWorld(t, idle, withSettings(`{"limits": {"turns": 5, "seconds": 10}, "defaultThinkingLevel": "medium"}`))
	a := w.agent("name: Bird\ndescription: sings\ninstructions: Talk like a bird.\nthinking: high\nmodel: test/model\ntools: [read, todo_write, Ls, ask, task, mcp__x__y]\nlimits: {turns: 9, seconds: 3, cost_usd: 2}\nskills: [skills]\n")
	s, notices, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Agent: a})
	if err != nil || len(notices) > 0 {
		t.Fatalf("%v, %v", notices, err)
	}
	defer s.Close(context.Background())
	name, description := s.Agent()
	if name != "Bird" || description != "sings" {
		t.Errorf("it is %q, %q", name, description)
	}
	prompt := s.SystemPrompt()
	if !strings.HasPrefix(prompt, "Talk like a bird.\n") || strings.Contains(prompt, "You are Hoopoe") || !strings.Contains(prompt, "How birds sing.") {
		t.Errorf("the system prompt is\n%s", prompt)
	}
	if got := offeredNames(s); !slices.Equal(got, []string{"read", "ls", "todo", "ask", "task"}) {
		t.Errorf("tools %v", got)
	}
	if s.thinking != llm.High || s.model.Ref() != "test/model" {
		t.Errorf("%s thinks %s", s.model.Ref(), s.thinking)
	}
	if want := (config.Limits{Turns: 5, Seconds: 3, CostUSD: 2}); s.limits.Limits != want {
		t.Errorf("limits %+v, want the tighter of both %+v", s.limits.Limits, want)
	}
}

// Flags win over the file, the file over what the session had.
func TestAgentOrder(t *testing.T) {
	w := newWorld(t, idle)
	a := w.agent("instructions: Talk like a bird.\nmodel: test/model:high\ntools: [read]\nlimits: {turns: 3}\npermissions: {mode: plan}")
	s, _, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Agent: a, Model: "test/model", Thinking: "low", SystemPrompt: "Be a cat.", Tools: []string{"ls"}, Mode: "edit", Limits: config.Limits{Turns: 7}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if got := offeredNames(s); !slices.Equal(got, []string{"ls"}) || s.thinking != llm.Low || s.limits.Turns != 7 || !strings.HasPrefix(s.SystemPrompt(), "Be a cat.") || s.policy.mode() != "edit" {
		t.Errorf("tools %v, thinking %s, %d turns, mode %s", got, s.thinking, s.limits.Turns, s.policy.mode())
	}

	path := filepath.Join(w.dir, "old.jsonl")
	c := w.open(OpenOptions{Path: path, Thinking: "low"})
	c.run("hello")
	if err := c.s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, _, err = w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Path: path, Agent: a})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if s.thinking != llm.High {
		t.Errorf("the file's model thinks %s", s.thinking)
	}
}

// E-2: what the engine finds wrong names file, line and field.
func TestAgentFaults(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\nmodel: no-such-model":    "HOOPOE_MODEL_UNKNOWN: FILE:2: model: unknown model",
		"model: anthropic/claude-opus-4-6": "HOOPOE_PROVIDER_AUTH: FILE:1: model: ",
		"model: google/gemini-2.5-pro":     "HOOPOE_PROVIDER_UNAVAILABLE: FILE:1: model: ", // an API that the world doesn't speak
		"tools:\n  - read\n  - reed":       "HOOPOE_CONFIG_INVALID: FILE:3: tools[1]: unknown tool \"reed\"; did you mean read",
	} {
		t.Run(text, func(t *testing.T) {
			w := newWorld(t, idle, func(o *Options) {
				o.Adapters["anthropic-messages"] = func(llm.Model, llm.Connection) (llm.Provider, error) { return nil, errors.New("not called") }
			})
			a := w.agent(text)
			o := OpenOptions{Cwd: w.dir, Agent: a}
			if a.Model == "" {
				o.Model = w.model.Ref()
			}
			_, _, err := w.engine.Open(t.Context(), o)
			want := strings.ReplaceAll(want, "FILE", a.Path)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if _, ok := errors.AsType[*spec.Error](err); !ok {
				t.Errorf("%T isn't typed", err)
			}
		})
	}
	w := newWorld(t, idle)
	w.write(map[string]string{"bird/x.ts": ""})
	_, notices, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), Agent: w.agent("name: x\nextensions: [x.ts]")})
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "agent.yaml:2: extensions: not loaded") {
		t.Errorf("%v, %v", notices, err)
	}
}

// E-4: a file allows nothing that the user's own settings don't.
func TestAgentPermissions(t *testing.T) {
	call := func(name string) permission.Request {
		return permission.Request{Tool: name, Kind: permission.KindOther, Text: name}
	}
	for _, tt := range []struct {
		name, settings, agent  string
		mode, defaultMode      string
		tool, want, modeBecame string
	}{
		{"its rules don't loosen", `{}`, "permissions: {allow: [x]}", "", "", "x", "ask", "ask"},
		{"nor does its mode", `{}`, "permissions: {mode: full}", "", "", "x", "ask", "ask"},
		{"its mode tightens", `{"permissions": {"mode": "full"}}`, "permissions: {mode: ask}", "", "", "x", "ask", "ask"},
		{"with its own exceptions", `{"permissions": {"mode": "full"}}`, "permissions: {mode: ask, allow: [x]}", "", "", "x", "allow", "ask"},
		{"under a host too", `{}`, "permissions: {mode: ask}", "", "full", "x", "ask", "ask"},
		{"a host's mode stays without one", `{}`, "name: x", "", "full", "x", "allow", "full"},
		{"the flag wins", `{}`, "permissions: {mode: plan}", "full", "", "x", "allow", "full"},
		{"what it denies is denied", `{"permissions": {"allow": ["x"]}}`, "permissions: {deny: [x]}", "full", "", "x", "deny", "full"},
		{"the user's rules count", `{"permissions": {"allow": ["x"]}}`, "permissions: {mode: ask}", "", "", "x", "allow", "ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, idle, withSettings(tt.settings))
			s, _, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), Agent: w.agent(tt.agent), Mode: tt.mode, DefaultMode: tt.defaultMode})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			if d := s.policy.judge(call(tt.tool)); string(d.Action) != tt.want || s.policy.mode() != tt.modeBecame {
				t.Errorf("%s in mode %s, want %s in %s", d.Action, s.policy.mode(), tt.want, tt.modeBecame)
			}
		})
	}
}

// A tool that needs approval asks in every mode, and for each call.
func TestAgentNeedsApproval(t *testing.T) {
	const script = "-- turn --\ntimes: 2\n-- call bash --\n{\"command\": \"true\"}\n-- turn --\n-- text --\ndone\n"
	const file = "tools: [read, {name: Bash, needsApproval: true}]"
	w := newWorld(t, script)
	c := w.open(OpenOptions{Agent: w.agent(file), Mode: "full"})
	c.sub.Close()
	c.attach(Client{Shows: []event.QuestionKind{event.AskPermission}})
	c.prompt("go")
	for range 2 {
		q := on[event.AskOpened](c)
		if len(q.Question.Permission.Rules) > 0 {
			t.Errorf("an always is offered: %v", q.Question.Permission.Rules)
		}
		c.answer(q, event.Answer{Choice: event.Always})
		if e := on[event.ToolEnded](c); e.IsError {
			t.Errorf("approved, and yet: %+v", e)
		}
	}
	on[event.RunSettled](c)

	w = newWorld(t, script)
	c = w.open(OpenOptions{Agent: w.agent(file), Mode: "full"})
	c.prompt("go")
	e := on[event.ToolEnded](c)
	if e.Denied != "approval" || !strings.Contains(e.Content[0].Text, "where questions are shown") || strings.Contains(e.Content[0].Text, "--permissions") {
		t.Errorf("with nobody to ask: %+v", e)
	}
	on[event.RunSettled](c)
}
