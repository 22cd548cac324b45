// Package wires_test moves one conversation across the wires of all vendors.
//
//	script ─▶ history ─▶ ForModel ─▶ each adapter ─▶ mockserver ─▶ the wire's rules
//	             ▲──────────── the answer of the wire whose turn it is ◀──┘
package wires_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/anthropic"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
	"github.com/hoopoe-agent/hoopoe/engine/llm/openai"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func modelOf(wire mockserver.Wire, url string) llm.Model {
	m := llm.Model{
		ID: "model-" + string(wire), Provider: "provider-" + string(wire), API: string(wire), BaseURL: url, Reasoning: true,
		Input: []string{"text", "image"}, ContextWindow: 200_000, MaxTokens: 32_000,
	}
	if wire == mockserver.Google {
		m.Levels = []llm.Level{llm.Low, llm.High} // models with levels are the strict ones
	}
	return m
}

func providerOf(m llm.Model) llm.Provider {
	key := func(context.Context) (string, error) { return "key", nil }
	switch mockserver.Wire(m.API) {
	case mockserver.Anthropic:
		return anthropic.New(anthropic.Options{Model: m, Key: key})
	case mockserver.Google:
		return google.New(google.Options{Model: m, Key: key})
	}
	return openai.New(openai.Options{Model: m, Key: key})
}

