package engine

import (
	"context"
	"sync"
)

// seats limit how many sub-agents work at once below one session, at all
// depths. It holds a token for each.
type seats chan struct{}

// take waits for a seat; full is called when there is none yet.
func (s seats) take(ctx context.Context, full func()) error {
	select {
	case s <- struct{}{}:
		return nil
	default:
		full()
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s seats) leave() { <-s }

// seat is a sub-agent's own. While it waits for sub-agents of its own it leaves
// the seat to others, or those could wait for ever. A nil seat is the user's
// session, which needs none.
type seat struct {
	all seats

	mu   sync.Mutex
	held bool
	away int // calls that it waits for
}

// lend notes that the sub-agent waits for a call.
func (s *seat) lend() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away++
	s.drop()
}

// back notes that a call is over, and waits for a seat when it was the last.
func (s *seat) back(ctx context.Context) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.away--
	last := s.away == 0
	s.mu.Unlock()
	if !last || s.all.take(ctx, func() {}) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held || s.away > 0 { // another call was begun or ended meanwhile
		s.all.leave()
		return
	}
	s.held = true
}

// end gives the seat up.
func (s *seat) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *seat) drop() {
	if s.held {
		s.held = false
		s.all.leave()
	}
}
