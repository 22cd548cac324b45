package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/openai"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// richest is the stream of each wire with most kinds of parts.
var richest = map[string]string{"chat": "calls", "responses": "reasoning_calls"}

func serve(t testing.TB, h http.HandlerFunc) (url string, client *http.Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func TestConformance(t *testing.T) {
	for wire, name := range richest {
		t.Run(wire, func(t *testing.T) {
			data := find(t, wire, name)
			url, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				var body struct{ Model string }
				if json.NewDecoder(r.Body).Decode(&body); body.Model == "missing" {
					w.WriteHeader(http.StatusNotFound)
					io.WriteString(w, `{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}`)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.Write(data)
			})
			subject := func(id string) func(*testing.T) (llm.Provider, llm.Request) {
				return func(*testing.T) (llm.Provider, llm.Request) {
					req := request(wire)
					req.Model.ID, req.Model.BaseURL = id, url+"/v1"
					return openai.New(openai.Options{Model: req.Model, Key: key(secret), HTTP: client}), req
				}
			}
			llmtest.Run(t, llmtest.Subject{New: subject("m"), Failing: subject("missing")})
		})
	}
}

// A stop of the caller or the end of the context closes the connection: the
// server's handler sees its request end.
func TestAbort(t *testing.T) {
	for wire, name := range richest {
		events := strings.SplitAfter(string(find(t, wire, name)), "\n\n")
		for stage := range len(events) - 2 {
			t.Run(fmt.Sprintf("%s cancel after %d events", wire, stage), func(t *testing.T) {
				sent, closed := make(chan struct{}), make(chan struct{})
				req, client := hanging(t, wire, events[:stage], sent, closed)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { <-sent; cancel() }()
				_, end := llmtest.Collect(t, openai.New(openai.Options{Model: req.Model, HTTP: client}).Stream(ctx, req))
				if !errors.Is(end.Err, context.Canceled) || end.Message.StopReason != message.Aborted {
					t.Errorf("%v, %s", end.Err, end.Message.StopReason)
				}
				wait(t, closed)
			})
		}
		t.Run(wire+" break", func(t *testing.T) {
			sent, closed := make(chan struct{}), make(chan struct{})
			req, client := hanging(t, wire, events[:len(events)-2], sent, closed)
			for range openai.New(openai.Options{Model: req.Model, HTTP: client}).Stream(t.Context(), req) {
				break
			}
			wait(t, closed)
		})
	}
}

// hanging is a request to a server that says a few events and no more.
func hanging(t *testing.T, wire string, events []string, sent, closed chan struct{}) (llm.Request, *http.Client) {
	url, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, strings.Join(events, ""))
		http.NewResponseController(w).Flush()
		close(sent)
		<-r.Context().Done()
		close(closed)
	})
	req := request(wire)
	req.Model.BaseURL = url
	return req, client
}

func wait(t *testing.T, closed chan struct{}) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("the connection is still open")
	}
}

// A server that falls silent is given up after the idle time, counted from
// its last byte.
func TestStall(t *testing.T) {
	const so = `data: {"id":"1","choices":[{"index":0,"delta":{"content":"so"}}]}` + "\n\n"
	for name, before := range map[string]string{"before the headers": "", "inside the stream": so} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, end := ask(t, "chat", transport(func(r *http.Request) (*http.Response, error) {
					if before == "" {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					pr, pw := io.Pipe()
					go func() {
						for range 3 {
							time.Sleep(4 * time.Minute) // on the bubble's clock
							io.WriteString(pw, before)
						}
						<-r.Context().Done()
						pw.CloseWithError(r.Context().Err())
					}()
					return &http.Response{StatusCode: 200, Body: pr, Header: http.Header{}}, nil
				}))
				want := 5 * time.Minute
				if before != "" {
					want += 12 * time.Minute
				}
				if got := time.Since(start); got != want {
					t.Errorf("given up after %v, want %v", got, want)
				}
				if llm.KindOf(end.Err) != llm.Unavailable || !strings.Contains(end.Err.Error(), "no data for 5m0s") {
					t.Error(end.Err)
				}
				if before != "" && end.Message.Text() != "sososo" {
					t.Errorf("text %q", end.Message.Text())
				}
			})
		})
	}
}

