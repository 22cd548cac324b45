package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/modes/acp"
)

// acpApp serves an editor.
func (p *program) acpApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe acp",
		Usage: "serve an editor on stdin and stdout, in the Agent Client Protocol",
		UsageText: `hoopoe acp [flags] [PATH]               PATH is an agent: a YAML or JSON file, or a folder with one

The editor starts it; docs/editors.md has the settings for some.`,
		Flags:  acpFlags(),
		Action: p.acp,
	})
}

// acpFlags are those of the chat that the editor doesn't decide itself.
func acpFlags() []cli.Flag {
	not := []string{"print", "mode", "cwd", "continue", "resume", "session", "fork", "version"}
	flags := slices.DeleteFunc(chatFlags(), func(f cli.Flag) bool {
		name := f.Names()[0]
		return slices.Contains(not, name) || strings.HasPrefix(name, "rpc-") || strings.HasPrefix(name, "remote")
	})
	return append(flags,
		&cli.StringFlag{Name: "mode", Hidden: true},
		&cli.StringFlag{Name: "answer-timeout", Category: groupRun, Usage: "reject what nobody has allowed after `TIME`, such as 5m (default: wait)"},
		&cli.BoolFlag{DisableDefaultText: true, Name: "login", Category: groupRun, Usage: "ask for a provider's key, as \"hoopoe login\" does, and leave"},
	)
}

// startError is why an editor can't be served. Programs read its code.
type startError struct{ err error }

func (e startError) Error() string {
	if faults(e.err) {
		return e.err.Error()
	}
	code := spec.Invalid
	_, unknown := errors.AsType[*catalog.UnknownModelError](e.err)
	_, missing := errors.AsType[*engine.ModelNotFoundError](e.err)
	if unknown || missing {
		code = spec.UnknownModel
	}
	return string(code) + ": " + e.err.Error()
}

// faults reports whether an error is an agent's, which has codes of its own.
func faults(err error) bool {
	_, ok := errors.AsType[*spec.Error](err)
	return ok
}

// acp serves an editor until the end of its requests, which is no failure
// however it comes.
func (p *program) acp(c *cli.Context) error {
	s, err := readSettings(c)
	if err != nil {
		return startError{err}
	}
	if c.Bool("login") {
		return p.loginApp().RunContext(c.Context, []string{"hoopoe login", "--", "--"})
	}
	var patience time.Duration
	if text := c.String("answer-timeout"); c.IsSet("answer-timeout") {
		if patience, err = time.ParseDuration(text); err != nil || patience <= 0 {
			return startError{fmt.Errorf("--answer-timeout is a time such as 90s or 5m, not %q", text)}
		}
	}
	words, literals := arguments(c.Args().Slice())
	if len(words) > 0 && words[0] == "acp" && c.String("mode") == "" {
		words = words[1:]
	}
	words = slices.Concat(words, literals)
	switch {
	case len(words) > 1:
		return startError{fmt.Errorf("one PATH of an agent is all there is to give, not %q", strings.Join(words, " "))}
	case len(words) == 1 && s.agent != "":
		return startError{errors.New("PATH and --agent mean the same; give one of them")}
	case len(words) == 1:
		s.agent = words[0]
	}
	if err := checkStdin(p.stdin); err != nil {
		return startError{err}
	}
	open := &sessionSet{sessions: map[*engine.Session]bool{}}
	ctx, stop := withSignals(c.Context, func(code int) {
		open.kill() // a tool that ignores TERM must not outlive us
		os.Exit(code)
	})
	defer stop()
	stdout, err := claimStdout(p.stdout.file, p.stderr)
	if err != nil {
		return startError{err}
	}
	agent, err := p.agent(ctx, s)
	if err != nil {
		return startError{err}
	}
	program, err := os.Executable()
	if err != nil {
		program = p.name
	}
	stdin := &input{Reader: p.stdin, ended: make(chan struct{})}
	defer hurry(ctx, stdin.ended, open.kill)()
	defer open.kill() // what didn't heed the end
	return acp.Serve(ctx, agent, stdin, func(line []byte) error {
		_, err := stdout.Write(line)
		return err
	}, acp.Options{
		Version: version(), Now: p.now, Notify: p.warn, Login: []string{"--login"}, Program: program, Patience: patience,
		Opened: open.add, Closed: open.remove,
	})
}

// agent makes what the editor talks to. What is wrong with the command line, the
// agent's file or the model shows here and not at the first session.
func (p *program) agent(ctx context.Context, s settings) (acp.Agent, error) {
	here, err := workFolder("")
	if err != nil {
		return acp.Agent{}, err
	}
	e, notices := p.newEngine(here, s)
	for _, n := range notices {
		p.warn(n)
	}
	if s, err = p.withAgent(ctx, s); err != nil {
		return acp.Agent{}, err
	}
	o, err := s.openOptions(e, here)
	if err != nil {
		return acp.Agent{}, err
	}
	if o.Model != "" || o.Agent != nil || len(o.Tools) > 0 {
		try := o
		try.InMemory, try.NoMCP = true, true
		session, _, err := e.Open(ctx, try)
		if err != nil {
			return acp.Agent{}, err
		}
		if err := session.Close(ctx); err != nil {
			return acp.Agent{}, err
		}
	}
	return acp.Agent{Engine: e, Commands: p.commands(e, s.sessionDir), Open: o}, nil
}

// sessionSet are the sessions that are open.
type sessionSet struct {
	mu       sync.Mutex
	sessions map[*engine.Session]bool
}

func (o *sessionSet) add(s *engine.Session) {
	o.mu.Lock()
	o.sessions[s] = true
	o.mu.Unlock()
}

func (o *sessionSet) remove(s *engine.Session) {
	o.mu.Lock()
	delete(o.sessions, s)
	o.mu.Unlock()
}

// kill ends what the sessions run, at once.
func (o *sessionSet) kill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for s := range o.sessions {
		s.Kill()
	}
}
