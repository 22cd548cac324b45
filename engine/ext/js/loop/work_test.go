package loop

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/sobek"
)

// Work that ends while the queue is full settles its promise all the same.
func TestWorkEndsWithTheQueueFull(t *testing.T) {
	p := open(t, Options{MaxTasks: 3, Slice: time.Minute})
	started, release := make(chan struct{}), make(chan struct{})
	p.global("work", func(sobek.FunctionCall) (sobek.Value, error) {
		return p.Promise(func(context.Context) (func(*sobek.Runtime) sobek.Value, error) {
			close(started)
			<-release
			return func(rt *sobek.Runtime) sobek.Value { return rt.ToValue("done") }, nil
		})
	})
	answer := make(chan string, 1)
	go func() {
		text, err := Await(t.Context(), p.Loop, func(rt *sobek.Runtime) (sobek.Value, error) { return rt.RunString("work()") },
			func(_ *sobek.Runtime, v sobek.Value) (string, error) { return v.String(), nil })
		if err != nil {
			text = err.Error()
		}
		answer <- text
	}()
	<-started
	busy, free := make(chan struct{}), make(chan struct{})
	p.Post(func(*sobek.Runtime) error {
		close(busy)
		<-free
		return nil
	})
	<-busy
	for p.Post(func(*sobek.Runtime) error { return nil }) {
	}
	close(release)
	deadline := time.Now().Add(30 * time.Second)
	for ended := false; !ended && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		p.Loop.mu.Lock()
		ended = p.working == 0
		p.Loop.mu.Unlock()
	}
	close(free)
	select {
	case got := <-answer:
		if got != "done" {
			t.Errorf("got %q", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("the promise was never settled")
	}
}
