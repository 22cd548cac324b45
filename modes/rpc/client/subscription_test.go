package client_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// every frame and the struct made of it.
func TestEvents(t *testing.T) {
	answer := message.Message{Role: message.Assistant, Content: []message.Block{message.TextOf("a")}, StopReason: message.Stop, Timestamp: 1}
	const anAnswer = `{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"stop","timestamp":1}`
	output := client.Text("out")
	const anOutput = `{"content":[{"type":"text","text":"out"}]}`
	done := "done"
	tests := []struct {
		line string
		want any
	}{
		{`{"type":"agent_start"}`, client.AgentStart{}},
		{`{"type":"agent_end","messages":[` + anAnswer + `],"willRetry":true}`, client.AgentEnd{Messages: []message.Message{answer}, WillRetry: true}},
		{`{"type":"agent_settled","aborted":true}`, client.AgentSettled{Aborted: true}},
		{`{"type":"turn_start"}`, client.TurnStart{}},
		{`{"type":"turn_end","message":` + anAnswer + `,"toolResults":[]}`, client.TurnEnd{Message: answer, ToolResults: []message.Message{}}},
		{`{"type":"message_start","message":` + anAnswer + `}`, client.MessageStart{Message: answer}},
		{`{"type":"message_update","message":` + anAnswer + `,"usage":{"input":3},"assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"d","partial":` + anAnswer + `}}`,
			client.MessageUpdate{Message: &answer, Usage: &message.Usage{Input: 3}, Change: client.Change{Type: "text_delta", ContentIndex: 1, Delta: "d"}}},
		{`{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"t","name":"read","arguments":{}}}}`,
			client.MessageUpdate{Change: client.Change{Type: "toolcall_end", ToolCall: &message.Block{Type: message.ToolCallBlock, ID: "t", Name: "read", Arguments: []byte(`{}`)}}}},
		{`{"type":"message_end","message":` + anAnswer + `}`, client.MessageEnd{Message: answer}},
		{`{"type":"tool_execution_start","toolCallId":"t","toolName":"read","args":{"a":1},"intent":"look"}`,
			client.ToolStart{ToolCallID: "t", ToolName: "read", Args: []byte(`{"a":1}`), Intent: "look"}},
		{`{"type":"tool_execution_update","toolCallId":"t","toolName":"read","args":{},"partialResult":` + anOutput + `}`,
			client.ToolUpdate{ToolCallID: "t", ToolName: "read", Args: []byte(`{}`), PartialResult: output}},
		{`{"type":"tool_execution_end","toolCallId":"t","toolName":"read","result":` + anOutput + `,"isError":true,"isWarning":true,"durationMs":5}`,
			client.ToolEnd{ToolCallID: "t", ToolName: "read", Result: output, IsError: true, IsWarning: true, DurationMS: 5}},
		{`{"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`, client.CompactionStart{Reason: "threshold", Action: "context-full"}},
		{`{"type":"auto_compaction_end","action":"context-full","result":{"summary":"s","firstKeptEntryId":"e","tokensBefore":2},"aborted":false,"willRetry":true}`,
			client.CompactionEnd{Action: "context-full", Result: &client.CompactionResult{Summary: "s", FirstKeptEntryID: "e", TokensBefore: 2}, WillRetry: true}},
		{`{"type":"compaction_start","reason":"manual"}`, client.CompactionStart{Reason: "manual"}},
		{`{"type":"compaction_end","reason":"manual","aborted":true,"errorMessage":"x"}`, client.CompactionEnd{Reason: "manual", Aborted: true, ErrorMessage: "x"}},
		{`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"x"}`, client.RetryStart{Attempt: 1, MaxAttempts: 3, DelayMS: 2000, ErrorMessage: "x"}},
		{`{"type":"auto_retry_end","success":false,"attempt":3,"finalError":"x"}`, client.RetryEnd{Attempt: 3, FinalError: "x"}},
		{`{"type":"retry_fallback_applied","from":"a","to":"b","role":"default"}`, client.FallbackApplied{From: "a", To: "b", Role: "default"}},
		{`{"type":"retry_fallback_succeeded","model":"b","role":"default"}`, client.FallbackSucceeded{Model: "b", Role: "default"}},
		{`{"type":"ttsr_triggered","rules":[{"name":"n","path":"p","content":"c","_source":{}}]}`, client.RulesTriggered{Rules: []client.Rule{{Name: "n", Path: "p", Content: "c"}}}},
		{`{"type":"todo_reminder","todos":[{"id":"t","content":"c","status":"pending"}],"attempt":1,"maxAttempts":3}`,
			client.TodoReminder{Todos: []message.Todo{{ID: "t", Content: "c", Status: "pending"}}, Attempt: 1, MaxAttempts: 3}},
		{`{"type":"todo_auto_clear"}`, client.TodoAutoClear{}},
		{`{"type":"extension_error","extensionPath":"p","event":"e","error":"x"}`, client.ExtensionError{ExtensionPath: "p", Event: "e", Error: "x"}},
		{`{"type":"queue_update","steering":["a"],"followUp":[]}`, client.QueueUpdate{Steering: []string{"a"}, FollowUp: []string{}}},
		{`{"type":"notice","level":"warning","message":"m"}`, client.Notice{Level: "warning", Message: "m"}},
		{`{"type":"command_output","text":"t"}`, client.CommandOutput{Text: "t"}},
		{`{"type":"session_info_changed","name":"n"}`, client.NameChanged{Name: "n"}},
		{`{"type":"thinking_level_changed","level":"low"}`, client.ThinkingChanged{Level: "low"}},
		{`{"type":"bash_execution_update","id":"req_1","delta":"d"}`, client.BashUpdate{Delta: "d"}},
		{`{"type":"extension_ui_request","id":"u","method":"setStatus","statusKey":"k","statusText":"done"}`,
			client.UIRequest{ID: "u", Method: "setStatus", StatusKey: "k", StatusText: &done}},
		{`{"type":"brand_new","x":1}`, nil},
		{`{"type":"agent_end","messages":{}}`, nil},
	}
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		events := c.Subscribe()
		defer events.Close()
		if e, err := events.Next(t.Context()); err != nil || e.Data != (client.Ready{Version: "1.2.3"}) {
			t.Errorf("%+v, %v", e, err)
		}
		for _, tt := range tests {
			f.say(tt.line)
			e, err := events.Next(t.Context())
			if err != nil || !reflect.DeepEqual(e.Data, tt.want) || string(e.Raw) != tt.line {
				t.Errorf("%s:\n got %+v, %v\nwant %+v", tt.line, e.Data, err, tt.want)
			}
		}
	})
}

