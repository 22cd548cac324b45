package llmtest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func started(i int) llm.Part { return llm.BlockStarted{Index: i, Type: message.TextBlock} }

func delta(i int, s string) llm.Part { return llm.BlockDelta{Index: i, Text: s} }

func ended(i int, s string) llm.Part { return llm.BlockEnded{Index: i, Block: message.TextOf(s)} }

func finished(reason message.StopReason, err error, blocks ...message.Block) llm.Part {
	m := message.Message{Role: message.Assistant, StopReason: reason, Content: blocks}
	if err != nil {
		m.ErrorMessage = err.Error()
	}
	return llm.Finished{Message: m, Err: err}
}

func callStarted(i int) llm.Part {
	return llm.BlockStarted{Index: i, Type: message.ToolCallBlock, ID: "a", Name: "read"}
}

func callBlock(arguments, malformed string) message.Block {
	return message.Block{Type: message.ToolCallBlock, ID: "a", Name: "read", Arguments: json.RawMessage(arguments), Malformed: malformed}
}

func TestCheck(t *testing.T) {
	ab := message.TextOf("ab")
	good, bad := callBlock(`{"x":1}`, ""), callBlock(`{}`, `{"x"`)
	for _, c := range []struct {
		name  string
		parts []llm.Part
		want  string // part of the error; empty for none
	}{
		{"well formed", []llm.Part{started(0), delta(0, "a"), delta(0, "b"), ended(0, "ab"), finished(message.Stop, nil, ab)}, ""},
		{"nothing but the end", []llm.Part{finished(message.Error, errors.New("x"))}, ""},
		{"two open at once", []llm.Part{started(0), started(1), delta(1, "ab"), delta(0, "ab"), ended(0, "ab"), ended(1, "ab"), finished(message.Stop, nil, ab, ab)}, ""},
		{"call", []llm.Part{callStarted(0), delta(0, `{"x": 1}`), llm.BlockEnded{Block: good}, finished(message.ToolUse, nil, good)}, ""},
		{"malformed call", []llm.Part{callStarted(0), delta(0, `{"x"`), llm.BlockEnded{Block: bad}, finished(message.ToolUse, nil, bad)}, ""},
		{"refused", []llm.Part{finished(message.Refusal, nil)}, ""},
		{"refused with a reason", []llm.Part{finished(message.Refusal, errors.New("x"))}, ""},
		{"no end", []llm.Part{started(0)}, "has no Finished"},
		{"nothing", nil, "has no Finished"},
		{"two ends", []llm.Part{finished(message.Stop, nil), finished(message.Stop, nil)}, "comes after Finished"},
		{"part after the end", []llm.Part{finished(message.Stop, nil), started(0)}, "comes after Finished"},
		{"index skipped", []llm.Part{started(1)}, "block 1 starts, want index 0"},
		{"index twice", []llm.Part{started(0), started(0)}, "block 0 starts, want index 1"},
		{"delta of no block", []llm.Part{delta(0, "a")}, "isn't open"},
		{"delta after the block", []llm.Part{started(0), ended(0, ""), delta(0, "a")}, "isn't open"},
		{"empty delta", []llm.Part{started(0), delta(0, "")}, "empty delta"},
		{"ended twice", []llm.Part{started(0), ended(0, ""), ended(0, "")}, "isn't open"},
		{"left open", []llm.Part{started(0), finished(message.Stop, nil, ab)}, "still open"},
		{"other text", []llm.Part{started(0), delta(0, "a"), ended(0, "ab")}, `streamed "a" and ended as "ab"`},
		{"other type", []llm.Part{started(0), llm.BlockEnded{Block: message.Block{Type: message.ThinkingBlock}}}, "ended as thinking"},
		{"call without a name", []llm.Part{llm.BlockStarted{Type: message.ToolCallBlock, ID: "a"}}, "has id"},
		{"text with an id", []llm.Part{llm.BlockStarted{Type: message.TextBlock, ID: "a"}}, "has id"},
		{"other arguments", []llm.Part{callStarted(0), delta(0, `{"x":2}`), llm.BlockEnded{Block: good}}, "ended with arguments"},
		{"null arguments", []llm.Part{callStarted(0), llm.BlockEnded{Block: callBlock("null", "")}}, "no JSON object"},
		{"lost malformed text", []llm.Part{callStarted(0), delta(0, `{"y"`), llm.BlockEnded{Block: bad}}, "kept malformed"},
		{"block missing in the message", []llm.Part{started(0), ended(0, ""), finished(message.Stop, nil)}, "the message holds 0"},
		{"other block in the message", []llm.Part{started(0), ended(0, ""), finished(message.Stop, nil, ab)}, "the message holds"},
		{"user's message", []llm.Part{llm.Finished{Message: message.NewUser("x")}}, `role "user"`},
		{"no reason", []llm.Part{finished("", nil)}, "no stop reason"},
		{"error without one", []llm.Part{finished(message.Error, nil)}, `stop reason "error" with error <nil>`},
		{"stop with an error", []llm.Part{finished(message.Stop, errors.New("x"))}, `stop reason "stop" with error x`},
		{"error not told", []llm.Part{llm.Finished{Message: message.Message{Role: message.Assistant, StopReason: message.Error}, Err: errors.New("x")}}, "error message"},
		{"tool use without a call", []llm.Part{finished(message.ToolUse, nil)}, "without a tool call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.parts)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestPoints(t *testing.T) {
	if got := points(3); len(got) != 3 || got[2] != 2 {
		t.Errorf("%v", got)
	}
	got := points(20_000)
	if got[0] != 0 || got[len(got)-1] != 19_999 || len(got) > 80 {
		t.Errorf("%d points, %v", len(got), got)
	}
}
