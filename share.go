package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/modes/remote"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// sharing is the server that /remote starts beside the chat: both show the
// same session, and either can answer its questions.
type sharing struct {
	options remote.Options

	mu   sync.Mutex
	stop func()
	told string // how to reach the server that runs
}

func (p *program) share(e *engine.Engine, s settings, cwd string) *sharing {
	// Clients may begin sessions of their own, as they would without the chat.
	s.resumeLatest, s.resume, s.sessionFile, s.fork = false, false, "", ""
	return &sharing{options: remote.Options{
		Cwd: cwd, Commands: p.commands(e, s.sessionDir), Library: library{e, s.sessionDir},
		Version: version(), Now: p.now, Log: e.Log(), Language: p.language(),
		Open: opening(e, s, cwd),
	}}
}

// run is the command. Without an argument only this machine can connect; "lan"
// lets the network in, which the token alone keeps out then.
func (r *sharing) run(ctx context.Context, s slash.Session, args string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	session, ok := s.(*engine.Session)
	switch {
	case !ok:
		return "", errors.New("this session can't be shared")
	case args == "off" && r.stop == nil:
		return "The session isn't shared.", nil
	case args == "off":
		r.end()
		return "The session is no longer shared.", nil
	case r.stop != nil && args == "":
		return r.told, nil
	}
	r.end()
	return r.start(ctx, session, args)
}

// start serves the session and tells how to reach it.
func (r *sharing) start(ctx context.Context, session *engine.Session, where string) (string, error) {
	switch where {
	case "":
		where = "127.0.0.1:0"
	case "lan":
		where = ":0"
	}
	o := r.options
	o.Token = remote.NewToken()
	var err error
	if o.Address, err = remote.ParseAddress(where); err != nil {
		return "", errors.New(strings.TrimPrefix(err.Error(), "--remote "))
	}
	server, err := remote.New(o)
	if err != nil {
		return "", err
	}
	l, err := remote.Listen(ctx, o)
	if err != nil {
		return "", err
	}
	id, err := server.Lend(session)
	if err != nil {
		l.Close()
		return "", err
	}
	serving, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(serving, l)
	}()
	r.stop = func() { cancel(); <-done }
	at := remote.Reach(o, l.Addr())
	if at.Page == "" {
		r.told = fmt.Sprintf("Shared at %s, session %s, token %s", at.Socket, id, o.Token)
		return r.told, nil
	}
	link := at.Page + "&session=" + id
	r.told = "Open in a browser: " + link + "\n\n" + remote.QR(link, false)
	if at.Open {
		r.told += "\nWhoever has the link can use the tools here, and what is sent can be read on this network."
	} else {
		r.told += "\nOnly this machine can connect. For a phone in the same network: /remote lan"
	}
	r.told += "\n/remote off ends it."
	return r.told, nil
}

func (r *sharing) end() {
	if r.stop != nil {
		r.stop()
	}
	r.stop, r.told = nil, ""
}

// close ends the server with the chat.
func (r *sharing) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}
