package builtin

import (
	"context"
	_ "embed"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed task.md
var taskDoc string

// TaskRequest is what a sub-agent is to do.
type TaskRequest struct {
	Agent       string `json:"agent"`
	Description string `json:"description" jsonschema:"The task in three to six words, for the user."`
	Prompt      string `json:"prompt" jsonschema:"The whole task."`
}

// Agent is one that a task can be given to.
type Agent struct {
	Name        string
	Description string // when to use it
}

// Of many agents each gets less of the room in the tool's description.
const (
	maxAgentDescriptions = 4 << 10 // characters of all
	maxAgentDescription  = 300     // of one
	minAgentDescription  = 60
)

// Task returns the tool that gives work to sub-agents. agents lists them and is
// asked whenever the tool is described to the model; run carries a task out.
// The call itself needs no approval: what the sub-agent does does.
func Task(agents func() []Agent, run func(context.Context, tool.Call, TaskRequest) (tool.Result, error)) tool.Tool {
	return task{tool.New(tool.Spec{
		Name: "task", Label: "Task", Kind: tool.Think, Unbounded: true,
		Summary: "give work to sub-agents",
	}, run, tool.Described(func(_ context.Context, _ tool.Call, r TaskRequest) (tool.Description, error) {
		return tool.Description{Title: tool.Line(r.Agent, 64) + ": " + tool.Line(r.Description, 200), Kind: tool.Think}, nil
	})), agents}
}

// task is the tool with the list of agents as it is at the moment.
type task struct {
	tool.Tool
	agents func() []Agent
}

func (t task) Spec() tool.Spec {
	s := t.Tool.Spec()
	list := t.agents()
	limit := min(maxAgentDescription, max(minAgentDescription, maxAgentDescriptions/max(1, len(list))))
	var b strings.Builder
	b.WriteString(taskDoc)
	for _, a := range list {
		text := []rune(strings.Join(strings.Fields(a.Description), " "))
		if len(text) > limit {
			text = append(text[:limit-1], '…')
		}
		b.WriteString("- " + a.Name + ": " + string(text) + "\n")
	}
	s.Description = b.String()
	return s
}

func (t task) Describe(ctx context.Context, c tool.Call) (tool.Description, error) {
	return t.Tool.(tool.Describer).Describe(ctx, c)
}
