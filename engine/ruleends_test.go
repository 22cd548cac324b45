package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// After a gap a rule counts again: turns, not prompts.
func TestRuleAfterGap(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n", withSettings(`{"ttsr":{"repeatMode":"after-gap","repeatGap":3}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	var stops []int
	for range 6 {
		c.log = nil
		c.run("go")
		stops = append(stops, c.times("triggered tidy"))
	}
	// Turns: 1 stops, 2, 3, 4 stops, 5, 6, 7 stops, 8, 9.
	if got := fmt.Sprint(stops); got != "[1 0 1 0 1 0]" {
		t.Errorf("stops by prompt %s", got)
	}
}

// A rule that can't be kept to doesn't hold a prompt for ever.
func TestRuleGivesUp(t *testing.T) {
	for _, mode := range []string{"always", "never"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n",
				withSettings(`{"ttsr":{"repeatMode":"after-gap","repeatGap":1,"interruptMode":"`+mode+`"}}`))
			w.rule("tidy", "condition: panic")
			c := w.open(OpenOptions{InMemory: true})
			for range 2 { // each prompt anew
				c.log = nil
				if end := c.run("go"); end.Reason != message.Stop {
					t.Error(end)
				}
				if n := strings.Count(c.plot(), "told tidy"); n != maxHits {
					t.Errorf("told %d times, want %d:\n%s", n, maxHits, c.plot())
				}
			}
		})
	}
}

// An answer that is begun again counts for the limits of the prompt.
func TestRuleAtTheLimit(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n", withSettings(`{"limits":{"turns":1}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	end := c.run("go")
	c.follows(`
		run_started
		user "go"
		triggered tidy
		assistant "panic" aborted
		run_ended stepLimit will= messages=2
		run_settled stepLimit`)
	if end.Error == "" {
		t.Error("no word about the limit")
	}
	c.log = nil
	c.run("again")
	if n := strings.Count(c.plot(), "told tidy (afterwards)"); n != 1 {
		t.Errorf("the next prompt doesn't tell:\n%s", c.plot())
	}
}

// A note isn't worth another call over the limit either.
func TestNoteAtTheLimit(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n", withSettings(`{"limits":{"turns":1},"ttsr":{"interruptMode":"never"}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	if end := c.run("go"); end.Reason != message.StepLimit || strings.Contains(c.plot(), "told") {
		t.Errorf("%s\n%s", end.Reason, c.plot())
	}
}

// The user's abort wins, wherever it comes; the model hears of the rule with
// the next prompt.
func TestAbortBeatsRule(t *testing.T) {
	const rest = "-- turn --\ntimes: always\n-- text --\nok\n"
	t.Run("in the stopped answer", func(t *testing.T) {
		w := newWorld(t, "-- turn --\n-- text --\npanic\n-- call probe --\n{}\n-- mark abort --\n"+rest)
		w.rule("tidy", "condition: panic$") // known at the end of the answer
		c := w.open(OpenOptions{InMemory: true, Mode: "full"})
		w.marks["abort"] = func(ctx context.Context) { c.abortNow(ctx) }
		c.prompt("go")
		on[event.RunSettled](c)
		if c.times("run_settled aborted") != 1 || strings.Contains(c.plot(), "will=continue") {
			t.Error(c.plot())
		}
	})
	t.Run("between the match and what follows", func(t *testing.T) {
		w := newWorld(t, "-- turn --\n-- text --\npanic\n"+rest)
		w.rule("tidy", "condition: panic")
		c := w.open(OpenOptions{InMemory: true})
		// The match is found on the run's goroutine: the abort gets in behind it.
		emit := c.s.watch.emit
		c.s.watch.emit = func(ev event.Event) { emit(ev); c.abortNow(context.Background()) }
		end := c.run("go")
		c.follows(`
			run_started
			user "go"
			triggered tidy
			assistant "panic" aborted
			run_ended aborted will= messages=2
			run_settled aborted`)
		if !end.Aborted || c.roles() != "user assistant" {
			t.Errorf("%+v, %s", end, c.roles())
		}
		c.s.watch.emit = emit
		c.log = nil
		c.run("next")
		c.follows(`
			run_started
			user "next"
			told tidy (afterwards) {"rules":["tidy"]}
			assistant "ok" stop
			run_ended stop will= messages=3
			run_settled stop`)
	})
	t.Run("in the new run", func(t *testing.T) {
		w := newWorld(t, "-- turn --\n-- text --\npanic\n-- turn --\n-- mark abort --\n-- delay 1h --\n"+rest)
		w.rule("tidy", "condition: panic")
		c := w.open(OpenOptions{InMemory: true})
		w.marks["abort"] = func(context.Context) { go c.s.Abort(context.Background()) }
		c.run("go")
		c.follows(`
			run_started
			user "go"
			triggered tidy
			assistant "panic" aborted
			run_ended aborted will=continue messages=2
			removed
			run_started
			told tidy (stopped) {"rules":["tidy"]}
			assistant "" aborted
			run_ended aborted will= messages=2
			run_settled aborted`)
	})
}

// abortNow asks for an abort and returns when the session has noted it.
func (c *client) abortNow(ctx context.Context) {
	noted := make(chan struct{})
	c.s.in.do(func() { c.s.stopAll(nil, nil, make(chan struct{})); close(noted) })
	select {
	case <-noted:
	case <-ctx.Done():
	}
}

// A retried answer that breaks a rule is begun again, and the series of retries
// ends with the answer that succeeds.
func TestRuleInARetry(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nhalf\n-- disconnect --\n-- turn --\n-- text --\npanic\n-- turn --\n-- error kind=overloaded --\nbusy\n-- turn --\n-- text --\nbetter\n",
		withSettings(`{"retry":{"baseDelayMs":1}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	c.run("go")
	c.follows(`
		run_started
		user "go"
		assistant "half" error
		run_ended error will=retry messages=2
		removed
		retry 1/3 after 1ms
		run_started
		triggered tidy
		assistant "panic" aborted
		run_ended aborted will=continue messages=1
		removed
		run_started
		told tidy (stopped) {"rules":["tidy"]}
		assistant "" error
		run_ended error will=retry messages=2
		removed
		retry 2/3 after 2ms
		run_started
		assistant "better" stop
		retry_ended success=true 2 
		run_ended stop will= messages=1
		run_settled stop`)
	if got := c.roles(); got != "user custom assistant" {
		t.Errorf("context: %s", got)
	}
}
