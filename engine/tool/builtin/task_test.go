package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

func TestTask(t *testing.T) {
	agents := []Agent{{"explore", "finds\nthings"}}
	var got TaskRequest
	task := Task(func() []Agent { return agents }, func(_ context.Context, c tool.Call, r TaskRequest) (tool.Result, error) {
		got = r
		return tool.TextResult("found " + c.ID), nil
	})
	if text := task.Spec().Description; !strings.HasSuffix(text, "Agents:\n- explore: finds things\n") {
		t.Errorf("description %q", text)
	}
	args, err := tool.Check(task.Spec(), json.RawMessage(`{"agent":"explore","description":"look","prompt":"Look."}`))
	if err != nil {
		t.Fatal(err)
	}
	c := tool.Call{ID: "c1", Arguments: args}
	d, err := task.(tool.Describer).Describe(t.Context(), c)
	if err != nil || d.Title != "explore: look" || d.Kind != tool.Think || len(d.Paths) > 0 {
		t.Errorf("description %+v, %v", d, err)
	}
	r, err := task.Run(t.Context(), c)
	if err != nil || message.Text(r.Content) != "found c1" || got != (TaskRequest{"explore", "look", "Look."}) {
		t.Errorf("%+v, %+v, %v", r, got, err)
	}
	if _, err := tool.Check(task.Spec(), json.RawMessage(`{"agent":"explore"}`)); err == nil || !strings.Contains(err.Error(), "prompt") {
		t.Errorf("without a prompt: %v", err)
	}
	// The list is that of the moment.
	agents = append(agents, Agent{"other", "x"})
	if text := task.Spec().Description; !strings.Contains(text, "- other: x\n") {
		t.Errorf("description %q", text)
	}
}

// Many agents with long descriptions share the room.
func TestTaskOfManyAgents(t *testing.T) {
	for _, n := range []int{0, 1, 20, 200} {
		var agents []Agent
		for range n {
			agents = append(agents, Agent{"agent", strings.Repeat("wörds ", 500)})
		}
		text := Task(func() []Agent { return agents }, nil).Spec().Description
		list := strings.TrimPrefix(text, taskDoc)
		if most := maxAgentDescriptions + n*(minAgentDescription+20); utf8.RuneCountInString(list) > most || !utf8.ValidString(list) || strings.Count(list, "- agent: w") != n {
			t.Errorf("%d agents take %d characters, want at most %d", n, utf8.RuneCountInString(list), most)
		}
		if n == 1 && utf8.RuneCountInString(list) > maxAgentDescription+20 {
			t.Errorf("one takes %d characters", utf8.RuneCountInString(list))
		}
	}
}
