package remote

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// FuzzParse: whatever comes is a request or an error, and the answer to either
// is JSON that fits into a message.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"request_id":"a","input":{"Text":"hi"},"stream":true,"":false,"use_tools":false,"config":{"max_tokens":1,"prompt":"x"}}`,
		`{"request_id":"a","input":{"Multi":[{"Image":{"data":"aGk="}},{"File":{"filename":"a","content_type":"b","data":""}},"Interrupt"]}}`,
		`{"request_id":"a","input":{"ToolConfirmationResponse":{"name":"t","arguments":{},"approved":true,"reason":null}}}`,
		`{"request_id":"a","input":{"Instruction":{"command":"help","parameters":{"args":["x"]}}}}`, `"GetCommands"`, "\xff", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parse(data)
		if err == nil && r.input == nil {
			t.Fatal("a request without an input")
		}
		answer := failure("Failed to parse request: x")
		if err != nil {
			answer = failure(err.Error())
		}
		if answer.id = r.id; len(r.id) > 1000 {
			return
		}
		raw := answer.appendTo(nil, Both)
		if !json.Valid(raw) || len(raw) > maxFrame {
			t.Fatalf("answered %q", raw)
		}
		if in, ok := r.input.(instruction); ok {
			_, _ = commandArgs(in.parameters)
		}
	})
}

// FuzzChunks: however an answer is cut, the chunks are whole characters, small
// enough, and the same text.
func FuzzChunks(f *testing.F) {
	f.Add("abc مرحبا 你好 👩‍🚀", 1, 3)
	f.Add(strings.Repeat("你", 50000), 7, 100000)
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		text = strings.ToValidUTF8(text, "")
		a, b = min(max(a, 0), len(text)), min(max(b, 0), len(text))
		a, b = min(a, b), max(a, b)
		s := newStory(true)
		var got strings.Builder
		from := 0
		for _, to := range []int{a, b, len(text)} {
			for _, c := range s.event(event.MessageDelta{ID: "m", Block: message.TextBlock, From: from, Text: text[:to]}) {
				if !utf8.Valid(c.chunk) || len(c.chunk) > maxChunk {
					t.Fatalf("a chunk of %d bytes: %q", len(c.chunk), c.chunk)
				}
				got.Write(c.chunk)
			}
			from = to
		}
		if got.String() != text {
			t.Fatalf("%q came as %q", text, got.String())
		}
	})
}

// FuzzOrigin: an origin that passes as our own has our own host.
func FuzzOrigin(f *testing.F) {
	f.Add("http://127.0.0.1:8080", "127.0.0.1:8080")
	f.Add("null", "")
	f.Add("http://evil.example@127.0.0.1", "127.0.0.1")
	f.Fuzz(func(t *testing.T, origin, host string) {
		g := &guard{}
		if !g.own(origin, host) {
			return
		}
		u, err := url.Parse(origin)
		if err != nil || u.User != nil || !strings.EqualFold(strings.TrimSuffix(u.Host, ":80"), strings.TrimSuffix(host, ":80")) {
			t.Fatalf("%q passes for %q", origin, host)
		}
	})
}

// W-3: no frame is larger than clients take, whatever the text is made of.
func TestFrameSizes(t *testing.T) {
	for _, text := range []string{"a", "\x00", "\"", "你", "\u2028", "\x7f", "<"} {
		long := strings.Repeat(text, maxFrame/len(text)+1)
		raw := textFrame(long).appendTo(nil, Both)
		var g got
		if err := json.Unmarshal(raw, &g); err != nil || len(raw) >= maxFrame || !strings.HasSuffix(g.text(), cutNote) {
			t.Errorf("%q: %d bytes, %v", text, len(raw), err)
		}
		for _, c := range chunks(long) {
			if raw := c.appendTo(nil, Both); len(raw) >= maxFrame {
				t.Errorf("%q: a chunk of %d bytes", text, len(raw))
			}
		}
	}
	huge := encoded(map[string]string{"path": "a", "content": strings.Repeat("x", 2*maxFrame)})
	if raw := (frame{kind: kindToolAsk, value: toolAsk{"write", arguments(huge), nil}}).appendTo(nil, Both); len(raw) >= maxFrame || !strings.Contains(string(raw), `"path":"a"`) {
		t.Errorf("a question of %d bytes", len(raw))
	}
}
