//go:build !windows

package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// newTestRunner returns a runner that is closed at the end of the test.
func newTestRunner(t testing.TB, change ...func(*Options)) *Runner {
	t.Helper()
	sh, err := FindShell("linux", exec.LookPath)
	if err != nil {
		t.Skip(err)
	}
	o := Options{Shell: sh, Environ: os.Environ(), Spool: filepath.Join(t.TempDir(), "spool"), Grace: 5 * time.Second}
	for _, f := range change {
		f(&o)
	}
	r := NewRunner(o)
	t.Cleanup(func() { r.Close(0) })
	return r
}

func run(t *testing.T, r *Runner, c Command) Result {
	t.Helper()
	res, err := r.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func code(res Result) string {
	if res.ExitCode == nil {
		return "none"
	}
	return strconv.Itoa(*res.ExitCode)
}

func TestRun(t *testing.T) {
	tests := []struct {
		name      string
		command   Command
		out, code string
	}{
		{"output", Command{Script: "echo a; echo b >&2; echo c"}, "a\nb\nc\n", "0"},
		{"no output", Command{Script: "true"}, "", "0"},
		{"exit code", Command{Script: "echo x; exit 3"}, "x\n", "3"},
		{"death by signal", Command{Script: "kill -SEGV $$"}, "", "139"},
		{"argument list", Command{Argv: []string{"printf", "%s|", "a b", "$X"}}, "a b|$X|", "0"},
		{"environment", Command{Script: "echo $A $PAGER $TERM $GIT_TERMINAL_PROMPT", Env: []string{"A=1", "PAGER=less"}}, "1 less dumb 0\n", "0"},
		{"directory", Command{Script: "pwd", Dir: "/"}, "/\n", "0"},
		{"no standard input", Command{Script: "cat; read x || echo end"}, "end\n", "0"},
		{"no terminal", Command{Script: "(: </dev/tty) 2>/dev/null || echo none"}, "none\n", "0"},
		{"progress bar", Command{Script: `printf '1%%\r50%%\r100%%\r\ndone\r\n'`}, "100%\ndone\n", "0"},
		{"broken UTF-8", Command{Script: `printf 'a\377b'`}, "a\uFFFDb", "0"},
		{"cut character", Command{Script: `printf 'a\303'`}, "a", "0"},
		{"child in the background", Command{Script: "sleep 1000 & echo started"}, "started\n", "0"},
		{"child that ignores TERM", Command{Script: "(trap '' TERM; exec sleep 1000) & echo started"}, "started\n", "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := run(t, newTestRunner(t), tt.command)
			if res.Output != tt.out || code(res) != tt.code {
				t.Errorf("got %q, exit %s; want %q, exit %s", res.Output, code(res), tt.out, tt.code)
			}
			if res.TotalLines < res.OutputLines || res.OutputBytes != len(res.Output) || res.Truncated || res.FullOutputPath != "" || res.TimedOut || res.Cancelled {
				t.Errorf("result %+v", res)
			}
		})
	}
}

