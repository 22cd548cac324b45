package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/shared"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
)

// maxMessage bounds an error's text, in bytes: some gateways answer with pages.
const maxMessage = 2000

// failure turns what ended a stream into an error of ours.
type failure struct {
	provider string
	now      func() time.Time
	secrets  []string
}

// of classifies err, which is nil when the stream just ended.
func (f failure) of(err error, watched *watch) error {
	var refused *anthropic.Error
	var network *url.Error
	var whole *noStream
	switch {
	case watched.stalled():
		return f.error(llm.Unavailable, fmt.Sprintf("no data for %v", watched.idle))
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s: the answer broke off: %w", f.provider, io.ErrUnexpectedEOF)
	case errors.As(err, &refused):
		return f.refused(refused)
	case errors.As(err, &whole):
		return f.misdirected(whole)
	case errors.As(err, &network): // without the address, which may hold a secret
		return f.error(llm.Unavailable, network.Err.Error())
	case isJSON(err):
		return f.error(llm.Unavailable, "malformed stream: "+err.Error())
	}
	kind := llm.KindOf(err)
	if kind == llm.Unknown {
		kind = llm.Unavailable
	}
	return f.error(kind, err.Error())
}

// misdirected is for an answer that is no stream: the base URL is wrong, or what
// is there has something to say.
func (f failure) misdirected(whole *noStream) *llm.Error {
	said := words(whole.body)
	kind := llm.KindOf(errors.New(said))
	if kind == llm.Unknown {
		kind = llm.BadRequest
	}
	if said == "" {
		said = "check the base URL"
	}
	return f.error(kind, whole.Error()+": "+said)
}

func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

func (f failure) error(kind llm.Kind, text string) *llm.Error {
	for _, s := range f.secrets {
		text = strings.ReplaceAll(text, s, "***")
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return &llm.Error{Kind: kind, Provider: f.provider, Message: text}
}

// refused is for an error that the service reported, by a status or inside a
// stream that began well.
func (f failure) refused(err *anthropic.Error) *llm.Error {
	status := err.StatusCode
	if status < 400 {
		status = 0
	}
	e := f.error("", text(err, status))
	e.Status = status
	if err.Response != nil {
		e.RetryAfter = retryAfter(err.Response.Header, f.now())
	}
	e.Kind = kinds[err.Type()]
	if e.Kind == "" || e.Kind == llm.BadRequest || e.Kind == llm.Unavailable { // gateways call anything an api_error
		if kind := llm.KindOf(&llm.Error{Status: status, Message: e.Message}); kind != llm.Unknown {
			e.Kind = kind
		}
	}
	if e.Kind == "" {
		e.Kind = llm.Unavailable // said within a stream, by a service that took the request
	}
	return e
}

// kinds by the type that the error's body states.
var kinds = map[shared.ErrorType]llm.Kind{
	shared.ErrorTypeInvalidRequestError: llm.BadRequest,
	shared.ErrorTypeNotFoundError:       llm.BadRequest,
	shared.ErrorTypeBillingError:        llm.BadRequest,
	shared.ErrorTypeAuthenticationError: llm.Auth,
	shared.ErrorTypePermissionError:     llm.Auth,
	shared.ErrorTypeRateLimitError:      llm.RateLimit,
	shared.ErrorTypeOverloadedError:     llm.Overloaded,
	shared.ErrorTypeAPIError:            llm.Unavailable,
	shared.ErrorTypeTimeoutError:        llm.Unavailable,
	"request_too_large":                 llm.Overflow,
}

// text is what an error says to people.
func text(err *anthropic.Error, status int) string {
	switch said := words(err.RawJSON()); {
	case err.Message != "":
		return err.Message
	case said != "":
		return said
	case status != 0:
		return strings.ToLower(http.StatusText(status))
	}
	return "the service reported an error without a message"
}

// words finds the message in an error's body, wherever the service or the
// gateway in front of it put it. A page has none.
func words(body string) string {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "<") {
		return ""
	}
	var form struct {
		Message, Msg, Detail string
		Error                json.RawMessage
	}
	if json.Unmarshal([]byte(body), &form) != nil {
		return body
	}
	var said string
	var inner struct{ Message string }
	switch {
	case json.Unmarshal(form.Error, &said) == nil && said != "":
		return said
	case json.Unmarshal(form.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case cmp.Or(form.Message, form.Msg, form.Detail) != "":
		return cmp.Or(form.Message, form.Msg, form.Detail)
	}
	return body
}

// retryAfter is how long the service asked to wait, 0 when it didn't say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := patience.After(h, now); ok {
		return d
	}
	for _, name := range []string{"Anthropic-Ratelimit-Unified-Reset", "X-Ratelimit-Reset", "X-Ratelimit-Reset-Requests"} {
		if d := patience.Reset(h.Get(name), now); d > 0 {
			return d
		}
	}
	return 0
}
