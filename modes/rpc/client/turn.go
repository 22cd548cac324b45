package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Disposition says what became of a prompt.
type Disposition string

const (
	Started Disposition = "started"
	Queued  Disposition = "queued"  // it waits for what is going on
	Handled Disposition = "handled" // a command or an extension took it
)

// Turn is a prompt that the agent has accepted.
type Turn struct {
	// Disposition is empty if the agent doesn't tell.
	Disposition Disposition

	id     string
	rides  bool // it was sent to join a run
	place  place
	behind bool // an older run has yet to settle

	done    chan struct{}
	runs    []json.RawMessage // agent_end frames
	output  []string          // command_output frames
	aborted bool
	err     error
}

// place says which agent_settled ends a turn.
type place int

const (
	own      place = iota // that of its own run, after those of the turns before it
	joined                // the next one
	unplaced              // the next one if a run starts before it, else as own
)

// Result is what came of a prompt.
type Result struct {
	// Messages were added by the runs that the prompt took, failed attempts
	// included.
	Messages []message.Message
	// Text is the last answer's.
	Text string
	// Output is what a slash command replied.
	Output  string
	Aborted bool
}

// Wait returns when the prompt is settled: no retry, compaction or queued work
// is left of it. The error is the agent's if the prompt could not start (a
// *CommandError), a *ProviderError with the Result if the last answer failed,
// an *EndedError if the agent has ended. Giving up the wait doesn't stop the
// agent: Abort does.
func (t *Turn) Wait(ctx context.Context) (Result, error) {
	select {
	case <-t.done:
	case <-ctx.Done():
		return Result{}, fmt.Errorf("wait for the answer: %w", context.Cause(ctx))
	}
	r := Result{Output: strings.Join(t.output, "\n"), Aborted: t.aborted}
	for _, frame := range t.runs {
		var end AgentEnd
		if err := json.Unmarshal(frame, &end); err != nil {
			return r, fmt.Errorf("decode the end of a run: %w", err)
		}
		r.Messages = append(r.Messages, end.Messages...)
	}
	if t.err != nil {
		return r, t.err
	}
	for _, m := range slices.Backward(r.Messages) {
		if m.Role != message.Assistant {
			continue
		}
		r.Text = m.Text()
		if m.StopReason == message.Error {
			return r, &ProviderError{m}
		}
		break
	}
	return r, nil
}

func (t *Turn) finish(err error) {
	t.err = err
	close(t.done)
}

// turns follows the prompts from their acceptance to their end. The frames say
// nothing of the prompt that they belong to, but their order does: a prompt is
// acknowledged before the first event that it causes, and agent_settled comes
// once for each run of prompts.
type turns struct {
	list      []*Turn // in the order of their acceptance
	running   bool    // between agent_start and agent_end
	unsettled bool    // between agent_start and agent_settled
}

// accept takes a turn in when its acknowledgement comes. After an abort nothing
// joins a run any more.
func (ts *turns) accept(t *Turn, d Disposition, aborting bool) {
	t.Disposition = d
	busy := ts.unsettled || len(ts.list) > 0
	switch {
	case d == Handled && busy:
		t.place = joined // the end of the run closes it too
	case d == Queued && t.rides && ts.running && !aborting:
		t.place = joined
	case d == Queued && t.rides && busy:
		t.place = unplaced
	case d == Queued:
		t.behind = ts.unsettled && ts.head() < 0
	}
	ts.list = append(ts.list, t)
}

// head is the index of the turn that the next agent_settled is for.
func (ts *turns) head() int {
	return slices.IndexFunc(ts.list, func(t *Turn) bool { return t.place == own })
}

// fail ends a turn that couldn't start. Its agent_settled, if there is one, is
// not that of the turn behind it.
func (ts *turns) fail(id string, err error) {
	i := slices.IndexFunc(ts.list, func(t *Turn) bool { return t.id == id })
	if i < 0 {
		return
	}
	head := ts.head()
	ts.list[i].finish(err)
	ts.list = slices.Delete(ts.list, i, i+1)
	if next := ts.head(); i == head && next >= 0 {
		ts.list[next].behind = true
	}
}

func (ts *turns) observe(kind string, frame []byte) {
	switch kind {
	case "agent_start":
		ts.running, ts.unsettled = true, true
		for _, t := range ts.list {
			t.behind = false
			if t.place == unplaced {
				t.place = joined
			}
		}
	case "agent_end":
		ts.running = false
		head := ts.head()
		for i, t := range ts.list {
			if t.place == joined || i == head && !t.behind {
				t.runs = append(t.runs, frame)
			}
		}
	case "command_output":
		said, _ := decode[CommandOutput](frame).(CommandOutput)
		for _, t := range ts.list {
			if t.Disposition == Handled {
				t.output = append(t.output, said.Text)
			}
		}
	case "agent_settled":
		settled, _ := decode[AgentSettled](frame).(AgentSettled)
		ts.settle(settled.Aborted)
	}
}

func (ts *turns) settle(aborted bool) {
	ts.running, ts.unsettled = false, false
	head := ts.head()
	var rest []*Turn
	for i, t := range ts.list {
		switch {
		case t.place == joined, i == head && !t.behind:
			t.aborted = aborted
			t.finish(nil)
			continue
		case t.place == unplaced:
			t.place = own
		}
		t.behind = false
		rest = append(rest, t)
	}
	ts.list = rest
}

// end fails all turns.
func (ts *turns) end(err error) {
	for _, t := range ts.list {
		t.finish(err)
	}
	ts.list = nil
}
