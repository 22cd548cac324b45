package llmtest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Subject is a provider under test.
type Subject struct {
	// New returns a fresh provider and a request that it answers well, with at
	// least five parts. It is called for each test.
	New func(t *testing.T) (llm.Provider, llm.Request)
	// Failing returns a provider and a request that the provider fails with an
	// *llm.Error; nil for a provider that never does.
	Failing func(t *testing.T) (llm.Provider, llm.Request)
}

// Run tests the contract of llm.Provider.
func Run(t *testing.T, s Subject) {
	t.Run("order", s.order)
	t.Run("early stop", s.earlyStop)
	t.Run("cancelled before", s.cancelledBefore)
	t.Run("cancelled at each part", s.cancelledAtEachPart)
	t.Run("deadline", s.deadline)
	t.Run("concurrent", s.concurrent)
	if s.Failing != nil {
		t.Run("failure", s.failure)
	}
}

// Collect ranges over a stream to its end and fails the test when it breaks
// the contract.
func Collect(t testing.TB, stream llm.Stream) ([]llm.Part, llm.Finished) {
	t.Helper()
	var parts []llm.Part
	for p := range stream {
		parts = append(parts, p)
	}
	if err := Check(parts); err != nil {
		t.Fatal(err)
	}
	return parts, parts[len(parts)-1].(llm.Finished)
}

func (s Subject) order(t *testing.T) {
	provider, req := s.New(t)
	parts, end := Collect(t, provider.Stream(t.Context(), req))
	if end.Err != nil {
		t.Fatalf("the stream failed: %v", end.Err)
	}
	if len(parts) < 5 {
		t.Fatalf("the subject's request gave only %d parts", len(parts))
	}
	m := end.Message
	if m.API != req.Model.API || m.Provider != req.Model.Provider || m.Model != req.Model.ID {
		t.Errorf("the message names %s %s/%s, the request %s %s", m.API, m.Provider, m.Model, req.Model.API, req.Model.Ref())
	}
}

// points picks some of n part counts: all when there are few, else the
// beginning, the end and a spread between.
func points(n int) []int {
	step := max(1, n/40)
	var out []int
	for i := 0; i < n; i++ {
		if i < 10 || i >= n-10 || i%step == 0 {
			out = append(out, i)
		}
	}
	return out
}

func (s Subject) length(t *testing.T) int {
	provider, req := s.New(t)
	parts, _ := Collect(t, provider.Stream(t.Context(), req))
	return len(parts)
}

func (s Subject) earlyStop(t *testing.T) {
	n := s.length(t)
	before := runtime.NumGoroutine()
	for _, stop := range points(n) {
		provider, req := s.New(t)
		seen := 0
		for range provider.Stream(t.Context(), req) {
			if seen++; seen > stop {
				break
			}
		}
		if seen != stop+1 {
			t.Fatalf("stopped after part %d, saw %d parts", stop, seen)
		}
	}
	settle(t, before)
}

func (s Subject) cancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	provider, req := s.New(t)
	parts, end := Collect(t, provider.Stream(ctx, req))
	wantAborted(t, end, context.Canceled)
	if len(parts) != 1 {
		t.Errorf("%d parts from a context that had ended, want Finished alone", len(parts))
	}
}

func (s Subject) cancelledAtEachPart(t *testing.T) {
	n := s.length(t)
	before := runtime.NumGoroutine()
	for _, at := range points(n - 1) {
		ctx, cancel := context.WithCancel(t.Context())
		provider, req := s.New(t)
		var parts []llm.Part
		for p := range provider.Stream(ctx, req) {
			parts = append(parts, p)
			if len(parts) == at+1 {
				cancel()
			}
		}
		cancel()
		if err := Check(parts); err != nil {
			t.Fatalf("cancelled at part %d: %v", at, err)
		}
		wantAborted(t, parts[len(parts)-1].(llm.Finished), context.Canceled)
		for _, p := range parts[at+1:] {
			switch p.(type) {
			case llm.BlockEnded, llm.Finished:
			default:
				t.Fatalf("cancelled at part %d, %T came after it", at, p)
			}
		}
	}
	settle(t, before)
}

func (s Subject) deadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	provider, req := s.New(t)
	_, end := Collect(t, provider.Stream(ctx, req))
	wantAborted(t, end, context.DeadlineExceeded)
}

// concurrent is for the race detector: one provider serves a session and the
// agents below it.
func (s Subject) concurrent(t *testing.T) {
	provider, req := s.New(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var parts []llm.Part
			for p := range provider.Stream(t.Context(), req) {
				parts = append(parts, p)
			}
			if err := Check(parts); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func (s Subject) failure(t *testing.T) {
	provider, req := s.Failing(t)
	_, end := Collect(t, provider.Stream(t.Context(), req))
	var e *llm.Error
	if !errors.As(end.Err, &e) {
		t.Fatalf("failed with %v, want an *llm.Error", end.Err)
	}
	if end.Message.StopReason != message.Error {
		t.Errorf("stop reason %q after a failure", end.Message.StopReason)
	}
}

func wantAborted(t *testing.T, end llm.Finished, want error) {
	t.Helper()
	if !errors.Is(end.Err, want) {
		t.Errorf("error %v, want %v", end.Err, want)
	}
	if end.Message.StopReason != message.Aborted {
		t.Errorf("stop reason %q, want aborted", end.Message.StopReason)
	}
}

// settle waits until no more goroutines run than before, or fails.
func settle(t *testing.T, before int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines ran before, %d after", before, runtime.NumGoroutine())
		}
		<-tick.C
	}
}
