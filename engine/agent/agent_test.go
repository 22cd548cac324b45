package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// rig runs a script through the loop with plain tools and remembers events.
type rig struct {
	t      *testing.T
	config Config
	tools  []tool.Tool

	mu  sync.Mutex
	log []string
}

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	s, err := scripted.Parse("test", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	player := scripted.New(s, scripted.Options{})
	r := &rig{t: t}
	n, seen := 0, map[string]bool{}
	var ids sync.Mutex
	r.config = Config{
		Prompts: []message.Message{message.NewUser("go")},
		Request: func(_ context.Context, history []message.Message) (llm.Provider, llm.Request, error) {
			return player, llm.Request{Model: s.Model(), Messages: message.ForModel(history)}, nil
		},
		Find: func(name string) (tool.Tool, bool) {
			for _, tl := range r.tools {
				if tl.Spec().Name == name {
					return tl, true
				}
			}
			return nil, false
		},
		Prepare:  func(context.Context, tool.Tool, *tool.Call) Verdict { return Verdict{Allowed: true} },
		Steer:    func(context.Context) []message.Message { return nil },
		FollowUp: func(context.Context) []message.Message { return nil },
		Emit:     r.emit,
		NewID: func() string {
			ids.Lock()
			defer ids.Unlock()
			n++
			return fmt.Sprintf("m%d", n)
		},
		CallID: func(id string) string {
			for seen[id] || id == "" {
				id += "'"
			}
			seen[id] = true
			return id
		},
		Now: time.Now,
	}
	return r
}

func (r *rig) emit(ev event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := ev.(type) {
	case event.MessageEnded:
		r.log = append(r.log, fmt.Sprintf("%s %q %s", e.Message.Role, e.Message.Text(), e.Message.StopReason))
	case event.ToolStarted, event.TurnStarted, event.TurnEnded:
		r.log = append(r.log, string(ev.Kind()))
	case event.ToolEnded:
		r.log = append(r.log, fmt.Sprintf("ended %s error=%v", e.CallID, e.IsError))
	}
}

func (r *rig) tool(spec tool.Spec, run func(context.Context, tool.Call) (tool.Result, error)) {
	if spec.Parameters == nil {
		spec.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	r.tools = append(r.tools, plain{spec, run})
}

type plain struct {
	spec tool.Spec
	run  func(context.Context, tool.Call) (tool.Result, error)
}

func (p plain) Spec() tool.Spec                                           { return p.spec }
func (p plain) Run(ctx context.Context, c tool.Call) (tool.Result, error) { return p.run(ctx, c) }

func (r *rig) result(out Outcome, call string) string {
	for _, m := range out.Messages {
		if m.ToolCallID == call {
			return m.Text()
		}
	}
	return ""
}

// A tool that goes on telling after its end, as one elsewhere may whose word
// crosses with the result, is heard no more.
func TestProgressAfterTheEnd(t *testing.T) {
	r := newRig(t, "-- turn --\n-- call far id=a --\n{}\n-- turn --\n-- text --\nok\n")
	var progress func(tool.Result)
	r.tool(tool.Spec{Name: "far"}, func(_ context.Context, c tool.Call) (tool.Result, error) {
		progress = c.Progress
		progress(tool.TextResult("on it"))
		return tool.TextResult("done"), nil
	})
	r.config.After = func(_ context.Context, _ tool.Call, result tool.Result, failed bool) (tool.Result, bool) {
		progress(tool.TextResult("late"))
		return result, failed
	}
	var told []string
	r.config.Emit = func(ev event.Event) {
		if p, ok := ev.(event.ToolProgress); ok {
			told = append(told, message.Text(p.Content))
		}
	}
	Run(t.Context(), r.config)
	progress(tool.TextResult("later"))
	if !slices.Equal(told, []string{"on it"}) {
		t.Errorf("told %q", told)
	}
}

// What a model gets wrong becomes a result that it can act on.
func TestWrongCalls(t *testing.T) {
	r := newRig(t, `
-- turn --
-- call missing id=a --
{}
-- call panics id=b --
{}
-- call fails id=c --
{}
-- call fails id=d --
{"broken": 
-- turn --
-- text --
sorry
`)
	r.tool(tool.Spec{Name: "panics"}, func(context.Context, tool.Call) (tool.Result, error) { panic("boom") })
	r.tool(tool.Spec{Name: "fails"}, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.TextResult("half"), errors.New("no such thing: try another")
	})
	out := Run(t.Context(), r.config)
	if out.Reason != message.Stop || out.Turns != 2 {
		t.Errorf("outcome %s after %d turns", out.Reason, out.Turns)
	}
	for id, want := range map[string]string{
		"a": "Tool missing not found", "b": "tool panics panicked: boom", "c": "half\nno such thing: try another", "d": "not a JSON object",
	} {
		if got := r.result(out, id); !strings.Contains(got, want) {
			t.Errorf("result of %s is %q, want %q", id, got, want)
		}
	}
}