// A caller that takes its time between parts is no stall.
func TestSlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := request("chat")
		var end llm.Finished
		for p := range over(req.Model, replay(strings.NewReader(string(find(t, "chat", "text"))))).Stream(t.Context(), req) {
			time.Sleep(time.Hour) // on the bubble's clock
			end, _ = p.(llm.Finished)
		}
		if end.Err != nil {
			t.Error(end.Err)
		}
	})
}

// What a service answers instead of a stream. The bodies are those that the
// services and servers named here send, the texts shortened.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		header  http.Header
		body    string
		kind    llm.Kind
		wait    time.Duration
		message string
	}{
		{"OpenAI key", 401, nil, `{"error":{"message":"Incorrect API key provided: sk-secret-key.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, llm.Auth, 0, "Incorrect API key provided: …."},
		{"OpenAI model", 404, nil, `{"error":{"message":"The model does not exist","type":"invalid_request_error","code":"model_not_found"}}`, llm.BadRequest, 0, "The model does not exist"},
		{"OpenAI limit", 429, http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"2"}}, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`, llm.RateLimit, 1500 * time.Millisecond, "Rate limit reached"},
		{"limit in seconds", 429, http.Header{"Retry-After": {"7"}}, `{}`, llm.RateLimit, 7 * time.Second, "{}"},
		{"limit until a date", 429, http.Header{"Retry-After": {time.Unix(1_800_000_030, 0).UTC().Format(http.TimeFormat)}}, ``, llm.RateLimit, 30 * time.Second, "too many requests"},
		{"limit in the past", 429, http.Header{"Retry-After": {time.Unix(1_700_000_000, 0).UTC().Format(http.TimeFormat)}}, ``, llm.RateLimit, 0, "too many requests"},
		{"limit by reset", 429, http.Header{"X-Ratelimit-Reset-Requests": {"1m2s"}, "X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Tokens": {"9m"}, "X-Ratelimit-Remaining-Tokens": {"5"}}, ``, llm.RateLimit, 62 * time.Second, "too many requests"},
		{"OpenRouter reset", 429, http.Header{"X-Ratelimit-Reset": {"1800000005000"}}, `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min."}}`, llm.RateLimit, 5 * time.Second, "Rate limit exceeded: free-models-per-min."},
		{"Groq in words", 429, nil, `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s. Visit us","type":"tokens","code":"rate_limit_exceeded"}}`, llm.RateLimit, 62500 * time.Millisecond, "Rate limit reached. Please try again in 1m2.5s. Visit us"},
		{"too many tokens is a limit", 429, nil, `{"error":{"message":"too many tokens per minute"}}`, llm.RateLimit, 0, "too many tokens per minute"},
		{"quota", 429, nil, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, llm.RateLimit, 0, "You exceeded your current quota"},
		{"no wait in a bad request", 400, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"No."}}`, llm.BadRequest, 0, "No."},
		{"reset stated with a failure", 500, http.Header{"X-Ratelimit-Reset-Requests": {"6m"}}, `{"error":{"message":"Oops.","type":"server_error"}}`, llm.Unavailable, 0, "Oops."},
		{"overloaded", 503, http.Header{"Retry-After": {"3"}}, `{"error":{"message":"That model is overloaded","type":"server_error"}}`, llm.Overloaded, 3 * time.Second, "That model is overloaded"},
		{"overloaded by status", 529, nil, `{"error":{"message":"Busy","code":"server_error"}}`, llm.Overloaded, 0, "Busy"},
		{"gateway page", 502, http.Header{"Content-Type": {"text/html"}}, "<html>\n<h1>502 Bad\x1b[31m Gateway</h1></html>", llm.Unavailable, 0, "<html> <h1>502 Bad[31m Gateway</h1></html>"},
		{"nothing", 500, nil, ``, llm.Unavailable, 0, "internal server error"},
		{"Azure filter", 400, nil, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400}}`, llm.Filtered, 0, "The response was filtered"},
		{"OpenAI overflow", 400, nil, `{"error":{"message":"Too much.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.Overflow, 0, "Too much."},
		{"llama.cpp overflow", 400, nil, `{"error":{"code":400,"message":"the request exceeds it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, llm.Overflow, 0, "the request exceeds it"},
		{"LM Studio overflow", 400, nil, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, llm.Overflow, 0, ""},
		{"Ollama overflow", 500, nil, `{"error":{"message":"the input length exceeds the context length","type":"api_error"}}`, llm.Overflow, 0, ""},
		{"vLLM overflow", 400, nil, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}`, llm.Overflow, 0, ""},
		{"vLLM overflow, newer", 400, nil, `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}}`, llm.Overflow, 0, ""},
		{"Copilot overflow", 400, nil, `{"error":{"message":"prompt token count of 200000 exceeds the limit of 128000"}}`, llm.Overflow, 0, ""},
		{"xAI overflow", 400, nil, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, llm.Overflow, 0, ""},
		{"OpenRouter behind", 400, nil, `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":\"maximum context length is 10\"}","provider_name":"X"}}}`, llm.Overflow, 0, ""},
		{"detail", 422, nil, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, llm.BadRequest, 0, `[{"loc":["body"],"msg":"field required"}]`},
		{"JSON instead of a stream", 200, http.Header{"Content-Type": {"application/json"}}, `{"error":{"code":429,"message":"Slow down."}}`, llm.RateLimit, 0, "Slow down."},
		{"an error of another type", 200, http.Header{"Content-Type": {"text/plain"}}, `{"error":{"type":"overloaded_error","message":"Busy."}}`, llm.Overloaded, 0, "Busy."},
		{"a whole answer", 200, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, `{"choices":[]}`, llm.BadRequest, 0, `answered without a stream: {"choices":[]}`},
		{"odd types", 400, nil, `{"error":{"code":{},"message":["a"],"type":7,"metadata":"x"}}`, llm.BadRequest, 0, `["a"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, end := ask(t, "chat", transport(func(r *http.Request) (*http.Response, error) {
				h := c.header
				if h == nil {
					h = http.Header{"Content-Type": {"application/json"}}
				}
				return &http.Response{StatusCode: c.status, Header: h, Body: io.NopCloser(strings.NewReader(c.body)), Request: r}, nil
			}))
			var e *llm.Error
			if !errors.As(end.Err, &e) {
				t.Fatalf("%T %v", end.Err, end.Err)
			}
			if e.Kind != c.kind || e.RetryAfter != c.wait || e.Provider != "acme" || c.status >= 400 && e.Status != c.status {
				t.Errorf("%+v", *e)
			}
			if c.message != "" && e.Message != c.message {
				t.Errorf("message %q, want %q", e.Message, c.message)
			}
			if want := message.Error; c.kind != llm.Filtered && end.Message.StopReason != want || c.kind == llm.Filtered && end.Message.StopReason != message.Refusal {
				t.Errorf("stop reason %s", end.Message.StopReason)
			}
			if strings.Contains(e.Error(), secret) {
				t.Errorf("the key is in %q", e.Error())
			}
		})
	}
}

