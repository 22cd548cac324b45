package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// watched is a context that knows how many others wait for its end.
type watched struct {
	context.Context
	done chan struct{}
	held *atomic.Int32
}

func (w watched) Done() <-chan struct{} { return w.done }

func (w watched) AfterFunc(func()) (stop func() bool) {
	w.held.Add(1)
	return sync.OnceValue(func() bool { w.held.Add(-1); return true })
}

// A session that lives for long, in a chat that begins fresh ones or serves
// another program, keeps nothing of the runs and compactions that are over.
func TestNothingIsKeptOfRuns(t *testing.T) {
	for name, hooks := range map[string]ext.Hooks{
		"alone": {Name: "none"},
		"with hooks": {
			Name: "all",
			BeforeRun: func(context.Context, ext.Session, ext.BeforeRun) (ext.BeforeRunReply, error) {
				return ext.BeforeRunReply{}, nil
			},
			RunEnd:    func(context.Context, ext.Session, ext.RunEnd) error { return nil },
			Compacted: func(context.Context, ext.Session, ext.Compacted) error { return nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newWorld(t, "-- turn --\ntimes: always\n-- text --\nHello there.\n", withHooks(hooks), withSettings(`{"compaction": {"keepRecentTokens": 1}}`)).open(OpenOptions{})
			c.run("the first")
			w := watched{Context: c.s.ctx, done: make(chan struct{}), held: &atomic.Int32{}}
			if err := c.s.set(c.ctx(), func() error { c.s.ctx = w; return nil }); err != nil {
				t.Fatal(err)
			}
			for range 5 {
				c.run("go on")
			}
			if _, err := c.s.Compact(c.ctx(), ""); err != nil {
				t.Error(err)
			}
			c.run("and again")
			if n := w.held.Load(); n != 0 {
				t.Errorf("%d contexts are kept", n)
			}
			close(w.done)
		})
	}
}
