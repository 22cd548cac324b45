package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/procgroup"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

const (
	// grace is how long a server has to end by itself: half of it after its
	// input was closed, half after a signal.
	grace = 300 * time.Millisecond
	// drain is how long output is still read from a server that has exited
	// while a process it left behind keeps the pipe open.
	drain = 200 * time.Millisecond
	// killed is how long to wait for the kernel after a kill.
	killed = time.Second

	pollEvery = 5 * time.Millisecond
	maxTail   = 4 << 10 // of standard error, in bytes
)

// process is a server's process group with our ends of its pipes.
type process struct {
	cmd            *exec.Cmd
	group          *procgroup.Group
	stdin          *os.File
	stdout, stderr *os.File
	tail           *tail
	exited         chan struct{} // closed when the server itself has exited
	logged         chan struct{} // closed when its standard error has been read
	once           sync.Once
}

// start runs a stdio server. Nobody else holds our ends of the pipes, so that
// the server sees the end of its input even if this process is killed.
func start(s Server, dir string, environ []string) (*process, error) {
	env := append([]string{}, environ...)
	for k, v := range s.Env {
		env = append(env, k+"="+v)
	}
	cmd := exec.Command(findCommand(s.Command, env), s.Args...)
	cmd.Env = env
	cmd.Dir = dir
	if filepath.IsAbs(s.Cwd) {
		cmd.Dir = s.Cwd
	} else if s.Cwd != "" {
		cmd.Dir = filepath.Join(dir, s.Cwd)
	}
	p := &process{cmd: cmd, tail: &tail{}, exited: make(chan struct{}), logged: make(chan struct{})}
	theirs, err := p.pipes()
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return nil, fmt.Errorf("make pipes: %w", err)
	}
	p.group, err = procgroup.Start(cmd)
	closeAll(theirs...)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return nil, startError(cmd, err)
	}
	go func() {
		_ = cmd.Wait() // its outcome is in ProcessState
		close(p.exited)
	}()
	go func() {
		defer close(p.logged)
		_, _ = io.Copy(p.tail, p.stderr)
	}()
	return p, nil
}

// pipes makes the three pipes and returns the server's ends of them.
func (p *process) pipes() (theirs []*os.File, err error) {
	open := func(read, write **os.File) {
		if err == nil {
			*read, *write, err = os.Pipe()
		}
	}
	var in, out, log *os.File
	open(&in, &p.stdin)
	open(&p.stdout, &out)
	open(&p.stderr, &log)
	theirs = []*os.File{in, out, log}
	if err != nil {
		closeAll(theirs...)
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, log
	return theirs, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

func startError(cmd *exec.Cmd, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("the command %q isn't installed or not on the PATH", clip(cmd.Path, 80))
	case errors.Is(err, os.ErrNotExist):
		if _, e := os.Stat(cmd.Dir); e != nil {
			return fmt.Errorf("its working directory %q doesn't exist", clip(cmd.Dir, 80))
		}
		return fmt.Errorf("the command %q doesn't exist", clip(cmd.Path, 80))
	}
	return fmt.Errorf("start %q: %w", clip(cmd.Path, 80), err)
}

// stop ends the process group, with all that the server has started in it,
// and returns when it is gone or was killed.
func (p *process) stop() {
	p.once.Do(func() {
		p.stdin.Close()
		if !p.gone(grace / 2) {
			p.group.Terminate()
			if !p.gone(grace / 2) {
				p.group.Kill()
				p.gone(killed)
			}
		}
		p.group.Close()
		select { // its last words say why it has ended
		case <-p.logged:
		case <-time.After(drain):
		}
		closeAll(p.stdout, p.stderr)
	})
}

// gone waits for the server and its group to end, at most for d.
func (p *process) gone(d time.Duration) bool {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-p.exited:
	case <-over.C:
		return false
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for p.group.Alive() {
		select {
		case <-tick.C:
		case <-over.C:
			return false
		}
	}
	return true
}

// ending waits a little for the server to exit, and for its last words, and
// says how it did; "" if it still runs.
func (p *process) ending() string {
	over := time.NewTimer(drain)
	defer over.Stop()
	select {
	case <-p.exited:
	case <-over.C:
		return ""
	}
	select {
	case <-p.logged:
	case <-over.C:
	}
	return p.cmd.ProcessState.String()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b[max(0, len(b)-maxTail):]...)
	if over := len(t.data) - maxTail; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(b), nil
}

// String returns the last lines, cleaned.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(sanitize.Text(string(t.data)))
}
