package js

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// ten are as many extensions as a session may well have.
var ten = strings.Fields(`permission-gate.ts protected-paths.ts todo-widget.ts progress.ts question.ts
	git-checkpoint.ts compaction.ts input-transform.ts status-line.ts injector.ts`)

func loadTen(b *testing.B, m *Modules, r *recorder) []*ext.Part {
	b.Helper()
	var parts []*ext.Part
	host := &ext.Host{Failed: func(_, point string, err error) { b.Fatal(point, err) }}
	for _, name := range ten {
		module, err := m.Inspect(b.Context(), example(name))
		if err != nil {
			b.Fatal(err)
		}
		part, err := host.Load(b.Context(), module.Path, m.Extension(module, all), r)
		if err != nil {
			b.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts
}

func retire(parts []*ext.Part) {
	for _, p := range parts {
		p.Retire()
	}
}

// Ten extensions, one after the other; goals: 60 ms cold, 20 ms warm.
func BenchmarkLoadTen(b *testing.B) {
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			retire(loadTen(b, New(Options{Cache: b.TempDir()}), newRecorder()))
		}
	})
	b.Run("warm", func(b *testing.B) { // bundled by an earlier process
		cache := b.TempDir()
		retire(loadTen(b, New(Options{Cache: cache}), newRecorder()))
		for b.Loop() {
			retire(loadTen(b, New(Options{Cache: cache}), newRecorder()))
		}
	})
	b.Run("another session", func(b *testing.B) {
		m := New(Options{Cache: b.TempDir()})
		for b.Loop() {
			retire(loadTen(b, m, newRecorder()))
		}
	})
}

// A hook's way to the handler and back; goal: 50 µs.
func BenchmarkHook(b *testing.B) {
	l := load(b, `export default (pi) => pi.on("tool_call", async (event) => event.input.command === "x" ? { block: true } : undefined)`)
	c := ext.ToolCall{ID: "c", Name: "bash", Arguments: json.RawMessage(`{"command":"go test ./...","timeout":60}`)}
	b.Run("handled", func(b *testing.B) {
		for b.Loop() {
			l.host.ToolCall(b.Context(), c)
		}
	})
	b.Run("nobody", func(b *testing.B) {
		for b.Loop() {
			l.host.ToolResult(b.Context(), ext.ToolResult{Call: c})
		}
	})
}

// One call of a tool, with one message of progress.
func BenchmarkTool(b *testing.B) {
	l := load(b, `export default (pi) => pi.registerTool({ name: "x", async execute(id, params, signal, onUpdate) {
		onUpdate({ content: [{ type: "text", text: "half" }] });
		return { content: [{ type: "text", text: "got " + params.text }], details: { n: 1 } };
	} })`)
	x := l.tool(b, "x")
	c := tool.Call{ID: "c", Name: "x", Arguments: json.RawMessage(`{"text":"hello"}`), Progress: func(tool.Result) {}}
	for b.Loop() {
		if _, err := x.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// Ten sessions with ten extensions each: bytes that they hold.
func BenchmarkMemory(b *testing.B) {
	m := New(Options{Cache: b.TempDir()})
	retire(loadTen(b, m, newRecorder())) // what all share
	heap := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	for b.Loop() {
		before := heap()
		var parts []*ext.Part
		for range 10 {
			r := newRecorder()
			r.news = nil
			parts = append(parts, loadTen(b, m, r)...)
		}
		b.ReportMetric(float64(heap()-before)/1e6, "MB")
		retire(parts)
	}
}
