package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// The names of the tool that keeps the task list.
const (
	todoTool  = "todo"
	todoAlias = "todo_write"
)

// taskList is what the model and the hosts have planned. It belongs to the
// owner.
type taskList struct {
	phases []message.TodoPhase
	// done are the finished tasks, by taskKey, with the change that finished
	// them. They leave together, when the delay after that change has passed.
	done     map[string]int
	changes  int
	reminded int // since the user's last message
}

// SetTodos replaces the task list, in memory, and returns it as it is kept.
// Names and ids are the caller's affair. Finished tasks leave it after a while.
func (s *Session) SetTodos(ctx context.Context, phases []message.TodoPhase) ([]message.TodoPhase, error) {
	kept := make([]message.TodoPhase, len(phases))
	for i, p := range phases {
		p.Tasks = append([]message.Todo{}, p.Tasks...) // never nil: it is a list in JSON
		kept[i] = p
	}
	return do(ctx, s, func() ([]message.TodoPhase, error) {
		s.todos.phases = kept
		s.publish(event.TodosChanged{Phases: kept})
		delay := s.env.settings.Todo.ClearDelaySeconds
		if change, finished := s.todos.note(); finished && delay >= 0 {
			s.after(time.Duration(delay)*time.Second, func() { s.clearTodos(change) })
		}
		return kept, nil
	})
}

// note remembers which tasks the last change has finished, and reports whether
// there are any. One that is open again is forgotten.
func (l *taskList) note() (change int, finished bool) {
	before := l.done
	l.done, l.changes = map[string]int{}, l.changes+1
	for _, p := range l.phases {
		for _, t := range p.Tasks {
			if isOpen(t) {
				continue
			}
			n, known := before[taskKey(t)]
			if !known {
				n, finished = l.changes, true
			}
			l.done[taskKey(t)] = n
		}
	}
	return l.changes, finished
}

// clearTodos takes away what that change has finished, if it still is.
func (s *Session) clearTodos(change int) {
	left, gone := without(s.todos.phases, func(t message.Todo) bool { return s.todos.done[taskKey(t)] == change })
	if !gone {
		return
	}
	s.todos.phases = left
	s.publish(event.TodosChanged{Phases: left})
	s.publish(event.TodoCleared{})
}

// without leaves tasks out, and phases that have no other.
func without(phases []message.TodoPhase, out func(message.Todo) bool) (left []message.TodoPhase, gone bool) {
	left = []message.TodoPhase{}
	for _, p := range phases {
		tasks := slices.DeleteFunc(slices.Clone(p.Tasks), out)
		if len(tasks) < len(p.Tasks) {
			gone = true
			if len(tasks) == 0 {
				continue
			}
			p.Tasks = tasks
		}
		left = append(left, p)
	}
	return left, gone
}

// restoreTodos takes the task list over as the last todo call of the branch
// left it, but for what was finished.
func (s *Session) restoreTodos() {
	s.todos.phases, s.todos.done = nil, nil
	last, ok := lastTodos(s.doc, s.messages)
	var d struct{ Phases []message.TodoPhase }
	if ok && json.Unmarshal(last.Details, &d) == nil && d.Phases != nil {
		s.todos.phases, _ = without(d.Phases, func(t message.Todo) bool { return !isOpen(t) })
	}
}

// lastTodos finds the last result of a todo call: in the context, or in what a
// compaction has put out of it.
func lastTodos(d *session.Document, context []message.Message) (message.Message, bool) {
	for _, m := range slices.Backward(context) {
		if m.Role == message.ToolResult && !m.IsError && (m.ToolName == todoTool || m.ToolName == todoAlias) {
			return m, true
		}
	}
	if len(context) == 0 || context[0].Role != message.CompactionSummary {
		return message.Message{}, false
	}
	return d.LastResult(todoTool, todoAlias)
}

// taskKey tells a task from others: with the list begun anew, ids come again.
func taskKey(t message.Todo) string { return t.ID + "\x00" + t.Content }

func isOpen(t message.Todo) bool { return t.Status != "completed" && t.Status != "abandoned" }

// openTodos are the tasks that aren't finished, in the order of the list.
func (s *Session) openTodos() []message.Todo {
	var list []message.Todo
	for _, p := range s.todos.phases {
		for _, t := range p.Tasks {
			if isOpen(t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// reminds reports whether the model, which has nothing more to say, is to be
// told of its open tasks. What the user has sent goes first; a model that only
// plans, or has asked the user something, waits for them.
func (s *Session) reminds() bool {
	settings := s.env.settings.Todo
	if !settings.Enabled || !settings.Reminders || s.todos.reminded >= settings.MaxReminders {
		return false
	}
	if s.aborted || len(s.prompts) > 0 || s.policy.mode() == string(permission.ModePlan) || !s.rests() {
		return false
	}
	if stop, _, _ := s.limits.reached(s.at); stop != "" {
		return false
	}
	_, able := s.findTool(todoTool)
	return able && len(s.openTodos()) > 0
}

// rests reports whether the context ends with an answer to which nothing is to
// be added but by the user's wish. The question of a tool that ends the run is
// none.
func (s *Session) rests() bool {
	for i, m := range slices.Backward(s.messages) {
		switch {
		case i == len(s.messages)-1:
			if m.Role != message.Assistant || m.StopReason != message.Stop {
				return false
			}
		case m.Role != message.ToolResult:
			return true
		default:
			if t, ok := s.findTool(m.ToolName); ok && t.Spec().EndsRun && !m.IsError {
				return false
			}
		}
	}
	return len(s.messages) > 0
}

// remind tells the model of its open tasks in another run.
func (s *Session) remind() {
	tasks := s.openTodos()
	s.todos.reminded++
	limit := s.env.settings.Todo.MaxReminders
	s.publish(event.TodoReminder{Todos: tasks, Attempt: s.todos.reminded, MaxAttempts: limit})
	s.startRun([]message.Message{{
		Role: message.Developer, Attribution: "agent",
		Content: []message.Block{message.TextOf(reminder(tasks, s.todos.reminded, limit))},
	}})
}

// Bounds of a reminder: the model has the whole list in its context anyway.
const (
	maxReminded = 50  // tasks
	maxTaskText = 200 // bytes
)

func reminder(tasks []message.Todo, attempt, limit int) string {
	var b strings.Builder
	b.WriteString("You stopped while tasks of your list are open:\n")
	for i, t := range tasks {
		if i == maxReminded {
			fmt.Fprintf(&b, "\n- and %d more", len(tasks)-i)
			break
		}
		text := t.Content
		if t.ID != "" { // a host's need none
			text = t.ID + ": " + text
		}
		text = strings.Join(strings.Fields(text), " ")
		if len(text) > maxTaskText {
			text = strings.ToValidUTF8(text[:maxTaskText], "") + "…"
		}
		fmt.Fprintf(&b, "\n- %s (%s)", text, strings.ReplaceAll(t.Status, "_", " "))
	}
	fmt.Fprintf(&b, "\n\nGo on with them. What is finished, or no longer needed, mark with the todo tool. Only if you can't go on without the user, say what you need. (Reminder %d of %d)", attempt, limit)
	return b.String()
}
