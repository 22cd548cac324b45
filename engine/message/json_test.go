package message

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// roundTrip decodes in, encodes it and decodes that again: the text must be
// want, and both messages the same.
func roundTrip(t *testing.T, in, want string) Message {
	t.Helper()
	var m Message
	if err := json.Unmarshal([]byte(in), &m); err != nil {
		t.Fatalf("decode: %v", err)
	}
	out, err := jsonl.Value(m)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	if string(out) != want {
		t.Errorf("encoded\n got %s\nwant %s", out, want)
	}
	var again Message
	if err := json.Unmarshal(out, &again); err != nil {
		t.Fatalf("decode what was encoded: %v", err)
	}
	if again.Content == nil || m.Content == nil { // an empty list and none are one
		again.Content, m.Content = append([]Block{}, again.Content...), append([]Block{}, m.Content...)
	}
	if !reflect.DeepEqual(m, again) {
		t.Errorf("changed by a round trip\n was %+v\n is  %+v", m, again)
	}
	return m
}

const zeroUsage = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// E-1: every role of both families' session files comes back as it was, or in
// the one form that both read.
func TestRoundTrip(t *testing.T) {
	const same = ""
	for _, test := range []struct{ name, in, want string }{
		{"user", `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","data":"QQ==","mimeType":"image/png"}],"attribution":"user","timestamp":1771237231000}`, same},
		{"user, content a string", `{"role":"user","content":"hi","timestamp":1}`, `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}`},
		{"user, content an empty string", `{"role":"user","content":"","timestamp":1}`, `{"role":"user","content":[{"type":"text","text":""}],"timestamp":1}`},
		{"user, no content", `{"role":"user","timestamp":1}`, `{"role":"user","content":[],"timestamp":1}`},
		{"user, content null", `{"role":"user","content":null,"timestamp":1}`, `{"role":"user","content":[],"timestamp":1}`},
		{"user, synthetic", `{"role":"user","content":[],"attribution":"agent","synthetic":true,"timestamp":1}`, same},
		{"user, no timestamp", `{"role":"user","content":[]}`, `{"role":"user","content":[],"timestamp":0}`},
		{"user, timestamp null", `{"role":"user","content":[],"timestamp":null}`, `{"role":"user","content":[],"timestamp":0}`},
		{"developer", `{"role":"developer","content":[{"type":"text","text":"go on"}],"attribution":"agent","timestamp":1}`, same},
		{"assistant", `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"redactedThinking","data":"xx"},{"type":"text","text":"ok","textSignature":"s"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a<b>&c"},"thoughtSignature":"t"}],"api":"anthropic-messages","provider":"anthropic","model":"m","responseId":"r","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.1,"output":0.2,"cacheRead":0.3,"cacheWrite":0.4,"total":1}},"stopReason":"toolUse","timestamp":1,"duration":1200,"ttft":300}`, same},
		{"assistant, aborted", `{"role":"assistant","content":[],"api":"a","provider":"p","model":"m",` + zeroUsage + `,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":1}`, same},
		{"assistant, fields of one family", `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{},"intent":"look"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"premiumRequests":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1771237233000.75,"duration":12.5,"ttft":0.5}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1771237233000,"duration":12}`},
		{"assistant, no usage", `{"role":"assistant","content":[],"stopReason":"stop","timestamp":1}`, `{"role":"assistant","content":[],` + zeroUsage + `,"stopReason":"stop","timestamp":1}`},
		{"tool call, arguments null", call(`null`), call(`{}`)},
		{"tool call, arguments a list", call(`[1]`), call(`{}`)},
		{"tool call, arguments a string", call(`"{}"`), call(`{}`)},
		{"tool call, no arguments", strings.Replace(call(`{}`), `,"arguments":{}`, "", 1), call(`{}`)},
		{"tool call, malformed", strings.Replace(call(`{}`), `"arguments":{}`, `"arguments":{},"providerId":"call_1","malformedArguments":"{\"a\":"`, 1), strings.Replace(call(`{}`), `"arguments":{}`, `"arguments":{},"providerId":"call_1","malformedArguments":"{\"a\":"`, 1)},
		{"toolResult", `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"}],"details":{"lines":[1,2]},"isError":false,"timestamp":1}`, same},
		{"toolResult, error without name", `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":true,"timestamp":1}`, same},
		{"toolResult, fields of one family", `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[],"isError":false,"isWarning":true,"prunedAt":1,"attribution":"agent","timestamp":1}`, `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[],"isError":false,"attribution":"agent","timestamp":1}`},
		{"bashExecution", `{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":true,"fullOutputPath":"/tmp/x","excludeFromContext":true,"timestamp":1}`, same},
		{"bashExecution, killed", `{"role":"bashExecution","command":"sleep 9","output":"","cancelled":true,"truncated":false,"meta":{},"timestamp":1}`, `{"role":"bashExecution","command":"sleep 9","output":"","cancelled":true,"truncated":false,"timestamp":1}`},
		{"custom", `{"role":"custom","customType":"todo","content":[{"type":"text","text":"x"}],"display":true,"details":{"a":null},"timestamp":1}`, same},
		{"custom, not shown", `{"role":"custom","customType":"todo","content":[],"display":false,"attribution":"agent","timestamp":1}`, same},
		{"custom by its old name", `{"role":"hookMessage","customType":"todo","content":"x","display":true,"timestamp":1}`, `{"role":"custom","customType":"todo","content":[{"type":"text","text":"x"}],"display":true,"timestamp":1}`},
		{"branchSummary", `{"role":"branchSummary","summary":"s","fromId":"0a0b0c0d","timestamp":1}`, same},
		{"compactionSummary", `{"role":"compactionSummary","summary":"s","shortSummary":"t","tokensBefore":0,"timestamp":1}`, same},
		{"fileMention", `{"role":"fileMention","files":[{"path":"a.go","content":"package a","lineCount":1},{"path":"b","skippedReason":"tooLarge","byteSize":9}],"timestamp":1}`, same},
		{"unknown role", `{"role":"pythonExecution","code":"1+1","output":"2","timestamp":1.5,"content":{"any":["thing"]}}`, same},
		{"no role", `{"content":"x"}`, same},
		{"unknown block", `{"role":"user","content":[{"type":"video","data":{"x":1}},{"type":"text","text":"x"}],"timestamp":1}`, same},
		{"unknown role with fields of other types", `{"role":"poll","command":["a"],"usage":7,"timestamp":"soon"}`, same},
		{"html and separators", `{"role":"user","content":[{"type":"text","text":"<b>&\u2028\u0000😀"}],"timestamp":1}`, same},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == same {
				want = test.in
			}
			roundTrip(t, test.in, want)
		})
	}
}

