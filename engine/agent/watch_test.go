package agent

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// lookout cuts an answer whose stream holds a word, or one that has ended.
type lookout struct {
	word   string
	atEnd  bool
	begun  int
	ended  int
	blocks map[message.BlockType]string
}

func (l *lookout) Begin() { l.begun, l.blocks = l.begun+1, map[message.BlockType]string{} }

func (l *lookout) Delta(d event.MessageDelta) bool {
	l.blocks[d.Block] += d.Delta()
	return l.word != "" && strings.Contains(l.blocks[d.Block], l.word)
}

func (l *lookout) End() bool { l.ended++; return l.atEnd }

func TestWatch(t *testing.T) {
	const script = `
-- turn --
-- thinking --
let me see
-- text piece=5 --
one two three four
-- call look piece=4 --
{"path":"main.go"}
-- call look --
{"path":"go.mod"}
-- usage input=10 output=5 --
-- turn --
-- text --
done
`
	for name, tt := range map[string]struct {
		look   lookout
		limit  message.StopReason
		want   string // what stays of the answer
		reason message.StopReason
		calls  int // with results
		ends   int
	}{
		"nothing":          {look: lookout{word: "absent"}, want: "done", reason: message.Stop, ends: 2},
		"thinking":         {look: lookout{word: "let me"}, want: "", reason: message.Aborted},
		"text":             {look: lookout{word: "two"}, want: "one two th", reason: message.Aborted},
		"arguments":        {look: lookout{word: "main"}, want: "one two three four", reason: message.Aborted, calls: 1},
		"end":              {look: lookout{atEnd: true}, want: "one two three four", reason: message.Aborted, calls: 2, ends: 1},
		"a limit, at once": {look: lookout{word: "two"}, limit: message.StepLimit, want: "one two th", reason: message.StepLimit},
		"room is no limit": {look: lookout{word: "two"}, limit: message.ToolUse, want: "one two th", reason: message.Aborted},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, script)
			var ran atomic.Int32
			r.tool(tool.Spec{Name: "look"}, func(context.Context, tool.Call) (tool.Result, error) {
				ran.Add(1)
				return tool.Result{}, nil
			})
			r.config.Watch = &tt.look
			if tt.limit != "" {
				r.config.Between = func(_ context.Context, _ int, more bool, _ message.Message) message.StopReason {
					if !more {
						t.Error("a cut answer is followed by another")
					}
					return tt.limit
				}
			}
			out := Run(context.Background(), r.config)
			last, _ := out.Last()
			cut := tt.ends < 2
			if out.Reason != tt.reason || out.Cut != cut || out.Err != nil || last.Text() != tt.want {
				t.Errorf("reason %s, cut %v, error %v, answer %q", out.Reason, out.Cut, out.Err, last.Text())
			}
			if tt.look.ended != tt.ends || (ran.Load() > 0) == cut {
				t.Errorf("%d ends, %d calls ran", tt.look.ended, ran.Load())
			}
			if !cut {
				return
			}
			if last.StopReason != message.Aborted || last.ErrorMessage != AbortedText || tt.look.begun != 1 {
				t.Errorf("the answer ended %s (%s)", last.StopReason, last.ErrorMessage)
			}
			results := 0
			for _, m := range out.Messages {
				if m.Role == message.ToolResult {
					results++
					if !m.IsError || m.Text() != "Tool execution was aborted: "+AbortedText {
						t.Errorf("result %q", m.Text())
					}
				}
			}
			if results != tt.calls || len(last.Calls()) != tt.calls {
				t.Errorf("%d results of %d calls, want %d", results, len(last.Calls()), tt.calls)
			}
		})
	}
}

// What a cut answer has used is known when its provider tells it.
func TestWatchKeepsUsage(t *testing.T) {
	r := newRig(t, "-- turn --\n-- text --\nall of it\n-- usage input=10 output=5 --\n")
	r.config.Watch = &lookout{atEnd: true}
	out := Run(context.Background(), r.config)
	if last, _ := out.Last(); last.Usage.Input != 10 || last.StopReason != message.Aborted {
		t.Errorf("%+v", last)
	}
}

// A refused or failed answer isn't cut at its end: the reason stays.
func TestWatchLeavesFailures(t *testing.T) {
	for reason, step := range map[message.StopReason]string{
		message.Refusal: "-- stop refusal --\n", message.Error: "-- error kind=overloaded --\nbusy\n",
	} {
		r := newRig(t, "-- turn --\n-- text --\nno\n"+step)
		r.config.Watch = &lookout{atEnd: true}
		if out := Run(context.Background(), r.config); out.Cut || out.Reason != reason {
			t.Errorf("%s: %s, cut %v", reason, out.Reason, out.Cut)
		}
	}
}
