package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/openai"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var update = flag.Bool("update", false, "write golden files")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wires are the folders of the streams and the APIs they belong to.
var wires = map[string]string{"chat": openai.Completions, "responses": openai.Responses}

func model(wire string) llm.Model {
	return llm.Model{
		ID: "m", API: wires[wire], Provider: "acme", BaseURL: "http://acme.test/v1", Reasoning: true, Input: []string{"text", "image"},
		Cost: llm.Price{Input: 1, Output: 10, CacheRead: 0.1}, Compat: json.RawMessage(`{"textToolCalls":true}`),
	}
}

func request(wire string) llm.Request {
	return llm.Request{
		Model: model(wire), Messages: []message.Message{message.NewUser("hi")},
		Tools: []llm.ToolSpec{
			{Name: "read", Description: "Read a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "ls"},
		},
	}
}

// transport answers without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func replay(body io.Reader) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Body: io.NopCloser(body), Request: r}, nil
	}
}

const secret = "sk-secret-key"

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}

func over(m llm.Model, rt http.RoundTripper) llm.Provider {
	return openai.New(openai.Options{
		Model: m, Key: key(secret), HTTP: &http.Client{Transport: rt},
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
}

func ask(t testing.TB, wire string, rt http.RoundTripper) ([]llm.Part, llm.Finished) {
	t.Helper()
	req := request(wire)
	return llmtest.Collect(t, over(req.Model, rt).Stream(t.Context(), req))
}

type stream struct {
	wire, name string
	data       []byte
}

// streams reads testdata/sse. The first line of each names its source.
func streams(t testing.TB) []stream {
	t.Helper()
	var out []stream
	for wire := range wires {
		paths, err := filepath.Glob("testdata/sse/" + wire + "/*.sse")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no streams of %s: %v", wire, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(data, []byte(": ")) {
				t.Errorf("%s names no source", path)
			}
			out = append(out, stream{wire, strings.TrimSuffix(filepath.Base(path), ".sse"), data})
		}
	}
	return out
}

func find(t testing.TB, wire, name string) []byte {
	t.Helper()
	for _, s := range streams(t) {
		if s.wire == wire && s.name == name {
			return s.data
		}
	}
	t.Fatalf("no stream %s/%s", wire, name)
	return nil
}

func show(parts []llm.Part) string {
	var s strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case llm.BlockStarted:
			fmt.Fprintln(&s, strings.TrimSpace(fmt.Sprintf("%d start %s %s %s", p.Index, p.Type, p.ID, p.Name)))
		case llm.BlockDelta:
			fmt.Fprintf(&s, "%d delta %q\n", p.Index, p.Text)
		case llm.BlockEnded:
			data, _ := json.Marshal(p.Block)
			fmt.Fprintf(&s, "%d end   %s\n", p.Index, data)
		case llm.Finished:
			u := p.Message.Usage
			fmt.Fprintf(&s, "finished %s %s, usage in %d out %d read %d written %d total %d, $%.6f\n", p.Message.StopReason, p.Message.ResponseID,
				u.Input, u.Output, u.CacheRead, u.CacheWrite, u.TotalTokens, u.Cost.Total)
			if p.Err != nil {
				fmt.Fprintf(&s, "error %s (%s)\n", p.Err, llm.KindOf(p.Err))
			}
		}
	}
	return s.String()
}

// Every stream gives the same parts whole and in pieces of one byte.
func TestParts(t *testing.T) {
	for _, s := range streams(t) {
		t.Run(s.wire+"/"+s.name, func(t *testing.T) {
			parts, _ := ask(t, s.wire, replay(bytes.NewReader(s.data)))
			golden(t, filepath.Join("testdata/parts", s.wire, s.name+".golden"), show(parts))
			pieces, _ := ask(t, s.wire, replay(iotest.OneByteReader(bytes.NewReader(s.data))))
			if got, want := show(pieces), show(parts); got != want {
				t.Errorf("in pieces\n%s\nwhole\n%s", got, want)
			}
		})
	}
}

// E-1: cut anywhere, by an orderly end or by a broken connection, an answer is
// either complete or says that it broke off, with what had arrived.
func TestCut(t *testing.T) {
	for _, s := range streams(t) {
		t.Run(s.wire+"/"+s.name, func(t *testing.T) {
			t.Parallel()
			_, whole := ask(t, s.wire, replay(bytes.NewReader(s.data)))
			ends := []error{io.EOF, errors.New("connection reset by peer")}
			for i := range s.data {
				end := ends[i%2]
				_, got := ask(t, s.wire, replay(io.MultiReader(bytes.NewReader(s.data[:i]), iotest.ErrReader(end))))
				same := fmt.Sprint(got.Err) == fmt.Sprint(whole.Err)
				if !same && got.Err != nil && !llm.Retryable(got.Err) {
					t.Fatalf("cut at %d by %v: %v", i, end, got.Err)
				}
				if got.Err == nil && got.Message.StopReason != whole.Message.StopReason {
					t.Fatalf("cut at %d by %v: complete as %s, the whole is %s", i, end, got.Message.StopReason, whole.Message.StopReason)
				}
			}
		})
	}
}
