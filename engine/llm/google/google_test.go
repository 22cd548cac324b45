package google_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/google"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
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

// model takes thinking levels, as the newer ones do.
func model() llm.Model {
	return llm.Model{
		ID: "gemini-3.5-flash", API: google.API, Provider: "google", Reasoning: true, Input: []string{"text", "image"},
		Levels: []llm.Level{llm.Minimal, llm.Low, llm.Medium, llm.High}, Cost: llm.Price{Input: 1, Output: 10, CacheRead: 0.1},
	}
}

func request() llm.Request {
	return llm.Request{Model: model(), Messages: []message.Message{message.NewUser("hi")}}
}

// transport answers without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func replay(status int, body io.Reader) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
	}
}

func over(rt http.RoundTripper) llm.Provider {
	n := 0
	return google.New(google.Options{
		Model: llm.Model{BaseURL: "http://gemini.test/v1beta"},
		Key:   key("secret"),
		HTTP:  &http.Client{Transport: rt},
		Now:   func() time.Time { return time.Unix(1_800_000_000, 0) },
		NewID: func() string { n++; return fmt.Sprintf("made-%d", n) },
	})
}

func ask(t testing.TB, rt http.RoundTripper) ([]llm.Part, llm.Finished) {
	t.Helper()
	return llmtest.Collect(t, over(rt).Stream(t.Context(), request()))
}

