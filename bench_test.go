//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// built makes the program as it is released.
func built(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "hoopoe")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("the program has %.1f MB", float64(info.Size())/1e6)
	return program
}

func (p *place) bench(b *testing.B, program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(b.Context(), program, args...)
	c.Dir, c.Env = p.dir, append(clean(os.Environ()), "HOME="+p.home, "TERM=xterm-256color")
	return c
}

// Starts of a new process: the version, and one answer of the guide.
func BenchmarkStart(b *testing.B) {
	program := built(b)
	p := &place{dir: b.TempDir(), home: b.TempDir()}
	for name, args := range map[string][]string{"version": {"--version"}, "print": {"--no-session", "-p", "hi"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if out, err := p.bench(b, program, args...).CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/start")
		})
	}
}

// The chat's first frame on a terminal, and what it uses when nothing runs.
func BenchmarkChat(b *testing.B) {
	program := built(b)
	p := &place{dir: b.TempDir(), home: b.TempDir()}
	b.Run("first frame", func(b *testing.B) {
		for b.Loop() {
			c := p.bench(b, program)
			tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: 100, Rows: 40})
			if err != nil {
				b.Fatal(err)
			}
			readUntil(b, tty, "Say what you want done")
			b.StopTimer()
			stop(b, c, tty)
			b.StartTimer()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/frame")
	})
	b.Run("idle", func(b *testing.B) {
		for b.Loop() {
			c := p.bench(b, program)
			tty, err := pty.StartWithSize(c, &pty.Winsize{Cols: 100, Rows: 40})
			if err != nil {
				b.Fatal(err)
			}
			readUntil(b, tty, "Say what you want done")
			time.Sleep(2 * time.Second) // until all that follows the first frame is drawn
			drain(tty, time.Millisecond)
			b.ReportMetric(float64(drain(tty, 10*time.Second)), "B/10s")
			b.ReportMetric(resident(c.Process.Pid), "MB-RSS")
			stop(b, c, tty)
		}
	})
}

// readUntil reads on until the text was written, escape sequences aside.
func readUntil(b *testing.B, tty *os.File, text string) {
	b.Helper()
	var seen []byte
	buf := make([]byte, 64<<10)
	for !bytes.Contains(seen, []byte(text)) {
		n, err := tty.Read(buf)
		if err != nil {
			b.Fatalf("%v; the terminal got %q", err, seen)
		}
		seen = append(seen, buf[:n]...)
	}
}

// drain counts what is written in the given time.
func drain(tty *os.File, d time.Duration) (n int) {
	until := time.Now().Add(d)
	buf := make([]byte, 64<<10)
	for {
		if err := tty.SetReadDeadline(until); err != nil {
			return -1
		}
		m, err := tty.Read(buf)
		n += m
		if err != nil {
			return n
		}
	}
}

// resident is a process's memory in MB, 0 where the system doesn't tell.
func resident(pid int) float64 {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		return 0
	}
	return kb / 1000
}

func stop(b *testing.B, c *exec.Cmd, tty *os.File) {
	b.Helper()
	_ = c.Process.Kill()
	_ = c.Wait()
	tty.Close()
}
