package session

import (
	"reflect"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// The messages that fill a session go the fast way and come out the same.
func TestFastMessage(t *testing.T) {
	const usage = `"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.1,"output":0,"cacheRead":1e-3,"cacheWrite":0.25,"total":0.35}}`
	for _, test := range []struct {
		name, raw string
		fast      bool
	}{
		{"user", `{"role":"user","content":[{"type":"text","text":"hi"}],"attribution":"user","timestamp":1}`, true},
		{"user, string", `{"role":"user","content":"hi","timestamp":1}`, true},
		{"user, image", `{"role":"user","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}],"synthetic":true,"timestamp":1}`, true},
		{"white space", " { \"role\" : \"user\" ,\r\n\t\"content\" : [ { \"type\" : \"text\" , \"text\" : \"hi\" } ] , \"timestamp\" : 1 } ", true},
		{"escapes", `{"role":"user","content":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800 \udc00\ud800\u0041 é","timestamp":1}`, true},
		{"assistant", `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"text","text":"ok","textSignature":"t"},{"type":"toolCall","id":"c","name":"n","arguments":{"a":[1,{"b":"}"}]},"providerId":"p","thoughtSignature":"u"}],"api":"a","provider":"p","model":"m","responseId":"r",` + usage + `,"stopReason":"error","errorMessage":"e","timestamp":1,"duration":2,"ttft":3}`, true},
		{"tool result", `{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"text","text":"x"}],"details":{"a":null},"isError":true,"timestamp":1}`, true},
		{"no content", `{"role":"user","content":[],"timestamp":0}`, true},
		{"other role", `{"role":"custom","customType":"x","content":"a","display":true,"timestamp":1}`, false},
		{"other block", `{"role":"user","content":[{"type":"video"}],"timestamp":1}`, false},
		{"fraction", `{"role":"user","content":[],"timestamp":1.5}`, false},
		{"field of another program", `{"role":"user","content":[],"timestamp":1,"new":true}`, false},
		{"null", `{"role":"user","content":null,"timestamp":null}`, false},
		{"arguments null", `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":null}],"timestamp":1}`, false},
		{"broken UTF-8", "{\"role\":\"user\",\"content\":\"\xff\",\"timestamp\":1}", false},
		{"key with escapes", `{"role":"user","\u0063ontent":"hi","timestamp":1}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var fast, general message.Message
			if got := fastMessage(&fast, []byte(test.raw)); got != test.fast {
				t.Fatalf("fast: %t", got)
			}
			if err := general.UnmarshalJSON([]byte(test.raw)); err != nil {
				t.Fatal(err)
			}
			if test.fast && !reflect.DeepEqual(fast, general) {
				t.Errorf("fast    %+v\ngeneral %+v", fast, general)
			}
			m, err := decodeMessage([]byte(test.raw))
			if err != nil || !reflect.DeepEqual(*m, general) {
				t.Errorf("decoded %+v %v\ngeneral %+v", m, err, general)
			}
		})
	}
	for _, raw := range []string{``, `{`, `{}x`, `{"role":"user","content":"a}`, `{"role":"user","content":["a",]}`, `{"role":"user","content":"\x"}`, `{"role":"user","content":"\u12"}`, `{"role":"user",}`, `{"role":"user" "content":""}`} {
		if m, err := decodeMessage([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, m)
		}
	}
}
