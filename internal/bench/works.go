//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
	"github.com/hoopoe-agent/hoopoe/internal/bench/report"
)

// The ways of serving other programs.
const (
	overACP = "ACP"
	overRPC = "RPC"
	wholes  = "RPC, whole messages" // each update has the answer so far
)

// The quantities.
const (
	wall     = "wall"
	cpu      = "CPU"
	peak     = "peak memory"
	resident = "memory"
	written  = "bytes written"
	echo     = "echo of a key"
)

// figures are what one repetition gives, in the units of the quantities.
type figures map[string]float64

func since(begun time.Time) float64 { return milliseconds(time.Since(begun)) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// units of the quantities.
var units = map[string]report.Unit{
	wall: report.Milliseconds, cpu: report.Milliseconds, echo: report.Milliseconds,
	peak: report.Megabytes, resident: report.Megabytes, written: report.Megabytes,
}

// work is something that peers do, and what is measured of it.
type work struct {
	id, title  string
	quantities []string
	goals      map[string]report.Goal
	short      []string // the quantities that the README has
	most       int      // repetitions, if not as many as asked for
	// do does it once. Its error is why a peer has no figure.
	do func(ctx context.Context, b *bench, e *entrant) (figures, error)
}

// size is how much of each work is done.
type size struct {
	calls, messages, markdown int
	spread, idle              time.Duration
	keys                      int
}

// full is the size of what is published.
var full = size{calls: 200, messages: 2000, markdown: 60_000, spread: 5 * time.Second, idle: 10 * time.Second, keys: 15}

// small is enough to see that each work works.
var small = size{calls: 3, messages: 20, markdown: 3000, spread: 100 * time.Millisecond, idle: 50 * time.Millisecond, keys: 3}

// errCannot is why a peer has no figure where it has no such mode.
var errCannot = errors.New("it has no such mode")

func times(n float64, of string) report.Goal { return report.Goal{Times: n, Of: of} }

func most(n float64) report.Goal { return report.Goal{Most: &n} }

// works lists all in the order of the table.
func works(z size) []work {
	long := stream()
	return append([]work{
		{
			id: "version", title: "`--version`", quantities: []string{wall, peak}, short: []string{wall, peak},
			goals: map[string]report.Goal{wall: times(1, ""), peak: most(40)},
			do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
				return b.prints(ctx, e, []string{"--version"}, "")
			},
		},
		ready(overACP, "start-acp", times(0.7, "Codex")),
		ready(overRPC, "start-rpc", report.Goal{}),
		printed("hello", `print "hello"`, says("Hello, ", hello, "."), hello, []string{wall, peak},
			map[string]report.Goal{wall: times(0.5, "Crush")}),
		printed("stream", "print 20,000 deltas, 100 KB", long, done, []string{wall, cpu},
			map[string]report.Goal{wall: times(0.8, "Codex"), cpu: {}}),
		served(overRPC, "stream-rpc", long, map[string]report.Goal{wall: times(0.6, "pi"), written: {}}),
		served(wholes, "stream-wholes", long, map[string]report.Goal{wall: most(600), written: most(20)}),
		served(overACP, "stream-acp", long, map[string]report.Goal{wall: times(0.6, ""), written: {}}),
		called("read", fmt.Sprintf("%d calls of `read`", z.calls), z.calls, func(p peer) *mockserver.Call { return p.read },
			map[string]report.Goal{wall: times(0.25, "Crush"), cpu: {}}),
		called("shell", fmt.Sprintf("%d shell calls", z.calls), z.calls, func(p peer) *mockserver.Call { return p.shell },
			map[string]report.Goal{wall: times(0.3, "pi"), cpu: {}}),
		{
			id: "resume", title: fmt.Sprintf("resume %d messages and answer", z.messages), quantities: []string{wall}, short: []string{wall},
			goals: map[string]report.Goal{wall: times(0.5, "Crush")},
			do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
				if e.long == nil {
					return nil, errCannot
				}
				args, _, err := e.long(e.place, z.messages)
				if err != nil {
					return nil, err
				}
				b.stage.play(says(hello))
				return b.prints(ctx, e, args, hello)
			},
		},
	}, chats(z)...)
}

// prints runs a peer's print mode to its end. Its output must have the word.
func (b *bench) prints(ctx context.Context, e *entrant, args []string, word string) (figures, error) {
	r, err := b.run1(ctx, e.place.command(e.peer, e.program, args...))
	if err != nil {
		return nil, err
	}
	if !contains(r.output, word) {
		return nil, fmt.Errorf("no %q in its output: %s", word, lastLine(r.output))
	}
	return figures{wall: milliseconds(r.wall), cpu: milliseconds(r.cpu), peak: r.peak}, nil
}

// printed is a work of the print mode.
func printed(id, title string, sc scene, word string, quantities []string, goals map[string]report.Goal) work {
	return work{
		id: id, title: title, quantities: quantities, goals: goals, short: quantities[:1],
		do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
			b.stage.play(sc)
			return b.prints(ctx, e, e.print("go"), word)
		},
	}
}

// called is n calls of a tool in the print mode.
func called(id, title string, n int, tool func(peer) *mockserver.Call, goals map[string]report.Goal) work {
	return work{
		id: id, title: title, quantities: []string{wall, cpu}, goals: goals, short: []string{wall},
		do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
			b.stage.play(calls(n, *tool(e.peer)))
			f, err := b.prints(ctx, e, e.print("go"), done)
			if asked := b.stage.requests(); err == nil && asked <= n {
				return nil, fmt.Errorf("it asked %d times for %d calls", asked, n)
			}
			return f, err
		},
	}
}

// ready is from the start of a host to its first reply.
func ready(mode, id string, goal report.Goal) work {
	return work{
		id: id, title: "start to first reply, " + mode, quantities: []string{wall}, short: []string{wall},
		goals: map[string]report.Goal{wall: goal},
		do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
			h, ok := e.hosts[mode]
			if !ok {
				return nil, errCannot
			}
			return b.ready(ctx, e, h)
		},
	}
}

// served is the long answer to a host.
func served(mode, id string, sc scene, goals map[string]report.Goal) work {
	quantities := []string{wall, written}
	short := quantities
	if mode == wholes { // which is ours alone
		short = nil
	}
	return work{
		id: id, title: "the same over " + mode, quantities: quantities, goals: goals, short: short,
		do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
			h, ok := e.hosts[mode]
			if !ok {
				return nil, errCannot
			}
			b.stage.play(sc)
			return b.served(ctx, e, h)
		},
	}
}
