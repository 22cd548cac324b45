package anthropic

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// refusing returns a provider that every request is refused to, and counts them.
func refusing(status int, header http.Header, body string) (llm.Provider, *int) {
	asked := new(int)
	return New(Options{Model: sonnet, Key: key(secret), Now: func() time.Time { return noon }, HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		*asked++
		return response(status, header, strings.NewReader(body)), nil
	})}}), asked
}

// C-3, E-5: each fault keeps its meaning, and is the loop's to try again. The
// error types are those of shared.ErrorType in the SDK.
func TestFaults(t *testing.T) {
	said := func(kind, text string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"},"request_id":"req_1"}`
	}
	for name, c := range map[string]struct {
		status int
		header http.Header
		body   string
		want   llm.Error
	}{
		"key":              {401, nil, said("authentication_error", "invalid key "+secret), llm.Error{Kind: llm.Auth, Message: "invalid key ***"}},
		"gateway's key":    {401, nil, said("api_error", "no such key"), llm.Error{Kind: llm.Auth, Message: "no such key"}},
		"rights":           {403, nil, said("permission_error", "not yours"), llm.Error{Kind: llm.Auth, Message: "not yours"}},
		"no such model":    {404, nil, said("not_found_error", "model: x"), llm.Error{Kind: llm.BadRequest, Message: "model: x"}},
		"bad":              {400, nil, said("invalid_request_error", "messages: must not be empty"), llm.Error{Kind: llm.BadRequest, Message: "messages: must not be empty"}},
		"billing":          {402, nil, said("billing_error", "no credit"), llm.Error{Kind: llm.BadRequest, Message: "no credit"}},
		"too long":         {400, nil, said("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), llm.Error{Kind: llm.Overflow, Message: "prompt is too long: 210000 tokens > 200000 maximum"}},
		"too much in all":  {400, nil, said("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"), llm.Error{Kind: llm.Overflow, Message: "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"}},
		"too large":        {413, nil, said("request_too_large", "Request exceeds the maximum size"), llm.Error{Kind: llm.Overflow, Message: "Request exceeds the maximum size"}},
		"limit":            {429, http.Header{"Retry-After": {"7"}}, said("rate_limit_error", "slow down"), llm.Error{Kind: llm.RateLimit, Message: "slow down", RetryAfter: 7 * time.Second}},
		"limit on tokens":  {429, http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, said("rate_limit_error", "too many tokens per minute"), llm.Error{Kind: llm.RateLimit, Message: "too many tokens per minute", RetryAfter: 250 * time.Millisecond}},
		"limit to a date":  {429, http.Header{"Retry-After": {noon.Add(time.Minute).Format(http.TimeFormat)}}, `{"error":{"message":"later"}}`, llm.Error{Kind: llm.RateLimit, Message: "later", RetryAfter: time.Minute}},
		"limit to a reset": {429, http.Header{"X-Ratelimit-Reset": {"1796040090"}}, `{"message":"later"}`, llm.Error{Kind: llm.RateLimit, Message: "later", RetryAfter: 1796040090*time.Second - time.Duration(noon.UnixNano())}},
		"server":           {500, nil, said("api_error", "Internal server error"), llm.Error{Kind: llm.Unavailable, Message: "Internal server error"}},
		"overloaded":       {529, nil, said("overloaded_error", "Overloaded"), llm.Error{Kind: llm.Overloaded, Message: "Overloaded"}},
		"timeout":          {504, nil, said("timeout_error", "took too long"), llm.Error{Kind: llm.Unavailable, Message: "took too long"}},
		"gateway's page":   {502, http.Header{"Content-Type": {"text/html"}}, "<html>Bad Gateway</html>", llm.Error{Kind: llm.Unavailable, Message: "bad gateway"}},
		"gateway's text":   {503, nil, "no healthy upstream", llm.Error{Kind: llm.Overloaded, Message: "no healthy upstream"}},
		"other form":       {400, nil, `{"error":"nope"}`, llm.Error{Kind: llm.BadRequest, Message: "nope"}},
		"third form":       {422, nil, `{"detail":"field required"}`, llm.Error{Kind: llm.BadRequest, Message: "field required"}},
		"unknown type":     {500, nil, said("novel_error", "hm"), llm.Error{Kind: llm.Unavailable, Message: "hm"}},
		"nothing":          {500, nil, "", llm.Error{Kind: llm.Unavailable, Message: "internal server error"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.header == nil {
				c.header = http.Header{"Content-Type": {"application/json"}}
			}
			p, asked := refusing(c.status, c.header, c.body)
			_, end := finish(t, p, ask(sonnet))
			var e *llm.Error
			if !errors.As(end.Err, &e) {
				t.Fatalf("%v is no *llm.Error", end.Err)
			}
			c.want.Status, c.want.Provider = c.status, "anthropic"
			if *e != c.want {
				t.Errorf("%+v, want %+v", *e, c.want)
			}
			if *asked != 1 {
				t.Errorf("asked %d times", *asked)
			}
		})
	}
}

// A whole answer where a stream belongs says what is wrong, not just that it
// broke off.
func TestNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		want       llm.Error
	}{
		"page":    {"text/html; charset=utf-8", "<html>Welcome</html>", llm.Error{Kind: llm.BadRequest, Message: "the service answered with text/html, not with a stream: check the base URL"}},
		"gateway": {"application/json", `{"code":1002,"msg":"rate limit reached"}`, llm.Error{Kind: llm.RateLimit, Message: "the service answered with application/json, not with a stream: rate limit reached"}},
		"error":   {"application/json", `{"error":{"message":"no such model"}}`, llm.Error{Kind: llm.BadRequest, Message: "the service answered with application/json, not with a stream: no such model"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Provider = "anthropic"
			p, _ := refusing(200, http.Header{"Content-Type": {c.kind}}, c.body)
			_, end := finish(t, p, ask(sonnet))
			var e *llm.Error
			if !errors.As(end.Err, &e) || *e != c.want {
				t.Errorf("%#v", end.Err)
			}
		})
	}
}

