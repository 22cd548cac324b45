package anthropic

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// The streams of testdata/sse are built from the fields of the SDK's types
// (MessageStreamEventUnion and below, message.go of anthropic-sdk-go v2.15.0);
// the usage of their first event is messageStartWithUsage of its
// messageutil_test.go.
func streams(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/sse/*.sse")
	if err != nil || len(paths) == 0 {
		t.Fatal("no streams", err)
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(p), ".sse")
	}
	return paths
}

// E-1, E-2: the parts of each stream, however it is cut into reads.
func TestStreams(t *testing.T) {
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			body := recorded(t, name)
			parts, _ := finish(t, sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet))
			golden(t, filepath.Join("sse", name+".golden"), describe(parts))
			pieces, _ := finish(t, sending(func() io.Reader { return iotest.OneByteReader(bytes.NewReader(body)) }), ask(sonnet))
			if got, want := describe(pieces), describe(parts); got != want {
				t.Errorf("in pieces\n%s\nwhole\n%s", got, want)
			}
		})
	}
}

// E-1: wherever a stream breaks off, what had arrived is kept, and only what
// had its reason to stop counts as an answer.
func TestCutAtEveryByte(t *testing.T) {
	for _, name := range streams(t) {
		t.Run(name, func(t *testing.T) {
			body := recorded(t, name)
			_, whole := finish(t, sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet))
			how := []error{io.EOF, io.ErrUnexpectedEOF, errors.New("connection reset by peer")}
			for n := range len(body) {
				_, end := finish(t, sending(func() io.Reader {
					return io.MultiReader(bytes.NewReader(body[:n]), iotest.ErrReader(how[n%len(how)]))
				}), ask(sonnet))
				switch answered := bytes.Contains(body[:n], []byte("event: message_stop")); {
				case answered && describe([]llm.Part{end}) != describe([]llm.Part{whole}):
					t.Fatalf("cut at %d: %s", n, describe([]llm.Part{end}))
				case end.Err == nil && !bytes.Contains(body[:n], []byte(`"stop_reason":"`)):
					t.Fatalf("cut at %d without an error: %s", n, describe([]llm.Part{end}))
				case end.Err != nil && whole.Err == nil && !llm.Retryable(end.Err):
					t.Fatalf("cut at %d: %v is not retried", n, end.Err)
				}
			}
		})
	}
}

func TestBrokenOff(t *testing.T) {
	body, _, _ := bytes.Cut(recorded(t, "text"), []byte("wörld"))
	_, end := finish(t, sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet))
	if !errors.Is(end.Err, io.ErrUnexpectedEOF) || llm.KindOf(end.Err) != llm.Unavailable || end.Message.Text() != "Hello, " {
		t.Errorf("%v, text %q", end.Err, end.Message.Text())
	}
}

// E-2: what breaks the wire's rules is an error that is tried again, and
// neither a panic nor silence.
func TestMalformedEvents(t *testing.T) {
	event := func(kind, data string) string { return "event: " + kind + "\ndata: " + data + "\n\n" }
	open := event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for name, body := range map[string]string{
		"no JSON":                 event("message_start", `{"type":"message_start",`),
		"array":                   event("message_start", `[]`),
		"a delta of no block":     event("content_block_delta", `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`),
		"the end of no block":     event("content_block_stop", `{"type":"content_block_stop","index":3}`),
		"two starts":              open + open,
		"a delta of another kind": open + event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`),
		"a call without a name":   event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"","input":{}}}`),
		"no reason to stop":       open + event("message_stop", `{"type":"message_stop"}`),
		"an error in no form":     open + event("error", `oh no`),
		"nothing":                 "",
		"a page":                  "<html><body>Welcome</body></html>",
	} {
		t.Run(name, func(t *testing.T) {
			_, end := finish(t, sending(func() io.Reader { return strings.NewReader(body) }), ask(sonnet))
			if !llm.Retryable(end.Err) || end.Message.StopReason != message.Error {
				t.Errorf("%v, stop reason %s", end.Err, end.Message.StopReason)
			}
		})
	}
}

func TestConformance(t *testing.T) {
	body := recorded(t, "thinking")
	llmtest.Run(t, llmtest.Subject{
		New: func(*testing.T) (llm.Provider, llm.Request) {
			return sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet)
		},
		Failing: func(*testing.T) (llm.Provider, llm.Request) {
			return at(sonnet, func(*http.Request) (*http.Response, error) {
				return response(529, http.Header{}, strings.NewReader(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)), nil
			}), ask(sonnet)
		},
	})
}

// Damage of any kind ends in an answer or an error. It stands in for long runs
// of the fuzzer, whose instrumentation the SDK makes slow.
func TestDamagedStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range streams(t) {
		whole := recorded(t, name)
		for range 100 {
			body := bytes.Clone(whole)
			for range 1 + random.IntN(4) {
				at, n := random.IntN(len(body)), random.IntN(40)
				switch end := min(len(body), at+n); random.IntN(4) {
				case 0:
					body[at] = byte(random.Uint32())
				case 1:
					body = slices.Delete(body, at, end)
				case 2:
					body = slices.Insert(body, at, whole[random.IntN(len(whole)):]...)
				case 3: // one value in the place of another
					body = bytes.Replace(body, []byte(`"index":0`), []byte([]string{`"index":-1`, `"index":"x"`, `"index":1e30`, `"delta":[]`}[n%4]), 1+n%3)
				}
				if len(body) == 0 {
					break
				}
			}
			finish(t, sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet))
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, name := range []string{"text", "thinking", "overloaded", "foreign_blocks"} {
		f.Add(recorded(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		finish(t, sending(func() io.Reader { return bytes.NewReader(body) }), ask(sonnet))
	})
}
