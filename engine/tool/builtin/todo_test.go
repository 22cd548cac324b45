package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

type todoList struct {
	phases []tool.TodoPhase
	err    error
}

func (l *todoList) Get() []tool.TodoPhase { return l.phases }

func (l *todoList) Set(_ context.Context, phases []tool.TodoPhase) ([]tool.TodoPhase, error) {
	if l.err != nil {
		return nil, l.err
	}
	l.phases = phases
	return phases, nil
}

// states writes a list as "phase: id=status ...".
func (l *todoList) states() string {
	var b strings.Builder
	for _, p := range l.phases {
		b.WriteString(p.ID + "(" + p.Name + "):")
		for _, t := range p.Tasks {
			b.WriteString(" " + t.ID + "=" + t.Status)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTodo(t *testing.T) {
	start := `{"op":"replace","phases":[{"name":"A","tasks":[{"content":"a1"},{"content":"a2"}]},{"name":"B","tasks":[{"content":"b1"}]}]}`
	for _, tt := range []struct{ name, ops, want, err string }{
		{"replace, the first is promoted", "", "phase-1(A): task-1=in_progress task-2=pending\nphase-2(B): task-3=pending\n", ""},
		{"completed, the next is promoted", `{"op":"update","id":"task-1","status":"completed"}`, "phase-1(A): task-1=completed task-2=in_progress\nphase-2(B): task-3=pending\n", ""},
		{"abandoned", `{"op":"update","id":"task-1","status":"abandoned"}`, "phase-1(A): task-1=abandoned task-2=in_progress\nphase-2(B): task-3=pending\n", ""},
		{"the named one is in progress", `{"op":"update","id":"task-3","status":"in_progress"}`, "phase-1(A): task-1=pending task-2=pending\nphase-2(B): task-3=in_progress\n", ""},
		{"all finished", `{"op":"update","id":"task-1","status":"completed"},{"op":"update","id":"task-2","status":"completed"},{"op":"update","id":"task-3","status":"abandoned"}`,
			"phase-1(A): task-1=completed task-2=completed\nphase-2(B): task-3=abandoned\n", ""},
		{"extra ones are demoted", `{"op":"add_phase","name":"C","tasks":[{"content":"c1","status":"in_progress"}]}`,
			"phase-1(A): task-1=in_progress task-2=pending\nphase-2(B): task-3=pending\nphase-3(C): task-4=pending\n", ""},
		{"add by phase name", `{"op":"add_task","phase":"a","content":"new"}`, "phase-1(A): task-1=in_progress task-2=pending task-4=pending\nphase-2(B): task-3=pending\n", ""},
		{"add to the last phase", `{"op":"add_task","content":"new"}`, "phase-1(A): task-1=in_progress task-2=pending\nphase-2(B): task-3=pending task-4=pending\n", ""},
		{"remove", `{"op":"remove_task","id":"task-1"}`, "phase-1(A): task-2=in_progress\nphase-2(B): task-3=pending\n", ""},
		{"empty", `{"op":"replace","phases":[]}`, "", ""},
		{"empty, then a task", `{"op":"replace"},{"op":"add_task","content":"x"}`, "phase-1(Tasks): task-1=in_progress\n", ""},
		{"unknown task", `{"op":"remove_task","id":"task-1"},{"op":"update","id":"task-9"}`, "", `op 2 (update): there is no task "task-9"; there are: task-2, task-3. Nothing was changed`},
		{"unknown phase", `{"op":"add_task","phase":"Z","content":"x"}`, "", `there is no phase "Z"; there are: phase-1 (A), phase-2 (B)`},
		{"no content", `{"op":"add_task","phase":"A"}`, "", "content is missing"},
		{"empty content", `{"op":"update","id":"task-1","content":" "}`, "", "use remove_task"},
		{"no name", `{"op":"add_phase"}`, "", "has no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			list := &todoList{}
			b.env.Todos = list
			b.text(Todo(), `{"ops":[`+start+`]}`)
			before := list.states()
			if tt.err != "" {
				b.fails(Todo(), `{"ops":[`+tt.ops+`]}`, tt.err)
				if got := list.states(); got != before {
					t.Errorf("a failed call changed the list: %s", got)
				}
				return
			}
			if tt.ops != "" {
				r, err := b.run(Todo(), `{"ops":[`+tt.ops+`]}`)
				if err != nil {
					t.Fatal(err)
				}
				var d struct{ Phases []tool.TodoPhase }
				if err := json.Unmarshal(r.Details, &d); err != nil || d.Phases == nil || len(d.Phases) != len(list.phases) {
					t.Errorf("details %s, %v", r.Details, err)
				}
			}
			if got := list.states(); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestTodoText(t *testing.T) {
	b := newBench(t, nil)
	list := &todoList{}
	b.env.Todos = list
	got := b.text(Todo(), `{"ops":[{"op":"add_phase","name":"Plan","tasks":[{"content":"one","status":"completed","notes":"n","details":"d"},{"content":"two"}]}]}`)
	if want := "1 of 2 tasks are finished.\n\nPlan (phase-1)\n[x] task-1: one\n[>] task-2: two\n"; got != want {
		t.Errorf("got %q", got)
	}
	if x := list.phases[0].Tasks[0]; x.Notes != "n" || x.Details != "d" {
		t.Errorf("%+v", x)
	}
	b.fails(Todo(), `{"ops":[{"op":"add_phase","name":"X","tasks":[`+strings.Repeat(`{"content":"x"},`, maxTasks)+`{"content":"x"}]}]}`, "more than 500 tasks")
	list.err = errors.New("the disk is full")
	b.fails(Todo(), `{"ops":[{"op":"replace"}]}`, "store the task list: the disk is full")
	b.env.Todos = nil
	b.fails(Todo(), `{"ops":[{"op":"replace"}]}`, "keeps no task list")
	if _, err := tool.Check(Todo().Spec(), json.RawMessage(`{"ops":[{"op":"update","id":"task-1","status":"done"}]}`)); err == nil || !strings.Contains(err.Error(), "ops[0].status: expected one of pending, in_progress, completed, abandoned") {
		t.Errorf("%v", err)
	}
}

type asker struct {
	answer string
	ok     bool
	err    error
	asked  string
}

func (a *asker) Ask(_ context.Context, id, question string, options []string) (string, bool, error) {
	a.asked = id + " " + question + " " + strings.Join(options, "|")
	return a.answer, a.ok, a.err
}

// with a dialog the call waits; without one it ends the run with the
// question as text.
func TestAsk(t *testing.T) {
	b := newBench(t, nil)
	args := `{"question":"Which?","options":["one","two"]}`
	b.fails(Ask(true), args, "nobody can be asked")
	a := &asker{answer: "two", ok: true}
	b.env.Asker = a
	r, err := b.run(Ask(true), args)
	if err != nil || message.Text(r.Content) != "The user answers: two" || a.asked != "1 Which? one|two" {
		t.Errorf("%v, %v, asked %q", r, err, a.asked)
	}
	holds(t, string(r.Details), `"answer":"two"`)
	a.ok = false
	holds(t, b.text(Ask(true), args), "gave no answer")
	a.err = context.Canceled
	b.fails(Ask(true), args, "canceled")
	b.fails(Ask(true), `{"question":" "}`, "question is empty")

	if s := Ask(true).Spec(); s.EndsRun {
		t.Error("the dialog ends the run")
	}
	if s := Ask(false).Spec(); !s.EndsRun {
		t.Error("a spoken question doesn't end the run")
	}
	if got, want := b.text(Ask(false), args), "Which?\n\n1. one\n2. two"; got != want {
		t.Errorf("got %q", got)
	}
	if got := b.text(Ask(false), `{"question":"Why?"}`); got != "Why?" {
		t.Errorf("got %q", got)
	}
}