// A body without an end is read only so far.
func TestEndlessRefusal(t *testing.T) {
	_, end := ask(t, "chat", transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: io.NopCloser(endless{}), Request: r}, nil
	}))
	if len(end.Err.Error()) > 2000 || llm.KindOf(end.Err) != llm.Unavailable {
		t.Errorf("%d bytes of error, %s", len(end.Err.Error()), llm.KindOf(end.Err))
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Failures below the wire may be tried again and name no secret.
func TestUnreachable(t *testing.T) {
	req := request("chat")
	req.Model.BaseURL = "http://user:hunter22@acme.test/v1?token=hunter22"
	_, end := llmtest.Collect(t, over(req.Model, transport(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("dial: connection refused for sk-secret-key")
	})).Stream(t.Context(), req))
	if text := end.Err.Error(); text != "acme: can't reach acme.test: dial: connection refused for …" || !llm.Retryable(end.Err) {
		t.Errorf("%s, %s", text, llm.KindOf(end.Err))
	}
}

func TestUnusable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*openai.Options)
		want   string
	}{
		"no address":    {func(o *openai.Options) { o.Model.BaseURL = "" }, "set baseUrl"},
		"no URL":        {func(o *openai.Options) { o.Model.BaseURL = "http://a b" }, "set baseUrl"},
		"broken compat": {func(o *openai.Options) { o.Model.Compat = json.RawMessage(`{"supportsStore":"yes"}`) }, "compat settings of model m can't be read"},
		"no key": {func(o *openai.Options) {
			o.Key = func(context.Context) (string, error) { return "", errors.New("the vault is locked") }
		}, "the vault is locked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := openai.Options{Model: model("chat"), HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				t.Error("a request was made")
				return nil, io.EOF
			})}}
			c.change(&o)
			req := request("chat")
			_, end := llmtest.Collect(t, openai.New(o).Stream(t.Context(), req))
			if !strings.Contains(end.Err.Error(), c.want) || llm.Retryable(end.Err) {
				t.Errorf("%v (%s)", end.Err, llm.KindOf(end.Err))
			}
		})
	}
}

