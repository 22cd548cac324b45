package engine

import (
	"context"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// each turn of the model calls a tool, spends tokens and money.
const spending = `
-- model --
price: 1000 1000 0 0
-- turn --
times: 4
-- call look --
{}
-- usage input=100 output=400 --
-- turn --
-- text --
done
`

func TestLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits config.Limits
		reason message.StopReason
		calls  int
	}{
		"none":          {config.Limits{}, message.Stop, 4},
		"turns":         {config.Limits{Turns: 3}, message.StepLimit, 3},
		"output tokens": {config.Limits{OutputTokens: 700}, message.Budget, 2},
		"total tokens":  {config.Limits{TotalTokens: 500}, message.Budget, 1},
		"cost":          {config.Limits{CostUSD: 1.2}, message.Budget, 3}, // 0.50 a turn
		"last turn":     {config.Limits{Turns: 5}, message.Stop, 4},
	} {
		t.Run(name, func(t *testing.T) {
			c := newWorld(t, spending).open(OpenOptions{Limits: tt.limits})
			calls := 0
			c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) { calls++; return tool.TextResult("x"), nil })
			if end := c.run("go"); end.Reason != tt.reason || calls != tt.calls {
				t.Errorf("settled %s after %d calls, want %s after %d", end.Reason, calls, tt.reason, tt.calls)
			}
		})
	}
}

// Where the user can be asked, a limit is a question, and a yes allows as
// much again.
func TestLimitIsAsked(t *testing.T) {
	c := newWorld(t, spending).open(OpenOptions{Limits: config.Limits{Turns: 2}})
	c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("x"), nil })
	c.sub.Close()
	c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
	c.prompt("go")
	q := on[event.AskOpened](c)
	if q.Question.Title != "The limit is reached: 2 model calls" {
		t.Errorf("asked %q", q.Question.Title)
	}
	c.answer(q, event.Answer{Confirmed: true})
	c.answer(on[event.AskOpened](c), event.Answer{Confirmed: false})
	if end := on[event.RunSettled](c); end.Reason != message.StepLimit || end.Error != "the limit is reached: 4 model calls" {
		t.Errorf("settled %+v", end)
	}
}

func TestTimeLimit(t *testing.T) {
	l := limits{Limits: config.Limits{Seconds: 60}}
	now := time.Unix(1000, 0)
	l.begin(now)
	if stop, _, _ := l.reached(now.Add(59 * time.Second)); stop != "" {
		t.Errorf("stopped early: %s", stop)
	}
	stop, text, extend := l.reached(now.Add(61 * time.Second))
	if stop != message.Budget || text != "1m1s" {
		t.Errorf("%s, %q", stop, text)
	}
	extend()
	if stop, _, _ := l.reached(now.Add(100 * time.Second)); stop != "" {
		t.Errorf("stopped again: %s", stop)
	}
}

// What isn't a file of a sensible size is refused before it is read. E-4
func TestScriptMustBeAFile(t *testing.T) {
	w := newWorld(t, hello)
	for _, path := range []string{"/dev/zero", w.dir, "/nowhere/at/all"} {
		if _, _, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: "script/" + path}); err == nil {
			t.Errorf("%s was taken for a script", path)
		}
	}
}
