//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// child is a process of the program.
type child struct {
	soak   *soak
	name   string // worker and face
	run    string // as its environment says, and that of all its children
	cmd    *exec.Cmd
	stderr tail
	screen func() string // of a chat, else nil
	killed bool
	done   chan struct{}
}

// runName is the variable by which children of children are known.
const runName = "SOAK_RUN"

// start runs the program in a place, with its input and output as attach makes
// them.
func (w *worker) start(face string, attach func(*exec.Cmd) error, args ...string) (*child, error) {
	run := w.id()
	wire := pick(w.rand, mockserver.Wires()...)
	cmd := exec.Command(w.binary, append(args, "--model", "soak-"+string(wire)+"/m")...)
	cmd.Dir = w.place.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.place.home, "TERM=xterm-256color", "TMPDIR=" + w.root,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", runName + "=" + run,
	}
	if face != "print" { // whose stderr is to be empty
		cmd.Env = append(cmd.Env, "GODEBUG=gctrace=1")
	}
	c := &child{soak: w.soak, name: w.name + "/" + face, run: run, cmd: cmd, done: make(chan struct{})}
	cmd.Stderr, cmd.WaitDelay = &c.stderr, time.Second
	if err := attach(cmd); err != nil {
		return nil, err
	}
	w.births.RLock()
	defer w.births.RUnlock()
	err := cmd.Start()
	for _, end := range []any{cmd.Stdin, cmd.Stdout} {
		if f, ok := end.(*os.File); ok {
			f.Close() // it is the program's, which has it now
		}
	}
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.runs[run] = c
	w.mu.Unlock()
	w.journal.count("processes of " + face)
	go func() {
		_ = cmd.Wait() // the state says how
		close(c.done)
	}()
	return c, nil
}

// pipes are the program's input and output. They are not those of exec.Cmd,
// which closes them when the program ends, whether all is read or not.
func pipes(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	theirs, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, sink, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close(), in.Close())
	}
	cmd.Stdin, cmd.Stdout = theirs, sink
	return in, out, nil
}

// signal sends one; that the process has gone already shows in its code.
func (c *child) signal(s syscall.Signal) {
	if s == syscall.SIGKILL {
		c.soak.mu.Lock()
		c.killed = true
		c.soak.mu.Unlock()
	}
	_ = c.cmd.Process.Signal(s)
}

// code waits for the end. A process that hangs is killed.
func (c *child) code() (int, error) {
	select {
	case <-c.done:
	case <-time.After(patience):
		_ = c.cmd.Process.Signal(syscall.SIGQUIT) // it tells where it hangs
		select {
		case <-c.done:
		case <-time.After(10 * time.Second):
			c.signal(syscall.SIGKILL)
			<-c.done
		}
		return -1, fmt.Errorf("%s didn't end: %s", c.name, c.words())
	}
	if state := c.cmd.ProcessState; state.Exited() {
		return state.ExitCode(), nil
	} else if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -int(status.Signal()), nil
	}
	return -1, nil
}

// ends checks the exit code.
func (c *child) ends(codes ...int) error {
	got, err := c.code()
	if err == nil && !slices.Contains(codes, got) {
		err = fmt.Errorf("%s ended with %d, not %v: %s", c.name, got, codes, c.words())
	}
	return err
}

// words are the last that the process said.
func (c *child) words() string {
	said := collections.ReplaceAllString(c.stderr.String(), "")
	if c.screen != nil {
		said += "\n" + c.screen()
	}
	return said
}

// collections are the lines in which the runtime tells of the garbage collector.
// The last of the three sizes is what was in use after it.
var collections = regexp.MustCompile(`(?m)^(?:gc [0-9]+ @.* [0-9]+->[0-9]+->([0-9]+) MB,.*|scvg.*)\n`)

// heap is what was in use after the last collection, in KB, 0 before the first.
func (c *child) heap() int {
	all := collections.FindAllStringSubmatch(c.stderr.String(), -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1])
	return n << 10
}

// tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	limit int // 0: a few KB
	end   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	limit := max(t.limit, 4<<10)
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-limit):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}

// grow has it keep more from now on.
func (t *tail) grow(limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit, t.end = limit, nil
}

// adoptOrphans makes this process the parent of whatever its descendants leave
// behind, so that it is seen.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the reaper of orphans: %w", err)
	}
	return nil
}

// orphans looks for processes that were left behind, and ends them. What a
// killed process leaves can't be helped; of any other it is a failure, unless it
// is about to go.
func (s *soak) orphans() {
	s.births.Lock() // those of exec.Cmd are all known now, and are its to wait for
	defer s.births.Unlock()
	for _, pid := range childrenOf(os.Getpid()) {
		c, ours := s.ancestor(pid)
		if ours {
			continue
		}
		if c == nil { // dead, or it says nothing of where it is from
			reaped(pid)
			continue
		}
		s.mu.Lock()
		killed := c.killed
		s.mu.Unlock()
		switch {
		case killed:
			s.journal.count("orphans of killed processes")
		case eventually(func() bool { return reaped(pid) }):
			continue
		default:
			s.journal.fail(c.name, fmt.Errorf("process %d was left behind: %s", pid, commandOf(pid)))
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		eventually(func() bool { return reaped(pid) })
	}
}

// ancestor is the process of the program that one descends from, nil if that
// can't be told. ours reports one that isn't an orphan: of this process itself,
// or of one that is running.
func (s *soak) ancestor(pid int) (c *child, ours bool) {
	run := runOf(pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.runs {
		if c.cmd.Process.Pid == pid {
			return c, true
		}
	}
	if c = s.runs[run]; c == nil {
		return nil, false
	}
	select {
	case <-c.done:
		return c, false
	default:
		return c, true
	}
}

// reaped takes an adopted child from the list of processes once it is dead.
func reaped(pid int) bool {
	var status syscall.WaitStatus
	got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
	return got == pid || err == syscall.ECHILD
}

// killAll ends what is still there, at the end or when the soak is stopped.
func (s *soak) killAll() {
	s.mu.Lock()
	runs := make([]*child, 0, len(s.runs))
	for _, c := range s.runs {
		runs = append(runs, c)
	}
	s.mu.Unlock()
	for _, c := range runs {
		select {
		case <-c.done:
		default:
			c.signal(syscall.SIGKILL)
			<-c.done
		}
	}
	s.orphans()
}

// childrenOf lists the processes whose parent one is.
func childrenOf(pid int) (found []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range tasks {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for field := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(field); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

func runOf(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for kv := range strings.SplitSeq(string(data), "\x00") {
		if run, ok := strings.CutPrefix(kv, runName+"="); ok {
			return run
		}
	}
	return ""
}

func commandOf(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.ReplaceAll(strings.TrimRight(string(data), "\x00"), "\x00", " ")
}

// reenter runs this program again in namespaces of its own, so that what it
// mounts is seen by nobody else and goes with it. ok is false where that can't
// be had.
func reenter(ctx context.Context) (code int, ok bool) {
	for _, private := range []*syscall.SysProcAttr{
		{Cloneflags: syscall.CLONE_NEWNS},
		{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		},
	} {
		cmd := exec.Command("/proc/self/exe", append([]string{"-inside"}, os.Args[1:]...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = private
		if err := cmd.Start(); err != nil {
			continue
		}
		defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
		err := cmd.Wait()
		if exit, failed := errors.AsType[*exec.ExitError](err); failed {
			return exit.ExitCode(), true
		}
		return 0, err == nil
	}
	return 0, false
}
