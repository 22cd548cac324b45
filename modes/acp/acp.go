package acp

import (
	"context"
	"io"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Agent is what the editor talks to: an engine, and what all its sessions have.
type Agent struct {
	Engine   *engine.Engine
	Commands *slash.Registry
	// Open are the options of every session. Cwd, Roots, Path, SessionID, Dialogs,
	// Workspace, Written and the client's MCP servers are the session's own.
	// SessionDir is where sessions are kept; InMemory keeps none.
	Open engine.OpenOptions
}

// Options say how it is served.
type Options struct {
	Version string
	// Notify gets what no editor can be told; nil drops it.
	Notify func(text string)
	// Login are the arguments that make the program ask for a key in a terminal,
	// Program its path; without them no editor is offered a login.
	Login   []string
	Program string
	Now     func() time.Time
	// Patience is how long a permission request may stay unanswered before the
	// call is rejected; 0 waits for ever. Some clients show none.
	Patience time.Duration
	// Opened and Closed are told of each session, for a caller that may have to
	// end their processes at once; nil tells nobody.
	Opened, Closed func(*engine.Session)
}

// Serve returns this long after the end of its input at the latest: when all is
// stopped and answered, or isn't, and the last lines are written, or can't be.
const (
	endTime   = time.Second
	flushTime = 300 * time.Millisecond
)

// Serve speaks the protocol until the end of r, the end of ctx, or until write
// fails, and returns why it couldn't go on. What runs then is stopped and
// answered; all sessions are closed. write gets one line at a time, with its
// '\n', from one goroutine.
func Serve(ctx context.Context, a Agent, r io.Reader, write func(line []byte) error, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s := newServer(work, a, o, wire.NewPeer(write))
	read := make(chan error, 1)
	go func() { read <- s.peer.Serve(work, r, s) }()
	var failed error
	select {
	case failed = <-read:
	case failed = <-s.failed:
	case <-ctx.Done():
	case <-s.peer.Broken():
	}
	ending, cancel := context.WithTimeout(work, endTime)
	defer cancel()
	s.close(ending)
	flushing, done := context.WithTimeout(work, flushTime)
	defer done()
	if err := s.peer.Close(flushing); err != nil {
		return err
	}
	return failed
}
