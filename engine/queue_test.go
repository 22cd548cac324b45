package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// waitingTurns answers "start" with a mark at which the test queues messages,
// and everything after it with a word.
const waitingTurns = `
-- turn --
on: start
-- text --
begun
-- mark queue --
-- turn --
times: always
-- text --
ok
`

func TestQueues(t *testing.T) {
	type queued struct {
		delivery Delivery
		text     string
	}
	both := []queued{{Steer, "s1"}, {FollowUp, "f1"}, {Steer, "s2"}, {FollowUp, "f2"}}
	for name, tt := range map[string]struct {
		steering, followUp string
		messages           []queued
		want               string
	}{
		"one at a time": {"one-at-a-time", "one-at-a-time", both, `
			run_started
			turn_started
			user "start"
			queue steer:s1
			queue steer:s1 followUp:f1
			queue steer:s1 followUp:f1 steer:s2
			queue steer:s1 followUp:f1 steer:s2 followUp:f2
			assistant "begun" stop
			turn_ended
			turn_started
			user "s1"
			queue followUp:f1 steer:s2 followUp:f2
			assistant "ok" stop
			turn_ended
			turn_started
			user "s2"
			queue followUp:f1 followUp:f2
			assistant "ok" stop
			turn_ended
			turn_started
			user "f1"
			queue followUp:f2
			assistant "ok" stop
			turn_ended
			turn_started
			user "f2"
			queue
			assistant "ok" stop
			turn_ended
			run_ended stop will= messages=10
			run_settled stop`},
		"all": {"all", "all", both, `
			run_started
			turn_started
			user "start"
			queue steer:s1
			queue steer:s1 followUp:f1
			queue steer:s1 followUp:f1 steer:s2
			queue steer:s1 followUp:f1 steer:s2 followUp:f2
			assistant "begun" stop
			turn_ended
			turn_started
			user "s1"
			queue followUp:f1 steer:s2 followUp:f2
			user "s2"
			queue followUp:f1 followUp:f2
			assistant "ok" stop
			turn_ended
			turn_started
			user "f1"
			queue followUp:f2
			user "f2"
			queue
			assistant "ok" stop
			turn_ended
			run_ended stop will= messages=8
			run_settled stop`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, waitingTurns)
			c := w.open(OpenOptions{})
			if err := c.s.SetSteeringMode(c.ctx(), tt.steering); err != nil {
				t.Fatal(err)
			}
			if err := c.s.SetFollowUpMode(c.ctx(), tt.followUp); err != nil {
				t.Fatal(err)
			}
			w.marks["queue"] = func(ctx context.Context) {
				for _, m := range tt.messages {
					c.send(Input{Text: m.text, Delivery: m.delivery})
				}
			}
			c.run("start")
			c.wants(tt.want)
		})
	}
}

// Steering that finds the session idle only queues when asked to, and rides
// along with the next prompt.
func TestQueueOnlyWhenIdle(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	if a := c.send(Input{Text: "later", Delivery: Steer, QueueOnly: true}); a.Disposition != QueuedUp {
		t.Errorf("disposition %q", a.Disposition)
	}
	c.run("now")
	c.wants(`
		queue steer:later
		run_started
		turn_started
		user "now"
		user "later"
		queue
		assistant "Hello there." stop
		turn_ended
		run_ended stop will= messages=3
		run_settled stop`)
}

// An abort leaves the queue as it is.
func TestQueueSurvivesAbort(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- mark stop --\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nok\n")
	c := w.open(OpenOptions{})
	reached := make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached) }
	c.prompt("go")
	wait(t, reached, "the model")
	c.send(Input{Text: "kept", Delivery: FollowUp})
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if v, _ := c.s.View(c.ctx()); len(v.Queue) != 1 {
		t.Fatalf("queue %v", v.Queue)
	}
	cleared, err := c.s.ClearQueue(c.ctx())
	if err != nil || len(cleared) != 1 || cleared[0].Message.Text() != "kept" {
		t.Errorf("cleared %v, %v", cleared, err)
	}
}

