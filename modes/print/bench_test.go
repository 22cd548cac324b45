package print

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func fixedNow() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// deltas are 20,000 pieces of one answer.
func deltas() []event.Envelope {
	const n, piece = 20_000, "word and "
	whole := strings.Repeat(piece, n)
	out := make([]event.Envelope, n)
	for i := range out {
		out[i] = event.Envelope{Seq: uint64(i), Session: "s", At: fixedNow(), Event: event.MessageDelta{
			ID: "m", Block: message.TextBlock, From: i * len(piece), Text: whole[:(i+1)*len(piece)]}}
	}
	return out
}

func BenchmarkProjection(b *testing.B) {
	stream := deltas()
	for name, make := range map[string]func(*bufio.Writer) projection{
		"text": func(w *bufio.Writer) projection { return &text{out: w, err: io.Discard, live: true} },
		"json": func(w *bufio.Writer) projection { return &lines{out: w, now: fixedNow} },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := make(bufio.NewWriterSize(io.Discard, 64<<10))
				for _, e := range stream {
					p.put(e)
				}
				p.finish()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(stream)), "ns/delta")
		})
	}
}
