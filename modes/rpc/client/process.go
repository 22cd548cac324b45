package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Process says how to start an agent.
type Process struct {
	// Command is the program and its arguments; empty means hoopoe --mode rpc.
	Command []string
	Dir     string   // to work in; empty means this process's own
	Env     []string // as exec.Cmd has it; nil means this process's own
	// Stderr gets what the agent writes there; it may be nil. Errors quote the
	// end of that in any case.
	Stderr io.Writer
}

// process is a running agent.
type process struct {
	cmd    *exec.Cmd
	tail   tail
	exited chan struct{}
	err    error // how it exited; set before exited is closed
}

// errSuccess stands for how an agent ended that left of its own accord.
var errSuccess = errors.New("exit status 0")

// Start runs an agent and waits until it is ready. ctx bounds the start alone;
// the agent lives until Close.
func Start(ctx context.Context, p Process, o Options) (*Client, error) {
	argv := p.Command
	if len(argv) == 0 {
		argv = []string{"hoopoe", "--mode", "rpc"}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	// A child of the agent's that keeps its pipes doesn't keep us.
	cmd.WaitDelay = cmp.Or(o.Grace, defaultGrace)
	proc := &process{cmd: cmd, tail: tail{copy: p.Stderr}, exited: make(chan struct{})}
	output, sink := io.Pipe()
	cmd.Stdout, cmd.Stderr = sink, &proc.tail
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	go func() {
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		proc.err = err
		close(proc.exited)
		// The reader learns of the end after the last byte of output.
		_ = sink.CloseWithError(cmp.Or(err, errSuccess))
	}()
	return connect(ctx, output, input, o, proc)
}

// end waits for the process, asks it to terminate, kills it. Its input is
// closed already, or about to be.
func (p *process) end(grace time.Duration) error {
	if within(grace, p.exited) {
		return p.err
	}
	// Windows knows no such signal.
	if p.cmd.Process.Signal(syscall.SIGTERM) == nil && within(grace, p.exited) {
		return p.err
	}
	if err := p.cmd.Process.Kill(); err != nil && !within(grace, p.exited) {
		return fmt.Errorf("kill the agent: %w", err)
	}
	<-p.exited
	return p.err
}

// lastWords returns the end of stderr, fit to be shown.
func (p *process) lastWords() string {
	if p == nil {
		return ""
	}
	return p.tail.String()
}

// tailSize is how much of stderr is kept, in bytes.
const tailSize = 4 << 10

// tail keeps the end of what is written to it.
type tail struct {
	copy io.Writer

	mu  sync.Mutex
	end []byte
}

// Write never fails: what the host does with stderr is not the agent's trouble.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.end = append(t.end, p[max(0, len(p)-tailSize):]...)
	t.end = t.end[max(0, len(t.end)-tailSize):]
	t.mu.Unlock()
	if t.copy != nil {
		_, _ = t.copy.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(sanitize.Text(string(t.end)))
}
