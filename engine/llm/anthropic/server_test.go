package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var update = flag.Bool("update", false, "write the golden files")

const secret = "sk-very-secret"

// sonnet is asked with a budget, opus by effort.
var (
	sonnet = llm.Model{
		ID: "claude-s", Provider: "anthropic", API: API, BaseURL: "http://service.test", Reasoning: true,
		Input: []string{"text", "image"}, ContextWindow: 200_000, MaxTokens: 64_000, Cost: llm.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
	}
	opus = func() llm.Model {
		m := sonnet
		m.ID, m.Levels = "claude-o", []llm.Level{llm.Low, llm.Medium, llm.High, llm.XHigh}
		return m
	}()
)

func ask(m llm.Model) llm.Request {
	return llm.Request{Model: m, Messages: []message.Message{message.NewUser("hi")}}
}

// roundTrip is a service without a socket.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func response(status int, header http.Header, body io.Reader) *http.Response {
	if header == nil {
		header = http.Header{"Content-Type": {"text/event-stream"}}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), ProtoMajor: 1, ProtoMinor: 1}
}

// at returns a provider for m that f answers.
func at(m llm.Model, f roundTrip) llm.Provider {
	return New(Options{Model: m, HTTP: &http.Client{Transport: f}, Key: key(secret)})
}

// sending returns a provider that answers everything with body.
func sending(body func() io.Reader) llm.Provider {
	return at(sonnet, func(req *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, req.Body)
		r := response(200, nil, body())
		r.Request = req
		return r, nil
	})
}

// finish streams to the end and checks the contract on the way.
func finish(t testing.TB, p llm.Provider, req llm.Request) ([]llm.Part, llm.Finished) {
	t.Helper()
	return llmtest.Collect(t, p.Stream(t.Context(), req))
}

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "sse", name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// golden compares text with a file, or writes the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	path = filepath.Join("testdata", path)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// describe lists parts, one a line.
func describe(parts []llm.Part) string {
	var s strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case llm.BlockStarted:
			fmt.Fprintf(&s, "%d started %s %s %s\n", p.Index, p.Type, p.ID, p.Name)
		case llm.BlockDelta:
			fmt.Fprintf(&s, "%d delta %q\n", p.Index, p.Text)
		case llm.BlockEnded:
			fmt.Fprintf(&s, "%d ended %s\n", p.Index, indent(p.Block))
		case llm.Finished:
			fmt.Fprintf(&s, "finished, error %v, kind %s\n%s\n", p.Err, llm.KindOf(p.Err), indent(p.Message))
		}
	}
	return s.String()
}

func indent(v any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

func key(s string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return s, nil }
}
