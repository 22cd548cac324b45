package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// writeLong makes a session of n messages that look like work: prompts,
// answers with thinking and a tool call, and results of about 2 KB.
func writeLong(t testing.TB, n int) string {
	t.Helper()
	o := testOptions(t)
	d := mustNew(t, o)
	output := strings.Repeat("\tif err := run(ctx); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n", 26)
	for i := range n / 4 {
		call := fmt.Sprintf("call_%d", i)
		mustAppend(t, d, user(fmt.Sprintf("please look at part %d and tell me what is wrong with it", i)))
		mustAppend(t, d, Entry{Message: &message.Message{Role: message.Assistant, API: "anthropic-messages", Provider: "anthropic",
			Model: "m-1", StopReason: message.ToolUse, Timestamp: 3, Usage: message.Usage{Input: 1000, Output: 50, TotalTokens: 1050},
			Content: []message.Block{
				{Type: message.ThinkingBlock, Text: strings.Repeat("The file may be wrong here. ", 12), Signature: strings.Repeat("c2ln", 40)},
				message.TextOf("I read the file first."),
				{Type: message.ToolCallBlock, ID: call, Name: "read", Arguments: json.RawMessage(`{"path":"main.go","offset":10}`)},
			}}})
		mustAppend(t, d, Entry{Message: &message.Message{Role: message.ToolResult, ToolCallID: call, ToolName: "read",
			Content: []message.Block{message.TextOf(output)}, Timestamp: 4}})
		mustAppend(t, d, answer(strings.Repeat("It returns the wrapped error, which is right. ", 10)))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return d.File()
}

// BenchmarkOpen10k opens a session of 10,000 messages and builds its context.
// The goal is 150 ms.
func BenchmarkOpen10k(b *testing.B) {
	path := writeLong(b, 10_000)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		d, _, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if n := len(d.Context().Messages); n != 10_000 {
			b.Fatalf("%d messages", n)
		}
		d.Close()
	}
}

// BenchmarkScan10k is the part of opening that does not decode.
func BenchmarkScan10k(b *testing.B) {
	path := writeLong(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		l := loader{doc: newDocument(Header{}, Options{}.withDefaults())}
		l.doc.store.file = f
		if err := l.scan(); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkAppend(b *testing.B) {
	d := mustNew(b, testOptions(b))
	e := answer(strings.Repeat("It returns the wrapped error, which is right. ", 10))
	mustAppend(b, d, user("go"))
	b.ReportAllocs()
	for b.Loop() {
		mustAppend(b, d, e)
	}
}

// BenchmarkList1000 lists a folder of 1,000 sessions of 40 messages.
func BenchmarkList1000(b *testing.B) {
	content, err := os.ReadFile(writeLong(b, 40))
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)), content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		all, err := List(dir)
		if err != nil || len(all) != 1000 {
			b.Fatal(len(all), err)
		}
	}
}
