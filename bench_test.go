//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
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
			s := p.show(b, program)
			<-s.first
			b.StopTimer()
			s.stop()
			b.StartTimer()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/frame")
	})
	b.Run("idle", func(b *testing.B) {
		for b.Loop() {
			s := p.show(b, program)
			<-s.first
			time.Sleep(2 * time.Second) // until all that follows the first frame is drawn
			before := s.written.Load()
			time.Sleep(10 * time.Second)
			b.ReportMetric(float64(s.written.Load()-before), "B/10s")
			b.ReportMetric(resident(s.cmd.Process.Pid), "MB-RSS")
			s.stop()
		}
	})
}

// shown is a chat on a terminal.
type shown struct {
	cmd     *exec.Cmd
	tty     *os.File
	first   chan struct{} // closed with the first frame
	written atomic.Int64  // bytes
}

func (p *place) show(b *testing.B, program string) *shown {
	b.Helper()
	s := &shown{cmd: p.bench(b, program), first: make(chan struct{})}
	var err error
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 100, Rows: 40}); err != nil {
		b.Fatal(err)
	}
	go s.read()
	return s
}

func (s *shown) read() {
	var seen []byte
	buf := make([]byte, 64<<10)
	for framed := false; ; {
		n, err := s.tty.Read(buf)
		s.written.Add(int64(n))
		if !framed {
			seen = append(seen, buf[:n]...)
			if framed = bytes.Contains(seen, []byte("Say what you want done")) || err != nil; framed {
				close(s.first)
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *shown) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.tty.Close()
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
