package answer_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// write plays fn as a provider and checks the parts.
func write(t *testing.T, ctx context.Context, fn func(*answer.Writer)) llm.Finished {
	t.Helper()
	req := llm.Request{Model: llm.Model{ID: "m", Provider: "p", API: "a", Cost: llm.Price{Output: 1e6}}}
	_, end := llmtest.Collect(t, func(yield func(llm.Part) bool) { fn(answer.New(ctx, req, yield)) })
	return end
}

func TestStopReason(t *testing.T) {
	failure := errors.New("down")
	for _, c := range []struct {
		name   string
		call   bool
		reason message.StopReason
		err    error
		want   message.StopReason
	}{
		{"text", false, "", nil, message.Stop},
		{"call", true, "", nil, message.ToolUse},
		{"stated", true, message.Length, nil, message.Length},
		{"failed", true, "", failure, message.Error},
		{"failed with a reason", false, message.Stop, failure, message.Error},
		{"refused", false, message.Refusal, failure, message.Refusal},
	} {
		t.Run(c.name, func(t *testing.T) {
			end := write(t, t.Context(), func(w *answer.Writer) {
				if c.call {
					i, _ := w.Open(message.Block{Type: message.ToolCallBlock, ID: "1", Name: "ls"})
					w.Close(i, "")
				}
				w.Finish(c.reason, message.Usage{Output: 2}, c.err)
				w.Finish(message.Stop, message.Usage{}, nil) // has no effect
			})
			if end.Message.StopReason != c.want || !errors.Is(end.Err, c.err) || end.Message.Usage.Cost.Total != 2 {
				t.Errorf("%s, %v, usage %+v", end.Message.StopReason, end.Err, end.Message.Usage)
			}
		})
	}
}

// E-1: what had arrived when the stream broke stays in the message.
func TestOpenBlocksAreClosed(t *testing.T) {
	end := write(t, t.Context(), func(w *answer.Writer) {
		text, _ := w.Open(message.Block{Type: message.TextBlock})
		call, _ := w.Open(message.Block{Type: message.ToolCallBlock, ID: "1", Name: "ls"})
		w.Delta(call, `{"path"`)
		w.Delta(text, "half")
		w.Finish("", message.Usage{}, errors.New("cut off"))
	})
	if m := end.Message; m.Text() != "half" || m.Calls()[0].Malformed != `{"path"` {
		t.Errorf("%+v", m.Content)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := write(t, ctx, func(w *answer.Writer) {
		i, _ := w.Open(message.Block{Type: message.TextBlock})
		if !w.Delta(i, "seen") {
			t.Error("stopped too early")
		}
		cancel()
		if w.Delta(i, "unseen") || w.Close(i, "") {
			t.Error("went on after the cancel")
		}
		w.Finish(message.Stop, message.Usage{}, nil)
	})
	if end.Message.Text() != "seen" || end.Message.StopReason != message.Aborted || !errors.Is(end.Err, context.Canceled) {
		t.Errorf("%+v, %v", end.Message, end.Err)
	}
}

// What a provider wants back stays in the message: its id, redacted thinking.
func TestOpaque(t *testing.T) {
	end := write(t, t.Context(), func(w *answer.Writer) {
		w.Identify("msg_1")
		i, _ := w.Open(message.Block{Type: message.RedactedBlock, Data: "secret"})
		w.Close(i, "")
		w.Finish("", message.Usage{}, nil)
	})
	if m := end.Message; m.ResponseID != "msg_1" || m.Content[0].Data != "secret" {
		t.Errorf("%+v", m)
	}
}
