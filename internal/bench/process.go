//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ran is what a process took from its start to its end.
type ran struct {
	wall, cpu time.Duration
	peak      float64 // MiB of resident memory: of the tree on Linux, else of its largest process
	output    string  // the end of it
}

// run1 runs a process that ends by itself.
func (b *bench) run1(ctx context.Context, c *exec.Cmd) (ran, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	var out, errs tail
	c.Stdout, c.Stderr = &out, &errs
	begun := time.Now()
	p, err := start(c)
	if err != nil {
		return ran{}, err
	}
	peak := p.watch()
	err = p.wait(ctx)
	r := ran{wall: time.Since(begun), output: out.text()}
	p.kill() // what it left behind
	r.cpu, r.peak = usage(c)
	if most := peak(); most > 0 { // what the system says has our own memory in it, from before exec
		r.peak = most
	}
	if err != nil {
		return r, fmt.Errorf("%w: %s", err, lastLine(errs.text()+"\n"+out.text()))
	}
	return r, nil
}

// usage is the CPU time of a process that has ended and of the children it has
// waited for, and the memory of the largest of them.
func usage(c *exec.Cmd) (cpu time.Duration, peak float64) {
	if c.ProcessState == nil {
		return 0, 0
	}
	peak = float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	if runtime.GOOS == "darwin" { // which counts bytes
		peak /= 1024
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}

// process is a process in a group of its own.
type process struct {
	c    *exec.Cmd
	once sync.Once
	done chan struct{}
	err  error // of Wait, after done
}

// start starts a process in a group of its own.
func start(c *exec.Cmd) (*process, error) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	c.WaitDelay = time.Second // for pipes that a child holds
	if err := c.Start(); err != nil {
		return nil, err
	}
	return adopt(c), nil
}

// adopt takes a process that leads its group.
func adopt(c *exec.Cmd) *process {
	p := &process{c: c, done: make(chan struct{})}
	go func() {
		p.err = c.Wait()
		close(p.done)
	}()
	return p
}

// wait waits for the end, or ends it when the time is over.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		if errors.Is(p.err, exec.ErrWaitDelay) { // a daemon of its own has the pipe
			return nil
		}
		return p.err
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("no end: %w", context.Cause(ctx))
	}
}

// kill ends the group and all that descends from the process, and waits. Of a
// process that has ended only the group is left to end.
func (p *process) kill() {
	p.once.Do(func() {
		pid := p.c.Process.Pid
		var family []int
		select {
		case <-p.done: // its id may be another's by now
		default:
			family = descendants(pid)
		}
		// Each of them may be gone.
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		for _, id := range family {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
		<-p.done
	})
}

// watch follows the memory of the tree until the func it returns is called,
// which tells the most there was, in MiB; 0 if that can't be known. The process
// itself keeps its own most, which is looked at more often, as some live for
// few milliseconds.
func (p *process) watch() (peak func() float64) {
	end, result := make(chan struct{}), make(chan float64, 1)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		most := 0.0
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				most = max(most, highWater(p.c.Process.Pid))
				if i%10 == 0 {
					most = max(most, memory(p.c.Process.Pid))
				}
			case <-end:
				result <- most
				return
			}
		}
	}()
	return func() float64 {
		close(end)
		return <-result
	}
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const kept = 64 << 10

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*kept {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-kept:]...)
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
