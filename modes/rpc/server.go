package rpc

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// command is one row of the table of commands.
type command struct {
	// slow commands may wait for a run, a hook or a dialog: an abort reaches
	// behind them.
	slow bool
	// call answers by its results.
	call func(ctx context.Context, r request) (data any, err error)
	// own answers by itself, because its response has a place among the events.
	own func(ctx context.Context, r request)
}

// server is one connection. The reader, the worker and the goroutines of
// commands that run beside it share it.
type server struct {
	o        Options
	sub      *engine.Subscription
	commands map[string]command
	host     *hostTools
	dialogs  *dialogs
	leave    <-chan struct{} // closed when an extension wants the process to end

	mu    sync.Mutex
	wake  sync.Cond
	queue []request
	// lastBash is closed when the last command of bash is over.
	lastBash chan struct{}
	weight   int      // bytes of queue
	aborting int      // aborts that have come and not had their turn
	closed   bool     // no more requests come
	blocked  bool     // the worker is in a slow command
	calling  *request // that the worker carries out and has yet to answer
	jobs     map[*job]bool
	idle     chan struct{}  // closed when the worker has left
	running  sync.WaitGroup // jobs
}

// maxQueued bounds the bytes of commands that wait.
const maxQueued = 256 << 20

func newServer(ctx context.Context, o Options, sub *engine.Subscription) *server {
	s := &server{
		o: o, sub: sub, leave: o.Session.ShutdownRequested(), idle: make(chan struct{}), jobs: map[*job]bool{},
	}
	s.wake.L = &s.mu
	s.host = newHostTools(o.Session, sub)
	s.dialogs = newDialogs(ctx, o.Session)
	s.commands = s.table()
	return s
}

// receive deals with one line, without ever waiting for a command.
func (s *server) receive(ctx context.Context, line []byte) {
	r, err := parse(line)
	if err != nil {
		s.sub.Post(parseFailure(err))
		return
	}
	if s.dialogs.answered(r) || s.host.answered(r) {
		return
	}
	_, ok := s.commands[r.Type]
	switch {
	case !r.typed || !ok:
		s.sub.Post(s.unknown(r))
	default:
		s.expect(r.Type, 1)
		s.reachBehind(r.Type)
		r.size = len(line)
		s.enqueue(r)
	}
}

// expect counts the aborts among the commands that wait.
func (s *server) expect(kind string, change int) {
	if kind == "abort" || kind == "abort_and_prompt" {
		s.mu.Lock()
		s.aborting += change
		s.mu.Unlock()
	}
}

// reachBehind lets an abort free a worker that is stuck in a slow command: its
// dialog is closed and what it waits for is stopped. The abort itself still
// takes its turn, so that it meets the prompts that were sent before it.
func (s *server) reachBehind(kind string) {
	s.mu.Lock()
	blocked := s.blocked
	s.mu.Unlock()
	switch {
	case !blocked:
	case kind == "abort" || kind == "abort_and_prompt":
		s.stopAll()
	case kind == "abort_bash":
		s.cancelJobs("bash")
	case kind == "abort_retry":
		_ = s.o.Session.AbortRetry(context.Background())
	}
}

// asked closes the dialog of a command that has an abort behind it: when the
// abort came, another command before this one held up the worker.
func (s *server) asked() {
	s.mu.Lock()
	unwanted := s.blocked && s.aborting > 0
	s.mu.Unlock()
	if unwanted {
		s.stopAll()
	}
}

func (s *server) stopAll() {
	s.cancelJobs("compact")
	_ = s.o.Session.AbortAck(nil)
}

func (s *server) enqueue(r request) {
	s.mu.Lock()
	full := s.weight+r.size > maxQueued
	if !full {
		s.queue = append(s.queue, r)
		s.weight += r.size
		s.wake.Signal()
	}
	s.mu.Unlock()
	if full {
		s.expect(r.Type, -1)
		s.sub.Post(s.failure(r, refuse("too many commands are waiting: send this one again later")))
	}
}

