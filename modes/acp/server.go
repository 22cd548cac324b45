package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// server is one connection.
type server struct {
	agent   Agent
	options Options
	peer    *wire.Peer
	ctx     context.Context // of the connection's work
	lane    lane            // of the connection's own requests
	failed  chan error      // why the connection can't go on, once

	mu       sync.Mutex
	client   clientCapabilities
	sessions map[string]*live
	ended    bool // no more sessions are opened
}

func newServer(ctx context.Context, a Agent, o Options, p *wire.Peer) *server {
	return &server{ctx: ctx, agent: a, options: o, peer: p, sessions: map[string]*live{}, failed: make(chan error, 1)}
}

// fail ends the connection. The first reason stands.
func (s *server) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// own are the requests of the connection, and those that make or end sessions.
func (s *server) own(method string) func(context.Context, *wire.Request) (any, error) {
	switch method {
	case "initialize":
		return s.initialize
	case "authenticate":
		return s.authenticate
	case "logout":
		return s.logout
	case "session/list":
		return s.list
	case "session/delete":
		return s.delete
	}
	return nil
}

// opening are the requests that answer by themselves, since the lines behind the
// answer belong to it.
func (s *server) opening(method string) func(context.Context, *wire.Request) error {
	switch method {
	case "session/new":
		return s.newSession
	case "session/load":
		return s.loadSession
	case "session/resume":
		return s.resumeSession
	case "session/fork":
		return s.forkSession
	}
	return nil
}

// inSession are the requests to a session, in its order.
func (s *server) inSession(method string) func(context.Context, *live, *wire.Request) (any, error) {
	switch method {
	case "session/close":
		return s.closeSession
	case "session/set_mode":
		return setMode
	case "session/set_config_option":
		return setConfigOption
	case "session/set_model":
		return setModel
	case "session/set_title":
		return setTitle
	case "_session/steering":
		return steer
	}
	return nil
}

// Request implements wire.Handler.
func (s *server) Request(r *wire.Request) {
	if r.Method == "session/prompt" {
		s.prompt(r)
		return
	}
	if r.Method == "session/cancel" { // a notification, but some clients wait for an answer
		s.Notification(r.Method, r.Params)
		r.Reply(nil)
		return
	}
	if fn := s.own(r.Method); fn != nil {
		s.lane.do(func() { s.answer(r, func() (any, error) { return fn(r.Context(), r) }) })
		return
	}
	if fn := s.opening(r.Method); fn != nil {
		s.lane.do(func() {
			s.answer(r, func() (any, error) {
				err := fn(r.Context(), r)
				return nil, err
			})
		})
		return
	}
	fn := s.inSession(r.Method)
	if fn == nil {
		r.Fail(unknownMethod(r.Method))
		return
	}
	l, err := s.named(r)
	if err != nil {
		r.Fail(err)
		return
	}
	l.lane.do(func() { s.answer(r, func() (any, error) { return fn(r.Context(), l, r) }) })
}

// answer answers with what fn returns. One that has answered stays so.
func (s *server) answer(r *wire.Request, fn func() (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			r.Fail(failure(wire.InternalError, codeInternal, fmt.Errorf("internal error: %v", p)))
		}
	}()
	result, err := fn()
	switch e, known := errors.AsType[*wire.Error](err); {
	case err == nil:
		r.Reply(result)
	case known:
		r.Fail(e)
	case errors.Is(context.Cause(r.Context()), wire.ErrTakenBack):
		r.Fail(wire.Errorf(wire.Cancelled, "the request was cancelled"))
	default:
		r.Fail(failure(wire.InternalError, codeInternal, err))
	}
}

// Notification implements wire.Handler.
func (s *server) Notification(method string, params json.RawMessage) {
	if method != "session/cancel" {
		return
	}
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if l := s.session(p.SessionID); l != nil {
		l.cancel()
	}
}

// session is the open session of that id, nil if there is none.
func (s *server) session(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// named is the session that a request is to.
func (s *server) named(r *wire.Request) (*live, *wire.Error) {
	var p struct {
		SessionID *string `json:"sessionId"`
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	if p.SessionID == nil {
		return nil, invalid("%s: sessionId is missing", r.Method)
	}
	l := s.session(*p.SessionID)
	if l == nil {
		return nil, unknownSession(*p.SessionID)
	}
	l.once.Do(func() { close(l.known) })
	return l, nil
}

// decode reads the parameters of a request.
func decode(r *wire.Request, into any) *wire.Error {
	params := r.Params
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
			return invalid("%s: %s can't be a JSON %s", r.Method, e.Field, e.Value)
		}
		return invalid("%s: the parameters are no such object", r.Method)
	}
	return nil
}

// capabilities are what the editor offers.
func (s *server) capabilities() clientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// add makes a session known. It reports false at the end of the connection.
func (s *server) add(l *live) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.sessions[l.id] = l
	return true
}

// remove forgets a session, and reports whether it was there.
func (s *server) remove(l *live) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[l.id] != l {
		return false
	}
	delete(s.sessions, l.id)
	return true
}

// close answers what was accepted, and stops and closes all sessions.
func (s *server) close(ctx context.Context) {
	s.lane.wait(ctx)
	s.mu.Lock()
	s.ended = true
	var all []*live
	for _, l := range s.sessions {
		all = append(all, l)
	}
	clear(s.sessions)
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, l := range all {
		wg.Go(func() {
			l.cancel()
			l.lane.wait(ctx)
			l.close(ctx)
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// lane runs funcs one after the other, off the caller's goroutine.
type lane struct {
	mu    sync.Mutex
	queue []func()
	busy  bool
}

func (l *lane) do(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, fn)
	if !l.busy {
		l.busy = true
		go l.run()
	}
}

// wait returns when all that was given to the lane before has run.
func (l *lane) wait(ctx context.Context) {
	done := make(chan struct{})
	l.do(func() { close(done) })
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (l *lane) run() {
	for {
		l.mu.Lock()
		if len(l.queue) == 0 {
			l.busy = false
			l.mu.Unlock()
			return
		}
		fn := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		fn()
	}
}
