package openai_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
)

const deltas = 20_000

// long is a stream of many small pieces of text.
func long(wire string) []byte {
	var s strings.Builder
	for i := range deltas {
		if wire == "chat" {
			fmt.Fprintf(&s, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1725392480,"model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"w%03d "},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i%1000)
		} else {
			fmt.Fprintf(&s, "event: response.output_text.delta\n"+`data: {"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"w%03d ","logprobs":[],"obfuscation":"x7Jk2p"}`+"\n\n", i, i%1000)
		}
	}
	if wire == "chat" {
		s.WriteString(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	} else {
		s.WriteString(`data: {"type":"response.completed","response":{"id":"resp_1","status":"completed"}}` + "\n\n")
	}
	return []byte(s.String())
}

// Goal: a stream through the provider takes under 1.5 times of the SDK alone.
func BenchmarkStream(b *testing.B) {
	for wire := range wires {
		data := long(wire)
		b.Run(wire+"/provider", func(b *testing.B) {
			for b.Loop() {
				req := request(wire)
				n := 0
				for p := range over(req.Model, replay(bytes.NewReader(data))).Stream(b.Context(), req) {
					if _, ok := p.(llm.BlockDelta); ok {
						n++
					}
				}
				if n != deltas {
					b.Fatalf("%d deltas", n)
				}
			}
		})
		b.Run(wire+"/sdk", func(b *testing.B) {
			for b.Loop() {
				if n := bare(b, wire, data); n != deltas*5 {
					b.Fatalf("%d bytes", n)
				}
			}
		})
	}
}

// bare reads the text with the SDK and nothing else.
func bare(b *testing.B, wire string, data []byte) int {
	client := sdk.NewClient(option.WithBaseURL("http://acme.test/v1"), option.WithAPIKey("k"), option.WithHTTPClient(&http.Client{Transport: replay(bytes.NewReader(data))}))
	var text strings.Builder
	if wire == "chat" {
		stream := client.Chat.Completions.NewStreaming(b.Context(), sdk.ChatCompletionNewParams{Model: "m"})
		for stream.Next() {
			text.WriteString(stream.Current().Choices[0].Delta.Content)
		}
		if stream.Err() != nil {
			b.Fatal(stream.Err())
		}
		return text.Len()
	}
	stream := client.Responses.NewStreaming(b.Context(), responses.ResponseNewParams{Model: "m"})
	for stream.Next() {
		text.WriteString(stream.Current().Delta)
	}
	if stream.Err() != nil {
		b.Fatal(stream.Err())
	}
	return text.Len()
}

// A server may send anything in any event: the answer ends well or with an
// error, and keeps the contract.
func FuzzEvents(f *testing.F) {
	for _, s := range streams(f) {
		if len(s.data) < 3000 {
			f.Add(s.wire == "chat", s.data)
		}
	}
	f.Add(true, []byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"id\":\"\",\"function\":{\"name\":\"\"}}]}}]}\n\n"))
	f.Add(false, []byte("data: {\"type\":\"response.output_item.done\",\"output_index\":-5,\"item\":{\"type\":\"function_call\",\"arguments\":7}}\n\n"))
	f.Fuzz(func(t *testing.T, chat bool, data []byte) {
		wire := "responses"
		if chat {
			wire = "chat"
		}
		_, end := ask(t, wire, replay(bytes.NewReader(data)))
		req := request(wire)
		req.Messages = append(req.Messages, end.Message)
		llmtest.Collect(t, over(req.Model, replay(bytes.NewReader(nil))).Stream(t.Context(), req))
	})
}
