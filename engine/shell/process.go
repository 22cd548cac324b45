package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/procgroup"
)

// process is one running command. Its collector is filled by the reading
// goroutine; everything else belongs to the goroutine in wait.
type process struct {
	runner  *Runner
	command Command
	group   *procgroup.Group
	read    *os.File
	out     *collector
	errRead *os.File      // of a command with Apart, else nil
	errOut  *collector    // likewise
	exited  chan error    // the command's own end
	drained chan struct{} // closed when nothing more will be read

	killAt time.Time        // when the grace after TERM is over; zero while it runs
	kill   <-chan time.Time // fires then
	giveUp <-chan time.Time // fires when even KILL hasn't helped
	result Result
}

// collect starts to read what the command prints.
func (p *process) collect() {
	var reading sync.WaitGroup
	reading.Go(func() { drain(p.read, p.out) })
	if p.errRead != nil {
		reading.Go(func() { drain(p.errRead, p.errOut) })
	}
	go func() {
		reading.Wait()
		close(p.drained)
	}()
}

// drain reads until every holder of the pipe's other end is gone, or the pipe
// is closed on our side.
func drain(read *os.File, out *collector) {
	defer func() {
		if v := recover(); v != nil {
			out.fail(fmt.Errorf("collecting output panicked: %v", v))
		}
	}()
	chunk := make([]byte, 32<<10)
	for {
		n, err := read.Read(chunk)
		if n > 0 {
			out.write(chunk[:n])
		}
		if err != nil {
			return
		}
	}
}

// wait follows the command to its end and returns what became of it.
func (p *process) wait(ctx context.Context, cmd *exec.Cmd) (res Result, err error) {
	defer func() {
		if v := recover(); v != nil { // only OnOutput is foreign code
			p.group.Kill()
			err = fmt.Errorf("showing the output of a command panicked: %v", v)
		}
		p.out.close()
	}()
	exit, ended := p.follow(ctx)
	if ended {
		p.clear()
	}
	p.read.Close()
	if p.errRead != nil {
		p.errRead.Close()
	}
	if canInterruptRead {
		<-p.drained
	}
	p.out.close()
	res = p.snapshot()
	if ended && !res.TimedOut && !res.Cancelled {
		res.ExitCode, err = exitCode(cmd, exit)
	}
	return res, err
}

// follow waits for the command itself to exit, stopping it when it has to be.
// ended is false if it can't be killed.
func (p *process) follow(ctx context.Context) (exit error, ended bool) {
	var timeout, flush <-chan time.Time
	if p.command.Timeout > 0 {
		t := time.NewTimer(p.command.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	changed, closing, done := p.out.changed, p.runner.closing, ctx.Done()
	if p.command.OnOutput == nil {
		changed = nil
	}
	for {
		select {
		case exit = <-p.exited:
			return exit, true
		case <-done:
			done = nil
			p.stop(&p.result.Cancelled, p.runner.opts.Grace)
		case <-timeout:
			timeout = nil
			p.stop(&p.result.TimedOut, p.runner.opts.Grace)
		case <-closing:
			closing = nil
			p.stop(&p.result.Cancelled, p.runner.grace)
		case <-p.kill:
			p.kill = nil
			p.group.Kill()
			p.giveUp = time.After(DefaultGrace)
		case <-p.giveUp:
			return nil, false
		case <-changed:
			// Output that follows within the interval waits for its end.
			changed, flush = nil, time.After(p.runner.opts.Every)
			p.command.OnOutput(p.snapshot())
		case <-flush:
			changed, flush = p.out.changed, nil
		}
	}
}

// stop asks the group to end and arms the kill. A second reason to stop keeps
// the first one's mark and can only bring the kill forward.
func (p *process) stop(mark *bool, grace time.Duration) {
	at := time.Now().Add(grace)
	if p.killAt.IsZero() {
		*mark = true
		p.terminate()
	} else if at.After(p.killAt) {
		return
	}
	p.killAt, p.kill = at, time.After(grace)
}

// terminate asks the group to end. Where nobody hears that it is killed.
func (p *process) terminate() (heard bool) {
	heard = p.group.Terminate()
	if !heard {
		p.group.Kill()
	}
	return heard
}

// clear stops what the command left behind in its group. In the usual case the
// pipe is at its end, the group is empty and this costs two system calls.
func (p *process) clear() {
	select {
	case <-p.drained:
	default:
		select {
		case <-p.drained:
		case <-time.After(drainTime):
		}
	}
	if !p.terminate() {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	over := time.After(leftoverGrace)
	for p.group.Alive() {
		select {
		case <-tick.C:
		case <-over:
			p.group.Kill()
			return
		}
	}
}

// snapshot is the result so far.
func (p *process) snapshot() Result {
	res := p.result
	p.out.fill(&res)
	if p.errOut != nil {
		res.Stderr = p.errOut.text()
	}
	return res
}

// exitCode returns the exit status; death by a signal counts as shells count it.
func exitCode(cmd *exec.Cmd, exit error) (*int, error) {
	var status *exec.ExitError
	if exit != nil && !errors.As(exit, &status) {
		return nil, fmt.Errorf("wait for %s: %w", cmd.Path, exit)
	}
	code := cmd.ProcessState.ExitCode()
	if n := signalNumber(cmd.ProcessState); n > 0 {
		code = 128 + n
	}
	return &code, nil
}
