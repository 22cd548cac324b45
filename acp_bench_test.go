//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// acp starts the program for an editor.
func (b *bench) acp(args ...string) *rpcHost {
	b.Helper()
	return b.serve(append([]string{"acp", "--session-dir", b.dir}, args...)...)
}

// newSession opens a session in the bench's folder.
func (h *rpcHost) newSession(b *bench) string {
	h.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	h.until(`{"jsonrpc":"2.0","id":1,`)
	h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, b.dir))
	line := h.until(`{"jsonrpc":"2.0","id":2,`)
	_, id, _ := strings.Cut(line, `"sessionId":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func (h *rpcHost) turn(session string) {
	h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go"}]}}`, session))
	h.until(`{"jsonrpc":"2.0","id":3,"result"`)
}

// From the start of the process to the answer to initialize.
func BenchmarkACPReady(b *testing.B) {
	p := newBench(b)
	for b.Loop() {
		h := p.acp()
		h.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
		h.until(`{"jsonrpc":"2.0","id":1,`)
		b.StopTimer()
		h.end()
		b.StartTimer()
	}
}

// From the start of the process to the end of the first turn.
func BenchmarkACPFirstReply(b *testing.B) {
	p := newBench(b)
	model := p.script("-- turn --\ntimes: always\n-- text --\nhello\n")
	for b.Loop() {
		h := p.acp(model)
		h.turn(h.newSession(p))
		b.StopTimer()
		h.end()
		b.StartTimer()
	}
}

// A long answer in 20,000 deltas, from the prompt to its answer.
func BenchmarkACPAnswer(b *testing.B) {
	p := newBench(b)
	h := p.acp(p.script("-- turn --\ntimes: always\n-- text piece=5 repeat=20000 --\nabcd \n"))
	session := h.newSession(p)
	h.bytes = 0
	for b.Loop() {
		h.turn(session)
	}
	b.ReportMetric(float64(h.bytes)/float64(b.N), "B-out/op")
	h.end()
}

// 200 calls of read, one after the other.
func BenchmarkACPCalls(b *testing.B) {
	p := newBench(b)
	if err := os.WriteFile(filepath.Join(p.dir, "main.go"), bytes.Repeat([]byte("some line of code\n"), 300), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		h := p.acp(p.script(turns(200, "-- call read --\n{\"path\":\"main.go\"}\n")))
		session := h.newSession(p)
		b.StartTimer()
		h.turn(session)
		b.StopTimer()
		h.end()
		b.StartTimer()
	}
}

// A session of 2,000 messages, told again from its beginning.
func BenchmarkACPLoad(b *testing.B) {
	p := newBench(b)
	p.session(2000)
	for b.Loop() {
		b.StopTimer()
		h := p.acp()
		h.newSession(p)
		b.StartTimer()
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, "bench", p.dir))
		h.until(`{"jsonrpc":"2.0","id":4,"result"`)
		b.StopTimer()
		b.ReportMetric(float64(h.bytes), "B-out")
		h.end()
		b.StartTimer()
	}
}
