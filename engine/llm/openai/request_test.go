package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// body returns the request that a provider makes, indented.
func body(t *testing.T, req llm.Request) string {
	t.Helper()
	var got []byte
	llmtest.Collect(t, over(req.Model, transport(func(r *http.Request) (*http.Response, error) {
		got, _ = io.ReadAll(r.Body)
		return nil, io.ErrUnexpectedEOF
	})).Stream(t.Context(), req))
	var out bytes.Buffer
	if err := json.Indent(&out, got, "", "  "); err != nil {
		t.Fatalf("%v in %q", err, got)
	}
	return out.String() + "\n"
}

func said(m llm.Model, blocks ...message.Block) message.Message {
	return message.Message{Role: message.Assistant, Provider: m.Provider, Model: m.ID, API: m.API, Content: blocks}
}

func result(id, name string, blocks ...message.Block) message.Message {
	return message.Message{Role: message.ToolResult, ToolCallID: id, ToolName: name, Content: blocks}
}

func call(id, name, arguments, signature string) message.Block {
	return message.Block{Type: message.ToolCallBlock, ID: id, Name: name, Arguments: json.RawMessage(arguments), Signature: signature}
}

func thinking(text, signature string) message.Block {
	return message.Block{Type: message.ThinkingBlock, Text: text, Signature: signature}
}