// E-2: what can't be started says so and what to do.
func TestRunErrors(t *testing.T) {
	r := newTestRunner(t)
	closed := newTestRunner(t)
	closed.Close(0)
	tests := []struct {
		name   string
		runner *Runner
		c      Command
		want   string
	}{
		{"neither", r, Command{}, "either a script or an argument list"},
		{"both", r, Command{Script: "a", Argv: []string{"a"}}, "either a script or an argument list"},
		{"no shell", NewRunner(Options{}), Command{Script: "a"}, "no shell was found"},
		{"missing folder", r, Command{Script: "a", Dir: "/no/such/folder"}, "/no/such/folder"},
		{"missing program", r, Command{Argv: []string{"no-such-program-here"}}, "no-such-program-here"},
		{"zero byte", r, Command{Script: "echo a\x00b"}, "start"},
		{"too long", r, Command{Script: "echo " + strings.Repeat("a", 8<<20)}, "too long"},
		{"closed", closed, Command{Script: "true"}, ErrClosed.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.runner.Run(t.Context(), tt.c)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestTruncation(t *testing.T) {
	limits := func(bytes, lines int) func(*Options) {
		return func(o *Options) { o.MaxBytes, o.MaxLines = bytes, lines }
	}
	tests := []struct {
		name         string
		bytes, lines int
		script       string
		out          string
		truncated    bool
		total        int // lines
	}{
		{"at both limits", 6, 3, `printf 'a\nb\nc\n'`, "a\nb\nc\n", false, 3},
		{"a line too many", 100, 3, `printf 'a\nb\nc\nd\n'`, "b\nc\nd\n", true, 4},
		{"an unterminated line too many", 100, 3, `printf 'a\nb\nc\nd'`, "b\nc\nd", true, 4},
		{"a byte too many", 5, 9, `printf 'aa\nb\nc\n'`, "b\nc\n", true, 3},
		{"within one line", 4, 9, `printf 'abcdefgh'`, "efgh", true, 1},
		{"within a character", 4, 9, `printf 'aéé€'`, "€", true, 1},
		{"many chunks", 100, 9, `i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done`, "line 2991\nline 2992\nline 2993\nline 2994\nline 2995\nline 2996\nline 2997\nline 2998\nline 2999\n", true, 3000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := run(t, newTestRunner(t, limits(tt.bytes, tt.lines)), Command{Script: tt.script})
			if res.Output != tt.out || res.Truncated != tt.truncated || res.TotalLines != tt.total {
				t.Errorf("got %q, truncated %v of %d lines; want %q, %v, %d", res.Output, res.Truncated, res.TotalLines, tt.out, tt.truncated, tt.total)
			}
			if res.SpoolErr != nil || (res.FullOutputPath != "") != tt.truncated {
				t.Fatalf("spooled to %q, %v", res.FullOutputPath, res.SpoolErr)
			}
			if !tt.truncated {
				return
			}
			whole, err := os.ReadFile(res.FullOutputPath)
			if err != nil {
				t.Fatal(err)
			}
			if len(whole) != res.TotalBytes || !strings.HasSuffix(string(whole), res.Output) {
				t.Errorf("the spool file has %d bytes of %d", len(whole), res.TotalBytes)
			}
			if info, _ := os.Stat(res.FullOutputPath); info.Mode().Perm() != 0o600 {
				t.Errorf("the spool file has mode %v", info.Mode())
			}
		})
	}
}

// E-1: without room for the spool file the tail and the reason remain.
func TestSpoolFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newTestRunner(t, func(o *Options) { o.Spool, o.MaxBytes = file, 4 })
	res := run(t, r, Command{Script: "echo abc; echo def"})
	if res.Output != "def\n" || !res.Truncated || res.FullOutputPath != "" || res.SpoolErr == nil {
		t.Errorf("result %+v", res)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := newCollector(1000, 100, "")
	chunk := []byte(strings.Repeat("x", 500) + "\n")
	for range 10_000 {
		c.write(chunk)
	}
	if cap(c.tail) > 8000 {
		t.Errorf("%d bytes are kept", cap(c.tail))
	}
}

// waitFor polls until the file holds something.
func waitFor(t *testing.T, file string) string {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); ; {
		if b, _ := os.ReadFile(file); len(b) > 0 && b[len(b)-1] == '\n' {
			return strings.TrimSpace(string(b))
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("nothing was written to %s", file)
		}
	}
}

// gone polls until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(20 * time.Second); ; {
		// A zombie that its new parent hasn't reaped yet is dead too.
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		if syscall.Kill(n, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("process %d is still there", n)
		}
	}
}

// E-1, E-4: no way of ending leaves a process behind.
func TestStop(t *testing.T) {
	// A child of a child, so that killing the shell alone wouldn't do.
	const tree = `sh -c 'sleep 1000 & echo $! >pid.tmp; mv pid.tmp pid; echo going; wait'; echo not reached`
	const stubborn = `trap '' TERM; sh -c 'trap "" TERM; sleep 1000 & echo $! >pid.tmp; mv pid.tmp pid; while :; do wait; done'`
	tests := []struct {
		name, script string
		grace        time.Duration
		stop         func(r *Runner, cancel func())
		cancelled    bool
	}{
		{"cancel", tree, 20 * time.Second, func(_ *Runner, cancel func()) { cancel() }, true},
		{"cancel, TERM ignored", stubborn, 20 * time.Millisecond, func(_ *Runner, cancel func()) { cancel() }, true},
		{"close", tree, 20 * time.Second, func(r *Runner, _ func()) { r.Close(20 * time.Second) }, true},
		{"close, TERM ignored", stubborn, 20 * time.Second, func(r *Runner, _ func()) { r.Close(10 * time.Millisecond) }, true},
		{"cancel, then close", stubborn, 20 * time.Second, func(r *Runner, cancel func()) { cancel(); r.Close(10 * time.Millisecond) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := newTestRunner(t, func(o *Options) { o.Grace = tt.grace })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			type outcome struct {
				res Result
				err error
			}
			ended := make(chan outcome, 1)
			go func() {
				res, err := r.Run(ctx, Command{Script: tt.script, Dir: dir})
				ended <- outcome{res, err}
			}()
			pid := waitFor(t, filepath.Join(dir, "pid"))
			tt.stop(r, cancel)
			o := <-ended
			if o.err != nil || !o.res.Cancelled || o.res.TimedOut || o.res.ExitCode != nil || strings.Contains(o.res.Output, "not reached") {
				t.Errorf("result %+v, %v", o.res, o.err)
			}
			gone(t, pid)
		})
	}
}

