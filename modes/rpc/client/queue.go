package client

import (
	"context"
	"sync"
)

// queue hands items from any number of writers, who never wait, to one reader.
type queue[T any] struct {
	mu     sync.Mutex
	items  []T
	closed bool
	wake   chan struct{} // holds a token when something has changed
}

func newQueue[T any]() *queue[T] { return &queue[T]{wake: make(chan struct{}, 1)} }

// push appends an item; false when the queue is closed.
func (q *queue[T]) push(item T) bool {
	return q.change(func(items []T) []T { return append(items, item) })
}

// change replaces what waits; false when the queue is closed.
func (q *queue[T]) change(f func(items []T) []T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items = f(q.items)
	q.signal()
	return true
}

// next takes the oldest item. ok is false when the queue is closed and empty;
// an error is the context's.
func (q *queue[T]) next(ctx context.Context) (item T, ok bool, err error) {
	for {
		item, ok, closed := q.take()
		if ok || closed {
			return item, ok, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return item, false, context.Cause(ctx)
		}
	}
}

func (q *queue[T]) take() (item T, ok, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return item, false, q.closed
	}
	var zero T
	item, q.items[0] = q.items[0], zero // don't pin what was taken
	q.items = q.items[1:]
	return item, true, false
}

// close lets the reader take what is there, and nothing more come in.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
