package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// crowd counts the instances that are alive, and has all that an extension can
// have.
type crowd struct{ made, closed, late atomic.Int64 }

func (c *crowd) load(context.Context, ext.Session, []string) (*ext.Instance, error) {
	c.made.Add(1)
	var over atomic.Bool
	alive := func(ctx context.Context) { // whoever gave the call up hasn't waited for it
		if over.Load() && ctx.Err() == nil {
			c.late.Add(1)
		}
	}
	return &ext.Instance{
		Hooks: ext.Hooks{
			SessionStart:    func(ctx context.Context, _ ext.Session) error { alive(ctx); return nil },
			SessionShutdown: func(ctx context.Context, _ ext.Session) error { alive(ctx); return nil },
			Event:           func(ctx context.Context, _ ext.Session, _ event.Event) error { alive(ctx); return nil },
			Input: func(ctx context.Context, _ ext.Session, _ ext.Input) (ext.InputReply, error) {
				alive(ctx)
				return ext.InputReply{}, nil
			},
			RunEnd:   func(ctx context.Context, s ext.Session, _ ext.RunEnd) error { alive(ctx); s.Changed(); return nil },
			Discover: func(context.Context, ext.Session, string) (ext.Discovered, error) { return ext.Discovered{}, nil },
		},
		Registered: func() ext.Registrations {
			return ext.Registrations{
				Tools:     []tool.Tool{simpleTool{name: "lamp", answer: "on"}},
				Commands:  []ext.Command{{Name: "light", Run: func(ctx context.Context, _ string) error { alive(ctx); return nil }}},
				Shortcuts: []ext.Shortcut{{Key: "ctrl+k", Run: func(ctx context.Context) error { alive(ctx); return nil }}},
			}
		},
		Close: func() {
			if over.Swap(true) {
				c.late.Add(1)
			}
			c.closed.Add(1)
		},
	}, nil
}

// Everything that concerns extensions happens at once, up to the end of the
// session: each instance is closed, once, and nothing is called after that.
func TestExtensionsUnderStress(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	m, all := newModules(), &crowd{}
	m.loads["one"], m.loads["two"] = all.load, all.load
	w := newWorld(t, "-- turn --\n-- call lamp --\n{}\n-- turn --\ntimes: always\n-- text --\nok\n", withModules(m))
	w.plant("a.ts", "one")
	changing := w.plant("b.ts", "two 0")
	var working, closing sync.WaitGroup
	for range 2 {
		c := w.open(OpenOptions{Approve: true, Mode: "full"})
		c.start()
		ctx := c.ctx()
		half := make(chan struct{}) // closed in the middle of the work
		round := func(what string, fn func(i int) error) {
			working.Go(func() {
				for i := range rounds {
					if err := fn(i); errors.Is(err, ErrClosed) {
						return
					} else if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, errBroken) {
						t.Errorf("%s: %v", what, err)
						return
					}
				}
			})
		}
		round("prompt", func(i int) error {
			if i == rounds/2 {
				close(half)
			}
			_, err := c.s.Prompt(ctx, Input{Text: "go"})
			return errors.Join(err, c.s.Settled(ctx))
		})
		round("reload", func(int) error { _, err := c.s.ReloadExtensions(ctx); return err })
		round("replace", func(i int) error {
			_, err := c.s.NewDocument(ctx, NewDocumentOptions{})
			return err
		})
		round("list", func(int) error {
			c.s.Extensions()
			c.s.ThemePaths()
			for _, k := range c.s.ExtensionCommands() {
				_ = k.Run(ctx, "") // it may have been reloaded
			}
			_ = c.s.RunShortcut(ctx, "ctrl+k")
			return c.s.set(ctx, func() error { return nil })
		})
		closing.Go(func() {
			select {
			case <-half:
			case <-ctx.Done():
			}
			if err := c.s.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	working.Go(func() {
		for i := range rounds {
			w.plant(changing, []string{"two 1", "two 2", ""}[i%3])
		}
	})
	working.Wait()
	closing.Wait()
	deadline := time.Now().Add(guard)
	for tick := time.NewTicker(time.Millisecond); all.made.Load() != all.closed.Load(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%d instances were made, %d closed", all.made.Load(), all.closed.Load())
		}
	}
	if n := all.late.Load(); n > 0 {
		t.Errorf("%d calls came after the end", n)
	}
}

// A mark that was set while a tap which was too slow attaches anew stands in
// neither stream. Nobody waits for it.
func TestMarksOfATapThatAttachesAnew(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	tap := &tap{s: c.s}
	tap.attach()
	tap.current().end(ErrTooSlow, true)
	mark := tap.mark()
	tap.attach()
	wait(t, mark, "a mark")
}

// Whoever waits until an extension has heard all doesn't wait for one that was
// taken out meanwhile.
func TestMarksOfAClosedTap(t *testing.T) {
	heard, free := make(chan struct{}, 100), make(chan struct{})
	m := newModules()
	m.hooks("one", ext.Hooks{Event: func(context.Context, ext.Session, event.Event) error {
		heard <- struct{}{}
		<-free
		return nil
	}})
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "one")
	c := w.open(OpenOptions{})
	c.start()
	tap := c.s.extensions.all()[0].tap
	c.s.notify("info", "something to hear")
	wait(t, heard, "the extension")
	before := tap.mark()
	tap.close()
	close(free)
	for _, mark := range []<-chan struct{}{before, tap.mark()} {
		wait(t, mark, "a mark")
	}
}
