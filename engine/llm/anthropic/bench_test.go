package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// long is a stream of n text deltas.
func long(tb testing.TB, n int) []byte {
	tb.Helper()
	whole := recorded(tb, "text")
	head, _, _ := bytes.Cut(whole, []byte("event: content_block_delta"))
	i := bytes.Index(whole, []byte("event: content_block_stop"))
	var b bytes.Buffer
	b.Write(head)
	for k := range n {
		fmt.Fprintf(&b, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%05d\"}}\n\n", k)
	}
	b.Write(whole[i:])
	return b.Bytes()
}

// BenchmarkStream is to be held against BenchmarkBareLoop: under 1.5 times.
func BenchmarkStream(b *testing.B) {
	body := long(b, 20_000)
	p := sending(func() io.Reader { return bytes.NewReader(body) })
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for part := range p.Stream(b.Context(), ask(sonnet)) {
			if _, ok := part.(llm.BlockDelta); ok {
				n++
			}
		}
		if n != 20_000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkBareLoop is the least that the SDK needs for the same stream.
func BenchmarkBareLoop(b *testing.B) {
	body := long(b, 20_000)
	service := anthropic.NewMessageService(option.WithBaseURL("http://service.test"), option.WithoutOpenTelemetry(),
		option.WithHTTPClient(&http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return response(200, nil, bytes.NewReader(body)), nil
		})}))
	b.ReportAllocs()
	for b.Loop() {
		stream := service.NewStreaming(b.Context(), anthropic.MessageNewParams{Model: "m", MaxTokens: 1, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))}})
		n := 0
		for stream.Next() {
			if stream.Current().Type == "content_block_delta" {
				n++
			}
		}
		if n != 20_000 || stream.Err() != nil {
			b.Fatal(n, stream.Err())
		}
	}
}

// BenchmarkLongConversation is one request with 2,000 messages behind it: what
// each of hundreds of tool calls pays.
func BenchmarkLongConversation(b *testing.B) {
	in := []message.Message{message.NewUser("go")}
	for i := range 1000 {
		id := fmt.Sprintf("toolu_%04d", i)
		in = append(in, said(sonnet, message.TextOf(strings.Repeat("a", 300)), call(id, "read", `{"path":"abc"}`)),
			returned(id, message.TextOf(strings.Repeat("line <of> text\n", 100))))
	}
	body := recorded(b, "text")
	p := sending(func() io.Reader { return bytes.NewReader(body) })
	req := llm.Request{Model: sonnet, System: "s", Messages: in, Tools: tools}
	for b.Loop() {
		for range p.Stream(b.Context(), req) {
		}
	}
}