// The streams are made of the fields of genai's GenerateContentResponse
// (types.go of v1.77.0); where signatures stand and how chunks are cut follows
// the streams in its chats_test.go.
func streams(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/sse/*.sse")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".sse")] = data
	}
	return out
}

// A stream that the SDK's types don't know would test nothing.
func TestStreamsAreTheSDKs(t *testing.T) {
	for name, data := range streams(t) {
		if name == "malformed_event" || name == "odd_types" || name == "error_inside" {
			continue
		}
		for event := range bytes.SplitSeq(data, []byte("data: ")) {
			if len(event) == 0 {
				continue
			}
			d := json.NewDecoder(bytes.NewReader(event))
			d.DisallowUnknownFields()
			if err := d.Decode(&genai.GenerateContentResponse{}); err != nil {
				t.Errorf("%s: %v in %s", name, err, event)
			}
		}
	}
}

func show(parts []llm.Part) string {
	var s strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case llm.BlockStarted:
			fmt.Fprintf(&s, "%d start %s %s %s\n", p.Index, p.Type, p.ID, p.Name)
		case llm.BlockDelta:
			fmt.Fprintf(&s, "%d delta %q\n", p.Index, p.Text)
		case llm.BlockEnded:
			data, _ := json.Marshal(p.Block)
			fmt.Fprintf(&s, "%d end   %s\n", p.Index, data)
		case llm.Finished:
			u := p.Message.Usage
			fmt.Fprintf(&s, "finished %s %s, usage in %d out %d cache %d total %d, $%.6f\n", p.Message.StopReason, p.Message.ResponseID,
				u.Input, u.Output, u.CacheRead, u.TotalTokens, u.Cost.Total)
			if p.Err != nil {
				fmt.Fprintf(&s, "error %s (%s)\n", p.Err, llm.KindOf(p.Err))
			}
		}
	}
	return s.String()
}

// Every stream gives the same parts whole and in pieces of one byte.
func TestParts(t *testing.T) {
	for name, data := range streams(t) {
		t.Run(name, func(t *testing.T) {
			parts, _ := ask(t, replay(200, bytes.NewReader(data)))
			golden(t, filepath.Join("testdata/parts", name+".golden"), show(parts))
			pieces, _ := ask(t, replay(200, iotest.OneByteReader(bytes.NewReader(data))))
			if got, want := show(pieces), show(parts); got != want {
				t.Errorf("in pieces\n%s\nwhole\n%s", got, want)
			}
		})
	}
}

// Cut anywhere, by an orderly end or by a broken connection, an answer is
// either complete or says that it broke off, with what had arrived.
func TestCut(t *testing.T) {
	for name, data := range streams(t) {
		t.Run(name, func(t *testing.T) {
			_, whole := ask(t, replay(200, bytes.NewReader(data)))
			for i := range data {
				for _, end := range []error{io.EOF, errors.New("connection reset by peer")} {
					body := io.MultiReader(bytes.NewReader(data[:i]), iotest.ErrReader(end))
					_, got := ask(t, replay(200, body))
					same := fmt.Sprint(got.Err) == fmt.Sprint(whole.Err)
					if !same && !llm.Retryable(got.Err) {
						t.Fatalf("cut at %d by %v: %v", i, end, got.Err)
					}
				}
			}
		})
	}
}

func TestBrokeOff(t *testing.T) {
	text := streams(t)["text"]
	_, got := ask(t, replay(200, bytes.NewReader(text[:len(text)-300])))
	if !errors.Is(got.Err, io.ErrUnexpectedEOF) || got.Message.StopReason != message.Error || len(got.Message.Content) == 0 {
		t.Errorf("%+v", got)
	}
	// Once the answer has named its end, the connection's doesn't matter.
	_, got = ask(t, replay(200, io.MultiReader(bytes.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))))
	if got.Err != nil {
		t.Error(got.Err)
	}
}

// Requirement E-1: what keeps a connection alive, and what numbers and names
// events, costs no answer, however it is cut.
func TestLinesThatArentData(t *testing.T) {
	for name, stream := range streams(t) {
		want, end := ask(t, replay(http.StatusOK, bytes.NewReader(stream)))
		for _, noise := range []string{": ping\n\n", ":\n", "id: 7\nretry: 10\n\n", "event: message\n", ": ping\r\n\r\n", "\n"} {
			noisy := []byte(noise + strings.ReplaceAll(string(stream), "\ndata:", "\n"+noise+"data:") + noise)
			for _, cut := range []io.Reader{bytes.NewReader(noisy), iotest.OneByteReader(bytes.NewReader(noisy))} {
				got, e := ask(t, replay(http.StatusOK, cut))
				if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(e.Message.Content, end.Message.Content) || fmt.Sprint(e.Err) != fmt.Sprint(end.Err) {
					t.Errorf("%s with %q: %v, without: %v", name, noise, e.Err, end.Err)
				}
			}
		}
	}
}

// The SDK logs what happens to the connection; a terminal program can't have
// that on its screen.
func TestNothingIsLogged(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	body := struct {
		io.Reader
		io.Closer
	}{iotest.ErrReader(errors.New("connection reset by peer")), badCloser{}}
	_, end := ask(t, transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body}, nil
	}))
	if end.Err == nil || end.Err.Error() != "google: read the answer: connection reset by peer" {
		t.Error(end.Err)
	}
	if logged.Len() > 0 {
		t.Errorf("logged %q", &logged)
	}
}

type badCloser struct{}

func (badCloser) Close() error { return errors.New("can't close") }

// FuzzStream: whatever a server sends, the stream keeps its contract.
func FuzzStream(f *testing.F) {
	for _, data := range streams(f) {
		f.Add(data)
	}
	for _, s := range []string{
		"data: {\"candidates\":[{\"citationMetadata\":1}]}\n\n",
		"data: {\"error\":{\"code\":429,\"details\":[{\"@type\":\"google.rpc.RetryInfo\",\"retryDelay\":\"-1s\"}]}}\n\n",
		"data: null\n\n", ": comment\n\n", "event: x\ndata: {}\n\n",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"x\",\"args\":\"{\"}}]}}]}\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ask(t, replay(200, bytes.NewReader(data)))
	})
}

// Only the SDK's own panics become errors; the caller's stay the caller's.
func TestCallersPanic(t *testing.T) {
	defer func() {
		if got := recover(); got != "mine" {
			t.Errorf("recovered %v", got)
		}
	}()
	for range over(replay(200, bytes.NewReader(streams(t)["text"]))).Stream(t.Context(), request()) {
		panic("mine")
	}
}
