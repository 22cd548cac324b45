package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/modes/print"
)

// stdinPatience is how long stdin may be silent before that is mentioned.
const stdinPatience = 3 * time.Second

// print does one task and writes the answer.
func (p *program) print(ctx context.Context, s settings, words, literals []string) (err error) {
	ctx, running, stop := stoppable(ctx)
	defer stop()
	cwd, err := workFolder(s.cwd)
	if err != nil {
		return err
	}
	task, err := p.readPrompt(ctx, cwd, words, literals)
	if err != nil {
		return err
	}
	if task.empty() {
		return errNoPrompt
	}
	open, err := p.openSession(ctx, s, cwd)
	if err != nil {
		return err
	}
	running.Store(open.session)
	defer func() { err = p.close(ctx, open.session, err) }()
	err = print.Run(ctx, print.Options{
		Session: open.session, Commands: p.commands(open.engine, s.sessionDir),
		Text: task.text, Blocks: task.blocks, JSON: s.json,
		Live: p.terminals.out, Progress: p.terminals.err && !s.json,
		Stdout: p.stdout, Stderr: p.stderr, Now: p.now,
	})
	p.hint(ctx, open.session)
	return err
}

// stoppable ends ctx at the first signal, and at the second the process with
// what the session runs.
func stoppable(ctx context.Context) (_ context.Context, running *atomic.Pointer[engine.Session], stop func()) {
	running = &atomic.Pointer[engine.Session]{}
	ctx, stop = withSignals(ctx, func(code int) {
		if s := running.Load(); s != nil {
			s.Kill() // a tool that ignores TERM must not outlive us
		}
		os.Exit(code)
	})
	return ctx, running, stop
}

// close ends the session in order. Its failure is the error when there is no
// other, else it is only told.
func (p *program) close(ctx context.Context, s *engine.Session, err error) error {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWait)
	defer cancel()
	failed := s.Close(closing)
	if failed == nil || err == nil {
		return cmp.Or(err, failed)
	}
	p.warn(failed.Error())
	return err
}

// readPrompt reads files and stdin. Reading stdin can't be interrupted, so a
// signal leaves it behind.
func (p *program) readPrompt(ctx context.Context, cwd string, words, literals []string) (prompt, error) {
	from := source{cwd: cwd, patience: stdinPatience, stillOff: func() {
		p.warn("waiting for the end of stdin; without anything to read there, start with < /dev/null")
	}}
	for _, w := range words {
		if w == "-" {
			from.stdin = p.stdin
		}
	}
	if !p.terminals.in {
		from.stdin = p.stdin
	} else {
		from.stillOff = nil
	}
	type result struct {
		prompt prompt
		err    error
	}
	read := make(chan result, 1)
	go func() {
		task, err := from.read(words, literals)
		read <- result{task, err}
	}()
	select {
	case r := <-read:
		return r.prompt, r.err
	case <-ctx.Done():
		return prompt{}, context.Cause(ctx)
	}
}

// opened is a session with the engine behind it.
type opened struct {
	engine  *engine.Engine
	session *engine.Session
}

// openSession opens what the flags name and tells what was odd.
func (p *program) openSession(ctx context.Context, s settings, cwd string) (opened, error) {
	e, notices := p.newEngine(cwd, s)
	s, err := p.withAgent(ctx, s)
	if err != nil {
		return opened{}, err
	}
	o, err := s.openOptions(e, cwd)
	if err != nil {
		return opened{}, candidates(err, p.now())
	}
	if files := e.Untrusted(cwd); len(files) > 0 && !s.approve {
		notices = append(notices, fmt.Sprintf("not read until you trust this folder: %s (the chat asks; --approve does it for one run)", strings.Join(files, ", ")))
	}
	session, more, err := e.Open(ctx, o)
	for _, n := range append(notices, more...) {
		p.warn(n)
	}
	return opened{e, session}, err
}

// hint says how to go on, where somebody watches.
func (p *program) hint(ctx context.Context, s *engine.Session) {
	if !p.terminals.err {
		return
	}
	v, err := s.View(context.WithoutCancel(ctx))
	if err == nil && v.File != "" && len(v.Messages) > 0 {
		fmt.Fprintf(p.stderr, "To go on: hoopoe --resume %s\n", v.SessionID)
	}
}
