package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// sent streams req and returns what the service got.
func sent(t testing.TB, o Options, req llm.Request) (body []byte, header http.Header, url string) {
	t.Helper()
	answer := recorded(t, "text")
	o.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		header, url = r.Header.Clone(), r.URL.String()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		return response(200, nil, bytes.NewReader(answer)), nil
	})}
	if _, end := finish(t, New(o), req); end.Err != nil {
		t.Fatal(end.Err)
	}
	return body, header, url
}

func said(m llm.Model, blocks ...message.Block) message.Message {
	return message.Message{Role: message.Assistant, Provider: m.Provider, Model: m.ID, API: m.API, Content: blocks}
}

func call(id, name, arguments string) message.Block {
	return message.Block{Type: message.ToolCallBlock, ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

func returned(id string, blocks ...message.Block) message.Message {
	return message.Message{Role: message.ToolResult, ToolCallID: id, ToolName: "read", Content: blocks}
}

func failed(m message.Message) message.Message {
	m.IsError = true
	return m
}

func thought(text, signature string) message.Block {
	return message.Block{Type: message.ThinkingBlock, Text: text, Signature: signature}
}

var (
	redacted = message.Block{Type: message.RedactedBlock, Data: "b3BhcXVl"}
	png      = message.ImageOf("aGk=", "image/png")
	tiff     = message.ImageOf("aGk=", "image/tiff")
	gpt      = llm.Model{ID: "gpt", Provider: "openai", API: "openai-responses"}
	tools    = []llm.ToolSpec{
		{Name: "read", Description: "Reads a <file>.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: "ls"},
	}
)

// with returns m with compat flags.
func with(m llm.Model, flags string) llm.Model {
	m.Compat = json.RawMessage(flags)
	return m
}

// E-1, E-4: the whole body of every kind of request.
func TestRequests(t *testing.T) {
	text, user := message.TextOf, message.NewUser
	loop := []message.Message{
		user("look"),
		said(sonnet, thought("hm", "c2ln"), redacted, text("I look."), call("toolu_1", "read", `{"path":"a"}`), call("toolu_2", "ls", `{}`)),
		returned("toolu_1", text("A"), png),
		failed(returned("toolu_2", text("no such folder"))),
	}
	abroad := []message.Message{
		user("look"),
		said(gpt, thought("hm", "enc"), call("call_1|fc_2", "functions.read", `{}`)),
		returned("call_1|fc_2", text("A")),
	}
	for name, req := range map[string]llm.Request{
		"plain":        {Model: sonnet, System: "Be brief.", Messages: []message.Message{user("hi")}, SessionID: "s"},
		"blank_system": {Model: sonnet, System: " \n", Messages: []message.Message{user("hi")}, MaxTokens: 100},
		"tools":        {Model: sonnet, System: "Be brief.", Messages: loop, Tools: tools},
		"budget":       {Model: sonnet, Messages: append(loop[:4:4], user("go on")), Tools: tools, Thinking: llm.High},
		"small_limit":  {Model: sonnet, Messages: loop[:1], Thinking: llm.High, MaxTokens: 3000},
		"no_room":      {Model: sonnet, Messages: loop[:1], Thinking: llm.High, MaxTokens: 2000},
		"effort":       {Model: opus, Messages: loop[:1], Tools: tools, Thinking: llm.Medium},
		"effort_max":   {Model: with(opus, `{"reasoningEffortMap":{"xhigh":"max"}}`), Messages: loop[:1], Thinking: llm.XHigh},
		"effort_least": {Model: with(sonnet, `{"forceAdaptiveThinking":true}`), Messages: loop[:1], Thinking: llm.Minimal},
		"effort_off":   {Model: with(opus, `{"reasoningEffortMap":{"off":"disabled"}}`), Messages: loop[:1]},
		"turns": {Model: sonnet, Messages: []message.Message{
			user("one"), said(sonnet, text("1")), user("two"), said(sonnet, text("2")), user("three"), user("and", png),
		}},
		"abroad":        {Model: sonnet, Messages: abroad, Tools: tools, Thinking: llm.High},
		"abroad_later":  {Model: sonnet, Messages: append(abroad[:3:3], said(gpt, text("A it is")), user("sure?")), Tools: tools, Thinking: llm.High},
		"other_model":   {Model: opus, Messages: loop, Tools: tools, Thinking: llm.High},
		"unsigned":      {Model: sonnet, Messages: []message.Message{user("hi"), said(sonnet, thought("hm", "")), user("so?"), said(sonnet, thought("hm", ""), text("yes")), user("ok")}},
		"unsigned_back": {Model: with(sonnet, `{"allowEmptySignature":true}`), Messages: []message.Message{user("hi"), said(sonnet, thought("hm", ""), text("yes")), user("ok")}},
		"pictures":      {Model: sonnet, Messages: []message.Message{user("look", png, tiff), said(sonnet, call("t1", "read", `{}`)), returned("t1", tiff, message.ImageOf("aGk=", "image/webp"))}},
		"blind":         {Model: func() llm.Model { m := sonnet; m.Input = []string{"text"}; return m }(), Messages: []message.Message{user("look", png)}},
		"malformed":     {Model: sonnet, Messages: []message.Message{user("look"), said(sonnet, message.Block{Type: message.ToolCallBlock, ID: "t1", Name: "read", Malformed: `{"pa`}), failed(returned("t1", text("not JSON")))}},
		"results_first": {Model: sonnet, Messages: []message.Message{user("look"), said(sonnet, call("t1", "read", `{}`), call("t2", "read", `{}`)), returned("t1", text("A")), user("faster"), returned("t2", text("B"))}},
		"plain_service": {Model: with(sonnet, `{"supportsInterleavedThinking":false,"supportsCacheControlOnTools":false,"supportsEagerToolInputStreaming":true}`), Messages: loop[:1], Tools: tools, Thinking: llm.Low},
		"damaged_flags": {Model: with(sonnet, `{"forceAdaptiveThinking":"yes"`), Messages: loop[:1], Thinking: llm.Low},
		"empty":         {Model: sonnet, Messages: []message.Message{user("hi"), said(sonnet, text(" \n")), returned("t9")}},
	} {
		t.Run(name, func(t *testing.T) {
			body, header, _ := sent(t, Options{Model: req.Model}, req)
			if name != "empty" { // which no conversation can become
				check(t, body)
			}
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("request", name+".json"), indent(map[string]any{"body": v, "anthropic-beta": header.Get("Anthropic-Beta")})+"\n")
		})
	}
}

// wireBody is what the rules below speak of.
type wireBody struct {
	MaxTokens int `json:"max_tokens"`
	System    []wireBlock
	Tools     []wireBlock
	Messages  []struct {
		Role    string
		Content []wireBlock
	}
	Thinking struct {
		Type         string
		BudgetTokens int `json:"budget_tokens"`
	}
}

type wireBlock struct {
	Type, Text, ID, Name, Signature string
	ToolUseID                       string `json:"tool_use_id"`
	CacheControl                    any    `json:"cache_control"`
	Content                         []wireBlock
	Input                           map[string]any
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// check holds a request against what the SDK's types document and the API
// refuses otherwise: turns alternate and the user begins; no text is blank; each
// call is answered once, at the head of the next turn; at most four cache
// breakpoints; a budget within 1024 and max_tokens; with a budget a turn that
// goes on begins with thinking.
func check(t testing.TB, raw []byte) {
	t.Helper()
	var b wireBody
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	bad := func(format string, args ...any) { t.Fatalf(format+": %s", append(args, raw)...) }
	if n := bytes.Count(raw, []byte(`"cache_control"`)); n > 4 {
		bad("%d cache breakpoints", n)
	}
	if b.Thinking.Type == "enabled" && (b.Thinking.BudgetTokens < 1024 || b.Thinking.BudgetTokens >= b.MaxTokens) {
		bad("budget %d of %d", b.Thinking.BudgetTokens, b.MaxTokens)
	}
	var open []string
	seen := map[string]bool{}
	began := ""
	for i, m := range b.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			bad("message %d is of %s", i, m.Role)
		}
		if len(m.Content) == 0 {
			bad("message %d is empty", i)
		}
		var calls []string
		for j, c := range m.Content {
			switch c.Type {
			case "text":
				if strings.TrimSpace(c.Text) == "" {
					bad("blank text in message %d", i)
				}
			case "thinking":
				if c.Signature == "" && !bytes.Contains(raw, []byte(`"signature":""`)) {
					bad("thinking without a signature in message %d", i)
				}
			case "tool_use":
				if !validID.MatchString(c.ID) || !validID.MatchString(c.Name) || seen[c.ID] || c.Input == nil {
					bad("call %q of %q", c.ID, c.Name)
				}
				seen[c.ID] = true
				calls = append(calls, c.ID)
			case "tool_result":
				if j >= len(open) || open[j] != c.ToolUseID {
					bad("result of %q, open are %v", c.ToolUseID, open)
				}
			}
		}
		if m.Role == "user" {
			if len(m.Content) < len(open) || len(open) > 0 && m.Content[len(open)-1].Type != "tool_result" {
				bad("%d calls are open in message %d", len(open), i)
			}
			if len(open) == 0 {
				began = ""
			}
		} else if began == "" {
			began = m.Content[0].Type
		}
		open = calls
	}
	if b.Thinking.Type == "enabled" && began != "" && began != "thinking" && began != "redacted_thinking" {
		bad("a turn that began with %s goes on thinking", began)
	}
}

// FuzzConversation: whatever a conversation went through and whoever took part,
// the request is valid.
func FuzzConversation(f *testing.F) {
	f.Add("uacbrt", uint8(0))
	f.Add("uowruxwvrru", uint8(1))
	f.Add("zz", uint8(2))
	f.Fuzz(converse)
}

// The same without the fuzzer's instrumentation, which the SDK makes slow.
func TestAnyConversation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		plan := make([]byte, random.IntN(40))
		for i := range plan {
			plan[i] = byte('a' + random.IntN(26))
		}
		converse(t, string(plan), uint8(random.Uint32()))
	}
}

