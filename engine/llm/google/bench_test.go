package google_test

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/genai"

	"net/http"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

func manyDeltas(n int) []byte {
	var b bytes.Buffer
	for range n {
		b.WriteString("data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"word \"}]},\"index\":0}],\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n")
	}
	fmt.Fprint(&b, "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\",\"index\":0}]}\r\n\r\n")
	return b.Bytes()
}

// BenchmarkStream is 20,000 deltas through the provider; BenchmarkBare the same
// through nothing but the SDK.
func BenchmarkStream(b *testing.B) {
	data := manyDeltas(20_000)
	for b.Loop() {
		for range over(replay(200, bytes.NewReader(data))).Stream(b.Context(), request()) {
		}
	}
}

func BenchmarkBare(b *testing.B) {
	data := manyDeltas(20_000)
	once := false
	for b.Loop() {
		client, err := genai.NewClient(b.Context(), &genai.ClientConfig{
			APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: replay(200, bytes.NewReader(data))},
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range client.Models.GenerateContentStream(b.Context(), "m", genai.Text("hi"), &genai.GenerateContentConfig{AutomaticContinuation: &once}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkOneRequest is what a short answer costs.
func BenchmarkOneRequest(b *testing.B) {
	data := streams(b)["text"]
	var p llm.Provider
	for b.Loop() {
		p = over(replay(200, bytes.NewReader(data)))
		for range p.Stream(b.Context(), request()) {
		}
	}
}