// With interrupt mode immediate a steering message cuts the turn's other calls.
func TestImmediateInterrupt(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- call quick --
{}
-- call slow --
{}
-- turn --
-- text --
turned
`)
	c := w.open(OpenOptions{})
	if err := c.s.SetInterruptMode(c.ctx(), "immediate"); err != nil {
		t.Fatal(err)
	}
	running := make(chan struct{})
	c.addTool("slow", tool.Think, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		close(running)
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	c.addTool("quick", tool.Think, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		<-running
		c.send(Input{Text: "other way", Delivery: Steer})
		return tool.TextResult("done"), nil
	})
	c.run("go")
	c.log = slices.DeleteFunc(c.log, func(it Item) bool { _, ok := it.Event.(event.QueueChanged); return ok })
	c.wants(`
		run_started
		turn_started
		user "go"
		assistant "" toolUse
		tool_started quick
		tool_running quick
		tool_started slow
		tool_running slow
		tool_ended quick "done" error=false
		toolResult "done"
		tool_ended slow "Skipped due to queued user message." error=true
		toolResult "Skipped due to queued user message."
		turn_ended
		turn_started
		user "other way"
		assistant "turned" stop
		turn_ended
		run_ended stop will= messages=6
		run_settled stop`)
}

// E-1: what was queued when the process died comes back with the session,
// once; what was delivered before doesn't.
func TestQueueComesBackAfterACrash(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nfirst\n-- turn --\non: two\n-- mark stop --\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nok\n")
	c := w.open(OpenOptions{})
	c.run("one")
	reached := make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached) }
	c.prompt("two")
	wait(t, reached, "the model")
	c.send(Input{Text: "three", Delivery: FollowUp})
	v, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	// The file as a kill would leave it, opened by another process.
	data, err := os.ReadFile(v.File)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.jsonl")
	if err := os.WriteFile(copied, append(data, `{"type":"message","id":"0000`...), 0o600); err != nil {
		t.Fatal(err)
	}
	clear(w.marks)
	again := w.open(OpenOptions{Path: copied})
	if len(again.view.Queue) != 1 || again.view.Queue[0].Message.Text() != "three" {
		t.Fatalf("queue %+v", again.view.Queue)
	}
	if n := len(again.view.Messages); n != 3 { // one, first, two
		t.Errorf("%d messages", n)
	}
	again.run("go on")
	if v, _ := again.s.View(again.ctx()); len(v.Queue) != 0 {
		t.Errorf("queue %+v", v.Queue)
	}
	if text := again.log[len(again.log)-1]; text.Event.(event.RunSettled).Reason != "stop" {
		t.Errorf("settled %v", text)
	}
}

// Without dialogs a question ends the run as the model's own words, and a
// lone number answers it.
func TestQuestionInText(t *testing.T) {
	c := newWorld(t, `
-- turn --
-- call ask --
{"question": "Which one?", "options": ["red", "green"]}
-- turn --
-- text --
ok
`).open(OpenOptions{})
	c.run("ask me")
	c.run("2.")
	c.wants(`
		run_started
		turn_started
		user "ask me"
		assistant "" toolUse
		tool_started ask
		tool_running ask
		tool_ended ask "Which one?\n\n1. red\n2. green" error=false
		toolResult "Which one?\n\n1. red\n2. green"
		turn_ended
		turn_started
		assistant "Which one?\n\n1. red\n2. green" stop
		turn_ended
		run_ended stop will= messages=4
		run_settled stop
		run_started
		turn_started
		user "green"
		assistant "ok" stop
		turn_ended
		run_ended stop will= messages=2
		run_settled stop`)
}

// What is sent while an abort is still on its way is for after it: steering
// the run that ends would leave it in the queue.
func TestPromptDuringAnAbort(t *testing.T) {
	for _, delivery := range []Delivery{Auto, Steer} {
		c, release := deaf(t)
		aborted := make(chan error, 1)
		go func() { aborted <- c.s.Abort(context.Background()) }()
		for stopping := false; !stopping; {
			stopping, _ = do(c.ctx(), c.s, func() (bool, error) { return c.s.aborted, nil })
		}
		c.send(Input{Text: "next", Delivery: delivery})
		close(release)
		if end := on[event.RunSettled](c); !end.Aborted {
			t.Errorf("settled %+v", end)
		}
		if end := on[event.RunSettled](c); end.Reason != "stop" {
			t.Errorf("the next prompt settled %+v", end)
		}
		if err := <-aborted; err != nil {
			t.Error(err)
		}
	}
}
