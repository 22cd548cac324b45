package engine

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// benchSession opens an idle session on the bench's own folders.
func benchSession(b *testing.B, script string) (*Session, *Subscription) {
	w := newWorld(b, script)
	s, _, err := w.engine.Open(context.Background(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), InMemory: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close(context.Background()) })
	_, sub, err := s.Attach(context.Background(), Client{})
	if err != nil {
		b.Fatal(err)
	}
	return s, sub
}

// BenchmarkEvent is the cost of one event from the run through the owner to
// one subscriber, in bursts of 100. Goal: under 1 µs and 3 allocations.
func BenchmarkEvent(b *testing.B) {
	for name, make := range map[string]func(i int) event.Event{
		"delta": func(i int) event.Event {
			return event.MessageDelta{ID: "m", Index: 0, Block: message.TextBlock, Text: "text"}
		},
		"notice": func(i int) event.Event { return event.Notice{Level: "info", Text: "text"} },
	} {
		b.Run(name, func(b *testing.B) {
			s, sub := benchSession(b, hello)
			const burst = 100
			ctx := context.Background()
			b.ReportAllocs()
			for i := 0; i < b.N; i += burst {
				for j := range burst {
					s.in.post(item{event: make(j)})
				}
				s.in.post(item{event: event.RunSettled{}})
				for settled := false; !settled; {
					batch, err := sub.Batch(ctx)
					if err != nil {
						b.Fatal(err)
					}
					_, settled = batch[len(batch)-1].Event.(event.RunSettled)
				}
			}
		})
	}
}

// BenchmarkStream is a prompt answered in 20,000 deltas: loop, owner, one
// subscriber.
func BenchmarkStream(b *testing.B) {
	s, sub := benchSession(b, "-- turn --\ntimes: always\n-- text repeat=20000 quoted --\n\"word \"\n")
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Prompt(ctx, Input{Text: "go"}); err != nil {
			b.Fatal(err)
		}
		for settled := false; !settled; {
			batch, err := sub.Batch(ctx)
			if err != nil {
				b.Fatal(err)
			}
			_, settled = batch[len(batch)-1].Event.(event.RunSettled)
		}
	}
}

// BenchmarkOpen is opening a session file of 10,000 messages, its view
// included. Goal: 150 ms.
func BenchmarkOpen(b *testing.B) {
	w := newWorld(b, hello)
	ctx := context.Background()
	s, _, err := w.engine.Open(ctx, OpenOptions{Cwd: w.dir, Model: w.model.Ref()})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.set(ctx, func() error {
		for i := range 5000 {
			q, a := message.NewUser(fmt.Sprintf("question %d: what does this function do with its argument?", i)), message.Message{Role: message.Assistant, StopReason: message.Stop, Content: []message.Block{message.TextOf(fmt.Sprintf("answer %d: it reads the file, splits it into lines and returns the ones that match the pattern. See main.go:%d.", i, i))}}
			q.ID, a.ID = s.ids.next(), s.ids.next()
			s.keep(q)
			s.keep(a)
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	v, err := s.View(ctx)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(ctx); err != nil && err != io.EOF {
		b.Fatal(err)
	}
	for b.Loop() {
		s, _, err := w.engine.Open(ctx, OpenOptions{Cwd: w.dir, Model: w.model.Ref(), Path: v.File})
		if err != nil {
			b.Fatal(err)
		}
		if v, err := s.View(ctx); err != nil || len(v.Messages) != 10_000 {
			b.Fatal(len(v.Messages), err)
		}
		b.StopTimer()
		s.Close(ctx)
		b.StartTimer()
	}
}
