package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Pi is the dialect of pi and its clients; the empty one is xcsh's and
// oh-my-pi's. PROTOCOL.md lists the differences.
const Pi = "pi"

// Options are what the mode needs.
type Options struct {
	Session  *engine.Session
	Commands *slash.Registry
	Stdin    io.Reader
	Stdout   io.Writer
	Version  string
	// Dialect is empty or Pi.
	Dialect string
	// Deltas leaves the whole message out of its updates.
	Deltas bool
	// Titles lets extensions set the host's title in the default dialect.
	Titles bool
	Now    func() time.Time
	// End bounds what happens after the end of stdin, and a quarter of it the last
	// writes after that; 0 is 600 ms.
	End time.Duration
}

// endTime leaves the rest of a second to main, for closing the session: then
// hosts kill the process.
const endTime = 600 * time.Millisecond

// Run writes the ready frame and serves commands until the end of stdin, the
// end of ctx, or an extension's wish to end the process. What runs then is
// aborted, and what was accepted is answered. The error says why the host
// can't be served any longer; the session is left open for the caller to close.
func Run(ctx context.Context, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	_, sub, err := o.Session.Attach(ctx, engine.Client{Name: "rpc", Shows: []event.QuestionKind{
		event.AskConfirm, event.AskSelect, event.AskInput, event.AskEditor, event.AskPermission,
	}})
	if err != nil {
		return err
	}
	defer sub.Close()
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s := newServer(work, o, sub)
	written := make(chan error, 1)
	go func() { written <- s.write(work) }()
	read := make(chan error, 1)
	go func() { read <- s.read(work) }()
	go s.work(work)
	go func() { _ = o.Session.Start(work) }()

	var failed error
	select {
	case failed = <-read:
	case <-ctx.Done():
	case <-s.leave:
	case failed = <-written:
		return failed // nobody reads: nothing is left to answer
	}
	return cmp.Or(failed, s.end(work, written))
}

// end answers what was accepted, stops what runs and lets the writer finish,
// whose error it returns.
func (s *server) end(ctx context.Context, written <-chan error) error {
	most := cmp.Or(s.o.End, endTime)
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.close(ctx)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.giveUp()
	}
	s.sub.Post(lastItem{})
	select {
	case err := <-written:
		return err
	case <-time.After(most / 4):
		return nil // a host that doesn't read is no fault of the session's
	}
}

// read takes the host's lines until the end of stdin. Its error is a read
// error.
func (s *server) read(ctx context.Context) error {
	lines := jsonl.NewReader(s.o.Stdin, 0)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read stdin: %w", err)
		}
		s.receive(ctx, line.Data)
	}
}
