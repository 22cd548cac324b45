package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		want  Kind
		retry bool
	}{
		{"nil", nil, Unknown, false},
		{"cancelled", fmt.Errorf("post: %w", context.Canceled), Unknown, false},
		{"stated", &Error{Kind: Filtered, Status: 500}, Filtered, false},
		{"stated and wrapped", fmt.Errorf("stream: %w", &Error{Kind: Overloaded}), Overloaded, true},
		{"401", &Error{Status: 401, Message: "no"}, Auth, false},
		{"403", &Error{Status: 403, Message: "no"}, Auth, false},
		{"413", &Error{Status: 413, Message: "no"}, Overflow, false},
		{"429", &Error{Status: 429, Message: "no"}, RateLimit, true},
		{"503", &Error{Status: 503, Message: "no"}, Overloaded, true},
		{"529", &Error{Status: 529, Message: "no"}, Overloaded, true},
		{"408", &Error{Status: 408, Message: "no"}, Unavailable, true},
		{"500", &Error{Status: 500, Message: "no"}, Unavailable, true},
		{"404", &Error{Status: 404, Message: "no"}, BadRequest, false},
		{"unknown with a status", &Error{Kind: Unknown, Status: 429}, RateLimit, true},
		{"overflow in a 400", &Error{Status: 400, Message: "This model's maximum context length is 8192 tokens"}, Overflow, false},
		{"overflow in a 500", &Error{Status: 500, Message: "prompt is too long: 210000 tokens"}, Overflow, false},
		{"overflow without a status", errors.New("the request exceeds the available context size"), Overflow, false},
		{"limit in words", errors.New("Rate limit reached for requests"), RateLimit, true},
		{"overloaded in words", errors.New("overloaded_error: try later"), Overloaded, true},
		{"cut off", io.ErrUnexpectedEOF, Unavailable, true},
		{"cut off and wrapped", fmt.Errorf("read stream: %w", io.ErrUnexpectedEOF), Unavailable, true},
		{"network", &net.OpError{Op: "dial", Err: errors.New("no route to host")}, Unavailable, true},
		{"deadline", context.DeadlineExceeded, Unavailable, true},
		{"reset in words", errors.New("read tcp: connection reset by peer"), Unavailable, true},
		{"anything else", errors.New("the model speaks Latin only"), Unknown, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := KindOf(c.err); got != c.want {
				t.Errorf("kind %q, want %q", got, c.want)
			}
			if got := Retryable(c.err); got != c.retry {
				t.Errorf("retryable %v", got)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	e := &Error{Kind: RateLimit, RetryAfter: 3 * time.Second}
	if got := RetryAfter(fmt.Errorf("stream: %w", e)); got != 3*time.Second {
		t.Errorf("%v", got)
	}
	if got := RetryAfter(errors.New("other")); got != 0 {
		t.Errorf("%v without a provider's word", got)
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{Provider: "openai", Message: "no such model", Status: 404}, "openai: no such model (HTTP 404)"},
		{Error{Provider: "openai", Message: "cut off"}, "openai: cut off"},
		{Error{Message: "cut off"}, "cut off"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
