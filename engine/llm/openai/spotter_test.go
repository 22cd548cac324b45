package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
)

func spotted(text string, size int) (shown string, found []printedCall) {
	s := newSpotter([]llm.ToolSpec{{Name: "read"}, {Name: "ls"}})
	var out strings.Builder
	for len(text) > 0 {
		n := min(size, len(text))
		out.WriteString(s.write(text[:n]))
		text = text[n:]
	}
	found = s.end()
	out.WriteString(s.rest())
	return out.String(), found
}

func TestSpotter(t *testing.T) {
	const obj = `{"name": "read", "arguments": {"path": "a\"}{.go"}}`
	const args = `{"path": "a\"}{.go"}`
	for _, c := range []struct {
		name  string
		text  string
		shown string
		calls string
	}{
		{"plain text", "Hello <b> `x` {y} world", "Hello <b> `x` {y} world", ""},
		{"tag", "<tool_call>" + obj + "</tool_call>", "", "read" + args},
		{"tag after text", "I look. <tool_call>\n" + obj + "\n</tool_call>\n", "I look. ", "read" + args},
		{"two tags", "<tool_call>" + obj + "</tool_call>\n<tool_call>{\"name\":\"ls\",\"arguments\":{}}</tool_call>", "", "read" + args + " ls{}"},
		{"tag of an unknown tool", `<tool_call>{"name":"fly","arguments":{}}</tool_call>`, "", "fly{}"},
		{"tag without arguments", `<tool_call>{"name":"ls"}</tool_call>`, "", "ls{}"},
		{"tag cut by a stop word", "<tool_call>\n" + obj + "\n", "", "read" + args},
		{"half a closer", "<tool_call>" + obj + "</tool_", "", "read" + args},
		{"fence", "```json\n" + obj + "\n```", "", "read" + args},
		{"fence with windows lines", "```json\r\n" + obj + "\r\n```\r\n", "", "read" + args},
		{"bare fence after text", "So:\n```\n" + obj + "\n```\n", "So:\n", "read" + args},
		{"tool_call fence", "```tool_call\n" + obj + "\n```\n", "", "read" + args},
		{"bare", obj, "", "read" + args},
		{"bare after a line", "I look.\n" + obj + "\n", "I look.\n", "read" + args},
		{"bare, indented", "  " + obj, "  ", "read" + args},
		{"parameters", `{"type":"function","name":"ls","parameters":{"a":1}}`, "", `ls{"a":1}`},
		{"quoted arguments", `{"name":"ls","arguments":"{\"a\":1}"}`, "", `ls{"a":1}`},
		{"null arguments", `{"name":"ls","arguments":null}`, "", `ls{}`},
		{"arguments first", `{"arguments":{},"name":"ls"}`, "", `ls{}`},

		{"text after the tag", "<tool_call>" + obj + "</tool_call> as said", "<tool_call>" + obj + "</tool_call> as said", ""},
		{"text after the fence", "```json\n" + obj + "\n```\nis how.", "```json\n" + obj + "\n```\nis how.", ""},
		{"call after a released one", obj + " no.\n" + obj, obj + " no.\n", "read" + args},
		{"unknown tool", `{"name":"fly","arguments":{}}`, `{"name":"fly","arguments":{}}`, ""},
		{"no arguments", `{"name":"ls"}`, `{"name":"ls"}`, ""},
		{"list as arguments", `{"name":"ls","arguments":[]}`, `{"name":"ls","arguments":[]}`, ""},
		{"other fields", `{"name":"ls","arguments":{},"version":"1"}`, `{"name":"ls","arguments":{},"version":"1"}`, ""},
		{"within a line", "Call " + obj, "Call " + obj, ""},
		{"within another fence", "```python\n" + obj + "\n```\n", "```python\n" + obj + "\n```\n", ""},
		{"cut object", `{"name":"ls","argum`, `{"name":"ls","argum`, ""},
		{"broken object", `{"name":"ls",,"arguments":{}}`, `{"name":"ls",,"arguments":{}}`, ""},
		{"code", "{\n  return 1\n}\n", "{\n  return 1\n}\n", ""},
		{"JSON", "{\"a\": {\"name\": \"ls\"}}", "{\"a\": {\"name\": \"ls\"}}", ""},
		{"opener within an opener", "<tool_<tool_call>" + obj + "</tool_call>", "<tool_", "read" + args},
		{"tag after a false fence", "```json\n<tool_call>" + obj + "</tool_call>", "```json\n", "read" + args},
		{"unicode", "ü<tool_call>" + obj, "ü", "read" + args},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.text); size++ {
				shown, found := spotted(c.text, size)
				var calls []string
				for _, f := range found {
					calls = append(calls, f.name+f.arguments)
				}
				if got := strings.Join(calls, " "); shown != c.shown || got != c.calls {
					t.Fatalf("in pieces of %d: %q and %s, want %q and %s", size, shown, got, c.shown, c.calls)
				}
			}
		})
	}
}

// Text is shown as soon as it can't be a call.
func TestSpotterIsPrompt(t *testing.T) {
	for text, want := range map[string]string{
		"a < b":                  "a < b",
		"a <tool":                "a ",
		"func() {":               "func() {",
		"{\n\tx":                 "{\n\tx",
		`{"other": `:             `{"other": `,
		"```go\n":                "```go\n",
		"``` \n":                 "``` \n",
		"see `x`":                "see `x`",
		`{"name":"left-pad","ve`: "",
	} {
		s := newSpotter([]llm.ToolSpec{{Name: "ls"}})
		if got := s.write(text); got != want {
			t.Errorf("of %q %q is shown, want %q", text, got, want)
		}
	}
	s := newSpotter(nil)
	long := `{"name":"` + strings.Repeat("x", heldLimit)
	if got := s.write(long); len(got) < heldLimit {
		t.Errorf("%d bytes are held", len(long)-len(got))
	}
}

