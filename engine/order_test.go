package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

const hello = `
-- turn --
times: always
-- text piece=3 --
Hello there.
-- usage input=10 output=5 --
`

// A prompt's story from its start to the settled end.
func TestPromptStory(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	c.run("hi")
	c.wants(`
		run_started
		turn_started
		user "hi" 
		assistant "Hello there." stop
		turn_ended
		run_ended stop will= messages=2
		run_settled stop`)
}

// A response comes before the events of its command; an abort's after them.
func TestAcksKeepTheirPlace(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- text --
one
-- mark stop --
-- delay 1h --
-- turn --
-- text --
two
`)
	c := w.open(OpenOptions{})
	reached := make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached) }
	c.send(Input{Text: "first", Ack: &Ack{Sub: c.sub, Value: "prompt"}})
	wait(t, reached, "the model")
	if err := c.s.AbortAck(&Ack{Sub: c.sub, Value: "abort"}); err != nil {
		t.Fatal(err)
	}
	if err := c.s.Settled(c.ctx()); err != nil {
		t.Fatal(err)
	}
	c.send(Input{Text: "second", Ack: &Ack{Sub: c.sub, Value: "again"}})
	on[event.RunSettled](c)
	on[event.RunSettled](c)
	c.wants(`
		ack prompt
		run_started
		turn_started
		user "first" 
		assistant "one" aborted
		turn_ended
		run_ended aborted will= messages=2
		run_settled aborted
		ack abort
		ack again
		run_started
		turn_started
		user "second" 
		assistant "two" stop
		turn_ended
		run_ended stop will= messages=2
		run_settled stop`)
}

// abort_and_prompt is acknowledged between the two runs.
func TestAbortAndPrompt(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- mark stop --\n-- delay 1h --\n-- turn --\n-- text --\ntwo\n")
	c := w.open(OpenOptions{})
	reached := make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached) }
	c.prompt("first")
	wait(t, reached, "the model")
	if _, err := c.s.AbortAndPrompt(c.ctx(), Input{Text: "second", Ack: &Ack{Sub: c.sub, Value: "both"}})(); err != nil {
		t.Fatal(err)
	}
	on[event.RunSettled](c)
	on[event.RunSettled](c)
	c.wants(`
		run_started
		turn_started
		user "first" 
		assistant "" aborted
		turn_ended
		run_ended aborted will= messages=2
		run_settled aborted
		ack both
		run_started
		turn_started
		user "second" 
		assistant "two" stop
		turn_ended
		run_ended stop will= messages=2
		run_settled stop`)
}

// Of several that stop a run each stops what the one before it has started, in
// the order in which they came.
func TestStopsInARow(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: 3\n-- mark stop --\n-- delay 1h --\n")
	c := w.open(OpenOptions{})
	reached := make(chan struct{})
	var once sync.Once
	w.marks["stop"] = func(context.Context) { once.Do(func() { close(reached) }) }
	c.prompt("first")
	wait(t, reached, "the model")
	second := c.s.AbortAndPrompt(c.ctx(), Input{Text: "second", Ack: &Ack{Sub: c.sub, Value: "second"}})
	third := c.s.AbortAndPrompt(c.ctx(), Input{Text: "third", Ack: &Ack{Sub: c.sub, Value: "third"}})
	if err := c.s.AbortAck(&Ack{Sub: c.sub, Value: "abort"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []func() (Accepted, error){second, third} {
		if a, err := taken(); err != nil || a.Disposition != Started {
			t.Errorf("got %q, %v", a.Disposition, err)
		}
	}
	on[event.SessionReplaced](c)
	var order []string
	for _, line := range strings.Split(c.story(), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "ack") || strings.HasPrefix(line, "run_settled") || strings.HasPrefix(line, "user") || strings.HasPrefix(line, "session_replaced") {
			order = append(order, line)
		}
	}
	want := []string{`user "first"`, "run_settled aborted", "ack second", `user "second"`, "run_settled aborted", "ack third", `user "third"`, "run_settled aborted", "ack abort"}
	if got := order[:min(len(want), len(order))]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", order, want)
	}
}

// Whoever reads the last RunEnded may send the next prompt at once.
func TestIdleBeforeTheLastRunEnded(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	c.prompt("0")
	for range 50 {
		on[event.RunEnded](c)
		if _, err := c.s.Prompt(c.ctx(), Input{Text: "again"}); err != nil {
			t.Fatal(err)
		}
	}
	on[event.RunEnded](c)
}

// A prompt without a delivery is refused while a run is going.
func TestBusy(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- mark stop --\n-- text --\none\n")
	c := w.open(OpenOptions{})
	reached, goOn := make(chan struct{}), make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached); <-goOn }
	c.prompt("first")
	wait(t, reached, "the model")
	if _, err := c.s.Prompt(c.ctx(), Input{Text: "second"}); !errors.Is(err, ErrBusy) {
		t.Errorf("error %v, want ErrBusy", err)
	}
	close(goOn)
	on[event.RunSettled](c)
}

// Attaching at any moment loses nothing and repeats nothing: the view and the
// deltas after it give the same text as the finished message.
func TestAttachWhileStreaming(t *testing.T) {
	script := "-- turn --\n" + strings.Repeat("-- text piece=7 repeat=20 --\nsome words\n-- mark attach --\n", 40)
	w := newWorld(t, script)
	c := w.open(OpenOptions{})
	type reader struct {
		view event.View
		sub  *Subscription
	}
	var readers []reader
	w.marks["attach"] = func(ctx context.Context) {
		v, sub, err := c.s.Attach(ctx, Client{Name: "late"})
		if err != nil {
			t.Error(err)
		}
		readers = append(readers, reader{v, sub})
	}
	c.run("go")
	if len(readers) != 40 {
		t.Fatalf("%d readers", len(readers))
	}
	for i, r := range readers {
		text := ""
		if r.view.InFlight != nil {
			text = blocks(*r.view.InFlight)
		}
		last := r.view.Seq
		ctx := c.ctx()
		for done := len(r.view.Messages) == 2; !done; {
			it, err := r.sub.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if it.Seq <= last {
				t.Fatalf("reader %d: event %d after %d", i, it.Seq, last)
			}
			last = it.Seq
			switch e := it.Event.(type) {
			case event.MessageDelta:
				text += e.Delta()
			case event.MessageEnded:
				if e.Message.Role == message.Assistant {
					done = true
					if text != blocks(e.Message) {
						t.Errorf("reader %d: %d bytes of text, want %d", i, len(text), len(blocks(e.Message)))
					}
				}
			}
		}
		r.sub.Close()
	}
}

func blocks(m message.Message) string {
	var s strings.Builder
	for _, b := range m.Content {
		s.WriteString(b.Text)
	}
	return s.String()
}

// Questions open one at a time, in the order of the calls, and an "always"
// answers those behind it.
func TestApprovalsInCallOrder(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- call bash --
{"command": "echo one"}
-- call bash --
{"command": "touch two"}
-- call bash --
{"command": "echo one"}
-- turn --
-- text --
done
`)
	c := w.open(OpenOptions{})
	c.sub.Close()
	c.attach(Client{Name: "asking", Shows: []event.QuestionKind{event.AskPermission}})
	c.prompt("go")
	q := on[event.AskOpened](c)
	if q.Question.Permission.Command != "echo one" {
		t.Errorf("first question about %q", q.Question.Permission.Command)
	}
	c.answer(q, event.Answer{Choice: event.Always})
	q = on[event.AskOpened](c)
	if q.Question.Permission.Command != "touch two" {
		t.Errorf("second question about %q", q.Question.Permission.Command)
	}
	c.answer(q, event.Answer{Choice: event.Deny, Reason: "not now"})
	on[event.RunSettled](c) // the third call needs no question
	opened := 0
	for _, it := range c.log {
		if _, ok := it.Event.(event.AskOpened); ok {
			opened++
		}
	}
	if opened != 2 {
		t.Errorf("%d questions, want 2", opened)
	}
	rules, err := w.engine.Paths().Rules(w.dir)
	if err != nil || len(rules.Allow) != 1 {
		t.Errorf("saved rules %v, %v", rules, err)
	}
}

