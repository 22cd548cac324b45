//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The benchmarks of this file run the program as it is released, as whole
// processes. Single times say little on a shared machine: compare them within
// one run.

// bench is a folder to work in, a home and the released program.
type bench struct {
	*testing.B
	program, dir, home string
}

func newBench(b *testing.B) *bench {
	b.Helper()
	w := &bench{b, filepath.Join(b.TempDir(), "hoopoe"), b.TempDir(), b.TempDir()}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", w.program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return w
}

func (b *bench) script(text string) string {
	path := filepath.Join(b.dir, "model.script")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	return "--model=script/" + path
}

func (b *bench) command(args ...string) *exec.Cmd {
	c := exec.Command(b.program, args...)
	c.Dir, c.Env = b.dir, append(clean(os.Environ()), "HOME="+b.home, "TERM=xterm-256color")
	return c
}

// repeat times whole processes and reports the CPU time and peak memory of the
// last.
func (b *bench) repeat(args ...string) {
	var last *os.ProcessState
	for b.Loop() {
		c := b.command(args...)
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := c.Run(); err != nil {
			b.Fatalf("%v: %s", err, errs.String())
		}
		last = c.ProcessState
	}
	b.ReportMetric(float64((last.UserTime() + last.SystemTime()).Milliseconds()), "cpu-ms")
	b.ReportMetric(float64(last.SysUsage().(*syscall.Rusage).Maxrss)/1024, "peak-MiB")
}

func BenchmarkVersion(b *testing.B)    { newBench(b).repeat("--version") }
func BenchmarkPrintHello(b *testing.B) { newBench(b).repeat("-p", "hello") }

// BenchmarkPrintStream is an answer of 20,000 deltas to standard output.
func BenchmarkPrintStream(b *testing.B) {
	w := newBench(b)
	script := w.script("-- turn --\n-- text repeat=20000 quoted --\n\"word \"\n")
	for _, mode := range []string{"text", "json"} {
		b.Run(mode, func(b *testing.B) { w.B = b; w.repeat(script, "-p", "--mode", mode, "go") })
	}
}

// turns makes n turns of one call each, then a word.
func turns(n int, call string) string {
	return strings.Repeat("-- turn --\n"+call, n) + "-- turn --\n-- text --\ndone\n"
}

// BenchmarkRead200 and BenchmarkBash200 are 200 turns of one tool call.
func BenchmarkRead200(b *testing.B) {
	w := newBench(b)
	if err := os.WriteFile(filepath.Join(w.dir, "main.go"), bytes.Repeat([]byte("some line of code\n"), 300), 0o644); err != nil {
		b.Fatal(err)
	}
	w.repeat(w.script(turns(200, "-- call read --\n{\"path\": \"main.go\"}\n")), "-p", "go")
}

func BenchmarkBash200(b *testing.B) {
	w := newBench(b)
	w.repeat(w.script(turns(200, "-- call bash --\n{\"command\": \"true\"}\n")), "--permissions", "full", "-p", "go")
}

// session writes a session of n messages and returns its path.
func (b *bench) session(n int) string {
	var s strings.Builder
	fmt.Fprintf(&s, `{"type":"session","version":3,"id":"bench","timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`+"\n", b.dir)
	parent := "null"
	for i := range n {
		role, rest := "user", ""
		if i%2 == 1 {
			role = "assistant"
			rest = `,"api":"a","provider":"p","model":"m","usage":{"input":100,"output":50,"cacheRead":0,"cacheWrite":0,"totalTokens":150,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"`
		}
		text := fmt.Sprintf("Message %d: the function reads the file, splits it into lines and returns those that match. See `main.go:%d`.", i, i)
		fmt.Fprintf(&s, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":%q,"content":[{"type":"text","text":%q}],"timestamp":1%s}}`+"\n", i, parent, role, text, rest)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	path := filepath.Join(b.dir, "long.jsonl")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkResume opens 2,000 messages and answers, in print mode.
func BenchmarkResume(b *testing.B) {
	w := newBench(b)
	path := w.session(2000)
	w.repeat(w.script("-- turn --\n-- text --\nok\n"), "--fork", path, "-p", "go")
}

// BenchmarkChatFirstFrame is the time from the start to the first screen with
// the prompt on it. Goal: 40 ms.
func BenchmarkChatFirstFrame(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		t := w.chat()
		t.until("›")
		b.StopTimer()
		t.stop()
		b.StartTimer()
	}
}

// BenchmarkChatIdle leaves the chat alone for ten seconds. Goals: nothing
// written, 52 MB.
func BenchmarkChatIdle(b *testing.B) {
	t := newBench(b).chat()
	t.until("›")
	t.quiet()
	for b.Loop() {
		t.idle(b, 10*time.Second)
	}
	t.stop()
}

// BenchmarkChatLong opens the chat with 10,000 messages. Goal: 150 MB.
func BenchmarkChatLong(b *testing.B) {
	w := newBench(b)
	path := w.session(10_000)
	for b.Loop() {
		t := w.chat("--session", path)
		t.until("9999")
		b.StopTimer()
		t.quiet()
		b.ReportMetric(t.rss(), "rss-MiB")
		t.stop()
		b.StartTimer()
	}
}

// counted is a chat on a pseudo-terminal whose output is counted.
type counted struct {
	b    *bench
	c    *exec.Cmd
	pty  *os.File
	read chan []byte
	seen bytes.Buffer
}

func (b *bench) chat(args ...string) *counted {
	c := b.command(args...)
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		b.Fatal(err)
	}
	t := &counted{b: b, c: c, pty: f, read: make(chan []byte, 64)}
	go func() {
		defer close(t.read)
		for {
			buf := make([]byte, 64<<10)
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			t.read <- buf[:n]
		}
	}()
	return t
}

// until reads until text is on the screen.
func (t *counted) until(text string) {
	limit := time.After(guard)
	for !strings.Contains(t.seen.String(), text) {
		select {
		case p, ok := <-t.read:
			if !ok {
				t.b.Fatalf("the chat ended: %q", t.seen.String())
			}
			t.seen.Write(p)
		case <-limit:
			t.b.Fatalf("no %q on the screen: %q", text, t.seen.String())
		}
	}
}

// quiet reads until nothing has come for half a second.
func (t *counted) quiet() {
	for {
		select {
		case <-t.read:
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
}

func (t *counted) idle(b *testing.B, d time.Duration) {
	written, before := 0, t.cpu()
	for end := time.After(d); ; {
		select {
		case p := <-t.read:
			written += len(p)
			continue
		case <-end:
		}
		break
	}
	b.ReportMetric(float64(written), "bytes-written")
	b.ReportMetric(float64((t.cpu() - before).Milliseconds()), "cpu-ms")
	b.ReportMetric(t.rss(), "rss-MiB")
}

func (t *counted) stop() {
	_ = t.c.Process.Kill()
	_ = t.c.Wait()
	t.pty.Close()
	for range t.read {
	}
}

func (t *counted) proc(name string) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", t.c.Process.Pid, name))
	if err != nil {
		t.b.Fatal(err)
	}
	return string(data)
}

// rss is the resident memory in MiB.
func (t *counted) rss() float64 {
	_, rest, _ := strings.Cut(t.proc("status"), "VmRSS:")
	kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kib / 1024
}

// cpu is the time that the process has used, in steps of 10 ms.
func (t *counted) cpu() time.Duration {
	_, rest, _ := strings.Cut(t.proc("stat"), ") ")
	f := strings.Fields(rest)
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