func TestHugeError(t *testing.T) {
	p, _ := refusing(500, http.Header{}, strings.Repeat("é", 4<<20))
	_, end := finish(t, p, ask(sonnet))
	if n := len(end.Err.Error()); n > 2*maxMessage {
		t.Errorf("an error of %d bytes", n)
	}
}

// E-5: an error inside a stream that began well.
func TestErrorsInStream(t *testing.T) {
	open, _, _ := strings.Cut(string(recorded(t, "text")), "event: message_delta")
	for kind, want := range map[string]llm.Kind{
		"overloaded_error": llm.Overloaded, "api_error": llm.Unavailable, "rate_limit_error": llm.RateLimit,
		"invalid_request_error": llm.BadRequest, "novel_error": llm.Unavailable,
	} {
		t.Run(kind, func(t *testing.T) {
			body := open + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" + kind + "\",\"message\":\"so it is\"}}\n\n"
			_, end := finish(t, sending(func() io.Reader { return strings.NewReader(body) }), ask(sonnet))
			var e *llm.Error
			if !errors.As(end.Err, &e) || *e != (llm.Error{Kind: want, Provider: "anthropic", Message: "so it is"}) {
				t.Errorf("%#v", end.Err)
			}
			if end.Message.Text() != "Hello, wörld 🐦" || end.Message.StopReason != message.Error {
				t.Errorf("kept %q, stop reason %s", end.Message.Text(), end.Message.StopReason)
			}
		})
	}
}

func TestNetworkFailures(t *testing.T) {
	m := sonnet
	m.BaseURL = "http://user:" + secret + "@service.test"
	m.Headers = map[string]string{"X-Token": "hidden-token", "X-Tier": "e"}
	for name, err := range map[string]error{
		"refused": &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")},
		"reset":   errors.New("read: connection reset by peer, sent hidden-token and " + secret),
		"cut":     io.ErrUnexpectedEOF,
	} {
		t.Run(name, func(t *testing.T) {
			// secrets are blanked out, and nothing else
			p := at(m, func(*http.Request) (*http.Response, error) { return nil, err })
			_, end := finish(t, p, ask(m))
			if llm.KindOf(end.Err) != llm.Unavailable {
				t.Errorf("%v is %s", end.Err, llm.KindOf(end.Err))
			}
			if text := end.Err.Error(); strings.Contains(text, secret) || strings.Contains(text, "hidden-token") || !strings.Contains(text, "e") {
				t.Errorf("a secret in %q", text)
			}
		})
	}
}

func TestNoKey(t *testing.T) {
	p := New(Options{Model: sonnet, Key: func(context.Context) (string, error) { return "", errors.New("no key for anthropic") }})
	_, end := finish(t, p, ask(sonnet))
	if llm.KindOf(end.Err) != llm.Auth || !strings.Contains(end.Err.Error(), "no key for anthropic") {
		t.Errorf("%v", end.Err)
	}
}

func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":       {"Retry-After", "2.5", 2500 * time.Millisecond},
		"past date":     {"Retry-After", noon.Add(-time.Hour).Format(http.TimeFormat), 0},
		"negative":      {"Retry-After", "-3", 0},
		"no number":     {"Retry-After", "NaN", 0},
		"endless":       {"Retry-After", "1e300", patience.Longest},
		"words":         {"Retry-After", "soon", 0},
		"reset in":      {"X-Ratelimit-Reset", "30", 30 * time.Second},
		"reset at ms":   {"X-Ratelimit-Reset", "1796040090000", time.UnixMilli(1796040090000).Sub(noon)},
		"duration":      {"X-Ratelimit-Reset-Requests", "1m30s", 90 * time.Second},
		"vendor's":      {"Anthropic-Ratelimit-Unified-Reset", noon.Add(time.Minute).Format(time.RFC3339), time.Minute},
		"nothing of it": {"X-Other", "3", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			h.Set(c.header, c.value)
			if got := retryAfter(h, noon); got != max(0, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7", "1m")
	f.Add("Sun, 29 Nov 2026 12:01:00 GMT", "1796040090")
	f.Fuzz(func(t *testing.T, after, reset string) {
		if d := retryAfter(http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}}, noon); d < 0 {
			t.Errorf("%v", d)
		}
	})
}