func TestTimeout(t *testing.T) {
	r := newTestRunner(t)
	res := run(t, r, Command{Script: "sleep 1000", Timeout: 100 * time.Millisecond})
	if !res.TimedOut || res.Cancelled || res.ExitCode != nil {
		t.Errorf("result %+v", res)
	}
}

func TestCancelledBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	res, err := newTestRunner(t).Run(ctx, Command{Script: "touch made", Dir: dir})
	if err != nil || !res.Cancelled {
		t.Errorf("result %+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the command ran")
	}
}

// Processes left in the background, with or without the pipe, end with the
// command that started them.
func TestLeftovers(t *testing.T) {
	for name, script := range map[string]string{
		"with the pipe":    "sleep 1000 & echo $! >pid",
		"without the pipe": "sleep 1000 >/dev/null 2>&1 & echo $! >pid",
		"ignoring TERM":    "sh -c 'trap \"\" TERM; echo $$ >pid; while :; do sleep 1; done' >/dev/null 2>&1 & while [ ! -s pid ]; do :; done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if res := run(t, newTestRunner(t), Command{Script: script, Dir: dir}); code(res) != "0" {
				t.Errorf("result %+v", res)
			}
			gone(t, waitFor(t, filepath.Join(dir, "pid")))
		})
	}
}

func TestOnOutput(t *testing.T) {
	t.Run("shows output while it runs", func(t *testing.T) {
		dir := t.TempDir()
		r := newTestRunner(t, func(o *Options) { o.Every = time.Millisecond })
		var last Result
		res := run(t, r, Command{
			// Goes on only when its first line has been seen.
			Script: "echo one; while [ ! -e seen ]; do sleep 0.01; done; echo two", Dir: dir,
			OnOutput: func(res Result) {
				last = res
				if !utf8.ValidString(res.Output) || res.ExitCode != nil {
					t.Errorf("progress %+v", res)
				}
				if res.Output == "one\n" {
					if err := os.WriteFile(filepath.Join(dir, "seen"), nil, 0o600); err != nil {
						t.Error(err)
					}
				}
			},
		})
		if res.Output != "one\ntwo\n" || !strings.HasPrefix(res.Output, last.Output) {
			t.Errorf("result %+v after %+v", res, last)
		}
	})
	t.Run("is throttled", func(t *testing.T) {
		r := newTestRunner(t, func(o *Options) { o.Every = time.Hour })
		calls := 0
		run(t, r, Command{Script: "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.01; done", OnOutput: func(Result) { calls++ }})
		if calls > 1 {
			t.Errorf("called %d times within one interval", calls)
		}
	})
	t.Run("may panic", func(t *testing.T) {
		dir := t.TempDir()
		_, err := newTestRunner(t).Run(t.Context(), Command{
			Script: "echo $$ >pid; echo x; sleep 1000", Dir: dir,
			OnOutput: func(Result) { panic("boom") },
		})
		if err == nil || !strings.Contains(err.Error(), "boom") {
			t.Errorf("error %v", err)
		}
		gone(t, waitFor(t, filepath.Join(dir, "pid")))
	})
}

// BenchmarkRun compares a command through the Runner with bare os/exec.
func BenchmarkRun(b *testing.B) {
	r := newTestRunner(b)
	b.Run("runner", func(b *testing.B) {
		for b.Loop() {
			if res, err := r.Run(b.Context(), Command{Script: "true"}); err != nil || *res.ExitCode != 0 {
				b.Fatal(res, err)
			}
		}
	})
	b.Run("os-exec", func(b *testing.B) {
		for b.Loop() {
			if _, err := exec.CommandContext(b.Context(), r.Shell().Path, "-c", "true").CombinedOutput(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	r := newTestRunner(b)
	b.SetBytes(20 << 20)
	for b.Loop() {
		res, err := r.Run(b.Context(), Command{Script: "yes 0123456789012345678901234567890123456789 | head -c 20971520"})
		if err != nil || res.TotalBytes != 20<<20 {
			b.Fatal(res.TotalBytes, err)
		}
		os.Remove(res.FullOutputPath)
	}
}
