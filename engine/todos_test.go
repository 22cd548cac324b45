package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// planned makes a list of three tasks and finishes the first.
const planned = `
-- turn --
-- call todo --
{"ops":[{"op":"replace","phases":[{"name":"Work","tasks":[{"content":"one","status":"completed"},{"content":"two"},{"content":"three"}]}]}]}
-- turn --
-- text --
a break
`

// tasks writes a list as "phase: id=status ...".
func tasks(phases []message.TodoPhase) string {
	var parts []string
	for _, p := range phases {
		parts = append(parts, p.Name+":")
		for _, t := range p.Tasks {
			parts = append(parts, t.ID+"="+t.Status)
		}
	}
	return strings.Join(parts, " ")
}

func (c *client) tasks() string {
	c.t.Helper()
	v, err := c.s.View(c.ctx())
	if err != nil {
		c.t.Fatal(err)
	}
	return tasks(v.Todos)
}

// reminders lists what the model was told of open tasks.
func (c *client) reminders() (told []event.TodoReminder) {
	for _, it := range c.log {
		if r, ok := it.Event.(event.TodoReminder); ok {
			told = append(told, r)
		}
	}
	return told
}

// A model that stops with open tasks is told, in a run of its own, until they
// are finished.
func TestReminder(t *testing.T) {
	w := newWorld(t, planned+`
-- turn --
on: Reminder 1 of 3
-- call todo --
{"ops":[{"op":"update","id":"task-2","status":"completed"},{"op":"update","id":"task-3","status":"abandoned"}]}
-- turn --
-- text --
all done
`)
	c := w.open(OpenOptions{InMemory: true, Mode: "full"})
	if end := c.run("go"); end.Reason != message.Stop {
		t.Fatal(end)
	}
	c.wants(`
		run_started
		turn_started
		user "go"
		assistant "" toolUse
		tool_started todo
		tool_running todo
		todos_changed
		tool_ended todo "1 of 3 tasks are finished.\n\nWork (phase-1)\n[x] task-1: one\n[>] task-2: two\n[ ] task-3: three\n" error=false
		toolResult "1 of 3 tasks are finished.\n\nWork (phase-1)\n[x] task-1: one\n[>] task-2: two\n[ ] task-3: three\n"
		turn_ended
		turn_started
		assistant "a break" stop
		turn_ended
		run_ended stop will=continue messages=4
		todo_reminder
		run_started
		turn_started
		developer "You stopped while tasks of your list are open:\n\n- task-2: two (in progress)\n- task-3: three (pending)\n\nGo on with them. What is finished, or no longer needed, mark with the todo tool. Only if you can't go on without the user, say what you need. (Reminder 1 of 3)"
		assistant "" toolUse
		tool_started todo
		tool_running todo
		todos_changed
		tool_ended todo "3 of 3 tasks are finished.\n\nWork (phase-1)\n[x] task-1: one\n[x] task-2: two\n[-] task-3: three\n" error=false
		toolResult "3 of 3 tasks are finished.\n\nWork (phase-1)\n[x] task-1: one\n[x] task-2: two\n[-] task-3: three\n"
		turn_ended
		turn_started
		assistant "all done" stop
		turn_ended
		run_ended stop will= messages=4
		run_settled stop`)
	if r := c.reminders(); len(r) != 1 || r[0].Attempt != 1 || r[0].MaxAttempts != 3 || len(r[0].Todos) != 2 || r[0].Todos[0].ID != "task-2" {
		t.Errorf("%+v", r)
	}
}

// The count begins anew with the user's next message.
func TestRemindersEnd(t *testing.T) {
	w := newWorld(t, planned+"-- turn --\ntimes: always\n-- text --\nI rest\n", withSettings(`{"todo":{"maxReminders":2}}`))
	c := w.open(OpenOptions{InMemory: true, Mode: "full"})
	for range 2 {
		c.run("go")
	}
	var attempts []string
	for _, r := range c.reminders() {
		attempts = append(attempts, fmt.Sprintf("%d/%d", r.Attempt, r.MaxAttempts))
	}
	if got := strings.Join(attempts, " "); got != "1/2 2/2 1/2 2/2" {
		t.Errorf("reminders %s", got)
	}
}