// A subscriber that doesn't read holds nobody up and misses updates only.
func TestSlowSubscriber(t *testing.T) {
	connect(t, client.Options{Backlog: 4}, func(t *testing.T, c *client.Client, f *fake) {
		slow := c.Subscribe()
		update := func(i int) string { return fmt.Sprintf(`{"type":"message_update","n":%d}`, i) }
		lines := []string{`{"type":"message_start"}`}
		for i := range 100 {
			lines = append(lines, update(i))
		}
		lines = append(lines, `{"type":"message_end"}`)
		for i := range 100 {
			lines = append(lines, `{"type":"turn_start"}`, fmt.Sprintf(`{"type":"tool_execution_update","n":%d}`, i))
		}
		f.say(lines...)
		wait := later(func() (any, error) { return nil, c.Abort(t.Context()) })
		f.expect("abort")
		f.say(`{"id":"req_1","type":"response","command":"abort","success":true}`)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		var got []string
		missed := 0
		for e, err := range slow.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			missed += e.Missed
			if got = append(got, e.Type); e.Type == "message_end" {
				break
			}
			if e.Missed > 0 && string(e.Raw) != update(99) {
				t.Errorf("kept %s", e.Raw)
			}
		}
		if want := "ready message_start message_update message_update message_end"; strings.Join(got, " ") != want || missed != 98 {
			t.Errorf("got %v, missed %d", got, missed)
		}
		for i := range 200 {
			e, err := slow.Next(t.Context())
			if err != nil || e.Missed != 0 || (e.Type == "turn_start") != (i%2 == 0) {
				t.Fatalf("event %d: %+v, %v", i, e, err)
			}
		}
	})
}

func TestSubscriptions(t *testing.T) {
	connect(t, client.Options{Backlog: 3}, func(t *testing.T, c *client.Client, f *fake) {
		f.say(`{"type":"a"}`, `{"type":"b"}`, `{"type":"c"}`)
		first, second := c.Subscribe(), c.Subscribe()
		f.say(`{"type":"d"}`)
		for _, want := range []string{"ready", "a", "b", "d"} { // c came when the backlog was full
			if e, err := first.Next(t.Context()); err != nil || e.Type != want {
				t.Errorf("first: %v, %v, want %s", e.Type, err, want)
			}
		}
		if e, err := second.Next(t.Context()); err != nil || e.Type != "d" {
			t.Errorf("second: %v, %v", e.Type, err)
		}
		wait := later(func() (client.Event, error) { return second.Next(t.Context()) })
		synctest.Wait()
		second.Close()
		if _, err := wait(); !errors.Is(err, client.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := first.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		f.say(`{"type":"e"}`)
		if e, err := first.Next(ctx); err != nil || e.Type != "e" {
			t.Errorf("what waits is taken even then: %v, %v", e.Type, err)
		}
	})
}

// Events from before a prompt aren't kept for who subscribes after it.
func TestEarlyEvents(t *testing.T) {
	connect(t, client.Options{}, func(t *testing.T, c *client.Client, f *fake) {
		wait := later(func() (client.Result, error) { return c.PromptAndWait(t.Context(), "x") })
		f.expect("prompt")
		f.say(ack(1, "started"), starts, settles)
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
		events := c.Subscribe()
		f.say(`{"type":"a"}`)
		if e, err := events.Next(t.Context()); err != nil || e.Type != "a" {
			t.Errorf("%v, %v", e.Type, err)
		}
	})
}
