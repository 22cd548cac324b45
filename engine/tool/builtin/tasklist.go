package builtin

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// taskList is a list while it is being changed.
type taskList struct{ phases []tool.TodoPhase }

func clonePhases(phases []tool.TodoPhase) []tool.TodoPhase {
	phases = slices.Clone(phases)
	for i := range phases {
		phases[i].Tasks = slices.Clone(phases[i].Tasks)
	}
	return phases
}

func (l *taskList) apply(op todoOp) error {
	switch op.Op {
	case "replace":
		l.phases = nil
		for _, p := range op.Phases {
			if err := l.addPhase(p); err != nil {
				return err
			}
		}
		return nil
	case "add_phase":
		return l.addPhase(phaseArgs{op.Name, op.Tasks})
	case "add_task":
		if op.Content == nil {
			return errors.New("content is missing")
		}
		p, err := l.phase(op.Phase)
		if err != nil {
			return err
		}
		return l.addTask(p, taskArgs{*op.Content, op.Status, value(op.Notes), value(op.Details)})
	case "update":
		return l.update(op)
	case "remove_task":
		p, i, err := l.task(op.ID)
		if err != nil {
			return err
		}
		p.Tasks = slices.Delete(p.Tasks, i, i+1)
		return nil
	}
	return fmt.Errorf("unknown op; use replace, add_phase, add_task, update or remove_task")
}

func (l *taskList) addPhase(a phaseArgs) error {
	if strings.TrimSpace(a.Name) == "" {
		return errors.New("the phase has no name")
	}
	l.phases = append(l.phases, tool.TodoPhase{ID: l.newID("phase-"), Name: a.Name, Tasks: []tool.Todo{}})
	for _, t := range a.Tasks {
		if err := l.addTask(&l.phases[len(l.phases)-1], t); err != nil {
			return err
		}
	}
	return nil
}

func (l *taskList) addTask(p *tool.TodoPhase, a taskArgs) error {
	if strings.TrimSpace(a.Content) == "" {
		return errors.New("the task has no content")
	}
	if l.count() >= maxTasks {
		return fmt.Errorf("the list would have more than %d tasks", maxTasks)
	}
	if a.Status == "" {
		a.Status = pending
	}
	p.Tasks = append(p.Tasks, tool.Todo{ID: l.newID("task-"), Content: a.Content, Status: a.Status, Notes: a.Notes, Details: a.Details})
	return nil
}

func (l *taskList) update(op todoOp) error {
	p, i, err := l.task(op.ID)
	if err != nil {
		return err
	}
	t := &p.Tasks[i]
	if op.Content != nil && strings.TrimSpace(*op.Content) == "" {
		return errors.New("the task would have no content; use remove_task")
	}
	for _, f := range []struct {
		field *string
		to    *string
	}{{&t.Content, op.Content}, {&t.Notes, op.Notes}, {&t.Details, op.Details}} {
		if f.to != nil {
			*f.field = *f.to
		}
	}
	if op.Status == inProgress { // the one that is named stays, not the first
		l.demote()
	}
	if op.Status != "" {
		t.Status = op.Status
	}
	return nil
}

func (l *taskList) demote() {
	for t := range l.all() {
		if t.Status == inProgress {
			t.Status = pending
		}
	}
}

// settle keeps exactly one task in progress while any is left to do: the first
// that is, else the first that waits.
func (l *taskList) settle() {
	var current, waiting *tool.Todo
	for t := range l.all() {
		switch {
		case t.Status == inProgress && current != nil:
			t.Status = pending
		case t.Status == inProgress:
			current = t
		case t.Status == pending && waiting == nil:
			waiting = t
		}
	}
	if current == nil && waiting != nil {
		waiting.Status = inProgress
	}
}

func (l taskList) all() func(func(*tool.Todo) bool) {
	return func(yield func(*tool.Todo) bool) {
		for i := range l.phases {
			for k := range l.phases[i].Tasks {
				if !yield(&l.phases[i].Tasks[k]) {
					return
				}
			}
		}
	}
}

func (l taskList) count() (n int) {
	for range l.all() {
		n++
	}
	return n
}

// phase finds one by id or name. Without either it is the last, made if there
// is none.
func (l *taskList) phase(name string) (*tool.TodoPhase, error) {
	if name == "" && len(l.phases) == 0 {
		if err := l.addPhase(phaseArgs{Name: "Tasks"}); err != nil {
			return nil, err
		}
	}
	if name == "" {
		return &l.phases[len(l.phases)-1], nil
	}
	var names []string
	for i := range l.phases {
		if p := &l.phases[i]; p.ID == name || strings.EqualFold(p.Name, name) {
			return p, nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", l.phases[i].ID, l.phases[i].Name))
	}
	return nil, fmt.Errorf("there is no phase %q; there are: %s", name, orNone(names))
}

func (l *taskList) task(id string) (*tool.TodoPhase, int, error) {
	var ids []string
	for i := range l.phases {
		for k, t := range l.phases[i].Tasks {
			if t.ID == id {
				return &l.phases[i], k, nil
			}
			ids = append(ids, t.ID)
		}
	}
	return nil, 0, fmt.Errorf("there is no task %q; there are: %s", id, orNone(ids))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// newID counts on from the highest number in use.
func (l *taskList) newID(prefix string) string {
	highest := 0
	note := func(id string) {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, prefix)); err == nil {
			highest = max(highest, n)
		}
	}
	for _, p := range l.phases {
		note(p.ID)
		for _, t := range p.Tasks {
			note(t.ID)
		}
	}
	return prefix + strconv.Itoa(highest+1)
}

func (l taskList) text() string {
	var b strings.Builder
	done, total := 0, 0
	for _, p := range l.phases {
		fmt.Fprintf(&b, "\n%s (%s)\n", p.Name, p.ID)
		for _, t := range p.Tasks {
			mark := " "
			switch t.Status {
			case completed:
				mark = "x"
			case inProgress:
				mark = ">"
			case abandoned:
				mark = "-"
			}
			if t.Status == completed || t.Status == abandoned {
				done++
			}
			total++
			fmt.Fprintf(&b, "[%s] %s: %s\n", mark, t.ID, t.Content)
		}
	}
	if total == 0 && len(l.phases) == 0 {
		return "The task list is empty."
	}
	return fmt.Sprintf("%d of %d tasks are finished.\n%s", done, total, b.String())
}
