// Package web gets one page from the public internet for a model.
//
//	text ─▶ Parse ─▶ Check ─▶ proxy? ─▶ dial, with a look at the address ─▶ Response
//	        (URL)    (name)              ▲            │ same site: again, 5 times
//	                                     └────────────┘ another one: told, not followed
//
// What a model asks for may be meant to reach what only this machine can
// reach: a router, a database, a cloud's metadata. Names say little, for who
// owns one decides what it resolves to, and may decide anew for each question.
// So the address itself is judged when the connection is made. There are no
// cookies, no credentials and no cache.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Bounds of a request.
const (
	MaxBody      = 5 << 20          // bytes, after decompression
	Timeout      = 30 * time.Second // of all of it
	maxRedirects = 5
	maxHeader    = 64 << 10 // bytes
)

// Options are what a Client takes from the outside world.
type Options struct {
	UserAgent string
	// Getenv finds the proxy: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either
	// case. nil means none.
	Getenv func(string) string
	// Refuse says why an address may not be reached, "" if it may; nil is Public.
	Refuse func(netip.AddrPort) string
}

// Client gets pages. It is safe for concurrent use.
type Client struct {
	options Options
	proxy   func(*url.URL) (*url.URL, error)
}

// New returns a client.
func New(o Options) *Client {
	if o.Refuse == nil {
		o.Refuse = Public
	}
	c := &Client{options: o, proxy: func(*url.URL) (*url.URL, error) { return nil, nil }}
	if o.Getenv != nil {
		env := func(name string) string {
			if v := o.Getenv(name); v != "" {
				return v
			}
			return o.Getenv(strings.ToLower(name))
		}
		p := httpproxy.Config{HTTPProxy: env("HTTP_PROXY"), HTTPSProxy: env("HTTPS_PROXY"), NoProxy: env("NO_PROXY")}
		c.proxy = p.ProxyFunc()
	}
	return c
}

// Response is what a site has answered.
type Response struct {
	URL    *url.URL // after redirects within the site
	Status int
	Type   string // media type, lower case; guessed where the site doesn't say
	Body   []byte
	Cut    bool // the body goes on after MaxBody
	// Moved is where the site sends us on to when that is another one. Nothing
	// was read then.
	Moved *url.URL

	contentType string // with its parameters
}

// StatusText is the status in words, such as "404 Not Found".
func (r *Response) StatusText() string {
	return strings.TrimSpace(strconv.Itoa(r.Status) + " " + http.StatusText(r.Status))
}

// RefusedError says that a host is none of the public internet.
type RefusedError struct {
	Host string
	Why  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s is not reached from here: %s", e.Host, e.Why)
}

// Get gets a page, 30 seconds at most. u is one that Parse has returned.
func (c *Client) Get(ctx context.Context, u *url.URL) (*Response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Timeout, fmt.Errorf("%s took longer than %s", u.Host, Timeout))
	defer cancel()
	r, err := c.follow(ctx, u)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, fmt.Errorf("%s could not be fetched: %w", u.Host, err)
	}
	return r, nil
}

// follow goes from page to page of a site.
func (c *Client) follow(ctx context.Context, u *url.URL) (*Response, error) {
	for range maxRedirects + 1 {
		if err := c.Check(u); err != nil {
			return nil, err
		}
		r, err := c.once(ctx, u)
		if err != nil || r.Moved == nil || r.Moved.Hostname() != u.Hostname() || port(r.Moved) != port(u) && !upgrade(u, r.Moved) {
			return r, err
		}
		u = r.Moved
	}
	return nil, fmt.Errorf("it sends on more than %d times", maxRedirects)
}

