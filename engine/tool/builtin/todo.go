package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed todo.md
var todoDoc string

// The states of a task.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
	abandoned  = "abandoned"
)

// maxTasks bounds a list; it goes to the model with every change.
const maxTasks = 500

type taskArgs struct {
	Content string `json:"content" jsonschema:"What is to be done."`
	Status  string `json:"status,omitempty"`
	Notes   string `json:"notes,omitempty"`
	Details string `json:"details,omitempty"`
}

type phaseArgs struct {
	Name  string     `json:"name"`
	Tasks []taskArgs `json:"tasks,omitempty"`
}

type todoOp struct {
	Op      string      `json:"op"`
	Phases  []phaseArgs `json:"phases,omitempty" jsonschema:"replace: the whole new list."`
	Name    string      `json:"name,omitempty" jsonschema:"add_phase: its name."`
	Tasks   []taskArgs  `json:"tasks,omitempty" jsonschema:"add_phase: its tasks."`
	Phase   string      `json:"phase,omitempty" jsonschema:"add_task: id or name of the phase; the last one by default."`
	ID      string      `json:"id,omitempty" jsonschema:"update, remove_task: the task's id."`
	Content *string     `json:"content,omitempty" jsonschema:"add_task, update: what is to be done."`
	Status  string      `json:"status,omitempty" jsonschema:"add_task, update."`
	Notes   *string     `json:"notes,omitempty" jsonschema:"add_task, update."`
	Details *string     `json:"details,omitempty" jsonschema:"add_task, update."`
}

type todoArgs struct {
	Ops []todoOp `json:"ops" jsonschema:"Changes, made in this order; all of them or none."`
}

// Todo returns the tool that keeps the session's task list.
func Todo() tool.Tool {
	return tool.New(tool.Spec{
		Name: "todo", Label: "Todo", Aliases: []string{"todo_write"}, Kind: tool.Think, Exclusive: true,
		Description: todoDoc, Summary: "keep a task list for longer work",
	}, todo, tool.Described(func(context.Context, tool.Call, todoArgs) (tool.Description, error) {
		return tool.Description{Title: "Update the task list", Kind: tool.Think}, nil
	}), tool.Tuned[todoArgs](tuneTodo))
}

func tuneTodo(s *jsonschema.Schema) {
	states := []any{pending, inProgress, completed, abandoned}
	op := s.Properties["ops"].Items
	op.Properties["op"].Enum = []any{"replace", "add_phase", "add_task", "update", "remove_task"}
	op.Properties["status"].Enum = states
	op.Properties["tasks"].Items.Properties["status"].Enum = states
	op.Properties["phases"].Items.Properties["tasks"].Items.Properties["status"].Enum = states
	s.Properties["ops"].MinItems = jsonschema.Ptr(1)
}

func todo(ctx context.Context, c tool.Call, a todoArgs) (tool.Result, error) {
	if c.Env.Todos == nil {
		return tool.Result{}, errors.New("this session keeps no task list")
	}
	l := taskList{phases: clonePhases(c.Env.Todos.Get())}
	for i, op := range a.Ops {
		if err := l.apply(op); err != nil {
			return tool.Result{}, fmt.Errorf("op %d (%s): %w. Nothing was changed", i+1, op.Op, err)
		}
	}
	l.settle()
	stored, err := c.Env.Todos.Set(ctx, l.phases)
	if err != nil {
		return tool.Result{}, fmt.Errorf("store the task list: %w", err)
	}
	if stored == nil {
		stored = []tool.TodoPhase{}
	}
	return result(taskList{stored}.text(), map[string]any{"phases": stored}), nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