func (c *client) answer(q event.AskOpened, a event.Answer) {
	c.t.Helper()
	if won, err := c.s.Answer(c.ctx(), q.Question.ID, a); !won || err != nil {
		c.t.Fatalf("answer: won=%v, %v", won, err)
	}
}

// With nobody to ask, a call that needs permission is denied at once.
func TestNobodyToAsk(t *testing.T) {
	c := newWorld(t, "-- turn --\n-- call bash --\n{\"command\":\"touch x\"}\n-- turn --\n-- text --\nok\n").open(OpenOptions{})
	c.prompt("go")
	if e := on[event.ToolEnded](c); e.Denied != "nobody" || !e.IsError {
		t.Errorf("denied %q, error %v", e.Denied, e.IsError)
	}
	on[event.RunSettled](c)
}

// The document is replaced while two faces stay attached.
func TestReplaceWhileAttached(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\none\n-- turn --\n-- mark stop --\n-- delay 1h --\n-- turn --\n-- text --\nthree\n")
	c := w.open(OpenOptions{})
	other := &client{t: t, s: c.s}
	other.attach(Client{Name: "other"})
	c.run("first")
	first := c.s.doc.ID()
	reached := make(chan struct{})
	w.marks["stop"] = func(context.Context) { close(reached) }
	c.prompt("second")
	wait(t, reached, "the model")
	if cancelled, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); cancelled || err != nil {
		t.Fatal(cancelled, err)
	}
	on[event.SessionReplaced](c)
	c.run("third")
	c2 := &client{t: t, s: c.s}
	c2.attach(Client{})
	if len(c2.view.Messages) != 2 || c2.view.SessionID == first {
		t.Errorf("%d messages in session %s", len(c2.view.Messages), c2.view.SessionID)
	}
	replaced := on[event.SessionReplaced](other)
	if replaced.View.SessionID != c2.view.SessionID || len(replaced.View.Messages) != 0 {
		t.Errorf("replaced by %+v", replaced.View)
	}
	on[event.RunSettled](other)
}

// A session may be switched to itself before it has been written.
func TestSwitchToItself(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	if _, err := c.s.Switch(c.ctx(), c.view.File); err != nil {
		t.Fatal(err)
	}
	if v, err := c.s.View(c.ctx()); err != nil || v.SessionID != c.view.SessionID {
		t.Errorf("session %q, %v; want %q", v.SessionID, err, c.view.SessionID)
	}
}

// A session that can't be saved makes room for another all the same; what is
// lost is told.
func TestReplaceWhatCannotBeSaved(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newWorld(t, hello).open(OpenOptions{SessionDir: blocked})
	c.run("hello")
	if cancelled, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); cancelled || err != nil {
		t.Fatalf("cancelled %v, %v", cancelled, err)
	}
	if r := on[event.SessionReplaced](c); r.View.SessionID == c.view.SessionID {
		t.Error("the session is still the old one")
	}
	if n := on[event.Notice](c); n.Level != "error" || !strings.Contains(n.Text, c.view.SessionID) {
		t.Errorf("told %+v", n)
	}
}
