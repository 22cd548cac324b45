package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxStream bounds one stream of events, in bytes; the SDK opens the
	// standing one anew.
	maxStream = 64 << 20
	// listenTime is how long a server may take to open the standing stream
	// before it counts as one that has none.
	listenTime = 5 * time.Second
)

// web sends a server's requests: with its headers, to its own address only,
// and with bounded answers.
type web struct {
	next    http.RoundTripper
	headers map[string]string
	origin  string
	listen  time.Duration // see listenTime
}

func newWeb(s Server, next http.RoundTripper) (*http.Client, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its url isn't valid")
	}
	return &http.Client{Transport: web{next, s.Headers, origin(u), listenTime}}, nil
}

func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// RoundTrip implements http.RoundTripper.
func (w web) RoundTrip(r *http.Request) (*http.Response, error) {
	if o := origin(r.URL); o != w.origin {
		return nil, fmt.Errorf("the server redirects to %s, which isn't its own address", clip(o, 100))
	}
	parent := r.Context()
	ctx, cancel := context.WithCancel(parent)
	r = r.Clone(ctx)
	for k, v := range w.headers {
		if r.Header.Get(k) == "" { // the protocol's own stay
			r.Header.Set(k, v)
		}
	}
	if r.Method == http.MethodDelete { // the farewell, which nobody waits for
		defer time.AfterFunc(grace, cancel).Stop()
	}
	silent := func() bool { return false }
	if r.Method == http.MethodGet {
		late := time.AfterFunc(w.listen, cancel)
		silent = func() bool { return !late.Stop() && parent.Err() == nil }
	}
	resp, err := w.next.RoundTrip(r)
	quiet := silent()
	if err == nil && !quiet {
		resp.Body = &body{ReadCloser: resp.Body, left: limit(resp), cancel: cancel}
		return resp, nil
	}
	cancel()
	if err == nil {
		resp.Body.Close()
	}
	if quiet {
		return none(r), nil
	}
	return nil, err
}

// none is the answer of a server that offers no standing stream.
func none(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: http.StatusMethodNotAllowed, Status: "405 Method Not Allowed",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
}

func limit(r *http.Response) int64 {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "text/event-stream" {
		return maxStream
	}
	return maxMessage
}

// body is a response's body that ends with an error at its limit.
type body struct {
	io.ReadCloser
	left   int64
	cancel context.CancelFunc
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the answer is too large")
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *body) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}
