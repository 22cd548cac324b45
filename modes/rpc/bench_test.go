package rpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// reader is a host that only looks for the frames it waits for.
type reader struct {
	b     *testing.B
	lines *bufio.Reader
	bytes int64
}

func serve(b *testing.B, script string, mode func(*Options)) (*host, *reader) {
	h := connect(b, script, setup{loose: true, slow: true, mode: mode})
	r := &reader{b: b, lines: bufio.NewReaderSize(h.out, 1<<20)}
	r.until(`{"type":"ready"`)
	return h, r
}

// until reads up to the first line that begins with the text.
func (r *reader) until(begins string) []byte {
	for {
		line, err := r.lines.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			r.bytes += int64(len(line))
			line, err = r.lines.ReadSlice('\n')
		}
		if err != nil {
			r.b.Fatal(err)
		}
		r.bytes += int64(len(line))
		if bytes.HasPrefix(line, []byte(begins)) {
			return line
		}
	}
}

// A long answer in 20,000 deltas, from the prompt to agent_settled.
func BenchmarkAnswer(b *testing.B) {
	for _, mode := range []struct {
		name string
		set  func(*Options)
	}{{"cumulative", nil}, {"deltas", func(o *Options) { o.Deltas = true }}} {
		b.Run(mode.name, func(b *testing.B) {
			h, r := serve(b, "-- turn --\ntimes: always\n-- text piece=5 repeat=20000 --\nabcde\n", mode.set)
			r.bytes = 0
			for b.Loop() {
				h.send(`{"id":"1","type":"prompt","message":"go"}`)
				r.until(`{"type":"agent_settled"`)
			}
			b.ReportMetric(float64(r.bytes)/float64(b.N), "bytes-out/op")
		})
	}
}

// A round trip of a command that changes nothing. Goal: 200 µs.
func BenchmarkGetState(b *testing.B) {
	h, r := serve(b, "-- turn --\n", nil)
	for b.Loop() {
		if _, err := io.WriteString(h.in, "{\"id\":\"1\",\"type\":\"get_state\"}\n"); err != nil {
			b.Fatal(err)
		}
		r.until(`{"id":"1"`)
	}
}

// Two hundred calls of a tool that the host carries out, ten at a time.
func BenchmarkHostTools(b *testing.B) {
	var script strings.Builder
	turn := "-- turn --\n" + strings.Repeat("-- call lamp --\n{\"on\":true}\n", 10)
	const most = 2000 // prompts that the script can answer
	for range most {
		script.WriteString(strings.Repeat(turn, 20) + "-- turn --\n-- text --\ndone\n")
	}
	h, r := serve(b, script.String(), nil)
	h.send(`{"id":"0","type":"set_host_tools","tools":[{"name":"lamp","description":"Lights.","parameters":{"type":"object"}}]}`)
	r.until(`{"id":"0"`)
	const id = `"id":"`
	for b.Loop() {
		h.send(`{"id":"1","type":"prompt","message":"go"}`)
		for range 200 {
			line := r.until(`{"type":"host_tool_call"`)
			_, rest, _ := bytes.Cut(line, []byte(id))
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			fmt.Fprintf(h.in, `{"type":"host_tool_result","id":"%s","result":{"content":[{"type":"text","text":"lit"}]}}`+"\n", name)
		}
		r.until(`{"type":"agent_settled"`)
	}
}
