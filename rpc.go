package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/modes/rpc"
)

// endGrace is how long a run's processes may take to heed the end. Hosts kill
// us a second after it, and until then the end of the run is to be written and
// the session to be closed.
const endGrace = 250 * time.Millisecond

// rpc serves another program until the end of its commands.
func (p *program) rpc(ctx context.Context, s settings, words []string) (err error) {
	if slices.ContainsFunc(words, isFile) {
		// The words of the protocol's family, which hosts show.
		fmt.Fprintln(p.stderr, "Error: @file arguments are not supported in RPC mode")
		p.exit = exitFailed
		return nil
	}
	if err := checkStdin(p.stdin); err != nil {
		return err
	}
	ctx, running, stop := stoppable(ctx)
	defer stop()
	stdout, err := claimStdout(p.stdout.file, p.stderr)
	if err != nil {
		return err
	}
	cwd, err := workFolder(s.cwd)
	if err != nil {
		return err
	}
	for _, w := range s.warnings {
		p.warn(w)
	}
	s.sessionDir = cmp.Or(s.sessionDir, p.getenv("PI_CODING_AGENT_SESSION_DIR"))
	open, err := p.openSession(ctx, s, cwd)
	if err != nil {
		return err
	}
	running.Store(open.session)
	defer func() { err = p.close(ctx, open.session, err) }()
	if s.name != "" {
		if err := open.session.Rename(ctx, s.name); err != nil {
			p.warn("--name: " + err.Error())
		}
	}
	stdin := &input{Reader: p.stdin, ended: make(chan struct{})}
	defer hurry(ctx, stdin.ended, open.session.Kill)()
	err = rpc.Run(ctx, rpc.Options{
		Session: open.session, Commands: p.commands(open.engine, s.sessionDir),
		Stdin: stdin, Stdout: stdout, Now: p.now, Version: version(),
		Dialect: p.dialect(s.dialect), Deltas: s.deltas, Titles: isTrue(p.getenv("PI_RPC_EMIT_TITLE")),
	})
	return cmp.Or(err, context.Cause(ctx))
}

// hosted sets what hosts expect where neither a flag nor the settings decide.
func (s settings) hosted(e *engine.Engine, o *engine.OpenOptions) error {
	if s.provider != "" && !hasProvider(e, s.provider) {
		//lint:ignore ST1005 the beginning is what hosts look for
		return fmt.Errorf("Unknown provider %q. Use \"hoopoe models\" to see the providers and models that there are", s.provider)
	}
	o.Hosted, o.DefaultMode = true, string(permission.ModeFull)
	o.Model, o.Models, o.SessionID = whole(s.model, e.Offers), s.models, s.sessionID
	return nil
}

// hasProvider looks among the servers of this machine too before it gives up.
func hasProvider(e *engine.Engine, id string) bool {
	known := func() bool {
		return slices.ContainsFunc(e.Providers(), func(p catalog.Provider) bool { return strings.EqualFold(p.ID, id) })
	}
	if id == "script" || known() {
		return true
	}
	e.Models()
	return known()
}

// whole completes the name of a model as hosts shorten it: with or without its
// provider, any part of the id, and a level behind it. What fits best is the
// first that can be used; what is whole, or nothing, stays as it is.
func whole(name string, offers func(search string) []engine.Offer) string {
	provider, part, ok := strings.Cut(name, "/")
	if !ok {
		provider, part = "", name
	}
	level := ""
	if i := strings.LastIndexByte(part, ':'); i > 0 {
		if _, err := llm.ParseLevel(part[i+1:]); err == nil {
			part, level = part[:i], part[i:]
		}
	}
	if part == "" || provider == "script" {
		return name
	}
	found := slices.DeleteFunc(offers(part), func(o engine.Offer) bool {
		return provider != "" && !strings.EqualFold(o.Provider, provider)
	})
	for _, o := range found {
		exact := strings.EqualFold(o.ID, part) || strings.EqualFold(o.ID, part+level)
		if strings.EqualFold(o.Provider, name) || exact && (o.Err == nil || found[0].Err != nil) {
			return name
		}
	}
	if len(found) == 0 {
		return name
	}
	return found[0].Ref() + level
}

// dialect is the one of the flag, else of the environment, else that of the
// name that we were called by.
func (p *program) dialect(flag string) string {
	called := strings.TrimSuffix(filepath.Base(p.name), ".exe")
	if cmp.Or(flag, p.getenv("HOOPOE_RPC_DIALECT"), called) == rpc.Pi {
		return rpc.Pi
	}
	return ""
}

// isTrue reads a switch of the environment as hosts set it.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}

// input is what a host sends; ended is closed at its end.
type input struct {
	io.Reader
	once  sync.Once
	ended chan struct{}
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.Reader.Read(b)
	if err != nil {
		i.once.Do(func() { close(i.ended) })
	}
	return n, err
}

// hurry calls kill for what outlives the end by endGrace: the end of ctx, or of
// the input.
func hurry(ctx context.Context, ended <-chan struct{}, kill func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-ended:
		case <-ctx.Done():
		case <-done:
			return
		}
		select {
		case <-time.After(endGrace):
			kill()
		case <-done:
		}
	}()
	return func() { close(done) }
}