// E-5: an error that repeats arguments doesn't fill the context.
func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("é", tool.MaxBytes)
	r := newRig(t, "-- turn --\n-- call fails id=a --\n{}\n-- call refused id=b --\n{}\n-- turn --\n-- text --\nsorry\n")
	r.tool(tool.Spec{Name: "fails"}, func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, errors.New(long)
	})
	r.tool(tool.Spec{Name: "refused"}, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil })
	r.config.Prepare = func(_ context.Context, tl tool.Tool, _ *tool.Call) Verdict {
		return Verdict{Allowed: tl.Spec().Name == "fails", Reason: long}
	}
	out := Run(t.Context(), r.config)
	for _, id := range []string{"a", "b"} {
		if n := len(r.result(out, id)); n == 0 || n > tool.MaxBytes+len("…") {
			t.Errorf("result of %s has %d bytes", id, n)
		}
	}
}

// Calls run beside each other unless one asks to run alone.
func TestParallelAndExclusive(t *testing.T) {
	r := newRig(t, `
-- turn --
-- call pair id=a --
{}
-- call pair id=b --
{}
-- call alone id=c --
{}
-- call pair id=d --
{}
-- call pair id=e --
{}
-- turn --
-- text --
ok
`)
	var mu sync.Mutex
	running, most := 0, 0
	meet := make(chan struct{})
	r.tool(tool.Spec{Name: "pair"}, func(ctx context.Context, _ tool.Call) (tool.Result, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		select { // each waits for its partner
		case meet <- struct{}{}:
		case <-meet:
		case <-ctx.Done():
		}
		mu.Lock()
		running--
		mu.Unlock()
		return tool.TextResult("x"), nil
	})
	r.tool(tool.Spec{Name: "alone", Exclusive: true}, func(context.Context, tool.Call) (tool.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if running != 0 {
			t.Errorf("%d calls beside the one that runs alone", running)
		}
		return tool.TextResult("x"), nil
	})
	if out := Run(t.Context(), r.config); out.Reason != message.Stop || most != 2 {
		t.Errorf("outcome %s, at most %d at once", out.Reason, most)
	}
}

// Unbounded calls run beside as many others as may run.
func TestUnbounded(t *testing.T) {
	r := newRig(t, `
-- turn --
-- call free --
{}
-- call free --
{}
-- call bound --
{}
-- call free --
{}
-- turn --
-- text --
ok
`)
	r.config.Parallel = 1
	var met sync.WaitGroup // all four
	met.Add(4)
	meet := func(context.Context, tool.Call) (tool.Result, error) {
		met.Done()
		met.Wait()
		return tool.TextResult("x"), nil
	}
	r.tool(tool.Spec{Name: "free", Unbounded: true}, meet)
	r.tool(tool.Spec{Name: "bound"}, meet)
	if out := Run(t.Context(), r.config); out.Reason != message.Stop {
		t.Errorf("outcome %s", out.Reason)
	}
}

// Calls are prepared in their order, and one that waits doesn't hold back
// those before it.
func TestPreparedInOrder(t *testing.T) {
	r := newRig(t, "-- turn --\n-- call look id=a --\n{}\n-- call look id=b --\n{}\n-- call look id=c --\n{}\n-- turn --\n-- text --\nok\n")
	ran := make(chan string, 3)
	r.tool(tool.Spec{Name: "look"}, func(_ context.Context, c tool.Call) (tool.Result, error) {
		ran <- c.ID
		return tool.TextResult("x"), nil
	})
	var prepared []string
	r.config.Prepare = func(_ context.Context, _ tool.Tool, c *tool.Call) Verdict {
		prepared = append(prepared, c.ID)
		if c.ID == "b" && <-ran != "a" {
			t.Error("the call before the one that waits has not run")
		}
		return Verdict{Allowed: c.ID != "b", Reason: "no"}
	}
	out := Run(t.Context(), r.config)
	if !slices.Equal(prepared, []string{"a", "b", "c"}) || r.result(out, "b") != "no" {
		t.Errorf("prepared %v, b: %q", prepared, r.result(out, "b"))
	}
}

