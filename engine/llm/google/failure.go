package google

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/patience"
)

// failure tells what went wrong in the words of package llm; nil stays nil.
func (x *exchange) failure(ctx context.Context, provider string, err error) error {
	if err == nil {
		return nil
	}
	e := &llm.Error{Kind: llm.Unavailable, Provider: provider}
	var api genai.APIError
	var sent *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		e.Message = fmt.Sprintf("no data for %v", x.o.IdleTimeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &api):
		return x.refused(e, api)
	case errors.As(err, &sent):
		e.Message = x.clean(sent.Err.Error())
	case x.err != nil && !errors.Is(x.err, io.ErrUnexpectedEOF):
		e.Message = x.clean("read the answer: " + x.err.Error())
	case x.err != nil, x.ended && !x.whole: // an event was cut in two
		return fmt.Errorf("%s: the answer broke off: %w", provider, io.ErrUnexpectedEOF)
	case x.header == nil: // the SDK refused the request
		e.Kind, e.Message = llm.BadRequest, x.clean(err.Error())
	default:
		e.Message = errMalformed.Error()
	}
	return e
}

// refused tells what the server answered in place of a stream, or in it.
func (x *exchange) refused(e *llm.Error, api genai.APIError) error {
	e.Status = api.Code
	e.Message = x.clean(api.Message)
	if e.Message == "" {
		e.Message = cut(strings.TrimSpace(api.Status + " " + http.StatusText(api.Code)))
	}
	asked, _ := patience.After(x.header, x.o.Now())
	e.RetryAfter = max(retryInfo(api.Details), asked)
	e.Kind = llm.KindOf(&llm.Error{Status: e.Status, Message: e.Message})
	switch {
	case e.Kind == llm.Overflow:
	case api.Status == "RESOURCE_EXHAUSTED":
		e.Kind = llm.RateLimit
	case api.Status == "UNAUTHENTICATED" || api.Status == "PERMISSION_DENIED" || hasReason(api.Details, "API_KEY_INVALID"):
		e.Kind = llm.Auth
	case api.Status == "UNAVAILABLE":
		e.Kind = llm.Overloaded
	}
	return e
}

// retryInfo finds the delay of a google.rpc.RetryInfo, as in "34.07s".
func retryInfo(details []map[string]any) time.Duration {
	for _, d := range details {
		if name, _ := d["@type"].(string); strings.HasSuffix(name, "google.rpc.RetryInfo") {
			text, _ := d["retryDelay"].(string)
			if delay, err := time.ParseDuration(text); err == nil {
				return patience.Within(delay)
			}
		}
	}
	return 0
}

// hasReason looks for the reason of a google.rpc.ErrorInfo.
func hasReason(details []map[string]any, reason string) bool {
	for _, d := range details {
		if d["reason"] == reason {
			return true
		}
	}
	return false
}

// clean bounds a text from outside and takes the key out of it.
func (x *exchange) clean(text string) string {
	if x.key != "" {
		text = strings.ReplaceAll(text, x.key, "(key)")
	}
	return cut(strings.TrimSpace(text))
}

// messageLimit is in bytes.
const messageLimit = 2000

func cut(text string) string {
	if len(text) <= messageLimit {
		return text
	}
	end := messageLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