func converse(t *testing.T, plan string, thinking uint8) {
	if len(plan) > 200 {
		return
	}
	in := []message.Message{message.NewUser("begin")}
	var open []string
	for i, r := range plan {
		speaker := []llm.Model{sonnet, gpt, opus}[int(r)%3]
		id := []string{"toolu_%d", "call|%d", "ü %d"}[int(r)%3]
		id = fmt.Sprintf(id, i)
		switch r % 7 {
		case 0:
			in = append(in, message.NewUser(strings.Repeat("u ", i%2), png))
		case 1:
			in = append(in, said(speaker, thought("t", "s"), message.TextOf(strings.Repeat(" ", i%3)), call(id, "read", `{}`)))
			open = append(open, id)
		case 2:
			in = append(in, said(speaker, call(id, "a.b", ``), call(id+"x", "ls", `{"a":1}`)))
			open = append(open, id, id+"x")
		case 3:
			in = append(in, said(speaker, thought("t", strings.Repeat("s", i%2))))
		case 4:
			in = append(in, said(speaker, redacted, message.TextOf("x")))
		case 5:
			in = append(in, message.NewUser("plain"))
		case 6:
			if len(open) > 0 {
				in, open = append(in, returned(open[0], message.TextOf("r"), tiff)), open[1:]
			}
		}
	}
	in = append(in, message.NewUser("end"))
	model := []llm.Model{sonnet, opus}[int(thinking)%2]
	body, _, _ := sent(t, Options{Model: model}, llm.Request{
		Model: model, System: "s", Messages: message.ForModel(in), Tools: tools, Thinking: llm.AllLevels()[int(thinking)%6],
	})
	check(t, body)
}

