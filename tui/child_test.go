//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
)

// childVar makes this test binary a chat, to see what a real process does
// with real signals. Its value is what the chat is for.
const childVar = "HOOPOE_TUI_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	f := newFake()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		panic(err)
	}
	commands := slash.New(slash.Command{Name: "crash", Summary: "Crash", Run: func(context.Context, slash.Call) (slash.Result, error) {
		panic("this is a test")
	}})
	code, err := Run(context.Background(), Options{
		Theme: theme, Commands: commands,
		Open: func(context.Context) (Session, []string, error) {
			f.view.Name = "child"
			return f, nil, nil
		},
	})
	fmt.Fprintln(os.Stderr, "ended:", code, err)
	os.Exit(code)
}

// child starts this binary as a chat on a terminal of its own.
func child(t *testing.T) (*screen, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	s := newScreen(t, 80, 24)
	cmd, stderr := startChild(t, s.tty, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	s.see("Say what you want done", "Guide")
	return s, cmd, stderr
}

func startChild(t *testing.T, tty *os.File, attr *syscall.SysProcAttr) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=1", "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = tty, tty, &stderr, attr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, &stderr
}

// exited waits for a process and returns its exit code.
func exited(s *screen, cmd *exec.Cmd) int {
	s.t.Helper()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	s.wait("end of the process", func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	return cmd.ProcessState.ExitCode()
}

func TestProcessSignals(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			s, cmd, stderr := child(t)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := exited(s, cmd); code != want {
				t.Errorf("exit %d, want %d; stderr %q", code, want, stderr)
			}
			s.restored()
		})
	}
}

// A terminal that goes away without a signal ends the chat too: it would be
// an agent that nobody can see or stop.
func TestTerminalGoes(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr := startChild(t, tty, &syscall.SysProcAttr{Setsid: true})
	_ = tty.Close()
	for buf, seen := make([]byte, 64<<10), ""; !strings.Contains(seen, "Guide"); {
		n, err := ptmx.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		seen += string(buf[:n])
	}
	_ = ptmx.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 129 {
		t.Errorf("exit %d; stderr %q", code, stderr)
	}
}

// A panic ends the chat, not the terminal.
func TestPanic(t *testing.T) {
	s, cmd, stderr := child(t)
	s.typed("/crash\r")
	if code := exited(s, cmd); code != 1 || !bytes.Contains(stderr.Bytes(), []byte("this is a test")) {
		t.Errorf("exit %d; stderr %q", code, stderr)
	}
	s.restored()
}

// Ctrl+Z gives the shell its terminal back; after fg the chat is drawn again.
func TestSuspend(t *testing.T) {
	s, cmd, _ := child(t)
	s.typed("a draft\x1a")
	s.wait("the normal screen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.alt })
	s.wait("the chat's screen", func() bool {
		// It may not have stopped yet: fg comes again until it has.
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.alt
	})
	s.see("› a draft")
	s.typed("\x15\x04")
	if code := exited(s, cmd); code != 0 {
		t.Errorf("exit %d", code)
	}
}