// work carries out the queue.
func (s *server) work(ctx context.Context) {
	defer close(s.idle)
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.wake.Wait()
		}
		if len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		r := s.queue[0]
		s.queue = s.queue[1:]
		s.weight -= r.size
		if len(s.queue) == 0 {
			s.queue = nil // let go of what was taken
		}
		c := s.commands[r.Type]
		s.blocked = c.slow
		s.mu.Unlock()
		s.expect(r.Type, -1)
		s.carryOut(ctx, r, c)
		s.mu.Lock()
		s.blocked = false
		s.mu.Unlock()
	}
}

// job is the part of a command that runs beside the queue.
type job struct {
	request request
	cancel  func()
}

// track notes a job that cancel ends; done is called once at its end. The worker
// calls it, so the commands after this one find the job.
func (s *server) track(r request, cancel func()) (done func()) {
	j := &job{r, cancel}
	s.mu.Lock()
	s.jobs[j] = true
	s.running.Add(1)
	s.mu.Unlock()
	return func() {
		cancel()
		s.mu.Lock()
		delete(s.jobs, j)
		s.mu.Unlock()
		s.running.Done()
	}
}

// spawn runs fn beside the queue.
func (s *server) spawn(ctx context.Context, r request, fn func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	done := s.track(r, cancel)
	go func() {
		defer done()
		defer s.recovered(r)
		fn(ctx)
	}()
}

// cancelJobs ends the jobs of commands of these types.
func (s *server) cancelJobs(kinds ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for j := range s.jobs {
		if slices.Contains(kinds, j.request.Type) {
			j.cancel()
		}
	}
}

// giveUp answers the jobs and the command that haven't ended in time, and the
// commands that haven't had their turn: what was accepted is answered, whatever
// becomes of it.
func (s *server) giveUp() {
	late := refuse("the client disconnected before this was done")
	s.mu.Lock()
	defer s.mu.Unlock()
	for j := range s.jobs {
		if j.request.Type == "bash" {
			s.sub.Post(success(j.request, bashResultOf(engine.BashResult{})))
		} else {
			s.sub.Post(s.failure(j.request, late))
		}
	}
	if s.calling != nil {
		s.sub.Post(s.failure(*s.calling, late))
		s.calling = nil
	}
	for _, r := range s.queue {
		s.sub.Post(s.failure(r, late))
	}
	s.queue = nil
}

// recovered makes a fault in a command an error like any other.
func (s *server) recovered(r request) {
	if v := recover(); v != nil {
		s.sub.Post(s.failure(r, fmt.Errorf("internal error: %v", v)))
	}
}

// carryOut runs a command.
func (s *server) carryOut(ctx context.Context, r request, c command) {
	if c.own != nil {
		defer s.recovered(r)
		c.own(ctx, r)
		return
	}
	s.mu.Lock()
	s.calling = &r
	s.mu.Unlock()
	data, err := c.called(ctx, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.calling == nil: // it was given up
	case err != nil:
		s.sub.Post(s.failure(r, err))
	default:
		s.sub.Post(success(r, data))
	}
	s.calling = nil
}

// called is call, with a fault in it for an error like any other.
func (c command) called(ctx context.Context, r request) (data any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return c.call(ctx, r)
}

// close ends the service: what was accepted is answered, then all stops.
func (s *server) close(ctx context.Context) {
	s.host.disconnect()
	s.mu.Lock()
	s.closed = true
	s.aborting++ // the end is one, and has no turn
	blocked := s.blocked
	s.wake.Broadcast()
	s.mu.Unlock()
	if blocked {
		s.stopAll()
	}
	select {
	case <-s.idle:
	case <-ctx.Done():
	}
	s.cancelJobs("bash", "compact")
	_ = s.o.Session.Halt(ctx)
	s.running.Wait()
}