// conversation has something of every kind, by this model and by others.
func conversation(wire string) llm.Request {
	m := model(wire)
	m.Compat, m.Levels = nil, []llm.Level{llm.Low, llm.High}
	other := llm.Model{Provider: "elsewhere", ID: "x", API: "anthropic-messages"}
	picture := message.ImageOf("aGk=", "image/png")
	own := []message.Block{thinking("Plan.", "reasoning_content"), message.TextOf("Both."), call("call_a", "read", `{"path":"a<b>.go"}`, ""), call("call_b", "ls", `{}`, "")}
	broken := []message.Block{thinking("Half", "reasoning"), message.TextOf("So")}
	if wire == "responses" {
		own = []message.Block{
			thinking("Plan.", `{"id":"rs_1","summary":[{"type":"summary_text","text":"Plan."}],"encrypted_content":"ZW5j"}`),
			{Type: message.TextBlock, Text: "Both.", Signature: `{"id":"msg_1","phase":"commentary"}`},
			call("call_a", "read", `{"path":"a<b>.go"}`, "fc_1"), call("call_b", "ls", `{}`, "fc_2"),
		}
		broken = []message.Block{
			{Type: message.TextBlock, Text: "So", Signature: `{"id":"msg_2"}`},
			thinking("cut", `{"id":"rs_2","summary":[],"encrypted_content":"ZW5j"}`), // nothing followed it
		}
	}
	return llm.Request{
		Model: m, System: "Be brief.", Thinking: llm.Medium, SessionID: "session/1",
		Messages: []message.Message{
			message.NewUser("Look", picture),
			said(other, thinking("secret", "sig"), message.Block{Type: message.RedactedBlock, Data: "r"}, message.TextOf(" \n"), call("toolu.1|"+strings.Repeat("x", 70), "read", `{}`, "sig")),
			result("toolu.1|"+strings.Repeat("x", 70), "read", message.TextOf("ok")),
			said(m, own...),
			result("call_a", "read", message.TextOf("one"), picture),
			result("call_b", "ls", picture),
			said(m, broken...),
			message.NewUser("Go on"),
		},
		Tools: []llm.ToolSpec{
			{Name: "read", Description: "Read a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}`)},
			{Name: "write", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`)},
			{Name: "ls"},
		},
	}
}

// The whole body, as JSON, of a request to each kind of server.
func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		wire   string
		change func(*llm.Request)
	}{
		"chat_general":    {"chat", func(r *llm.Request) { r.Model.MaxTokens, r.Model.ContextWindow = 64000, 200000 }},
		"chat_official":   {"chat", func(r *llm.Request) { r.Model.BaseURL, r.MaxTokens = "https://api.openai.com/v1", 500 }},
		"chat_openrouter": {"chat", func(r *llm.Request) { r.Model.BaseURL = "https://openrouter.ai/api/v1" }},
		"chat_openrouter_claude": {"chat", func(r *llm.Request) {
			r.Model.BaseURL, r.Model.ID = "https://openrouter.ai/api/v1", "anthropic/claude"
			r.Messages = r.Messages[:6] // as between two tools
		}},
		"chat_mistral":  {"chat", func(r *llm.Request) { r.Model.BaseURL = "https://api.mistral.ai/v1" }},
		"chat_deepseek": {"chat", func(r *llm.Request) { r.Model.BaseURL = "https://api.deepseek.com/v1" }},
		"chat_flags": {"chat", func(r *llm.Request) {
			r.Model.BaseURL = "https://api.openai.com/v1"
			r.Model.Compat = json.RawMessage(`{"supportsStore":false,"supportsDeveloperRole":false,"supportsUsageInStreaming":false,"supportsStrictMode":false,"maxTokensField":"max_tokens",` +
				`"requiresToolResultName":true,"requiresAssistantAfterToolResult":true,"requiresThinkingAsText":true,"thinkingFormat":"qwen-chat-template","somethingElse":1}`)
			r.MaxTokens = 500
			r.Messages = append(r.Messages[:6:6], message.NewUser("Well?"))
		}},
		"chat_blind":         {"chat", func(r *llm.Request) { r.Model.Input = []string{"text"}; r.Thinking = llm.Off }},
		"responses_official": {"responses", func(r *llm.Request) { r.Model.BaseURL, r.MaxTokens = "https://api.openai.com/v1", 5 }},
		"responses_general":  {"responses", func(r *llm.Request) { r.Thinking = llm.Off }},
		"responses_other_model": {"responses", func(r *llm.Request) {
			r.Model.ID, r.Model.Compat, r.Thinking = "n", json.RawMessage(`{"reasoningEffortMap":{"high":"max"}}`), llm.High
		}},
	} {
		t.Run(name, func(t *testing.T) {
			req := conversation(c.wire)
			c.change(&req)
			before, _ := json.Marshal(req.Messages)
			golden(t, filepath.Join("testdata/requests", name+".json"), body(t, req))
			if after, _ := json.Marshal(req.Messages); !bytes.Equal(before, after) {
				t.Error("the messages passed in were changed")
			}
		})
	}
}

// How each server is asked to think, and not to.
func TestThinking(t *testing.T) {
	for _, c := range []struct {
		format    string
		high, off string
	}{
		{"openai", `"reasoning_effort":"high"`, ``},
		{"openrouter", `"reasoning":{"effort":"high"}`, ``},
		{"deepseek", `"thinking":{"type":"enabled"} "reasoning_effort":"high"`, `"thinking":{"type":"disabled"}`},
		{"zai", `"thinking":{"type":"enabled"}`, `"thinking":{"type":"disabled"}`},
		{"qwen", `"enable_thinking":true`, `"enable_thinking":false`},
		{"qwen-chat-template", `"chat_template_kwargs":{"enable_thinking":true}`, `"chat_template_kwargs":{"enable_thinking":false}`},
	} {
		for level, want := range map[llm.Level]string{llm.High: c.high, llm.Off: c.off} {
			t.Run(c.format+" "+string(level), func(t *testing.T) {
				req := request("chat")
				req.Thinking, req.Model.Compat = level, json.RawMessage(fmt.Sprintf(`{"thinkingFormat":%q}`, c.format))
				var all map[string]json.RawMessage
				if err := json.Unmarshal([]byte(body(t, req)), &all); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, field := range []string{"thinking", "enable_thinking", "chat_template_kwargs", "reasoning", "reasoning_effort"} {
					if value, ok := all[field]; ok {
						var b bytes.Buffer
						json.Compact(&b, value)
						got = append(got, fmt.Sprintf("%q:%s", field, b.String()))
					}
				}
				if s := strings.Join(got, " "); s != want {
					t.Errorf("asked with %s, want %s", s, want)
				}
			})
		}
	}
	for compat, want := range map[string]string{
		`{"supportsReasoningEffort":false}`:                        "",
		`{"reasoningEffortMap":{"off":"none"}}`:                    `"none"`,
		`{"reasoningEffortMap":{"high":"max"}}`:                    "",
		`{"thinkingFormat":"zai","reasoningEffortMap":{"off":""}}`: "",
	} {
		req := request("chat")
		req.Model.Compat = json.RawMessage(compat)
		var all map[string]json.RawMessage
		json.Unmarshal([]byte(body(t, req)), &all)
		if got := string(all["reasoning_effort"]); got != want {
			t.Errorf("%s: effort %s, want %s", compat, got, want)
		}
	}
}

// Thinking goes back in the field it came in, and only to its model.
func TestThinkingReturns(t *testing.T) {
	for name, c := range map[string]struct {
		signature string
		field     string
		want      string
	}{
		"by field":      {"reasoning_content", "reasoning_content", `"Hm."`},
		"other field":   {"reasoning", "reasoning", `"Hm."`},
		"details":       {`[{"type":"reasoning.encrypted","data":"x"}]`, "reasoning_details", `[{"type":"reasoning.encrypted","data":"x"}]`},
		"unsigned":      {"", "reasoning_content", ``},
		"unknown field": {"role", "role", `"assistant"`},
		"not a list":    {"[", "reasoning_details", ``},
	} {
		t.Run(name, func(t *testing.T) {
			req := request("chat")
			req.Messages = append(req.Messages, said(req.Model, thinking("Hm.", c.signature), message.TextOf("Yes.")), message.NewUser("So?"))
			var sent struct{ Messages []map[string]json.RawMessage }
			if err := json.Unmarshal([]byte(body(t, req)), &sent); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if raw := sent.Messages[1][c.field]; raw != nil {
				json.Compact(&got, raw)
			}
			if got.String() != c.want {
				t.Errorf("%s is %s, want %s", c.field, got.String(), c.want)
			}
		})
	}
}

// What was read of an answer is what the next request holds of it: each
// stream's message goes back to its model without loss of text and calls.
func TestAnswersReturn(t *testing.T) {
	for _, s := range streams(t) {
		t.Run(s.wire+"/"+s.name, func(t *testing.T) {
			_, end := ask(t, s.wire, replay(bytes.NewReader(s.data)))
			req := request(s.wire)
			req.Messages = message.ForModel(append(req.Messages, end.Message, message.NewUser("Go on")))
			text := body(t, req)
			for _, b := range end.Message.Content {
				wants := []string{b.ID, string(b.Arguments)}
				if b.Type == message.TextBlock && strings.TrimSpace(b.Text) != "" {
					wants = append(wants, b.Text)
				}
				if b.Type == message.ThinkingBlock && strings.Contains(b.Signature, "ZW5j") {
					wants = append(wants, "ZW5j")
				}
				for _, want := range wants {
					quoted, _ := json.Marshal(want)
					var plain bytes.Buffer
					e := json.NewEncoder(&plain)
					e.SetEscapeHTML(false)
					e.Encode(want)
					if !strings.Contains(text, string(quoted[1:len(quoted)-1])) && !strings.Contains(text, strings.Trim(plain.String(), "\"\n")) {
						t.Errorf("%q is missing in\n%s", want, text)
					}
				}
			}
		})
	}
}
