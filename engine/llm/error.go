package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"
)

// Kind classifies a provider's failure by what can be done about it.
type Kind string

const (
	Auth        Kind = "auth"        // key missing, wrong or without rights
	RateLimit   Kind = "rate_limit"  // too many requests, quota
	Overloaded  Kind = "overloaded"  // the provider is busy
	Unavailable Kind = "unavailable" // server or network failure
	BadRequest  Kind = "bad_request" // our request was refused
	Overflow    Kind = "overflow"    // the context window is too small
	Filtered    Kind = "filtered"    // content filter
	Unknown     Kind = "unknown"
)

// Error is a failure that a provider reported.
type Error struct {
	Kind     Kind
	Status   int // HTTP status, 0 without one
	Provider string
	Message  string
	// RetryAfter is how long the provider asked to wait; 0 when it didn't say.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (HTTP %d)", e.Provider, e.Message, e.Status)
	}
	if e.Provider == "" {
		return e.Message
	}
	return e.Provider + ": " + e.Message
}

// KindOf classifies any error from a stream. Text decides only where no
// status does: providers and gateways word the same failure in many ways.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) && e.Kind != "" && e.Kind != Unknown {
		return e.Kind
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return Unknown
	}
	text := strings.ToLower(err.Error())
	status := Unknown
	if e != nil {
		status = kindOfStatus(e.Status)
	}
	switch {
	case status == RateLimit: // "too many tokens" per minute is no overflow
		return RateLimit
	case containsAny(text, overflowPhrases):
		return Overflow
	case status != Unknown:
		return status
	}
	var netErr net.Error
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &netErr) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable
	}
	switch {
	case containsAny(text, limitPhrases):
		return RateLimit
	case strings.Contains(text, "overloaded"):
		return Overloaded
	case containsAny(text, transientPhrases), serverStatus.MatchString(text):
		return Unavailable
	}
	return Unknown
}

// serverStatus finds a status that stands alone in a text: not the 500 in 1500.
var serverStatus = regexp.MustCompile(`\b50[0234]\b`)

func kindOfStatus(status int) Kind {
	switch {
	case status == 401 || status == 403:
		return Auth
	case status == 413:
		return Overflow
	case status == 429:
		return RateLimit
	case status == 529 || status == 503:
		return Overloaded
	case status == 408 || status == 409 || status >= 500:
		return Unavailable
	case status >= 400:
		return BadRequest
	}
	return Unknown
}

// Retryable reports whether the same request may succeed later.
func Retryable(err error) bool {
	switch KindOf(err) {
	case RateLimit, Overloaded, Unavailable:
		return true
	}
	return false
}

// RetryAfter is the wait that the provider asked for, 0 without one.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

func containsAny(s string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// Phrases that providers and their gateways use, lower case.
var (
	overflowPhrases = []string{
		"prompt is too long", "prompt too long", "context_length_exceeded", "context length exceeded", "maximum context length",
		"exceeds the context window", "exceeds context window", "exceed context limit", "context window exceeded",
		"input is too long", "input token count", "input length exceeds", "too many tokens", "request_too_large",
		"reduce the length of the messages", "exceeds the available context size", "greater than the context length",
		"tokens exceed", "larger than the maximum context", "model_context_window_exceeded", "token limit exceeded",
	}
	limitPhrases     = []string{"rate limit", "rate_limit", "too many requests", "429", "usage limit", "quota exceeded", "retry delay"}
	transientPhrases = []string{
		"provider returned error", "service unavailable", "server error", "internal error",
		"network error", "connection error", "connection refused", "connection reset", "fetch failed", "socket hang up",
		"timeout", "timed out", "terminated", "upstream connect", "reset before headers", "other side closed",
		"stream stall", "unexpected eof", "broken pipe",
	}
)
