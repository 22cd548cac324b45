package acptest

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, p := range []struct{ name, line, want string }{
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, ""},
		{"a failure", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, ""},
		{"nobody's failure", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`, ""},
		{"an update", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"},"_meta":{"x":1}}}}`, ""},
		{"a request", `{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}`, ""},
		{"taking one back", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`, ""},
		{"no JSON", `hello`, "isn't JSON"},
		{"no version", `{"id":1,"result":{"stopReason":"end_turn"}}`, "jsonrpc"},
		{"a stray member", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"},"extra":1}`, `"extra"`},
		{"nobody asked", `{"jsonrpc":"2.0","id":7,"result":{}}`, "nobody asked"},
		{"a reason that isn't one", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"tired"}}`, "PromptResponse"},
		{"a stray field", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","why":"x"}}`, "why"},
		{"a stray field of an update", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi","mood":"x"}}}}`, "mood"},
		{"an update of no kind", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"weather"}}}`, "SessionNotification"},
		{"a text for an id", `{"jsonrpc":"2.0","id":"a","method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}`, "whole number"},
	} {
		t.Run(p.name, func(t *testing.T) {
			c, err := NewConnection()
			if err != nil {
				t.Fatal(err)
			}
			c.Sent("1", "session/prompt")
			switch err := c.Check([]byte(p.line)); {
			case p.want == "" && err != nil:
				t.Error(err)
			case p.want != "" && (err == nil || !strings.Contains(err.Error(), p.want)):
				t.Errorf("got %v, want %q", err, p.want)
			}
			if strings.Contains(p.line, `"id":1`) && p.want == "" && c.Check([]byte(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)) == nil {
				t.Error("a second answer is all right")
			}
		})
	}
}

// Case 48: once no prompt and no load is open, no update speaks of a turn.
func TestCheckTurns(t *testing.T) {
	c, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	update := func(kind, fields string) error {
		return c.Check([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `",` + fields + `}}}`))
	}
	text, title := `"content":{"type":"text","text":"hi"}`, `"title":"A title"`
	for i, method := range []string{"session/prompt", "session/load"} {
		id, answer := string(rune('1'+i)), `{"stopReason":"end_turn"}`
		if method == "session/load" {
			answer = `{}`
		}
		c.Sent(id, method)
		if err := errors.Join(update("agent_message_chunk", text), update("session_info_update", title)); err != nil {
			t.Errorf("during %s: %v", method, err)
		}
		if err := c.Check([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + answer + `}`)); err != nil {
			t.Error(err)
		}
		for _, kind := range []string{"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"} {
			if err := update(kind, text); err == nil || !strings.Contains(err.Error(), "outside of a turn") {
				t.Errorf("%s after %s: %v", kind, method, err)
			}
		}
		if err := update("session_info_update", title); err != nil {
			t.Errorf("after %s: %v", method, err)
		}
	}
}