// Neither the key nor the user's headers follow a redirect to another host.
func TestRedirect(t *testing.T) {
	elsewhere := 0
	other, client := serve(t, func(w http.ResponseWriter, r *http.Request) { elsewhere++ })
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/steal", http.StatusTemporaryRedirect)
	})
	req := request("chat")
	req.Model.BaseURL, req.Model.Headers = url, map[string]string{"X-Token": "hunter22"}
	_, end := llmtest.Collect(t, openai.New(openai.Options{Model: req.Model, Key: key(secret), HTTP: client}).Stream(t.Context(), req))
	if end.Err == nil || elsewhere != 0 {
		t.Errorf("%v, %d requests elsewhere", end.Err, elsewhere)
	}
}

// Nothing of the environment or this machine goes out, and one attempt is one.
func TestHeaders(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS", "OPENAI_BASE_URL", "OPENAI_ADMIN_KEY"} {
		t.Setenv(name, "X-Leak: leaked")
	}
	for name, c := range map[string]struct {
		change func(*openai.Options)
		want   http.Header
		url    string
	}{
		"key":    {func(*openai.Options) {}, http.Header{"Authorization": {"Bearer sk-secret-key"}}, "http://acme.test/v1/chat/completions"},
		"no key": {func(o *openai.Options) { o.Key = nil }, http.Header{}, "http://acme.test/v1/chat/completions"},
		"own headers": {func(o *openai.Options) {
			o.Model.Headers = map[string]string{"authorization": "Basic x", "x-title": "t"}
		}, http.Header{"Authorization": {"Basic x"}, "X-Title": {"t"}}, "http://acme.test/v1/chat/completions"},
		"Azure": {func(o *openai.Options) {
			o.Model.BaseURL, o.Model.API = "https://r.openai.azure.com/openai/v1?api-version=preview", openai.AzureResponses
		}, http.Header{"Api-Key": {secret}}, "https://r.openai.azure.com/openai/v1/responses?api-version=preview"},
		"Azure deployment": {func(o *openai.Options) {
			o.Model.BaseURL = "https://r.openai.azure.com/openai/deployments/d/?api-version=2024-10-21"
		}, http.Header{"Api-Key": {secret}}, "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			var got http.Header
			var url string
			o := openai.Options{Model: model("chat"), Key: key(secret), HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				requests++
				got, url = r.Header.Clone(), r.URL.String()
				return &http.Response{StatusCode: 503, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("busy")), Request: r}, nil
			})}}
			c.change(&o)
			req := request("chat")
			req.Model = o.Model
			llmtest.Collect(t, openai.New(o).Stream(t.Context(), req))
			c.want.Set("Accept", "text/event-stream")
			c.want.Set("Content-Type", "application/json")
			c.want.Set("User-Agent", "hoopoe")
			if fmt.Sprint(got) != fmt.Sprint(c.want) || url != c.url || requests != 1 {
				t.Errorf("%d requests to %s with %v, want %v", requests, url, got, c.want)
			}
		})
	}
}
