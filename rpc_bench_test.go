//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"testing"
)

// rpcHost is the program in a mode for other programs, as a process.
type rpcHost struct {
	b     *testing.B
	c     *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	bytes int64
}

func (b *bench) rpc(args ...string) *rpcHost {
	b.Helper()
	return b.serve(append([]string{"--mode", "rpc"}, args...)...)
}

// serve starts the program with pipes to it.
func (b *bench) serve(args ...string) *rpcHost {
	b.Helper()
	h := &rpcHost{b: b.B, c: b.command(args...)}
	in, err1 := h.c.StdinPipe()
	out, err2 := h.c.StdoutPipe()
	if err1 != nil || err2 != nil {
		b.Fatal(err1, err2)
	}
	h.in, h.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := h.c.Start(); err != nil {
		b.Fatal(err)
	}
	return h
}

func (h *rpcHost) send(line string) {
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.b.Fatal(err)
	}
}

// until reads up to a line that begins with the text, and returns it.
func (h *rpcHost) until(begins string) string {
	for {
		line, err := h.out.ReadBytes('\n')
		if err != nil {
			h.b.Fatalf("before %s: %v", begins, err)
		}
		h.bytes += int64(len(line))
		if bytes.HasPrefix(line, []byte(begins)) {
			return string(line)
		}
	}
}

func (h *rpcHost) end() {
	h.in.Close()
	if _, err := io.Copy(io.Discard, h.out); err != nil {
		h.b.Fatal(err)
	}
	if err := h.c.Wait(); err != nil {
		h.b.Fatal(err)
	}
}

// BenchmarkRPCReady is from the start of the process to its first frame.
func BenchmarkRPCReady(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		h := w.rpc()
		h.until(`{"type":"ready"`)
		b.StopTimer()
		h.end()
		b.StartTimer()
	}
}

// BenchmarkRPCFirstReply is from the start of the process to the end of the
// first answer.
func BenchmarkRPCFirstReply(b *testing.B) {
	w := newBench(b)
	script := w.script("-- turn --\n-- text --\nhello\n")
	for b.Loop() {
		h := w.rpc(script)
		h.send(`{"id":"1","type":"prompt","message":"hi"}`)
		h.until(`{"type":"agent_settled"`)
		b.StopTimer()
		h.end()
		b.StartTimer()
	}
}

// BenchmarkRPCAnswer is an answer of 100 KB in 20,000 deltas, from the prompt
// to agent_settled.
func BenchmarkRPCAnswer(b *testing.B) {
	w := newBench(b)
	script := w.script("-- turn --\ntimes: always\n-- text repeat=20000 --\nabcde\n")
	for _, updates := range []string{"full", "delta"} {
		b.Run(updates, func(b *testing.B) {
			w.B = b
			h := w.rpc(script, "--rpc-updates", updates)
			h.until(`{"type":"ready"`)
			h.bytes = 0
			for b.Loop() {
				h.send(`{"id":"1","type":"prompt","message":"go"}`)
				h.until(`{"type":"agent_settled"`)
			}
			b.ReportMetric(float64(h.bytes)/float64(b.N), "bytes-out/op")
			h.end()
		})
	}
}