// A tool that ends the run ends it after its turn, without another answer.
func TestToolEndsTheRun(t *testing.T) {
	r := newRig(t, "-- turn --\n-- call ask id=a --\n{}\n-- turn --\n-- text --\nnever\n")
	r.tool(tool.Spec{Name: "ask", EndsRun: true}, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("1. yes"), nil })
	if out := Run(t.Context(), r.config); out.Turns != 1 || out.Reason != message.Stop {
		t.Errorf("%d turns, %s", out.Turns, out.Reason)
	}
}

// Messages that wait when the step limit comes are left where they are.
func TestLimitLeavesTheQueueAlone(t *testing.T) {
	r := newRig(t, "-- turn --\n-- text --\none\n")
	r.config.Between = func(_ context.Context, turns int, more bool, _ message.Message) message.StopReason {
		if turns != 1 || more {
			t.Errorf("asked after %d turns, more %v", turns, more)
		}
		return message.Stop
	}
	polled := 0
	r.config.FollowUp = func(context.Context) []message.Message { polled++; return []message.Message{message.NewUser("more")} }
	if out := Run(t.Context(), r.config); out.Reason != message.Stop || polled != 0 {
		t.Errorf("%s, polled %d times", out.Reason, polled)
	}
}

// An answer cut at its output limit doesn't run its calls; the model is told.
func TestCutAnswer(t *testing.T) {
	r := newRig(t, "-- turn --\n-- call look id=a --\n{}\n-- stop length --\n-- turn --\n-- text --\nok\n")
	r.tool(tool.Spec{Name: "look"}, func(context.Context, tool.Call) (tool.Result, error) {
		t.Error("a call of a cut answer ran")
		return tool.Result{}, nil
	})
	out := Run(t.Context(), r.config)
	if got := r.result(out, "a"); !strings.Contains(got, "output limit") || out.Reason != message.Stop {
		t.Errorf("%q, %s", got, out.Reason)
	}
}

// Ids that a provider uses again are made unique; its own is kept.
func TestCallIDs(t *testing.T) {
	r := newRig(t, "-- turn --\n-- call look id=x --\n{}\n-- turn --\n-- call look id=x --\n{}\n-- turn --\n-- text --\nok\n")
	r.tool(tool.Spec{Name: "look"}, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("x"), nil })
	out := Run(t.Context(), r.config)
	var ids []string
	for _, m := range out.Messages {
		for _, c := range m.Calls() {
			ids = append(ids, c.ID+"/"+c.ProviderID)
		}
	}
	if !slices.Equal(ids, []string{"x/", "x'/x"}) {
		t.Errorf("ids %v", ids)
	}
}

// broken is a provider that misbehaves.
type broken func(yield func(llm.Part) bool)

func (b broken) Stream(context.Context, llm.Request) llm.Stream { return llm.Stream(b) }

// A provider that breaks its contract fails the answer, not the process.
func TestBrokenProvider(t *testing.T) {
	for name, p := range map[string]broken{
		"panics":       func(func(llm.Part) bool) { panic("boom") },
		"says nothing": func(func(llm.Part) bool) {},
		"wild indexes": func(y func(llm.Part) bool) {
			y(llm.BlockDelta{Index: -1})
			y(llm.BlockDelta{Index: 1 << 30, Text: "x"})
		},
		"delta unopened": func(y func(llm.Part) bool) { y(llm.BlockDelta{Index: 3, Text: "x"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "-- turn --\n-- text --\nx\n")
			r.config.Request = func(context.Context, []message.Message) (llm.Provider, llm.Request, error) {
				return p, llm.Request{}, nil
			}
			if out := Run(t.Context(), r.config); out.Reason != message.Error || out.Err == nil {
				t.Errorf("outcome %+v", out)
			}
		})
	}
}

// What was streamed of a broken answer is kept.
func TestDisconnectKeepsText(t *testing.T) {
	r := newRig(t, "-- turn --\n-- text piece=2 --\nhalf an answer\n-- call look id=a piece=2 --\n{\"n\": 1\n-- disconnect --\n")
	out := Run(t.Context(), r.config)
	last, _ := out.Last()
	if out.Reason != message.Error || last.Text() != "half an answer" {
		t.Errorf("%s, %q", out.Reason, last.Text())
	}
}
