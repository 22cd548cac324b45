package remote

import (
	"context"
	"errors"
	"sync"
)

// maxPiled is what may wait for a client: one that reads more slowly than that
// is disconnected. A whole long answer fits.
const maxPiled = 64 << 20

var errTooSlow = errors.New("the client reads too slowly")

// goneError ends an outbox. It is what the client is told, "" for one that has
// gone by itself.
type goneError string

func (e goneError) Error() string { return "the connection has ended: " + string(e) }

// outbox holds what is to be written to one connection. It never makes its
// filler wait.
type outbox struct {
	most int // of weight

	mu     sync.Mutex
	frames []frame
	weight int
	err    error
	ready  chan struct{}
}

func newOutbox(most int) *outbox { return &outbox{most: most, ready: make(chan struct{}, 1)} }

// put queues a frame. A chunk joins the one that waits before it, if that
// belongs to the same request: a slow reader gets fewer, longer ones. The
// frame's chunk isn't kept.
func (o *outbox) put(f frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if n := len(o.frames); f.kind == kindStream && n > 0 {
		last := &o.frames[n-1]
		if last.kind == kindStream && last.id == f.id && len(last.chunk)+len(f.chunk) <= maxChunk {
			last.chunk = append(last.chunk, f.chunk...)
			last.seq = f.seq
			o.grow(len(f.chunk))
			return
		}
	}
	f.chunk = append([]byte(nil), f.chunk...)
	o.frames = append(o.frames, f)
	o.grow(f.weight())
	o.signal()
}

func (o *outbox) grow(n int) {
	if o.weight += n; o.weight > o.most {
		o.fail(errTooSlow)
	}
}

func (o *outbox) fail(err error) {
	o.err, o.frames, o.weight = err, nil, 0
	o.signal()
}

// close ends the outbox; what waits is dropped. The first reason stands.
func (o *outbox) close(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.fail(goneError(reason))
	}
}

func (o *outbox) signal() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take waits for frames and returns all there are.
func (o *outbox) take(ctx context.Context) ([]frame, error) {
	for {
		o.mu.Lock()
		frames, err := o.frames, o.err
		o.frames, o.weight = nil, 0
		o.mu.Unlock()
		if err != nil || len(frames) > 0 {
			return frames, err
		}
		select {
		case <-o.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
