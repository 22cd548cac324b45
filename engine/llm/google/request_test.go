package google_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// sent returns the request that a provider with these options makes.
func sent(t *testing.T, o google.Options, req llm.Request) (*http.Request, []byte) {
	t.Helper()
	var got *http.Request
	var body []byte
	count := 0
	o.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		count++
		got, body = r, nil
		body, _ = io.ReadAll(r.Body)
		return replay(500, strings.NewReader(""))(r)
	})}
	llmtest.Collect(t, google.New(o).Stream(t.Context(), req))
	if count != 1 {
		t.Fatalf("%d requests, want one", count)
	}
	return got, body
}

const (
	png    = "iVBORw0KGgo="
	schema = `{"type":"object","properties":{"path":{"type":"string","minLength":1},"deep":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}},"required":["path"],"additionalProperties":false}`
)

func call(id, provider, signature, args string) message.Block {
	return message.Block{Type: message.ToolCallBlock, ID: id, ProviderID: provider, Name: "read", Signature: signature, Arguments: json.RawMessage(args)}
}

func result(id string, blocks ...message.Block) message.Message {
	return message.Message{Role: message.ToolResult, ToolCallID: id, ToolName: "read", Content: blocks}
}

func by(m llm.Model, blocks ...message.Block) message.Message {
	return message.Message{Role: message.Assistant, API: m.API, Provider: m.Provider, Model: m.ID, Content: blocks}
}

// conversation holds what a session may: own and foreign answers, each kind of
// block, results out of order with the user's words between.
func conversation(m llm.Model) []message.Message {
	other := llm.Model{API: "anthropic-messages", Provider: "anthropic", ID: "claude"}
	failed := result("toolu|2", message.TextOf("no such file"))
	failed.IsError = true
	thought := message.Block{Type: message.ThinkingBlock, Text: "hm", Signature: "dGg="}
	return message.ForModel([]message.Message{
		message.NewUser("look", message.ImageOf(png, "image/png"), message.ImageOf(png, "image/gif"), message.ImageOf("!", "image/png")),
		by(other, thought, message.Block{Type: message.RedactedBlock, Data: "x"}, message.TextOf("I read."), call("toolu|1", "", "bm90IHlvdXJz", `{"path":"a<b"}`), call("toolu|2", "", "", `{}`)),
		message.NewUser("meanwhile"),
		failed,
		result("toolu|1", message.TextOf("text"), message.TextOf("more"), message.ImageOf(png, "image/png")),
		by(m, thought, message.Block{Type: message.ThinkingBlock, Signature: "bG9uZQ=="}, message.Block{Type: message.TextBlock, Text: "Now I", Signature: "dGV4dA=="},
			call("own-1", "fc-1", "c2ln", `{"n":12345678901,"path":"b"}`), call("own-2", "", "", `{"path":"c"}`)),
		result("own-1", message.ImageOf(png, "image/png")),
		result("own-2", message.TextOf("")),
		by(m, message.TextOf(" "), message.TextOf("Done.")),
		message.NewUser("thanks"),
	})
}

func TestRequestBody(t *testing.T) {
	levels, budget, blind := model(), model(), model()
	budget.ID, budget.Levels = "gemini-2.5-flash", nil
	blind.Input, blind.Reasoning = []string{"text"}, false
	tools := []llm.ToolSpec{{Name: "read", Description: "Reads.", Parameters: json.RawMessage(schema)}, {Name: "now"}}
	for name, req := range map[string]llm.Request{
		"plain":  {Model: blind, Messages: []message.Message{message.NewUser("hi")}},
		"levels": {Model: levels, System: "Be brief.", Thinking: llm.High, MaxTokens: 4000, Tools: tools, Messages: conversation(levels)},
		"budget": {Model: budget, System: " ", Thinking: llm.Low, Tools: tools, Messages: conversation(budget)},
		"blind":  {Model: blind, Messages: conversation(blind)},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := json.Marshal(req.Messages)
			_, body := sent(t, google.Options{}, req)
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, body, "", "  "); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			golden(t, filepath.Join("testdata/requests", name+".json"), pretty.String())
			if after, _ := json.Marshal(req.Messages); !bytes.Equal(before, after) {
				t.Error("the messages, which others read too, were changed")
			}
		})
	}
}

