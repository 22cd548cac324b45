package engine

import (
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// Transient failures are tried again, with growing waits; the failed answers
// leave the context.
func TestRetry(t *testing.T) {
	w := newWorld(t, `
-- turn --
times: 2
-- text --
half
-- error kind=overloaded status=529 --
busy
-- turn --
-- text --
fine
`, withSettings(`{"retry": {"baseDelayMs": 20}}`))
	c := w.open(OpenOptions{})
	c.run("go")
	c.wants(`
		run_started
		turn_started
		user "go"
		assistant "half" error
		turn_ended
		run_ended error will=retry messages=2
		message_removed
		retry 1/3 after 20ms
		run_started
		turn_started
		assistant "half" error
		turn_ended
		run_ended error will=retry messages=1
		message_removed
		retry 2/3 after 40ms
		run_started
		turn_started
		assistant "fine" stop
		retry_ended success=true 2
		turn_ended
		run_ended stop will= messages=1
		run_settled stop`)
	v, _ := c.s.View(c.ctx())
	if len(v.Messages) != 2 {
		t.Errorf("%d messages in the context", len(v.Messages))
	}
	again := w.open(OpenOptions{Path: v.File, Fork: true})
	if len(again.view.Messages) != 2 {
		t.Errorf("%d messages after opening again", len(again.view.Messages))
	}
}

// However many attempts there are, the waits stay what they should be.
func TestBackOff(t *testing.T) {
	busy := &llm.Error{Kind: llm.Overloaded, RetryAfter: time.Hour}
	for _, c := range []struct {
		base, most, attempt int
		err                 error
		want                time.Duration
	}{
		{2000, 60_000, 1, nil, 2 * time.Second},
		{2000, 60_000, 5, nil, 32 * time.Second},
		{2000, 60_000, 6, nil, time.Minute},
		{2000, 60_000, 34, nil, time.Minute},
		{2000, 60_000, 100, nil, time.Minute},
		{90_000, 60_000, 1, nil, time.Minute},
		{0, 60_000, 100, nil, 0},
		{2000, 0, 3, nil, 8 * time.Second},
		{2000, 60_000, 2, busy, time.Hour},
	} {
		if got := backOff(config.Retry{BaseDelayMs: c.base, MaxDelayMs: c.most}, c.attempt, c.err); got != c.want {
			t.Errorf("%d to %d ms, attempt %d after %v: %v, want %v", c.base, c.most, c.attempt, c.err, got, c.want)
		}
	}
	if got := backOff(config.Retry{BaseDelayMs: 2000}, 100, nil); got < 24*time.Hour {
		t.Errorf("without a limit: %v", got)
	}
}

func TestRetryGivesUp(t *testing.T) {
	c := newWorld(t, "-- turn --\ntimes: always\n-- error kind=unavailable --\ngone\n",
		withSettings(`{"retry": {"baseDelayMs": 1, "maxRetries": 1}}`)).open(OpenOptions{})
	c.run("go")
	c.wants(`
		run_started
		turn_started
		user "go"
		assistant "" error
		turn_ended
		run_ended error will=retry messages=2
		message_removed
		retry 1/1 after 1ms
		run_started
		turn_started
		assistant "" error
		turn_ended
		run_ended error will= messages=1
		retry_ended success=false 1 script: gone
		run_settled error`)
}

// The wait itself can be aborted; nothing runs afterwards.
func TestAbortDuringTheRetryWait(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- error kind=rate_limit retry-after=1h --\nslow down\n")
	c := w.open(OpenOptions{})
	c.prompt("go")
	if r := on[event.RetryScheduled](c); r.DelayMS != time.Hour.Milliseconds() {
		t.Errorf("waits %d ms, want the hour that the provider asked for", r.DelayMS)
	}
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if end := on[event.RetryEnded](c); end.Success || end.Error != "Retry cancelled" {
		t.Errorf("retry ended %+v", end)
	}
	if end := on[event.RunSettled](c); !end.Aborted {
		t.Errorf("settled %+v", end)
	}
}