var tools = []llm.ToolSpec{
	{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
	{Name: "now"},
}

// rules of the wires.
var rules = map[mockserver.Wire]func(*testing.T, []byte){
	mockserver.Anthropic: checkMessages, mockserver.Completions: checkChat, mockserver.Responses: checkResponses, mockserver.Google: checkGemini,
}

// Requirement E-4: whichever model answered each turn, every other can go on at
// any turn. The four rounds give each answer of the script to each wire.
func TestSwitchAtEveryTurn(t *testing.T) {
	wires := mockserver.Wires()
	for round := range wires {
		t.Run(fmt.Sprintf("starting with %s", wires[round]), func(t *testing.T) {
			c := newConversation(t)
			for i, s := range script() {
				c.history = append(c.history, s.before...)
				c.expect(s.before)
				for _, w := range wires {
					c.ask(w)
					if t.Failed() {
						t.Fatalf("at turn %d, asking %s", i, w)
					}
				}
				c.turn(i, s, wires[(i+round)%len(wires)])
			}
			c.history = append(c.history, message.NewUser("Bye."))
			for _, w := range wires {
				c.ask(w)
			}
			if len(c.texts) < 50 {
				t.Errorf("only %d texts were looked for", len(c.texts))
			}
		})
	}
}

// conversation is one under way, with what its requests have to hold.
type conversation struct {
	t       *testing.T
	url     string
	server  *mockserver.Server
	next    mockserver.Answer
	history []message.Message
	texts   []string  // in every request
	images  []image   // in every request
	private []private // of one model
}

type image struct{ data, kind string }

// private is what only the model that made it may see again.
type private struct {
	wire mockserver.Wire
	text string
	must bool // it has to come back
}

func newConversation(t *testing.T) *conversation {
	c := &conversation{t: t, private: []private{{"", elsewhere, false}}}
	c.server = mockserver.New(func(mockserver.Request) mockserver.Answer { return c.next })
	s := httptest.NewServer(c.server)
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

// stream has a wire answer the conversation so far, until stop says so.
func (c *conversation) stream(wire mockserver.Wire, answer mockserver.Answer, stop func(llm.Part) bool) (message.Message, []byte) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	c.next = answer
	m := modelOf(wire, c.url)
	req := llm.Request{
		Model: m, System: "Be brief.", Messages: message.ForModel(c.history), Tools: tools, Thinking: llm.High, SessionID: "session",
	}
	var parts []llm.Part
	for p := range providerOf(m).Stream(ctx, req) {
		if parts = append(parts, p); stop(p) {
			cancel()
		}
	}
	if err := llmtest.Check(parts); err != nil {
		c.t.Fatal(err)
	}
	end := parts[len(parts)-1].(llm.Finished)
	if end.Err != nil && ctx.Err() == nil {
		c.t.Fatalf("%s: %v", wire, end.Err)
	}
	all := c.server.Requests()
	return end.Message, all[len(all)-1].Body
}

func never(llm.Part) bool { return false }

// ask checks the request that a wire makes of the conversation so far.
func (c *conversation) ask(wire mockserver.Wire) {
	c.t.Helper()
	_, body := c.stream(wire, mockserver.Answer{Text: []string{"ok"}}, never)
	rules[wire](c.t, body)
	all := stringsOf(c.t, body)
	for _, text := range c.texts {
		if !strings.Contains(all, text) {
			c.t.Errorf("%s loses %q", wire, text)
		}
	}
	for _, i := range c.images {
		if takes(wire, i.kind) != strings.Contains(all, i.data) {
			c.t.Errorf("%s and an image of type %s: it takes it: %v", wire, i.kind, takes(wire, i.kind))
		}
	}
	for _, p := range c.private {
		switch has := strings.Contains(all, p.text); {
		case has && p.wire != wire:
			c.t.Errorf("%s gets %q, which is of %s", wire, p.text, p.wire)
		case !has && p.wire == wire && p.must:
			c.t.Errorf("%s doesn't get back %q", wire, p.text)
		}
	}
}

// turn lets a wire give the script's answer and adds it with the results.
func (c *conversation) turn(i int, s step, wire mockserver.Wire) {
	c.t.Helper()
	stop := never
	if s.aborted {
		stop = func(p llm.Part) bool { d, ok := p.(llm.BlockDelta); return ok && strings.Contains(s.text, d.Text) }
	}
	answer := s.answer(i, wire)
	m, _ := c.stream(wire, answer, stop)
	if s.aborted {
		<-c.server.Left()
		m.StopReason = message.Aborted
	}
	if got := message.Text(m.Content); strings.TrimSpace(got) != strings.TrimSpace(s.text) {
		c.t.Fatalf("%s said %q, not %q", wire, got, s.text)
	}
	calls := m.Calls()
	if len(calls) != len(s.calls) {
		c.t.Fatalf("%s made %d calls, not %d", wire, len(calls), len(s.calls))
	}
	if s.redacted != "" && wire == mockserver.Anthropic {
		m.Content = append([]message.Block{{Type: message.RedactedBlock, Data: s.redacted}}, m.Content...)
		c.private = append(c.private, private{wire, s.redacted, true})
	}
	c.history = append(c.history, m)
	c.expect([]message.Message{m})
	c.keepPrivate(answer, wire, s.aborted)
	var results []message.Message
	for n, call := range calls {
		if s.results[n] == nil {
			continue // interrupted
		}
		r := *s.results[n]
		r.ToolCallID, r.ToolName = call.ID, call.Name
		results = append([]message.Message{r}, results...) // the last call ends first
	}
	c.history = append(c.history, s.steered...)
	c.history = append(c.history, results...)
	c.expect(append(results, s.steered...))
}

func (c *conversation) keepPrivate(a mockserver.Answer, wire mockserver.Wire, aborted bool) {
	if a.Thinking != "" {
		c.private = append(c.private, private{wire, a.Thinking, !aborted})
	}
	if a.Signature != "" && (wire == mockserver.Anthropic || wire == mockserver.Responses) {
		c.private = append(c.private, private{wire, a.Signature, !aborted})
	}
	for _, call := range a.Calls {
		if wire == mockserver.Google && call.Signature != "" {
			c.private = append(c.private, private{wire, call.Signature, true})
		}
	}
}

// expect notes what of the messages no request may lose.
func (c *conversation) expect(messages []message.Message) {
	for _, m := range messages {
		for _, b := range m.Content {
			switch {
			case b.Type == message.TextBlock && strings.TrimSpace(b.Text) != "":
				c.texts = append(c.texts, b.Text)
			case b.Type == message.ImageBlock:
				c.images = append(c.images, image{b.Data, b.MimeType})
			case b.Type == message.ToolCallBlock:
				var arguments map[string]string
				if json.Unmarshal(b.Arguments, &arguments) == nil && arguments["path"] != "" {
					c.texts = append(c.texts, arguments["path"])
				}
			}
		}
		if m.Bash != nil {
			c.texts = append(c.texts, m.Bash.Command, m.Bash.Output)
		}
	}
}

// takes: Google's is the only one of the four that documents no GIF.
func takes(wire mockserver.Wire, kind string) bool {
	return wire != mockserver.Google || kind != "image/gif"
}

// stringsOf joins all texts in a body, those inside the JSON text of arguments
// included.
func stringsOf(t *testing.T, body []byte) string {
	t.Helper()
	var root any
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var all strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all.WriteString(v + "\x00")
			if strings.HasPrefix(v, "{") {
				var inner any
				if json.Unmarshal([]byte(v), &inner) == nil {
					walk(inner)
				}
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(root)
	return all.String()
}