func call(arguments string) string {
	return `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":` + arguments + `}],` + zeroUsage + `,"timestamp":1}`
}

func TestDecodedFields(t *testing.T) {
	m := roundTrip(t, `{"role":"user","content":"hi","timestamp":1771237231000.9}`, `{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1771237231000}`)
	if m.Text() != "hi" || m.Timestamp != 1771237231000 {
		t.Errorf("text %q at %d", m.Text(), m.Timestamp)
	}
	m = roundTrip(t, `{"role":"pythonExecution","code":"1"}`, `{"role":"pythonExecution","code":"1"}`)
	if m.Role != "pythonExecution" || m.Raw == nil {
		t.Errorf("an unknown role became %+v", m)
	}
	m = roundTrip(t, call(`null`), call(`{}`))
	if calls := m.Calls(); len(calls) != 1 || calls[0].Name != "n" || string(calls[0].Arguments) != "{}" {
		t.Errorf("calls %+v", calls)
	}
}

// What was kept whole must not be the decoder's buffer, which changes.
func TestRawIsACopy(t *testing.T) {
	line := []byte(`{"role":"user","content":[{"type":"video","x":1}],"timestamp":1}`)
	var m Message
	if err := m.UnmarshalJSON(line); err != nil {
		t.Fatal(err)
	}
	clear(line)
	if got := string(m.Content[0].Raw); got != `{"type":"video","x":1}` {
		t.Errorf("block became %q", got)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, in := range []string{``, `null x`, `[]`, `"user"`, `{"role":1}`, `{"role":"user","content":17}`, `{"role":"user","content":{}}`,
		`{"role":"user","content":["x"]}`, `{"role":"user","timestamp":"soon"}`, `{"role":"assistant","usage":[]}`, `{"role":"user","content":[`} {
		var m Message
		if err := json.Unmarshal([]byte(in), &m); err == nil {
			t.Errorf("%s was read as %+v", in, m)
		}
	}
}

func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		``: `{}`, `null`: `{}`, `[]`: `{}`, `{`: `{}`, `{}`: `{}`, ` {"a":1} `: `{"a":1}`, `{"a":1}x`: `{}`, `{"a":}`: `{}`,
	} {
		if got := string(Object(json.RawMessage(in))); got != want {
			t.Errorf("Object(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		blocks []Block
		want   string
	}{
		{nil, ""},
		{[]Block{TextOf("a")}, "a"},
		{[]Block{ImageOf("QQ==", "image/png")}, ""},
		{[]Block{TextOf("a"), {Type: ThinkingBlock, Text: "hm"}, ImageOf("QQ==", "image/png"), TextOf("b")}, "a\nb"},
	} {
		if got := Text(test.blocks); got != test.want {
			t.Errorf("%+v says %q, want %q", test.blocks, got, test.want)
		}
	}
}

func TestUsage(t *testing.T) {
	a := Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: Cost{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10}}
	if got := a.ContextTokens(); got != 10 {
		t.Errorf("%d context tokens of the four counts, want 10", got)
	}
	a.TotalTokens = 11
	if got := a.ContextTokens(); got != 11 {
		t.Errorf("%d context tokens, want the total that the provider gave", got)
	}
	want := Usage{Input: 2, Output: 4, CacheRead: 6, CacheWrite: 8, TotalTokens: 22, Cost: Cost{Input: 2, Output: 4, CacheRead: 6, CacheWrite: 8, Total: 20}}
	if got := a.Add(a); got != want {
		t.Errorf("sum %+v, want %+v", got, want)
	}
}

// FuzzMessage: no input panics; what decodes encodes to JSON that decodes to
// the same message.
func FuzzMessage(f *testing.F) {
	for _, in := range []string{
		`{"role":"user","content":"hi","timestamp":1}`, call(`null`), `{"role":"x","content":[]}`,
		`{"role":"bashExecution","command":"ls","exitCode":1}`, `{"role":"fileMention","files":[]}`,
		`{"role":"user","content":[{"type":"video"}],"timestamp":1e3,"details":null}`,
		`{"role":"custom","customType":"a","content":[{"type":"image","data":"QQ=="}],"details":{"a":1}}`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var m, again Message
		if json.Unmarshal(in, &m) != nil {
			return
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s\nbecame %s: %v", in, out, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || string(twice) != string(out) {
			t.Fatalf("%s\nbecame %s\nthen   %s (%v)", in, out, twice, err)
		}
	})
}