func TestThinking(t *testing.T) {
	levels, few, budget, must, flagged, renamed := model(), model(), model(), model(), model(), model()
	few.Levels = []llm.Level{llm.Low, llm.High}
	budget.Levels, must.Levels = nil, nil
	must.Compat = json.RawMessage(`{"thinkingRequired":true}`)
	flagged.Compat = json.RawMessage(`{"thinkingFormat":"budget"}`)
	renamed.Levels = []llm.Level{llm.High, llm.XHigh}
	renamed.Compat = json.RawMessage(`{"reasoningEffortMap":{"xhigh":"max"}}`)
	odd := budget
	odd.Compat = json.RawMessage(`{"thinkingFormat":7}`)
	for name, c := range map[string]struct {
		model llm.Model
		level llm.Level
		max   int
		want  string
	}{
		"level":                {levels, llm.Medium, 0, `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`},
		"too high a level":     {levels, llm.XHigh, 0, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`},
		"a level renamed":      {renamed, llm.XHigh, 0, `{"includeThoughts":true,"thinkingLevel":"MAX"}`},
		"off is the least":     {levels, llm.Off, 0, `{"thinkingLevel":"MINIMAL"}`},
		"off of few":           {few, "", 0, `{"thinkingLevel":"LOW"}`},
		"between":              {few, llm.Medium, 0, `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
		"budget":               {budget, llm.Minimal, 0, `{"includeThoughts":true,"thinkingBudget":1024}`},
		"high budget":          {budget, llm.XHigh, 0, `{"includeThoughts":true,"thinkingBudget":16384}`},
		"budget below the max": {budget, llm.High, 3000, `{"includeThoughts":true,"thinkingBudget":1500}`},
		"no budget":            {budget, llm.Off, 0, `{"thinkingBudget":0}`},
		"can't be off":         {must, llm.Off, 0, `{"thinkingBudget":128}`},
		"flag":                 {flagged, llm.Low, 0, `{"includeThoughts":true,"thinkingBudget":2048}`},
		"odd flag":             {odd, llm.Low, 0, `{"includeThoughts":true,"thinkingBudget":2048}`},
	} {
		t.Run(name, func(t *testing.T) {
			req := request()
			req.Model, req.Thinking, req.MaxTokens = c.model, c.level, c.max
			_, body := sent(t, google.Options{}, req)
			var got struct {
				GenerationConfig struct{ ThinkingConfig json.RawMessage }
			}
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			if string(got.GenerationConfig.ThinkingConfig) != c.want {
				t.Errorf("%s, want %s", got.GenerationConfig.ThinkingConfig, c.want)
			}
		})
	}
}

func TestEndpoint(t *testing.T) {
	const path = "/models/gemini-3.5-flash:streamGenerateContent?alt=sse"
	for base, want := range map[string]string{
		"": "https://generativelanguage.googleapis.com/v1beta" + path,
		"https://generativelanguage.googleapis.com/v1beta":  "https://generativelanguage.googleapis.com/v1beta" + path,
		"https://generativelanguage.googleapis.com/v1beta/": "https://generativelanguage.googleapis.com/v1beta" + path,
		"http://127.0.0.1:8089":                             "http://127.0.0.1:8089/v1beta" + path,
		"https://gateway.test/team/google/v1":               "https://gateway.test/team/google/v1" + path,
		"https://gateway.test/gemini":                       "https://gateway.test/gemini" + path,
	} {
		t.Run(base, func(t *testing.T) {
			r, _ := sent(t, google.Options{Model: llm.Model{BaseURL: base}}, request())
			if got := r.URL.String(); got != want || r.Method != http.MethodPost {
				t.Errorf("%s %s, want %s", r.Method, got, want)
			}
		})
	}
}

// Nothing of the environment reaches the request, and nothing tells of the
// user's tool chain.
func TestHeaders(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "https://elsewhere.test")
	r, _ := sent(t, google.Options{}, request())
	if r.URL.Host != "generativelanguage.googleapis.com" || r.Header.Get("x-goog-api-key") != "" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
	r, _ = sent(t, google.Options{Key: key("secret"), Model: llm.Model{Headers: map[string]string{"X-Team": "a", "user-agent": "me"}}}, request())
	for name, want := range map[string]string{"X-Goog-Api-Key": "secret", "X-Team": "a", "User-Agent": "me", "X-Goog-Api-Client": "", "Content-Type": "application/json"} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
