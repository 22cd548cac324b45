package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/procgroup"
)

// What a Runner uses where its Options say nothing.
const (
	DefaultMaxBytes = 50 << 10
	DefaultMaxLines = 2000
	DefaultGrace    = 2 * time.Second
	DefaultEvery    = 50 * time.Millisecond

	// drainTime is how long output is still awaited once the command itself has
	// exited while something in its group holds the pipe open.
	drainTime = 100 * time.Millisecond
	// leftoverGrace is how long such leftovers have between TERM and KILL.
	leftoverGrace = 300 * time.Millisecond
	pollEvery     = 5 * time.Millisecond
)

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("commands can't be started any more: the session is closing")

// Options configure a Runner. The zero value of a field takes the default.
type Options struct {
	Shell    Shell         // which shell runs scripts; see FindShell
	Environ  []string      // base environment, usually os.Environ()
	Spool    string        // folder for the whole of truncated outputs; "" keeps only tails
	MaxBytes int           // bytes of output kept
	MaxLines int           // lines of output kept
	Grace    time.Duration // between TERM and KILL when a command is cancelled or times out
	Every    time.Duration // least time between two calls of OnOutput
}

// Command says what to run. Exactly one of Script and Argv is set.
type Command struct {
	Script  string   // run by the Runner's shell
	Argv    []string // run directly
	Dir     string   // working directory; absolute
	Env     []string // added to the base environment; the last of a name wins
	Timeout time.Duration
	Stdin   io.Reader // nil: the null device
	// Apart keeps stderr out of Output, as Result.Stderr. What the command then
	// printed in which order isn't known.
	Apart bool
	// OnOutput, if set, receives the Result so far, at most once per
	// Options.Every and only when there is new output. It is called on Run's own
	// goroutine: while it blocks, cancelling waits.
	OnOutput func(Result)
}

// Result is what a command printed and how it ended.
type Result struct {
	// Output is the tail of stdout and stderr, merged in the order of writing,
	// as valid UTF-8. A line that was overwritten with '\r' keeps its last state.
	Output         string
	Stderr         string // of a command with Apart; bounded like Output
	OutputLines    int    // lines in Output
	OutputBytes    int    // bytes in Output
	TotalLines     int    // lines printed in all
	TotalBytes     int    // bytes printed in all
	Truncated      bool
	FullOutputPath string // the whole output, byte for byte; set when truncated and spooled
	SpoolErr       error  // why a truncated output isn't wholly in FullOutputPath
	ExitCode       *int   // nil while running and when it was stopped from outside
	TimedOut       bool   // stopped by Command.Timeout
	Cancelled      bool   // stopped by the context or by Close
}

// Runner runs commands and knows those that are running. It is safe for
// concurrent use.
type Runner struct {
	opts    Options
	mu      sync.Mutex // guards closed and the Add of running
	closed  bool
	closing chan struct{}
	grace   time.Duration // for commands stopped by Close; written before closing is closed
	running sync.WaitGroup
}

// NewRunner returns a Runner.
func NewRunner(o Options) *Runner {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxLines <= 0 {
		o.MaxLines = DefaultMaxLines
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	if o.Every <= 0 {
		o.Every = DefaultEvery
	}
	return &Runner{opts: o, closing: make(chan struct{})}
}

// Shell returns the shell that runs scripts.
func (r *Runner) Shell() Shell { return r.opts.Shell }

// Close stops every running command (TERM, then KILL after grace), waits for
// them and refuses new ones.
func (r *Runner) Close(grace time.Duration) {
	r.mu.Lock()
	if !r.closed {
		r.closed, r.grace = true, grace
		close(r.closing)
	}
	r.mu.Unlock()
	r.running.Wait()
}

func (r *Runner) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.running.Add(1)
	return nil
}

// Run runs a command to its end. The error says that it couldn't be started; a
// command that failed, timed out or was cancelled is a Result. Processes that
// the command leaves behind in its group are stopped before Run returns.
func (r *Runner) Run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{Cancelled: true}, nil
	}
	if err := r.enter(); err != nil {
		return Result{}, err
	}
	defer r.running.Done()
	cmd, err := r.command(c)
	if err != nil {
		return Result{}, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return Result{}, fmt.Errorf("make a pipe for the command's output: %w", err)
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	p := &process{
		runner: r, command: c, read: read,
		out:     newCollector(r.opts.MaxBytes, r.opts.MaxLines, r.opts.Spool),
		exited:  make(chan error, 1),
		drained: make(chan struct{}),
	}
	if c.Stdin != nil {
		cmd.Stdin, cmd.WaitDelay = c.Stdin, drainTime // who gives it may never end
	}
	if c.Apart {
		errRead, errWrite, err := os.Pipe()
		if err != nil {
			write.Close()
			return Result{}, fmt.Errorf("make a pipe for the command's errors: %w", err)
		}
		defer errRead.Close()
		defer errWrite.Close()
		cmd.Stderr = errWrite
		p.errRead, p.errOut = errRead, newCollector(r.opts.MaxBytes, r.opts.MaxLines, "")
	}
	p.group, err = procgroup.Start(cmd)
	write.Close()
	if f, ok := cmd.Stderr.(*os.File); ok && c.Apart {
		f.Close()
	}
	if err != nil {
		return Result{}, startError(cmd, c, err)
	}
	defer p.group.Close()
	go func() { p.exited <- cmd.Wait() }()
	p.collect()
	return p.wait(ctx, cmd)
}

// command builds the exec.Cmd of c.
func (r *Runner) command(c Command) (*exec.Cmd, error) {
	argv := c.Argv
	switch {
	case (c.Script == "") == (len(c.Argv) == 0):
		return nil, errors.New("run a command: give either a script or an argument list")
	case c.Script != "" && r.opts.Shell.Path == "":
		return nil, errors.New("run a command: no shell was found; install bash or sh and make sure it's in PATH")
	case c.Script != "":
		argv = append(append([]string{r.opts.Shell.Path}, r.opts.Shell.Args...), c.Script)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = environ(r.opts.Environ, c.Env)
	return cmd, nil
}

func startError(cmd *exec.Cmd, c Command, err error) error {
	if isTooLong(err) {
		return fmt.Errorf("start %s: the command is too long (%d bytes); write it to a file and run that: %w", cmd.Path, len(c.Script), err)
	}
	if c.Dir != "" {
		return fmt.Errorf("start %s in %s: %w", cmd.Path, c.Dir, err)
	}
	return fmt.Errorf("start %s: %w", cmd.Path, err)
}
