package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// A context over the limit is compacted before the prompt settles; the old
// messages stay in the tree.
func TestThresholdCompaction(t *testing.T) {
	w := newWorld(t, "-- model --\nwindow: 10000\n-- turn --\nsystem: hand-over\n-- text --\nThe user talked.\n-- turn --\n-- text --\nblah\n-- usage input=4000 output=2500 --\n",
		withSettings(`{"compaction": {"thresholdTokens": 6000, "keepRecentTokens": 1}}`))
	c := w.open(OpenOptions{})
	c.run("talk")
	c.wants(`
		run_started
		turn_started
		user "talk"
		assistant "blah" stop
		turn_ended
		run_ended stop will=compaction messages=2
		compaction_started threshold
		compaction_ended threshold ok=true aborted=false retry=false
		run_settled stop`)
	v, _ := c.s.View(c.ctx())
	if len(v.Messages) == 0 || v.Messages[0].Role != message.CompactionSummary || !strings.Contains(v.Messages[0].Summary, "The user talked.") {
		t.Fatalf("context %+v", v.Messages)
	}
	prompts, _ := c.s.Prompts(c.ctx())
	if len(prompts) != 1 {
		t.Errorf("%d prompts in the tree, want the old one", len(prompts))
	}
}

func TestOverflowCompactsAndGoesOn(t *testing.T) {
	w := newWorld(t, `
-- turn --
on: first
-- text --
one
-- turn --
on: second
-- error kind=overflow --
prompt is too long
-- turn --
system: hand-over
-- text --
Summary.
-- turn --
times: always
-- text --
recovered
`)
	c := w.open(OpenOptions{})
	c.run("first")
	c.log = nil
	c.run("second")
	c.wants(`
		run_started
		turn_started
		user "second"
		assistant "" error
		turn_ended
		run_ended error will=compaction messages=2
		message_removed
		compaction_started overflow
		compaction_ended overflow ok=true aborted=false retry=true
		run_started
		turn_started
		assistant "recovered" stop
		turn_ended
		run_ended stop will= messages=1
		run_settled stop`)
}

func TestManualCompaction(t *testing.T) {
	w := newWorld(t, "-- turn --\nsystem: hand-over\n-- mark compacting --\n-- text --\nSummary.\n-- turn --\ntimes: always\n-- text --\nok\n")
	c := w.open(OpenOptions{})
	if _, err := c.s.Compact(c.ctx(), ""); err == nil || err.Error() != "Nothing to compact (session too small)" {
		t.Errorf("error %v", err)
	}
	c.run("one")
	c.run("two")
	waited := make(chan Accepted, 2)
	w.marks["compacting"] = func(ctx context.Context) {
		waited <- c.prompt("meanwhile")
		waited <- c.send(Input{Text: "steer", Delivery: Steer})
	}
	r, err := c.s.Compact(c.ctx(), "keep the names")
	if err != nil || r.Summary != "Summary." {
		t.Fatalf("%+v, %v", r, err)
	}
	for range 2 { // a prompt, and steering that finds no run to steer
		if a := <-waited; a.Disposition != QueuedUp {
			t.Errorf("a prompt during a compaction is %q", a.Disposition)
		}
		on[event.RunSettled](c)
	}
	if err := c.s.Settled(c.ctx()); err != nil {
		t.Fatal(err)
	}
}
