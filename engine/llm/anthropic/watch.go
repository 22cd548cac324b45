package anthropic

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// errStalled ends a request that nothing came from for too long.
var errStalled = errors.New("no data")

// maxErrorBody bounds what is read of the body of a refused request, in bytes.
const maxErrorBody = 1 << 20

// watch ends a request when the service sends no byte for the idle time. Only
// waiting counts: a caller that takes its time between two reads is no stall.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
}

// watchIdle starts the clock; end stops it and frees the request.
func watchIdle(ctx context.Context, idle time.Duration) *watch {
	w := &watch{idle: idle}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(idle, func() { w.cancel(errStalled) })
	return w
}

func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// limit makes d the longest that the rest may take.
func (w *watch) limit(d time.Duration) { time.AfterFunc(d, func() { w.cancel(errStalled) }) }

func (w *watch) stalled() bool { return errors.Is(context.Cause(w.ctx), errStalled) }

func (w *watch) middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	w.timer.Stop()
	if err != nil || res.Body == nil {
		return res, err
	}
	body := watchedBody{ReadCloser: res.Body, Reader: res.Body, watch: w}
	if res.StatusCode >= 400 {
		body.Reader = io.LimitReader(res.Body, maxErrorBody)
	}
	res.Body = body
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode < 300 && (kind == "text/html" || kind == "application/json") {
		defer body.Close()
		text, err := io.ReadAll(io.LimitReader(body, maxErrorBody))
		if err != nil {
			return nil, err
		}
		return nil, &noStream{kind: kind, body: string(text)}
	}
	return res, nil
}

// noStream is a whole answer where a stream was asked for: the page of a web
// server, or an error that a gateway sends with status 200.
type noStream struct{ kind, body string }

func (e *noStream) Error() string {
	return "the service answered with " + e.kind + ", not with a stream"
}

type watchedBody struct {
	io.ReadCloser
	io.Reader
	watch *watch
}

func (b watchedBody) Read(p []byte) (int, error) {
	b.watch.timer.Reset(b.watch.idle)
	defer b.watch.timer.Stop()
	return b.Reader.Read(p)
}
