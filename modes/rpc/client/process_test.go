package client_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// actor is the variable that makes this test binary play an agent.
const actor = "HOOPOE_CLIENT_TEST_ACTOR"

// guard ends a test that hangs; nothing is measured by it.
const guard = time.Minute

func TestMain(m *testing.M) {
	if role := os.Getenv(actor); role != "" {
		os.Exit(act(role))
	}
	os.Exit(m.Run())
}

// act is an agent of a certain character.
func act(role string) int {
	if role == "stillborn" {
		fmt.Fprintln(os.Stderr, "\x1b[31mUnknown model \"x\".\x1b[0m")
		return 3
	}
	if role == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	fmt.Println(`{"type":"ready","version":"0"}`)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch role {
		case "mortal":
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 9000)+" out of memory")
			return 2
		case "parent":
			// A child that keeps the pipes and outlives its parent.
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), actor+"=stubborn")
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			stdin, err := child.StdinPipe()
			if err != nil || child.Start() != nil {
				return 9
			}
			fmt.Printf(`{"id":"req_1","type":"response","command":"spawn","success":true,"data":%d}`+"\n", child.Process.Pid)
			_ = stdin
		default:
			fmt.Fprintln(os.Stderr, "a word")
			cwd, _ := os.Getwd()
			fmt.Printf(`{"id":"req_1","type":"response","command":"get_last_assistant_text","success":true,"data":{"text":%q}}`+"\n", filepath.Base(cwd)+os.Getenv("GREETING"))
		}
	}
	switch role {
	case "stubborn", "obedient":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, os.Interrupt)
		<-interrupt
	case "sour":
		return 1
	}
	return 0
}

// start starts an actor.
func start(t *testing.T, role string, p client.Process, o client.Options) (*client.Client, error) {
	t.Helper()
	p.Command = []string{os.Args[0]}
	p.Env = append(os.Environ(), actor+"="+role, "GREETING= hello", "GORACE=atexit_sleep_ms=0")
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	if o.Grace == 0 {
		o.Grace = guard // what must not come to it hangs
	}
	before := runtime.NumGoroutine()
	t.Cleanup(func() { noMoreThan(t, before) })
	return client.Start(ctx, p, o)
}

// noMoreThan waits until goroutines have left.
func noMoreThan(t *testing.T, n int) {
	for deadline := time.Now().Add(guard); runtime.NumGoroutine() > n; runtime.Gosched() {
		if time.Now().After(deadline) {
			var stacks bytes.Buffer
			stacks.Grow(1 << 20)
			all := stacks.AvailableBuffer()[:1<<20]
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), n, all[:runtime.Stack(all, true)])
		}
	}
}

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	var stderr bytes.Buffer
	c, err := start(t, "good", client.Process{Dir: dir, Stderr: &stderr}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := c.LastAssistantText(t.Context())
	if err != nil || text != filepath.Base(dir)+" hello" {
		t.Errorf("%q, %v", text, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
	if stderr.String() != "a word\n" {
		t.Errorf("stderr %q", &stderr)
	}
	if err := c.Abort(t.Context()); !errors.Is(err, client.ErrClosed) {
		t.Errorf("later call: %v", err)
	}
}

func TestProcessThatDoesNotStart(t *testing.T) {
	_, err := start(t, "stillborn", client.Process{}, client.Options{})
	end, ok := errors.AsType[*client.EndedError](err)
	if !ok || end.Stderr != `Unknown model "x".` || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v", err)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
		t.Errorf("error %v has no exit code", err)
	}
	_, err = client.Start(t.Context(), client.Process{Command: []string{filepath.Join(t.TempDir(), "nothing")}}, client.Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestProcessThatDies(t *testing.T) {
	c, err := start(t, "mortal", client.Process{}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Abort(t.Context())
	end, ok := errors.AsType[*client.EndedError](err)
	if !ok || !strings.HasSuffix(end.Stderr, "out of memory") || len(end.Stderr) > 4096 || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("error %v", err)
	}
	if exit, ok := errors.AsType[*exec.ExitError](c.Close()); !ok || exit.ExitCode() != 2 {
		t.Errorf("close: %v", exit)
	}
}

func TestCloseProcess(t *testing.T) {
	tests := []struct {
		role  string
		grace time.Duration
		want  string
		unix  bool
	}{
		{role: "good", want: ""},
		{role: "sour", want: "exit status 1"},
		{role: "obedient", grace: time.Second, want: "signal: terminated", unix: true},
		{role: "stubborn", grace: 50 * time.Millisecond, want: "signal: killed", unix: true},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			c, err := start(t, tt.role, client.Process{}, client.Options{Grace: tt.grace})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Close()
			switch {
			case tt.unix && runtime.GOOS == "windows":
				if err == nil {
					t.Error("the process that was killed ended well")
				}
			case err == nil && tt.want != "", err != nil && err.Error() != tt.want:
				t.Errorf("close: %v, want %q", err, tt.want)
			}
		})
	}
}

// A child of the agent's that keeps its pipes open doesn't keep Close.
func TestCloseProcessWithChild(t *testing.T) {
	c, err := start(t, "parent", client.Process{}, client.Options{Grace: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Call(t.Context(), "spawn", nil)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Kill() })
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// A stderr that can't be written to is the host's affair.
func TestBrokenStderr(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	c, err := start(t, "good", client.Process{Stderr: w}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.LastAssistantText(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