// When nobody is reminded, work ends as it did.
func TestNoReminder(t *testing.T) {
	rest := "-- turn --\ntimes: always\n-- text --\nI rest\n"
	for name, tt := range map[string]struct {
		script, settings, mode string
		options                OpenOptions
		hook                   ext.Hooks
	}{
		"switched off":      {settings: `{"todo":{"reminders":false}}`},
		"no list":           {settings: `{"todo":{"enabled":false}}`},
		"none allowed":      {settings: `{"todo":{"maxReminders":0}}`},
		"plan mode":         {mode: "plan"},
		"no tool":           {options: OpenOptions{NoTools: true}},
		"a limit reached":   {settings: `{"limits":{"turns":1}}`},
		"asked the user":    {script: "-- turn --\n-- call ask --\n{\"question\":\"Which?\"}\n-- turn --\n-- call read --\n{\"path\":\"x\"}\n" + rest},
		"cut at its length": {script: "-- turn --\n-- text --\nmuch\n-- stop length --\n" + rest},
		"refused":           {script: "-- turn --\n-- stop refusal --\n" + rest},
		"failed":            {script: "-- turn --\n-- error kind=bad_request --\nno\n" + rest},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.script == "" {
				tt.script = rest
			}
			settings := tt.settings
			if settings == "" {
				settings = "{}"
			}
			w := newWorld(t, tt.script, withSettings(settings))
			o := tt.options
			o.InMemory, o.Mode = true, "full"
			if tt.mode != "" {
				o.Mode = tt.mode
			}
			c := w.open(o)
			c.setTasks("pending")
			c.run("go")
			if r := c.reminders(); len(r) > 0 {
				t.Errorf("reminded:\n%s", c.story())
			}
		})
	}
	t.Run("finished", func(t *testing.T) {
		c := newWorld(t, rest).open(OpenOptions{InMemory: true})
		c.setTasks("completed", "abandoned")
		c.run("go")
		if len(c.reminders()) > 0 {
			t.Error(c.story())
		}
	})
}

// setTasks replaces the list as a host does.
func (c *client) setTasks(states ...string) {
	c.t.Helper()
	p := message.TodoPhase{ID: "phase-1", Name: "Host"}
	for i, s := range states {
		p.Tasks = append(p.Tasks, message.Todo{ID: fmt.Sprint("task-", i+1), Content: fmt.Sprint("number ", i+1), Status: s})
	}
	if _, err := c.s.SetTodos(c.ctx(), []message.TodoPhase{p}); err != nil {
		c.t.Fatal(err)
	}
}

// A question that the dialogs answered doesn't end the run: what follows does.
func TestReminderAfterDialog(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- call ask --\n{\"question\":\"Which?\"}\n-- turn --\ntimes: always\n-- text --\nthanks\n")
	c := w.open(OpenOptions{InMemory: true, Mode: "full", Dialogs: true})
	c.setTasks("pending")
	c.run("go")
	if n := len(c.reminders()); n != 3 {
		t.Errorf("%d reminders, want 3:\n%s", n, c.story())
	}
}

// What the user has sent goes before a reminder; an abort ends them.
func TestReminderWaitsForTheUser(t *testing.T) {
	w := newWorld(t, waitingTurns, withSettings(`{"todo":{"maxReminders":1}}`))
	c := w.open(OpenOptions{InMemory: true, Mode: "full"})
	c.setTasks("pending")
	w.marks["queue"] = func(ctx context.Context) {
		if _, err := c.s.Prompt(ctx, Input{Text: "later", Delivery: FollowUp}); err != nil {
			t.Error(err)
		}
	}
	c.run("start")
	var order []string
	for _, it := range c.log {
		switch e := it.Event.(type) {
		case event.TodoReminder:
			order = append(order, "reminder")
		case event.MessageEnded:
			order = append(order, string(e.Message.Role))
		}
	}
	if got, want := strings.Join(order, " "), "user assistant user assistant reminder developer assistant"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAbortEndsReminders(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nI rest\n-- turn --\ntimes: always\n-- mark abort --\n-- delay 1h --\n")
	c := w.open(OpenOptions{InMemory: true, Mode: "full"})
	c.setTasks("pending")
	w.marks["abort"] = func(context.Context) { go c.s.Abort(context.Background()) }
	if end := c.run("go"); !end.Aborted || len(c.reminders()) != 1 {
		t.Errorf("%+v\n%s", end, c.story())
	}
}

// A threshold's compaction comes before the reminder, and so does a prompt that
// has come meanwhile.
func TestReminderAfterCompaction(t *testing.T) {
	for name, tt := range map[string]struct {
		prompt bool
		want   string
	}{
		"nothing else": {false, "ended:compaction compacted reminder ended: settled"},
		"a prompt":     {true, "ended:compaction compacted settled ended:continue reminder ended: settled"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, `
-- model --
window: 30000
-- turn --
on: /^much$/
-- text repeat=2000 --
many words 
-- usage input=29000 output=10 --
-- turn --
system: summar
-- mark summary --
-- text --
the summary
-- turn --
times: always
-- text --
I rest
`, withSettings(`{"todo":{"maxReminders":1},"compaction":{"reserveTokens":5000,"keepRecentTokens":1}}`))
			c := w.open(OpenOptions{InMemory: true, Mode: "full"})
			w.marks["summary"] = func(ctx context.Context) {
				if tt.prompt {
					if _, err := c.s.Prompt(ctx, Input{Text: "later"}); err != nil {
						t.Error(err)
					}
				}
			}
			c.run("some words")
			c.setTasks("pending")
			c.log = nil
			c.run("much")
			if tt.prompt {
				on[event.RunSettled](c)
			}
			var order []string
			for _, it := range c.log {
				switch e := it.Event.(type) {
				case event.RunEnded:
					order = append(order, "ended:"+string(e.Will))
				case event.CompactionEnded:
					order = append(order, "compacted")
				case event.TodoReminder:
					order = append(order, "reminder")
				case event.RunSettled:
					order = append(order, "settled")
				}
			}
			if got := strings.Join(order, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Finished tasks leave the list together, once their delay has passed; one that
// was taken up again stays.
func TestFinishedTasksLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, hello)
		s, _, err := w.engine.Open(context.Background(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		c := &client{t: t, s: s}
		c.attach(Client{Name: "test"})
		at := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := c.tasks(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		c.setTasks("completed", "abandoned", "pending")
		at(30*time.Second, "Host: task-1=completed task-2=abandoned task-3=pending")
		c.setTasks("completed", "in_progress", "completed") // 2 is taken up again, 3 is finished later
		at(29*time.Second, "Host: task-1=completed task-2=in_progress task-3=completed")
		at(2*time.Second, "Host: task-2=in_progress task-3=completed")
		at(30*time.Second, "Host: task-2=in_progress")
		c.setTasks("pending", "completed")
		at(61*time.Second, "Host: task-1=pending")
		c.setTasks("completed")
		at(61*time.Second, "")
		c.run("hi")
		cleared := 0
		for _, it := range c.log {
			if _, ok := it.Event.(event.TodoCleared); ok {
				cleared++
			}
		}
		if cleared != 4 {
			t.Errorf("%d times cleared, want 4:\n%s", cleared, c.story())
		}
	})
}

func TestClearDelay(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		c := newWorld(t, hello, withSettings(`{"todo":{"clearDelaySeconds":0}}`)).open(OpenOptions{InMemory: true})
		c.setTasks("completed", "pending")
		on[event.TodoCleared](c)
		if got := c.tasks(); got != "Host: task-2=pending" {
			t.Error(got)
		}
	})
	t.Run("never", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, hello, withSettings(`{"todo":{"clearDelaySeconds":-1}}`))
			s, _, err := w.engine.Open(context.Background(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), InMemory: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			c := &client{t: t, s: s}
			c.setTasks("completed")
			time.Sleep(1000 * time.Hour)
			synctest.Wait()
			if got := c.tasks(); got != "Host: task-1=completed" {
				t.Error(got)
			}
		})
	})
}

