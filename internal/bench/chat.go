//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hoopoe-agent/hoopoe/internal/bench/report"
)

// chats are the works on a terminal.
func chats(z size) []work {
	text := markdown(z.markdown)
	return []work{
		{
			id: "chat", title: "chat: start to the first prompt on the screen", quantities: []string{wall}, short: []string{wall},
			goals: map[string]report.Goal{wall: most(40)},
			do: onScreen(func(_ context.Context, _ *bench, s *screen, began float64) (figures, error) {
				return figures{wall: began}, nil
			}),
		},
		{
			id: "idle", title: fmt.Sprintf("chat: idle for %s", z.idle), quantities: []string{resident, cpu, written}, short: []string{resident}, most: 1,
			goals: map[string]report.Goal{resident: times(0.6, "Crush"), cpu: most(10), written: most(0)},
			do: onScreen(func(ctx context.Context, _ *bench, s *screen, _ float64) (figures, error) {
				if err := s.quiet(ctx); err != nil {
					return nil, err
				}
				return s.spend(ctx, func(ctx context.Context) error { return s.read(ctx, z.idle) })
			}),
		},
		{
			id: "echo", title: "chat", quantities: []string{echo}, short: []string{echo}, most: 3,
			goals: map[string]report.Goal{echo: most(3)},
			do: onScreen(func(ctx context.Context, _ *bench, s *screen, _ float64) (figures, error) {
				return s.echoes(ctx, z.keys)
			}),
		},
		{
			id: "markdown", title: fmt.Sprintf("chat: %d KB of Markdown", z.markdown/1000), quantities: []string{cpu, written}, short: []string{cpu, written}, most: 2,
			goals: map[string]report.Goal{cpu: times(0.35, "Claude"), written: most(0.36)},
			do: onScreen(func(ctx context.Context, b *bench, s *screen, _ float64) (figures, error) {
				if err := s.quiet(ctx); err != nil {
					return nil, err
				}
				b.stage.play(paced(text, z.spread))
				return s.spend(ctx, func(ctx context.Context) error { return b.answered(ctx, s, z) })
			}),
		},
		{
			id: "long", title: fmt.Sprintf("chat with %d messages", z.messages), quantities: []string{wall, echo}, short: []string{wall}, most: 3,
			goals: map[string]report.Goal{wall: times(0.5, "Crush"), echo: most(3)},
			do: func(ctx context.Context, b *bench, e *entrant) (figures, error) {
				if e.long == nil || e.chat == nil {
					return nil, errCannot
				}
				_, args, err := e.long(e.place, z.messages)
				if err != nil {
					return nil, err
				}
				return b.screened(ctx, e, args, lastLong(z.messages), func(ctx context.Context, s *screen, began float64) (figures, error) {
					f, err := s.echoes(ctx, z.keys)
					if err == nil {
						f[wall] = began
					}
					return f, err
				})
			},
		},
	}
}

// answered sends a prompt and waits until the answer is on the screen.
func (b *bench) answered(ctx context.Context, s *screen, z size) error {
	if err := s.send("go"); err != nil {
		return err
	}
	// A pause, as some take a return that comes at once for one in a paste.
	if err := s.read(ctx, 500*time.Millisecond); err != nil {
		return err
	}
	for i := 0; b.stage.requests() == 0; i++ {
		if i%50 == 0 { // again after a second: some take no return while they still start
			if err := s.send("\r"); err != nil {
				return err
			}
		}
		if err := s.read(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the prompt was not sent: %w", err)
		}
	}
	// The mock's pauses are as exact as timers are.
	return s.read(ctx, z.spread+z.spread/4+time.Second)
}

// onScreen is a work on a new chat that has a prompt; began is how long that
// took, in milliseconds.
func onScreen(do func(ctx context.Context, b *bench, s *screen, began float64) (figures, error)) func(context.Context, *bench, *entrant) (figures, error) {
	return func(ctx context.Context, b *bench, e *entrant) (figures, error) {
		if e.chat == nil {
			return nil, errCannot
		}
		return b.screened(ctx, e, e.chat.args, e.chat.ready, func(ctx context.Context, s *screen, began float64) (figures, error) {
			return do(ctx, b, s, began)
		})
	}
}

// screened starts a chat, waits for a word on its screen and goes on.
func (b *bench) screened(ctx context.Context, e *entrant, args []string, word string, do func(context.Context, *screen, float64) (figures, error)) (figures, error) {
	if e.chatless != nil {
		return nil, e.chatless
	}
	ctx, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	b.stage.play(says(hello))
	begun := time.Now()
	s, err := show(e.place.command(e.peer, e.program, args...))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if err := s.until(ctx, word); err != nil {
		if word == e.chat.ready {
			e.chatless = err
		}
		return nil, err
	}
	return do(ctx, s, since(begun))
}

// spend measures what a tree uses and writes during something.
func (s *screen) spend(ctx context.Context, do func(context.Context) error) (figures, error) {
	before, known := cpuTime(s.c.Process.Pid)
	bytes := s.bytes
	if err := do(ctx); err != nil {
		return nil, err
	}
	f := figures{written: float64(s.bytes-bytes) / 1e6}
	if known {
		after, _ := cpuTime(s.c.Process.Pid)
		f[cpu], f[resident] = milliseconds(after-before), memory(s.c.Process.Pid)
	}
	return f, nil
}

// letters are typed one after the other. None is in words that rivals draw by
// themselves while one types, as far as that can be.
const letters = "zqjxkvwzqjxkvwzqjxkvwzqjxkvw"

// echoes types n keys and gives the median of the times until each is seen.
func (s *screen) echoes(ctx context.Context, n int) (figures, error) {
	if err := s.quiet(ctx); err != nil {
		return nil, err
	}
	var took []float64
	for i, letter := range letters[:n] {
		begun := time.Now()
		if err := s.send(string(letter)); err != nil {
			return nil, err
		}
		if err := s.sees(ctx, string(letter)); err != nil {
			return nil, fmt.Errorf("the echo of %c: %w", letter, err)
		}
		took = append(took, since(begun))
		// Not a multiple of anybody's frames, or all keys would meet the same
		// moment of one.
		if err := s.read(ctx, time.Duration(40+i*13%29)*time.Millisecond); err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	return figures{echo: report.Summarize(took).Median}, nil
}
