package engine

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// E-4: a definition never loosens what the user set, and tightens it.
func TestSubagentModes(t *testing.T) {
	for _, tt := range []struct{ name, session, agent, want string }{
		{"tightened", "full", "plan", "plan mode is read-only"},
		{"another program's name", "full", "plan", "plan mode is read-only"},
		{"not loosened", "ask", "bypassPermissions", "Permission denied"},
		{"not loosened by our name", "plan", "full", "plan mode is read-only"},
		{"the same", "full", "", ""},
		{"asks nobody", "full", "default", "Permission denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, asksFor("worker job-a")+does("job-a", calls("bash", `{"command":"touch x"}`))+does("job-a", says("a")))
			w.write(map[string]string{"home/agents/worker.md": "---\nname: worker\ndescription: works\npermissionMode: " + tt.agent + "\n---\nWork.\n"})
			c := w.open(OpenOptions{Mode: tt.session})
			c.run("all of it")
			c.result("job-a")
			var got string
			for id := range c.ends() {
				for _, ev := range c.nested(id) {
					if e, ok := ev.(event.ToolEnded); ok && e.IsError {
						got = message.Text(e.Content)
					}
				}
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("the call ended with %q, want %q", got, tt.want)
			}
		})
	}
}

// The mode that the user switches to holds for sub-agents at work.
func TestSubagentFollowsTheMode(t *testing.T) {
	w := newWorld(t, asksFor("general job-a")+does("job-a", "-- mark switch --", calls("bash", `{"command":"touch x"}`))+does("job-a", says("a")))
	c := w.open(OpenOptions{Mode: "full"})
	w.marks["switch"] = func(ctx context.Context) {
		if err := c.s.SetMode(ctx, "plan"); err != nil {
			t.Error(err)
		}
	}
	c.run("all of it")
	c.result("job-a")
	told := false
	for id := range c.ends() {
		for _, ev := range c.nested(id) {
			e, ok := ev.(event.ToolEnded)
			told = told || ok && strings.Contains(message.Text(e.Content), "plan mode is read-only")
		}
	}
	if !told {
		t.Errorf("the call was not refused:\n%s", c.story())
	}
}

func TestSubagentLimits(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		var now, most atomic.Int32
		var script string
		var tasks []string
		for i := range 6 {
			job := fmt.Sprintf("job-%c", 'a'+i)
			tasks, script = append(tasks, "general "+job), script+does(job, "-- mark in --", says("x"), "-- mark out --")
		}
		w := newWorld(t, asksFor(tasks...)+script, withSettings(`{"task":{"maxConcurrency":2}}`))
		two := make(chan struct{})
		w.marks["in"] = func(ctx context.Context) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
				if n == 2 {
					close(two)
				}
			}
			select {
			case <-two:
			case <-ctx.Done():
			}
		}
		w.marks["out"] = func(context.Context) { now.Add(-1) }
		c := w.open(OpenOptions{})
		c.run("all of it")
		if len(c.results()) != 6 || most.Load() != 2 {
			t.Errorf("%d results, %d at once", len(c.results()), most.Load())
		}
	})
	// A seat is left to those that its holder waits for.
	t.Run("depth with one seat", func(t *testing.T) {
		deeper := calls(taskTool, `{"agent":"general","description":"d","prompt":"job-b"}`)
		deepest := calls(taskTool, `{"agent":"general","description":"d","prompt":"job-c"}`)
		w := newWorld(t, asksFor("general job-a")+does("job-a", deeper, deeper)+does("job-a", says("a"))+
			does("job-b", deepest)+does("job-b", says("b")), withSettings(`{"task":{"maxConcurrency":1}}`))
		c := w.open(OpenOptions{})
		c.run("all of it")
		if text, failed, d := c.result("job-a"); failed || text != "a" || d.Turns != 2 {
			t.Errorf("%q, failed %v, %+v", text, failed, d)
		}
		seen := map[string]int{} // at the second level there is no task tool
		for id := range c.ends() {
			for _, ev := range c.nested(id) {
				if _, ok := ev.(event.SubagentEvent); !ok {
					continue
				}
				_, inner := unwrap(ev)
				if e, ok := inner.(event.ToolEnded); ok {
					seen[message.Text(e.Content)]++
				}
			}
		}
		if seen["Tool task not found"] != 2 {
			t.Errorf("the deepest calls ended with %v", seen)
		}
	})
	t.Run("no depth", func(t *testing.T) {
		w := newWorld(t, asksFor("general job-a"), withSettings(`{"task":{"maxRecursionDepth":0}}`))
		c := w.open(OpenOptions{})
		for _, spec := range c.s.Tools() {
			if spec.Name == taskTool {
				t.Error("there is a task tool")
			}
		}
	})
	t.Run("turns of a definition", func(t *testing.T) {
		look := calls("ls", `{}`)
		w := newWorld(t, asksFor("worker job-a")+does("job-a", says("so far"), look)+does("job-a", look)+does("job-a", says("a")))
		w.write(map[string]string{"home/agents/worker.md": "---\nname: worker\ndescription: works\nmaxTurns: 2\n---\nWork.\n"})
		c := w.open(OpenOptions{})
		c.attach(Client{Name: "chat", Shows: []event.QuestionKind{event.AskConfirm}}) // it isn't asked
		c.run("all of it")
		text, failed, d := c.result("job-a")
		if failed || d.Status != "limited" || d.Turns != 2 || text != "so far\n\n[The agent was stopped before it was done: the limit is reached: 2 model calls.]" {
			t.Errorf("%q, failed %v, %+v", text, failed, d)
		}
	})
}

