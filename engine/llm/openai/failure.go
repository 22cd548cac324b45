package openai

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
)

// complaint is what servers put under "error" in a body or an event. Its
// fields have been seen as strings, numbers and null.
type complaint struct {
	Message  any `json:"message"`
	Type     any `json:"type"`
	Code     any `json:"code"`
	Metadata struct {
		Raw any `json:"raw"` // OpenRouter: what the provider behind it said
	} `json:"metadata"`
}

// refused is the error of a response that is no stream.
func (x *exchange) refused(status int, body []byte, header http.Header) *llm.Error {
	e := x.complained(body, status)
	if status >= 400 {
		e.Status = status
	}
	if status < 400 && e.Kind == llm.Unknown {
		e.Kind, e.Message = llm.BadRequest, "answered without a stream: "+e.Message
	}
	if !llm.Retryable(e) {
		e.RetryAfter = 0
	} else if after := retryAfter(status, header, x.Now()); after > 0 {
		e.RetryAfter = after
	}
	return e
}

// failed is the error of an event in a stream. The server had taken the
// request, so what isn't known to be the request's fault is the server's.
func (x *exchange) failed(event []byte) *llm.Error {
	e := x.complained(event, 0)
	if e.Kind == llm.Unknown {
		e.Kind = llm.Unavailable
	}
	return e
}

// complained reads an error from the JSON of a body or event: an object under
// "error" or at the top, a string under "error", "message" or "detail", or
// just text.
func (x *exchange) complained(body []byte, status int) *llm.Error {
	var c complaint
	var outer struct {
		Error        json.RawMessage `json:"error"`
		Code, Detail any
	}
	text := oneLine(body)
	if json.Unmarshal(body, &outer) == nil {
		var s string
		switch {
		case json.Unmarshal(outer.Error, &s) == nil && s != "":
			c.Message, c.Code = s, outer.Code
		case len(outer.Error) > 0 && string(outer.Error) != "null":
			_ = json.Unmarshal(outer.Error, &c)
		default:
			_ = json.Unmarshal(body, &c)
		}
		if c.Message == nil && outer.Detail != nil {
			c.Message = outer.Detail
		}
	}
	if s := say(c.Message); s != "" {
		text = s
	}
	if raw := say(c.Metadata.Raw); raw != "" && !strings.Contains(text, raw) {
		text += ": " + raw
	}
	return x.classify(status, say(c.Code), say(c.Type), text)
}

// say turns a value that should be a string into one line.
func say(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return oneLine([]byte(v))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return oneLine(b)
}

// classify makes the error. Code and type decide where they are known, then
// the words, then the status.
func (x *exchange) classify(status int, code, kind, text string) *llm.Error {
	if text == "" {
		text = "refused the request"
		if s := http.StatusText(status); s != "" {
			text = strings.ToLower(s)
		}
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 && status < 400 {
		status = n // OpenRouter's code is a status
	}
	e := &llm.Error{Status: status, Provider: x.name, Message: x.redact(text), RetryAfter: askedWait(text)}
	if status < 400 {
		e.Status = 0
	}
	switch {
	case kinds[code] != "":
		e.Kind = kinds[code]
	case kinds[kind] != "" && status < 400:
		e.Kind = kinds[kind]
	case kind == "exceed_context_size_error":
		e.Kind = llm.Overflow
	case status != http.StatusTooManyRequests && overflow.MatchString(text):
		e.Kind = llm.Overflow
	default:
		e.Kind = llm.KindOf(e)
	}
	if e.Kind == llm.Unavailable && (status == 503 || status == 529 || strings.Contains(strings.ToLower(text), "overloaded")) {
		e.Kind = llm.Overloaded
	}
	return e
}

// kinds of the codes and types that OpenAI and the servers like it use.
var kinds = map[string]llm.Kind{
	"context_length_exceeded":        llm.Overflow,
	"exceed_context_size_error":      llm.Overflow,
	"model_context_window_exceeded":  llm.Overflow,
	"string_above_max_length":        llm.Overflow,
	"content_filter":                 llm.Filtered,
	"content_policy_violation":       llm.Filtered,
	"moderation_blocked":             llm.Filtered,
	"bio_policy":                     llm.Filtered,
	"misalignment_policy_violation":  llm.Filtered,
	"image_content_policy_violation": llm.Filtered,
	"rate_limit_exceeded":            llm.RateLimit,
	"rate_limit_error":               llm.RateLimit,
	"insufficient_quota":             llm.RateLimit,
	"invalid_api_key":                llm.Auth,
	"authentication_error":           llm.Auth,
	"permission_denied":              llm.Auth,
	"server_error":                   llm.Unavailable,
	"internal_server_error":          llm.Unavailable,
	"server_overloaded":              llm.Overloaded,
	"engine_overloaded":              llm.Overloaded,
	"overloaded":                     llm.Overloaded,
	"overloaded_error":               llm.Overloaded,
	"slow_down":                      llm.Overloaded,
	"invalid_prompt":                 llm.BadRequest,
	"invalid_request_error":          llm.BadRequest,
	"data_residency_mismatch":        llm.BadRequest,
	"invalid_image":                  llm.BadRequest,
	"invalid_image_format":           llm.BadRequest,
	"invalid_base64_image":           llm.BadRequest,
	"image_too_large":                llm.BadRequest,
	"image_too_small":                llm.BadRequest,
	"image_parse_error":              llm.BadRequest,
	"image_file_too_large":           llm.BadRequest,
	"unsupported_image_media_type":   llm.BadRequest,
	"empty_image_file":               llm.BadRequest,
	"bad_gateway":                    llm.Unavailable,
}

// overflow adds to what llm.KindOf knows the words of LM Studio, vLLM,
// llama.cpp, Ollama and hosted servers.
var overflow = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`trying to keep the first \d+ tokens when context (the )?overflows`,
	`loaded with context length of only`,
	`longer than the maximum model length`,
	`exceed(s|ed)? the (model's )?(maximum )?(available )?context (size|length|window)`,
	`tokens \+ .?max_new_tokens.? must be <=`,
	`prompt token count of \d+ exceeds`,
	`maximum prompt length is`,
	`exceeded model token limit`,
	`prompt exceeds max length`,
	`context window exceeds limit`,
	`range of input length should be`,
	`context (size|window|length) (has been |was )?exceeded`,
	`requested tokens? \(\d+\) exceed context window`,
}, "|"))

// retryAfter reads how long a server asks to wait, 0 if it doesn't say.
func retryAfter(status int, h http.Header, now time.Time) time.Duration {
	if d, ok := patience.After(h, now); ok {
		return d
	}
	if status != http.StatusTooManyRequests {
		return 0 // OpenAI states its limits with every answer
	}
	var wait time.Duration
	for _, name := range []string{"X-Ratelimit-Reset", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens"} {
		limit := strings.Replace(name, "Reset", "Remaining", 1)
		if left := h.Get(limit); left != "" && left != "0" {
			continue // this limit isn't the one that was hit
		}
		wait = max(wait, patience.Reset(h.Get(name), now))
	}
	return wait
}

var inWords = regexp.MustCompile(`(?i)(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)`)

// askedWait reads the wait from a text such as "try again in 1m2.5s".
func askedWait(text string) time.Duration {
	m := inWords.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	d, err := time.ParseDuration(strings.ToLower(m[1]))
	if err != nil {
		return 0
	}
	return patience.Within(d)
}