// The list of the branch comes back without what was finished: on opening, on
// moving in the tree, on branching, and from behind a compaction.
func TestTodosRestored(t *testing.T) {
	w := newWorld(t, planned+`
-- turn --
-- call todo --
{"ops":[{"op":"update","id":"task-2","status":"completed"}]}
-- turn --
-- call todo --
{"ops":[{"op":"remove_task","id":"nowhere"}]}
-- turn --
-- text --
more
-- turn --
times: always
-- text --
a summary, or an answer
`, withSettings(`{"todo":{"reminders":false},"compaction":{"keepRecentTokens":1}}`))
	c := w.open(OpenOptions{Mode: "full"})
	c.run("first")
	second := c.prompt("second")
	on[event.RunSettled](c)
	last := c.prompt("third")
	on[event.RunSettled](c)
	if got := c.tasks(); got != "Work: task-1=completed task-2=completed task-3=in_progress" {
		t.Fatal(got)
	}
	move := func(id, want string) {
		t.Helper()
		if _, err := c.s.MoveTo(c.ctx(), id); err != nil {
			t.Fatal(err)
		}
		if got := c.tasks(); got != want {
			t.Errorf("moved: %s, want %s", got, want)
		}
	}
	move(second.ID, "Work: task-2=in_progress task-3=pending")
	move(last.ID, "Work: task-3=in_progress")
	c.run("again")
	if _, err := c.s.Compact(c.ctx(), ""); err != nil {
		t.Fatal(err)
	}
	v, err := c.s.View(c.ctx())
	if err != nil || v.Messages[0].Role != message.CompactionSummary {
		t.Fatal(v.Messages, err)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	again := w.open(OpenOptions{Path: v.File})
	if got := again.tasks(); got != "Work: task-3=in_progress" {
		t.Errorf("opened: %s", got)
	}
	if _, _, err := again.s.Branch(again.ctx(), second.ID); err != nil {
		t.Fatal(err)
	}
	if got := again.tasks(); got != "Work: task-2=in_progress task-3=pending" {
		t.Errorf("branched: %s", got)
	}
	if _, err := again.s.NewDocument(again.ctx(), NewDocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := again.tasks(); got != "" {
		t.Errorf("fresh: %s", got)
	}
}

// A reminder has one line for a task, whatever the model has written there.
func TestReminderText(t *testing.T) {
	var list []message.Todo
	for i := range maxReminded + 3 {
		list = append(list, message.Todo{ID: fmt.Sprint("task-", i), Status: "pending", Content: "a\nb " + strings.Repeat("ä", maxTaskText)})
	}
	lines := strings.Split(reminder(list, 2, 3), "\n")
	if len(lines) != 2+maxReminded+1+2 || lines[2+maxReminded] != "- and 3 more" || !strings.HasSuffix(lines[len(lines)-1], "(Reminder 2 of 3)") {
		t.Errorf("%d lines, %q", len(lines), lines)
	}
	if raw, _ := json.Marshal(lines[2]); len(lines[2]) > maxTaskText+40 || strings.Contains(string(raw), "\ufffd") {
		t.Errorf("%s", raw)
	}
}
