package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/modes/remote"
)

// tokenName is the environment variable that holds the token of --remote. A
// flag would show it to every user of the machine.
const tokenName = "HOOPOE_REMOTE_TOKEN"

// remote serves clients until a signal ends it.
func (p *program) remote(ctx context.Context, s settings) error {
	var serving atomic.Pointer[remote.Server]
	ctx, stop := withSignals(ctx, func(code int) {
		if s := serving.Load(); s != nil {
			s.Kill() // a tool that ignores TERM must not outlive us
		}
		os.Exit(code)
	})
	defer stop()
	cwd, err := workFolder(s.cwd)
	if err != nil {
		return err
	}
	o, err := p.remoteOptions(s, cwd)
	if err != nil {
		return err
	}
	if err := p.tryOpening(ctx, s, cwd); err != nil {
		return err
	}
	e, _ := p.newEngine(cwd, s)
	if s, err = p.withAgent(ctx, s); err != nil {
		return err
	}
	o.Open = opening(e, s, cwd)
	o.Commands, o.Library, o.Log = p.commands(e, s.sessionDir), library{e, s.sessionDir}, e.Log()
	listening, err := remote.New(o)
	if err != nil {
		return asUsage(err)
	}
	l, err := remote.Listen(ctx, o)
	if err != nil {
		return asUsage(err)
	}
	serving.Store(listening)
	p.announce(o, remote.Reach(o, l.Addr()))
	if err := listening.Serve(ctx, l); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// opening opens the sessions of clients.
func opening(e *engine.Engine, s settings, cwd string) func(context.Context, string) (*engine.Session, error) {
	return func(ctx context.Context, path string) (*engine.Session, error) {
		o, err := s.openOptions(e, cwd)
		if err != nil {
			return nil, err
		}
		o.Path = path
		session, _, err := e.Open(ctx, o)
		return session, err
	}
}

// tryOpening tells at the start what every session would have to say, and
// refuses to serve when none could be opened.
func (p *program) tryOpening(ctx context.Context, s settings, cwd string) error {
	s.noSession = true
	open, err := p.openSession(ctx, s, cwd)
	if err != nil {
		return err
	}
	return open.session.Close(ctx)
}

func (p *program) remoteOptions(s settings, cwd string) (remote.Options, error) {
	r := s.remote
	o := remote.Options{
		Address: r.address, Cert: r.cert, Key: r.key, Origins: r.origins, Hosts: r.hosts, Cwd: cwd,
		AllSessions: r.all, Grace: r.grace, MaxConnections: r.most, Wire: r.wire, Version: version(), Now: p.now,
		Language: p.language(),
	}
	var err error
	o.Token, err = p.remoteToken(r.tokenFile)
	return o, asUsage(err)
}

// remoteToken is the token of the file or the environment, "" for none. An
// empty one is a mistake, never "no token".
func (p *program) remoteToken(file string) (string, error) {
	if file != "" {
		token, made, err := remote.ReadToken(file)
		if made {
			p.warn("made the token file " + file)
		}
		return token, err
	}
	for _, kv := range p.environ {
		if name, _, _ := strings.Cut(kv, "="); name == tokenName {
			token := p.getenv(tokenName)
			return token, remote.CheckToken(token, "the environment variable "+tokenName)
		}
	}
	return "", nil
}

// language is the user's, by the variables that programs look at.
func (p *program) language() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := p.getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// announce says where the server is and who may connect.
func (p *program) announce(o remote.Options, at remote.Place) {
	fmt.Fprintf(p.stdout, "Listening on %s\n", at.Socket)
	if o.Token == "" {
		p.warn("there is no token: every program on this machine can connect and use the tools. --remote-token-file FILE changes that")
		return
	}
	if at.Page != "" {
		fmt.Fprintf(p.stdout, "Open in a browser: %s\n", at.Page)
		if p.terminals.out {
			fmt.Fprintf(p.stdout, "\n%s\n", remote.QR(at.Page, true))
		}
	}
	if at.Open {
		p.warn("what is sent can be read on the network: use --remote-cert and --remote-key, or a tunnel (ssh -L) to an address of this machine")
	}
}

// asUsage makes a fault of the configuration one of the command line.
func asUsage(err error) error {
	if bad, ok := errors.AsType[*remote.ConfigError](err); ok {
		return usageError{bad.Error()}
	}
	return err
}