// The key and headers that each kind of endpoint gets, and nothing that the
// environment says to the SDK.
func TestHeaders(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "from the environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://elsewhere.test")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Environment: yes")
	for name, c := range map[string]struct {
		url, flags, key string
		headers         map[string]string
		want            map[string]string
		wantURL         string
	}{
		"vendor":     {"https://api.anthropic.com/v1", ``, secret, nil, map[string]string{"Authorization": "Bearer " + secret, "X-Api-Key": ""}, "https://api.anthropic.com/v1/messages"},
		"plain":      {"https://service.test", `{}`, secret, nil, map[string]string{"Authorization": "Bearer " + secret, "X-Api-Key": secret, "Anthropic-Version": "2026-10-21"}, "https://service.test/v1/messages"},
		"bearer":     {"https://service.test/anthropic/", `{"authHeader":true}`, secret, nil, map[string]string{"Authorization": "Bearer " + secret, "X-Api-Key": ""}, "https://service.test/anthropic/v1/messages"},
		"api key":    {"https://service.test/v1", `{"authHeader":false}`, secret, nil, map[string]string{"Authorization": "", "X-Api-Key": secret}, "https://service.test/v1/messages"},
		"no key":     {"https://service.test/v1/", ``, "", nil, map[string]string{"Authorization": "", "X-Api-Key": ""}, "https://service.test/v1/messages"},
		"no url":     {"", ``, secret, nil, map[string]string{"Authorization": "Bearer " + secret, "X-Api-Key": ""}, "https://api.anthropic.com/v1/messages"},
		"of the own": {"https://service.test", ``, secret, map[string]string{"authorization": "Basic x", "x-team": "a", "anthropic-beta": "mine"}, map[string]string{"Authorization": "Basic x", "X-Team": "a", "Anthropic-Beta": "interleaved-thinking-2025-05-14,mine"}, "https://service.test/v1/messages"},
	} {
		t.Run(name, func(t *testing.T) {
			m := with(sonnet, c.flags)
			m.BaseURL, m.Headers = c.url, c.headers
			req := ask(m)
			req.Tools, req.Thinking = tools, llm.Low
			_, header, url := sent(t, Options{Model: m, Key: key(c.key)}, req)
			for k, v := range c.want {
				if got := header.Get(k); got != v {
					t.Errorf("%s: %q, want %q", k, got, v)
				}
			}
			if url != c.wantURL {
				t.Errorf("sent to %s", url)
			}
			if text := fmt.Sprint(header); strings.Contains(text, "environment") || header.Get("X-Environment") != "" {
				t.Errorf("the environment leaks into %s", text)
			}
		})
	}
}