// upgrade holds for the step from http to https, each at its usual port.
func upgrade(from, to *url.URL) bool {
	return from.Scheme == "http" && port(from) == "80" && to.Scheme == "https" && port(to) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

func portNumber(u *url.URL) uint16 {
	n, _ := strconv.ParseUint(port(u), 10, 16)
	return uint16(n)
}

// once makes one request.
func (c *Client) once(ctx context.Context, u *url.URL) (*Response, error) {
	transport, err := c.transport(ctx, u)
	if err != nil {
		return nil, err
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	req.Header.Set("Accept", "text/markdown, text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5")
	resp, err := transport.RoundTrip(req) // follows nothing, keeps nothing
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	r := &Response{URL: u, Status: resp.StatusCode, contentType: resp.Header.Get("Content-Type")}
	if location := resp.Header.Get("Location"); location != "" && resp.StatusCode >= 300 && resp.StatusCode < 400 {
		if r.Moved, err = next(u, location); err != nil {
			return nil, fmt.Errorf("it sends on to what is no page: %w", err)
		}
		return r, nil
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, fmt.Errorf("it answers in an encoding that wasn't asked for, %.40q", encoding)
	}
	r.Type, _, _ = mime.ParseMediaType(r.contentType)
	if r.Type != "" && !Readable(r.Type) && r.Status < 400 {
		return nil, &TypeError{Type: r.Type, Size: resp.ContentLength}
	}
	return r, r.read(resp.Body)
}

// read takes the body up to its bound.
func (r *Response) read(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, MaxBody+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	r.Cut = err != nil || len(data) > MaxBody
	r.Body = data[:min(len(data), MaxBody)]
	if r.Type == "" {
		r.contentType = http.DetectContentType(r.Body)
		r.Type, _, _ = mime.ParseMediaType(r.contentType)
		if !Readable(r.Type) && r.Status < 400 {
			return &TypeError{Type: r.Type, Size: int64(len(data))}
		}
	}
	return nil
}

// TypeError says that an answer is nothing to read.
type TypeError struct {
	Type string
	Size int64 // bytes; negative if the site doesn't say
}

func (e *TypeError) Error() string {
	size := "of unknown size"
	if e.Size >= 0 {
		size = fmt.Sprintf("%d bytes", e.Size)
	}
	return fmt.Sprintf("it is no text but %.60s, %s", e.Type, size)
}

// Readable reports whether a media type is text of some kind.
func Readable(mediaType string) bool {
	kind, sub, _ := strings.Cut(mediaType, "/")
	if kind == "text" || strings.HasSuffix(sub, "+json") || strings.HasSuffix(sub, "+xml") {
		return true
	}
	switch mediaType {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/jsonl", "application/x-sh":
		return true
	}
	return false
}

// transport makes the connections of one request. Where the user has a proxy
// it is that which connects, so that only the names can be judged.
func (c *Client) transport(ctx context.Context, u *url.URL) (*http.Transport, error) {
	t := &http.Transport{
		DisableKeepAlives: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: maxHeader,
		TLSHandshakeTimeout: 10 * time.Second,
	}
	proxy, err := c.proxy(u)
	if err != nil {
		return nil, fmt.Errorf("the proxy of the environment: %w", err)
	}
	if proxy == nil {
		t.DialContext = c.dialer().DialContext
		return t, nil
	}
	t.Proxy = http.ProxyURL(proxy)
	return t, c.resolve(ctx, u)
}

// dialer connects only to addresses that aren't refused.
func (c *Client) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return &RefusedError{Host: address, Why: "its address can't be read"}
		}
		if why := c.options.Refuse(to); why != "" {
			return &RefusedError{Host: to.Addr().String(), Why: why}
		}
		return nil
	}}
}

// resolve refuses a host that this machine resolves to an address that is
// refused. One that it can't resolve is the proxy's affair.
func (c *Client) resolve(ctx context.Context, u *url.URL) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		if why := c.options.Refuse(netip.AddrPortFrom(a, portNumber(u))); why != "" {
			return &RefusedError{Host: u.Hostname(), Why: why}
		}
	}
	return nil
}
