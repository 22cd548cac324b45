package llm

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Client is c, with what it sends passed through Rewrite. An adapter makes its
// request with it.
func (r Request) Client(c *http.Client) *http.Client {
	if r.Rewrite == nil {
		return c
	}
	rewriting := *c
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	rewriting.Transport = rewriter{next, r.Rewrite}
	return &rewriting
}

type rewriter struct {
	next    http.RoundTripper
	rewrite func([]byte) []byte
}

// RoundTrip sends the request with its body rewritten.
func (t rewriter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return t.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	body = t.rewrite(body)
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return t.next.RoundTrip(req)
}
