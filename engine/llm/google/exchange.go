package google

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// keyInExchange stands in for the key in the SDK's configuration.
const keyInExchange = "set-by-the-exchange"

// bodyLimit bounds what is read of an error's body, eventLimit one event.
const (
	bodyLimit  = 64 << 10
	eventLimit = 32 << 20
)

var errTooLarge = errors.New("an event of the stream is too large")

// exchange is the transport of one request: it sets the key and headers, ends
// the request when no byte came for the idle time, and keeps what the SDK
// doesn't pass on. It belongs to one stream.
type exchange struct {
	o      Options
	key    string
	next   http.RoundTripper
	cancel context.CancelCauseFunc
	timer  *time.Timer

	header http.Header // of the response
	err    error       // that ended the body before its end
	ended  bool        // the body was read to its end
	whole  bool        // at that point the last event was complete
}

func newExchange(o Options, key string, cancel context.CancelCauseFunc) *exchange {
	x := &exchange{o: o, key: key, cancel: cancel, whole: true}
	x.timer = time.AfterFunc(o.IdleTimeout, func() { cancel(errStalled) })
	return x
}

func (x *exchange) stop() { x.timer.Stop() }

// RoundTrip sends the request once.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Del("x-goog-api-client") // tells of the user's tool chain
	if x.key == "" {
		req.Header.Del("x-goog-api-key")
	} else {
		req.Header.Set("x-goog-api-key", x.key)
	}
	for name, value := range x.o.Model.Headers {
		req.Header.Set(name, value)
	}
	resp, err := x.next.RoundTrip(req)
	x.timer.Stop()
	if err != nil {
		return nil, err
	}
	x.header = resp.Header
	b := &body{ReadCloser: resp.Body, x: x}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		b.left = bodyLimit
	}
	resp.Body = b
	return resp, nil
}

// broken says how the body ended if not at an event's end.
func (x *exchange) broken() error {
	switch {
	case x.err != nil:
		return x.err
	case x.ended && !x.whole:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// body shows its reader a clean end whatever happens, because the SDK logs
// errors of reading and closing. The exchange keeps them.
type body struct {
	io.ReadCloser
	x     *exchange
	left  int // bytes that may still be read of an error's body; 0 for a stream
	event int // bytes since the last blank line
	tail  []byte
	lines dataLines
}

func (b *body) Read(p []byte) (int, error) {
	for {
		n, err := b.read(p)
		if b.left == 0 {
			if n = b.lines.filter(p[:n]); n == 0 && err == nil {
				continue // nothing of it is for the SDK
			}
		}
		return n, err
	}
}

func (b *body) read(p []byte) (int, error) {
	if b.left < 0 || b.x.err != nil {
		return 0, io.EOF
	}
	b.x.timer.Reset(b.x.o.IdleTimeout) // runs only while we wait, not while the caller works
	n, err := b.ReadCloser.Read(p)
	b.x.timer.Stop()
	b.note(p[:n])
	if b.left > 0 {
		if b.left -= n; b.left <= 0 {
			b.left = -1
		}
	}
	switch {
	case err == io.EOF:
		b.x.ended = true
	case err != nil:
		b.x.err = err
		err = io.EOF
	case b.event > eventLimit:
		b.x.err = errTooLarge
		err = io.EOF
	}
	return n, err
}

// note follows where events end: at a blank line.
func (b *body) note(p []byte) {
	const longest = len("\r\n\r\n")
	b.event += len(p)
	if i := max(bytes.LastIndex(p, []byte("\n\n")), bytes.LastIndex(p, []byte("\n\r\n"))); i >= 0 {
		b.event = len(p) - i
	}
	b.tail = append(b.tail, p[max(0, len(p)-longest):]...)
	b.tail = b.tail[max(0, len(b.tail)-longest):]
	b.x.whole = bytes.HasSuffix(b.tail, []byte("\n\n")) || bytes.HasSuffix(b.tail, []byte("\n\r\n"))
}

func (b *body) Close() error {
	_ = b.ReadCloser.Close() // what was missing of the answer is known without it
	return nil
}