// What goes in as text comes out as text or as calls, in any pieces.
func FuzzSpotter(f *testing.F) {
	f.Add("I look.\n<tool_call>{\"name\":\"ls\",\"arguments\":{}}</tool_call>", uint8(3))
	f.Add("```json\n{\"name\":\"read\",\"arguments\":{}}\n```", uint8(1))
	f.Add("{\"name\":\"ls\",\"parameters\":\"{}\"}\n{", uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		whole, calls := spotted(text, max(len(text), 1))
		if !strings.HasPrefix(text, whole) {
			t.Fatalf("%q is no beginning of %q", whole, text)
		}
		if len(calls) == 0 && whole != text {
			t.Fatalf("%q became %q without a call", text, whole)
		}
		for _, c := range calls {
			var fields map[string]json.RawMessage
			if c.name == "" || json.Unmarshal([]byte(c.arguments), &fields) != nil {
				t.Fatalf("call %+v", c)
			}
		}
		pieces, again := spotted(text, int(max(size, 1)))
		if pieces != whole || fmt.Sprint(again) != fmt.Sprint(calls) {
			t.Fatalf("in pieces %q %v, whole %q %v", pieces, again, whole, calls)
		}
	})
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		name   string
		schema string
		want   bool
	}{
		{"all required", `{"type":"object","properties":{"a":{"type":"string","description":"x"}},"required":["a"],"additionalProperties":false}`, true},
		{"nothing to pass", `{"type":"object","properties":{},"additionalProperties":false}`, true},
		{"nested", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":["string","null"]}},"required":["b"],"additionalProperties":false}}},"required":["a"],"additionalProperties":false}`, true},
		{"choice", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/x"}]}},"required":["a"],"additionalProperties":false,"$defs":{"x":{"type":"integer"}}}`, true},
		{"optional", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, false},
		{"open", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, false},
		{"nested and optional", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}},"required":["a"],"additionalProperties":false}`, false},
		{"optional in a definition", `{"type":"object","properties":{},"additionalProperties":false,"$defs":{"x":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}}}`, false},
		{"optional in a choice", `{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}]}},"required":["a"],"additionalProperties":false}`, false},
		{"required twice", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","a"],"additionalProperties":false}`, false},
		{"unknown keyword", `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"],"additionalProperties":false}`, false},
		{"anything", `{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}`, false},
		{"list of anything", `{"type":"object","properties":{"a":{"type":"array"}},"required":["a"],"additionalProperties":false}`, false},
		{"choice at the top", `{"type":"object","anyOf":[{"type":"object"}]}`, false},
		{"no object", `{"type":"string"}`, false},
		{"boolean schema", `{"type":"object","properties":{"a":true},"required":["a"],"additionalProperties":false}`, false},
		{"too deep", strings.Repeat(`{"type":"object","properties":{"a":`, 12) + `{"type":"string"}` + strings.Repeat(`},"required":["a"],"additionalProperties":false}`, 12), false},
		{"no JSON", `{`, false},
		{"nothing", ``, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strict(json.RawMessage(c.schema)); got != c.want {
				t.Errorf("strict is %v", got)
			}
		})
	}
}

func TestCompat(t *testing.T) {
	for url, want := range map[string]func(compat) bool{
		"https://api.openai.com/v1": func(c compat) bool {
			return c.SupportsStore && c.MaxTokensField == "max_completion_tokens" && c.KeyHeader == ""
		},
		"https://x.openai.azure.com/openai/v1":   func(c compat) bool { return c.SupportsStrictMode && c.KeyHeader == "api-key" },
		"https://api.openai.com.evil.example/v1": func(c compat) bool { return !c.SupportsStore },
		"https://notapi.openai.com/v1":           func(c compat) bool { return !c.SupportsStore },
		"http://localhost:11434/v1": func(c compat) bool {
			return !c.SupportsStore && c.MaxTokensField == "max_tokens" && c.SupportsUsageInStreaming
		},
		"https://openrouter.ai/api/v1":             func(c compat) bool { return c.ThinkingFormat == "openrouter" },
		"https://dashscope-intl.aliyuncs.com/x/v1": func(c compat) bool { return c.ThinkingFormat == "qwen" },
		"https://api.mistral.ai/v1":                func(c compat) bool { return c.RequiresMistralToolIDs && !c.SupportsUsageInStreaming },
		"https://API.openai.com/v1":                func(c compat) bool { return c.SupportsStore },
	} {
		if c := compatOf(llm.Model{BaseURL: url}); !want(c) {
			t.Errorf("%s: %+v", url, c)
		}
	}
	if c := compatOf(llm.Model{BaseURL: "https://api.openai.com/v1", Compat: json.RawMessage(`{"supportsStore":false}`)}); c.SupportsStore || !c.SupportsStrictMode {
		t.Errorf("settings change more or less than they say: %+v", c)
	}
}

// E-2: a server's numbers and dates are anything.
func FuzzWait(f *testing.F) {
	for _, s := range []string{"7", "1m2s", "1800000005000", "-1", "1e300", "NaN", "Fri, 15 Jan 2027 08:00:30 GMT", "try again in 9999999h"} {
		f.Add(s)
	}
	now := time.Unix(1_800_000_000, 0)
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms", "X-Ratelimit-Reset"} {
			if d := retryAfter(429, map[string][]string{name: {s}}, now); d < 0 || d > patience.Longest {
				t.Errorf("%s %q asks for %v", name, s, d)
			}
		}
		if d := askedWait(s); d < 0 || d > patience.Longest {
			t.Errorf("%q asks for %v", s, d)
		}
	})
}
