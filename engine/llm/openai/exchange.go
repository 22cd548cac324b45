package openai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// errorLimit bounds what is read of a body that isn't a stream.
const errorLimit = 64 << 10

var errStalled = errors.New("stalled")

// exchange is one request and its response as the SDK's middleware sees them:
// it ends a request that stalls and turns refusals into errors of ours, before
// the SDK reads them whole.
type exchange struct {
	*provider
	client *http.Client
	name   string // of the provider, for errors
	key    string
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// do runs the request. The idle time counts only while we wait for the
// server, never while the caller thinks about a part.
func (x *exchange) do(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	for name := range req.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			req.Header.Del(name)
		}
	}
	x.timer = time.AfterFunc(x.IdleTimeout, func() { x.cancel(errStalled) })
	res, err := next(req)
	x.timer.Stop()
	if err != nil {
		return nil, err
	}
	body := buffered{bufio.NewReader(&watched{res.Body, x}), res.Body}
	res.Body = body
	if res.StatusCode < 400 {
		// Whatever type it claims, a body that begins so is no stream of events.
		if first, _ := body.Peek(1); string(first) != "{" {
			return res, nil
		}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(body, errorLimit))
	if err != nil && len(text) == 0 {
		return nil, err
	}
	return nil, x.refused(res.StatusCode, text, res.Header)
}

// watched is a response body each of whose reads may take only so long.
type watched struct {
	io.ReadCloser
	x *exchange
}

func (b *watched) Read(p []byte) (int, error) {
	b.x.timer.Reset(b.x.IdleTimeout)
	n, err := b.ReadCloser.Read(p)
	b.x.timer.Stop()
	return n, err
}

// buffered is a body of which the beginning was looked at.
type buffered struct {
	*bufio.Reader
	io.Closer
}

// transport gives a failure below the wire its words.
func (x *exchange) transport(ctx context.Context, err error) error {
	var typed *llm.Error
	if errors.As(err, &typed) {
		return typed
	}
	if errors.Is(context.Cause(ctx), errStalled) {
		return &llm.Error{Kind: llm.Unavailable, Provider: x.name, Message: "no data for " + x.IdleTimeout.String()}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return brokenOff(x.name)
	}
	var at *url.Error // its text has the whole URL, which may hold a secret
	if errors.As(err, &at) {
		err = at.Err
	}
	return &llm.Error{Kind: llm.Unavailable, Provider: x.name, Message: x.redact("can't reach " + x.host() + ": " + err.Error())}
}

func (x *exchange) host() string {
	if u, err := url.Parse(x.Model.BaseURL); err == nil {
		return u.Host
	}
	return "the server"
}

// redact takes the key and the model's own headers out of a text.
func (x *exchange) redact(s string) string {
	secrets := []string{x.key}
	for _, v := range x.Model.Headers {
		secrets = append(secrets, v)
	}
	for _, secret := range secrets {
		if len(secret) >= 6 {
			s = strings.ReplaceAll(s, secret, "…")
		}
	}
	return s
}

// oneLine makes a server's text fit for an error: printable, on one line,
// bounded.
func oneLine(text []byte) string {
	const limit = 1000
	s := strings.Join(strings.Fields(string(bytes.ToValidUTF8(text, []byte("?")))), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	if len(s) > limit {
		cut := limit
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}
