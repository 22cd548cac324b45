package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// machine answers for every address without a socket. An answer is the body
// for "address path", or for POST "address path model".
type machine struct {
	answers map[string]string

	mu    sync.Mutex
	asked []string
}

func (m *machine) RoundTrip(r *http.Request) (*http.Response, error) {
	name := r.URL.Host + r.URL.RequestURI()
	if r.Method == http.MethodPost {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		name += " " + body.Model
	}
	m.mu.Lock()
	m.asked = append(m.asked, name)
	m.mu.Unlock()
	answer, ok := m.answers[name]
	if !ok {
		return nil, fmt.Errorf("connection refused")
	}
	w := httptest.NewRecorder()
	if rest, found := strings.CutPrefix(answer, "redirect "); found {
		w.Header().Set("Location", rest)
		w.WriteHeader(http.StatusTemporaryRedirect)
	} else {
		io.WriteString(w, answer)
	}
	return w.Result(), nil
}

func (m *machine) hosts() []string {
	var out []string
	for _, name := range m.asked {
		host, _, _ := strings.Cut(name, "/")
		out = append(out, host)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func find(t *testing.T, m *machine, o Options) []Model {
	t.Helper()
	o.HTTP = &http.Client{Transport: m}
	return Find(t.Context(), o)
}

func describe(models []Model) string {
	var s strings.Builder
	for _, m := range models {
		fmt.Fprintf(&s, "%s %s %d/%d %v reasoning=%v | %s\n", m.Ref(), m.BaseURL, m.ContextWindow, m.MaxTokens, m.Input, m.Reasoning, m.Note)
	}
	return s.String()
}

func TestOllama(t *testing.T) {
	m := &machine{answers: map[string]string{
		"127.0.0.1:11434/api/tags":           `{"models":[{"name":"gpt:cloud","remote_host":"https://ollama.com:443"},{"name":"plain:7b"},{"name":"asked:7b"},{"name":"tiny:1b"},{"name":"embed:1b"},{"name":"run:4b"},{"name":"mute:1b"},{"name":"evil\u001b[2J"}]}`,
		"127.0.0.1:11434/api/ps":             `{"models":[{"name":"run:4b","context_length":32768}]}`,
		"127.0.0.1:11434/api/show gpt:cloud": `{"capabilities":["completion","tools"],"model_info":{"gpt.context_length":131072}}`,
		"127.0.0.1:11434/api/show plain:7b":  `{"capabilities":["completion"],"model_info":{"general.architecture":"x","x.context_length":131072}}`,
		"127.0.0.1:11434/api/show asked:7b":  `{"capabilities":["completion","tools","vision","thinking"],"parameters":"temperature    0.7\nnum_ctx                        16384\n","model_info":{"x.context_length":131072}}`,
		"127.0.0.1:11434/api/show tiny:1b":   `{"capabilities":["completion"],"model_info":{"x.context_length":2048}}`,
		"127.0.0.1:11434/api/show embed:1b":  `{"capabilities":["embedding"],"model_info":{"x.context_length":2048}}`,
		"127.0.0.1:11434/api/show run:4b":    `{"capabilities":["completion","tools"],"model_info":{"x.context_length":40960}}`,
	}}
	const small = "too small for the tools: start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx for the model"
	want := `ollama/run:4b http://127.0.0.1:11434/v1 32768/16384 [text] reasoning=false | 
ollama/plain:7b http://127.0.0.1:11434/v1 4096/2048 [text] reasoning=false | plain:7b will probably run with a context window of 4096 tokens, ` + small + `
ollama/asked:7b http://127.0.0.1:11434/v1 16384/8192 [text image] reasoning=true | 
ollama/tiny:1b http://127.0.0.1:11434/v1 2048/1024 [text] reasoning=false | tiny:1b will probably run with a context window of 2048 tokens, ` + small + `
ollama/mute:1b http://127.0.0.1:11434/v1 4096/2048 [text] reasoning=false | mute:1b will probably run with a context window of 4096 tokens, ` + small + `
ollama/gpt:cloud http://127.0.0.1:11434/v1 131072/16384 [text] reasoning=false | gpt:cloud runs at ollama.com:443, not on this machine
`
	models := find(t, m, Options{})
	if got := describe(models); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if first := models[0]; first.API != "openai-completions" || string(first.Compat) != `{"textToolCalls":true}` || first.Clamp(llm.High) != llm.Off {
		t.Errorf("%+v", first)
	}
	for _, model := range find(t, m, Options{Getenv: env("OLLAMA_CONTEXT_LENGTH", "65536")}) {
		if model.ID == "plain:7b" && (model.ContextWindow != 65536 || model.Note != "") {
			t.Errorf("with OLLAMA_CONTEXT_LENGTH: %+v", model)
		}
	}
}

func TestOthers(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"LM Studio": {map[string]string{
			"127.0.0.1:1234/api/v0/models": `{"object":"list","data":[{"id":"idle","type":"llm","state":"not-loaded","max_context_length":131072},{"id":"busy","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":8192},{"id":"embed","type":"embeddings","state":"loaded"},{"id":"old","type":"llm","state":"loaded"}]}`,
		}, `lmstudio/busy http://127.0.0.1:1234/v1 8192/4096 [text image] reasoning=false | 
lmstudio/old http://127.0.0.1:1234/v1 8192/4096 [text] reasoning=false | the server doesn't tell the context window of old; 8192 tokens are assumed
lmstudio/idle http://127.0.0.1:1234/v1 4096/2048 [text] reasoning=false | idle will probably run with a context window of 4096 tokens, too small for the tools: load it in LM Studio with a context length of 32768
`},
		"LM Studio without its own API": {map[string]string{
			"127.0.0.1:1234/v1/models": `{"object":"list","data":[{"id":"a"}]}`,
		}, "lmstudio/a http://127.0.0.1:1234/v1 8192/4096 [text] reasoning=false | the server doesn't tell the context window of a; 8192 tokens are assumed\n"},
		"llama.cpp": {map[string]string{
			"127.0.0.1:8080/v1/models":                               `{"object":"list","data":[{"id":"q/wen.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"127.0.0.1:8080/props?autoload=false&model=q%2Fwen.gguf": `{"default_generation_settings":{"n_ctx":4096},"total_slots":4,"modalities":{"vision":true}}`,
		}, "llamacpp/q/wen.gguf http://127.0.0.1:8080/v1 4096/2048 [text image] reasoning=false | q/wen.gguf runs with a context window of 4096 tokens, too small for the tools: start llama-server with -c 32768\n"},
		"llama.cpp with slots alone": {map[string]string{
			"127.0.0.1:8080/v1/models":                    `{"object":"list","data":[{"id":"q"}]}`,
			"127.0.0.1:8080/slots?autoload=false&model=q": `[{"id":0,"n_ctx":16384}]`,
		}, "llamacpp/q http://127.0.0.1:8080/v1 16384/8192 [text] reasoning=false | \n"},
		"vLLM": {map[string]string{
			"127.0.0.1:8000/v1/models": `{"object":"list","data":[{"id":"org/big","owned_by":"vllm","max_model_len":32768},{"id":"odd","max_model_len":-5},{"id":"huge","max_model_len":1e300}]}`,
		}, `vllm/org/big http://127.0.0.1:8000/v1 32768/16384 [text] reasoning=false | 
vllm/odd http://127.0.0.1:8000/v1 8192/4096 [text] reasoning=false | the server doesn't tell the context window of odd; 8192 tokens are assumed
vllm/huge http://127.0.0.1:8000/v1 8192/4096 [text] reasoning=false | the server doesn't tell the context window of huge; 8192 tokens are assumed
`},
		"something else at these ports": {map[string]string{
			"127.0.0.1:8000/v1/models":     `{"data":[{"id":"a"}]}`,
			"127.0.0.1:8080/v1/models":     `<html>`,
			"127.0.0.1:1234/api/v0/models": `[]`,
			"127.0.0.1:11434/api/tags":     `{"models":"none"}`,
		}, ""},
		"redirects": {map[string]string{
			"127.0.0.1:8000/v1/models": "redirect http://127.0.0.1:9999/v1/models",
			"127.0.0.1:9999/v1/models": `{"object":"list","data":[{"id":"a"}]}`,
		}, ""},
		"nobody": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{answers: c.answers}
			if got := describe(find(t, m, Options{})); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if slices.Contains(m.hosts(), "127.0.0.1:9999") {
				t.Error("a redirect was followed")
			}
		})
	}
}

// Nothing but loopback addresses is asked, and never a port of ours.
func TestAddresses(t *testing.T) {
	rest := []string{"127.0.0.1:1234", "127.0.0.1:8000", "127.0.0.1:8080"}
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"usual":    {Options{}, append([]string{"127.0.0.1:11434"}, rest...)},
		"our port": {Options{Own: []string{"0.0.0.0:8080", "[::]:8000", "odd"}}, []string{"127.0.0.1:11434", "127.0.0.1:1234"}},
		"given": {Options{Servers: []Server{{VLLM, "127.0.0.1:7001"}, {VLLM, "10.0.0.1:8000"}, {VLLM, "models.test:8000"}, {VLLM, "localhost:8000"}, {VLLM, "[::1]:7002"}, {VLLM, "127.0.0.1:7001"}, {VLLM, "127.0.0.1:0"}}},
			[]string{"127.0.0.1:7001", "[::1]:7002"}},
		"nobody given":            {Options{Servers: []Server{}}, nil},
		"OLLAMA_HOST":             {Options{Getenv: env("OLLAMA_HOST", "127.0.0.1:11500")}, append([]string{"127.0.0.1:11500"}, rest...)},
		"OLLAMA_HOST elsewhere":   {Options{Getenv: env("OLLAMA_HOST", "10.1.2.3:11434")}, append([]string{"127.0.0.1:11434"}, rest...)},
		"OLLAMA_HOST at our port": {Options{Own: []string{":11500"}, Getenv: env("OLLAMA_HOST", "127.0.0.1:11500")}, rest},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{}
			find(t, m, c.o)
			want := slices.Sorted(slices.Values(c.want))
			if got := m.hosts(); !slices.Equal(got, want) {
				t.Errorf("asked %v, want %v", got, want)
			}
		})
	}
}

func TestOllamaAddress(t *testing.T) {
	for s, want := range map[string]string{
		"":                             "",
		"127.0.0.1":                    "127.0.0.1:11434",
		" 'localhost:1111' ":           "127.0.0.1:1111",
		":1111":                        "127.0.0.1:1111",
		"0.0.0.0":                      "127.0.0.1:11434",
		"0.0.0.0:1111":                 "127.0.0.1:1111",
		"[::]:1111":                    "[::1]:1111",
		"[::1]":                        "[::1]:11434",
		"::1":                          "[::1]:11434",
		"http://127.0.0.2:1111/ollama": "127.0.0.2:1111",
		"http://localhost":             "127.0.0.1:80",
		"https://localhost:1111":       "",
		"ollama.test:1111":             "",
		"127.0.0.1.evil.test":          "",
		"192.168.0.7":                  "",
		"127.0.0.1:http":               "",
		"127.0.0.1:99999":              "",
		"user@127.0.0.1:1111":          "",
		"http://":                      "",
	} {
		got, ok := ollamaAddress(s)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// A server that hangs costs the time limit once, and takes nothing from the
// others.
func TestHangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{answers: map[string]string{"127.0.0.1:8000/v1/models": `{"object":"list","data":[{"id":"a","max_model_len":32768}]}`}}
		start := time.Now()
		got := Find(context.Background(), Options{HTTP: &http.Client{Transport: hanging{m}}})
		if took := time.Since(start); took != 300*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if len(got) != 1 || got[0].Ref() != "vllm/a" {
			t.Error(describe(got))
		}
	})
}

type hanging struct{ m *machine }

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Port() == "8000" {
		return h.m.RoundTrip(r)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Without a client of the caller's, a real socket is used, and the environment's
// proxy isn't.
func TestSocket(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"object":"list","data":[{"id":"a","max_model_len":32768}]}`)
	}))
	defer s.Close()
	address := strings.TrimPrefix(s.URL, "http://")
	got := Find(t.Context(), Options{Servers: []Server{{VLLM, address}}, Timeout: 10 * time.Second})
	if len(got) != 1 || got[0].BaseURL != s.URL+"/v1" {
		t.Error(describe(got))
	}
}

// FuzzAnswers: whatever a server says, a model can be shown and used.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"models":[{"name":"a","context_length":1}]}`, `{"capabilities":["completion"],"parameters":"num_ctx 9","model_info":{"x.context_length":5}}`)
	f.Add(`{"object":"list","data":[{"id":"a","max_model_len":32768,"type":"llm","state":"loaded","loaded_context_length":1e9}]}`, `{"default_generation_settings":{"n_ctx":0.5}}`)
	f.Add(`[{"n_ctx":3}]`, `{"models":[null]}`)
	f.Fuzz(func(t *testing.T, list, detail string) {
		rt := anything(func(r *http.Request) string {
			switch r.URL.Path {
			case "/api/show", "/props", "/slots":
				return detail
			}
			return list
		})
		for _, m := range Find(t.Context(), Options{HTTP: &http.Client{Transport: rt}, Timeout: time.Minute}) {
			if !cleanID(m.ID) || m.ContextWindow < 1 || m.MaxTokens < 1 || m.MaxTokens > m.ContextWindow || len(m.Note) > 1000 {
				t.Errorf("%+v", m)
			}
		}
	})
}

type anything func(*http.Request) string

func (f anything) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f(r)))}, nil
}