// What sub-agents spend counts against the session's limits.
func TestSubagentBudget(t *testing.T) {
	const usage = "\n-- usage input=1000 output=0 --"
	spend := calls("ls", `{}`) + usage
	script := "-- model --\nprice: 1000 0 0 0\n" + asksFor("general job-a", "general job-b") +
		does("job-a", spend) + does("job-a", spend) + does("job-a", says("a")) + does("job-b", spend) + does("job-b", spend) + does("job-b", says("b"))
	limits := OpenOptions{Limits: config.Limits{CostUSD: 2}}
	t.Run("stops", func(t *testing.T) {
		c := newWorld(t, script).open(limits)
		if end := c.run("all of it"); end.Reason != message.Budget || !strings.Contains(end.Error, "$") {
			t.Errorf("settled %+v", end)
		}
		stopped := 0
		for _, e := range c.results() {
			if detailsOf(e.Details).Status == "limited" {
				stopped++
			}
		}
		if stopped == 0 {
			t.Errorf("no sub-agent was stopped: %v", c.results())
		}
	})
	t.Run("goes on", func(t *testing.T) {
		c := newWorld(t, script).open(limits)
		c.attach(Client{Name: "chat", Shows: []event.QuestionKind{event.AskConfirm}})
		c.prompt("all of it")
		q := on[event.AskOpened](c).Question
		if _, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Confirmed: true}); err != nil {
			t.Fatal(err)
		}
		c.until("the end", func(it Item) bool {
			if e, ok := it.Event.(event.AskOpened); ok { // as much again may be used up too
				go c.s.Answer(context.Background(), e.Question.ID, event.Answer{Confirmed: true})
			}
			_, ok := it.Event.(event.RunSettled)
			return ok
		})
		for _, j := range []string{"job-a", "job-b"} {
			if text, failed, _ := c.result(j); failed || len(text) != 1 {
				t.Errorf("%s: %q", j, text)
			}
		}
	})
	t.Run("one answer for all", func(t *testing.T) {
		c := newWorld(t, script).open(limits)
		c.attach(Client{Name: "chat", Shows: []event.QuestionKind{event.AskConfirm}})
		c.prompt("all of it")
		q := on[event.AskOpened](c).Question
		if _, err := c.s.Answer(c.ctx(), q.ID, event.Answer{}); err != nil {
			t.Fatal(err)
		}
		if end := on[event.RunSettled](c); end.Reason != message.Budget {
			t.Errorf("settled %+v", end)
		}
		if n := strings.Count(c.story(), "ask_opened"); n != 1 {
			t.Errorf("asked %d times:\n%s", n, c.story())
		}
	})
}
