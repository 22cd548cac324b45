package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// No request ends in an answer of the model, whatever comes between two of
// them: some providers refuse that, and the rest repeat themselves.
func TestNoRequestEndsInAnAnswer(t *testing.T) {
	for name, tt := range map[string]struct{ script, settings string }{
		"a retry after half an answer": {"-- turn --\n-- text --\nhalf\n-- error kind=overloaded --\nbusy\n-- turn --\ntimes: always\n-- text --\nfine\n", `{"retry": {"baseDelayMs": 1}}`},
		"a retry after half a call":    {"-- turn --\n-- call bash --\n{\"comm\n-- disconnect --\n-- turn --\ntimes: always\n-- text --\nfine\n", `{"retry": {"baseDelayMs": 1}}`},
		"an overflow":                  {"-- turn --\non: second\n-- error kind=overflow --\ntoo long\n-- turn --\ntimes: always\n-- text --\nfine\n", `{}`},
		"a failure, then a prompt":     {"-- turn --\non: first\n-- text --\nhalf\n-- error kind=bad_request --\nno\n-- turn --\ntimes: always\n-- text --\nfine\n", `{}`},
		"a compaction between turns":   {"-- turn --\non: second\n-- call bash --\n{\"command\":\"true\"}\n-- usage input=9000 output=10 --\n-- turn --\ntimes: always\n-- text --\nfine\n", `{"compaction": {"thresholdTokens": 6000, "keepRecentTokens": 1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{script: tt.script}
			w := newWorld(t, "-- model --\nwindow: 100000\n-- turn --\n-- text --\nunused\n", withSettings(tt.settings), func(o *Options) {
				for api := range o.Adapters {
					o.Adapters[api] = p.open
				}
			})
			c := w.open(OpenOptions{Mode: "full"})
			c.run("first")
			c.run("second")
			c.run("third")
			if len(p.requests) < 4 && name != "a failure, then a prompt" {
				t.Errorf("only %d requests\n%s", len(p.requests), c.story())
			}
			for i, r := range p.requests {
				if last := r.Messages[len(r.Messages)-1]; last.Role == message.Assistant {
					t.Errorf("request %d of %d ends in %q", i+1, len(p.requests), last.Text())
				}
				checkSendable(t, r.Messages)
			}
		})
	}
}

// A call that broke off in the middle of its arguments has an object for them
// wherever it is written, and so does one that a file has null for.
func TestBrokenArguments(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- call bash --\n{\"comm\n-- disconnect --\n", withSettings(`{"retry": {"maxRetries": 0}}`))
	c := w.open(OpenOptions{})
	c.run("go")
	file := c.s.doc.File()
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(written), `"arguments":{}`) || strings.Contains(string(written), `"arguments":null`) {
		t.Errorf("written: %s", written)
	}
	broken := strings.ReplaceAll(string(written), `"arguments":{}`, `"arguments":null`)
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	again := w.open(OpenOptions{Path: file})
	roots, _, err := again.s.Tree(again.ctx())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := json.Marshal(roots)
	if err != nil || !strings.Contains(string(tree), `"arguments":{}`) || strings.Contains(string(tree), `"arguments":null`) {
		t.Errorf("%v, tree %s", err, tree)
	}
	checkSendable(t, message.ForModel(again.view.Messages))
}

// An abort at each point ends the run, closes what is open and leaves a
// context that a provider accepts.
func TestAbortAnywhere(t *testing.T) {
	for name, script := range map[string]string{
		"before the first byte": "-- mark here --\n-- delay 1h --\n",
		"mid-text":              "-- text --\nsome\n-- mark here --\n-- delay 1h --\n-- text --\nmore\n",
		"mid-arguments":         "-- text --\nsome\n-- call wait piece=3 delay=1h --\n{\"n\": 1}\n",
		"in a tool":             "-- call wait --\n{}\n",
		"in one of two tools":   "-- call wait --\n{}\n-- call bash --\n{\"command\":\"true\"}\n",
		"in a question":         "-- call bash --\n{\"command\":\"touch x\"}\n",
		"in a compaction":       "-- error kind=overflow --\ntoo long\n-- turn --\nsystem: hand-over\n-- mark here --\n-- delay 1h --\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "-- turn --\n-- text --\nfirst\n-- turn --\n"+script+"-- turn --\ntimes: always\n-- text --\nok\n")
			c := w.open(OpenOptions{})
			c.attach(Client{Shows: []event.QuestionKind{event.AskPermission}})
			here := make(chan struct{}, 8)
			w.marks["here"] = func(context.Context) { here <- struct{}{} }
			c.addTool("wait", tool.Think, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
				here <- struct{}{}
				<-ctx.Done()
				return tool.Result{}, ctx.Err()
			})
			c.run("zero")
			c.prompt("go")
			switch name {
			case "mid-arguments":
				c.until("the arguments", func(it Item) bool {
					d, ok := it.Event.(event.MessageDelta)
					return ok && d.Block == message.ToolCallBlock
				})
			case "in a question":
				on[event.AskOpened](c)
			default:
				wait(t, here, name)
			}
			if err := c.s.Abort(c.ctx()); err != nil {
				t.Fatal(err)
			}
			if end := on[event.RunSettled](c); !end.Aborted {
				t.Errorf("settled %+v", end)
			}
			v, _ := c.s.View(c.ctx())
			if v.State != string(Idle) || v.InFlight != nil || len(v.Running) != 0 || v.Question != nil {
				t.Errorf("left over: %+v", v)
			}
			checkSendable(t, message.ForModel(v.Messages))
			if end := c.run("again"); end.Reason != message.Stop {
				t.Errorf("the next prompt settled with %s", end.Reason)
			}
		})
	}
}

// checkSendable fails unless every call has its result right behind it.
func checkSendable(t *testing.T, messages []message.Message) {
	t.Helper()
	for i, m := range messages {
		for j, c := range m.Calls() {
			if i+1+j >= len(messages) || messages[i+1+j].ToolCallID != c.ID {
				t.Errorf("call %s has no result behind it", c.ID)
			}
		}
		if len(m.Content) == 0 {
			t.Errorf("message %d is empty", i)
		}
	}
}

// A hook past its deadline is reported and left behind; one that waits for
// the user isn't.
func TestHookDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		var s *Session
		slow := ext.Hooks{Name: "slow", Input: func(ctx context.Context, _ ext.Session, _ ext.Input) (ext.InputReply, error) {
			<-ctx.Done()
			return ext.InputReply{}, ctx.Err()
		}}
		patient := ext.Hooks{Name: "patient", Input: func(ctx context.Context, _ ext.Session, _ ext.Input) (ext.InputReply, error) {
			close(asked)
			s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Sure?", Timeout: 10 * time.Minute})
			return ext.InputReply{}, nil
		}}
		w := newWorld(t, hello, withHooks(slow, patient))
		c := w.open(OpenOptions{})
		s = c.s
		c.sub.Close()
		c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
		began := time.Now()
		c.prompt("hi")
		<-asked
		for {
			it, err := c.sub.Next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			c.log = append(c.log, it)
			if _, ok := it.Event.(event.RunSettled); ok {
				break
			}
		}
		if d := time.Since(began); d < 10*time.Minute {
			t.Errorf("settled after %v: the question was cut off", d)
		}
		failed := 0
		for _, it := range c.log {
			if e, ok := it.Event.(event.ExtensionFailed); ok {
				failed++
				if e.Extension != "slow" {
					t.Errorf("failed: %+v", e)
				}
			}
		}
		if failed != 1 {
			t.Errorf("%d failures, want 1", failed)
		}
		c.s.Close(context.Background())
	})
}

// A tool_call hook that fails blocks the call: permission fails closed. E-4
func TestToolCallHookFailsClosed(t *testing.T) {
	h := ext.Hooks{Name: "broken", ToolCall: func(context.Context, ext.Session, ext.ToolCall) (ext.ToolCallReply, error) { panic("boom") }}
	w := newWorld(t, "-- turn --\n-- call look --\n{}\n-- turn --\n-- text --\nok\n", withHooks(h))
	c := w.open(OpenOptions{})
	c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) {
		t.Error("the call ran")
		return tool.Result{}, nil
	})
	c.prompt("go")
	if e := on[event.ToolEnded](c); e.Denied != "extension" {
		t.Errorf("ended %+v", e)
	}
	on[event.RunSettled](c)
}

// A prompt that comes between the last RunEnded and RunSettled runs after it.
func TestPromptWhileSettling(t *testing.T) {
	release := make(chan struct{})
	h := ext.Hooks{Name: "end", RunEnd: func(ctx context.Context, _ ext.Session, _ ext.RunEnd) error { <-release; return nil }}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.prompt("one")
	on[event.RunEnded](c)
	if a := c.prompt("two"); a.Disposition != QueuedUp {
		t.Errorf("disposition %q", a.Disposition)
	}
	close(release)
	on[event.RunSettled](c)
	on[event.RunSettled](c)
	c.wants(`
		run_started
		turn_started
		user "one"
		assistant "Hello there." stop
		turn_ended
		run_ended stop will= messages=2
		queue prompt:two
		run_settled stop
		run_started
		turn_started
		user "two"
		queue
		assistant "Hello there." stop
		turn_ended
		run_ended stop will= messages=2
		run_settled stop`)
}

func TestStepLimit(t *testing.T) {
	c := newWorld(t, "-- turn --\ntimes: always\n-- call look --\n{}\n").open(OpenOptions{Limits: config.Limits{Turns: 3}})
	n := 0
	c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) { n++; return tool.TextResult("x"), nil })
	if end := c.run("go"); end.Reason != message.StepLimit || n != 3 {
		t.Errorf("settled %+v after %d calls", end, n)
	}
}

// Closing in the middle of everything ends in order: the answer so far is in
// the file, processes are gone, readers get their end. E-1
func TestCloseWhileRunning(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nso far\n-- call bash --\n{\"command\": \"sleep 1000; echo late\"}\n")
	c := w.open(OpenOptions{Mode: "full"})
	c.prompt("go")
	on[event.ToolRunning](c)
	file := c.s.doc.File()
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if end := on[event.RunSettled](c); !end.Aborted {
		t.Errorf("settled %+v", end)
	}
	if _, err := c.sub.Next(c.ctx()); err != io.EOF {
		t.Errorf("error %v, want io.EOF", err)
	}
	if _, err := c.s.Prompt(c.ctx(), Input{Text: "more"}); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	again := w.open(OpenOptions{Path: file})
	checkSendable(t, message.ForModel(again.view.Messages))
	if n := len(again.view.Messages); n != 4 { // prompt, answer, result, aborted answer
		t.Errorf("%d messages", n)
	}
}

// A prompt whose model has lost its key can't start: it fails by name and is
// settled, and the session takes the next one.
func TestPromptFailed(t *testing.T) {
	key := "sk-test"
	w := newWorld(t, hello, func(o *Options) {
		o.Getenv = func(name string) string { return map[string]string{"ANTHROPIC_API_KEY": key}[name] }
		o.Adapters["anthropic-messages"] = o.Adapters[o.Models[0].API]
	})
	c := w.open(OpenOptions{Model: "anthropic/claude-sonnet-4-6"})
	c.run("one")
	key = ""
	c.log = nil
	c.send(Input{Text: "two", Ref: "req_2", Ack: &Ack{Sub: c.sub, Value: "taken"}})
	if f := on[event.PromptFailed](c); f.Ref != "req_2" || !strings.Contains(f.Error, "ANTHROPIC_API_KEY") {
		t.Errorf("failed %+v", f)
	}
	if end := on[event.RunSettled](c); end.Reason != message.Error {
		t.Errorf("settled %+v", end)
	}
	if first := c.log[0]; first.Ack != "taken" {
		t.Errorf("first %+v", first)
	}
	key = "sk-test"
	if end := c.run("three"); end.Reason != message.Stop {
		t.Errorf("settled %+v", end)
	}
}

// A system prompt that a hook gave holds for all runs of its prompt, and for
// no other.
func TestHookSystemPrompt(t *testing.T) {
	var seen []string
	h := ext.Hooks{Name: "pirate",
		BeforeRun: func(_ context.Context, _ ext.Session, b ext.BeforeRun) (ext.BeforeRunReply, error) {
			if b.Prompt == "plain" {
				return ext.BeforeRunReply{}, nil
			}
			return ext.BeforeRunReply{System: "Talk like a pirate."}, nil
		}}
	w := newWorld(t, "-- turn --\n-- error kind=overloaded --\nbusy\n-- turn --\nsystem: pirate\n-- text --\narr\n-- turn --\n-- text --\nhello\n",
		withHooks(h), withSettings(`{"retry": {"baseDelayMs": 1}}`))
	c := w.open(OpenOptions{})
	for _, text := range []string{"talk", "plain"} {
		c.run(text)
		v, _ := c.s.View(c.ctx())
		seen = append(seen, v.Messages[len(v.Messages)-1].Text())
	}
	if seen[0] != "arr" || seen[1] != "hello" {
		t.Errorf("answers %q", seen)
	}
}
