package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// Bounds of what waits to be written, in bytes: from roomy on those who can
// wait do, and over most the other side isn't reading.
const (
	roomy = 1 << 20
	most  = 256 << 20
)

// errNotRead ends a connection whose other side doesn't read.
var errNotRead = errors.New("the other side doesn't read what it is sent")

// lines is the ordered writer: many goroutines put messages into it, one writes
// them.
type lines struct {
	write  func([]byte) error
	broken chan struct{} // closed with err set
	done   chan struct{} // the writer has left

	mu     sync.Mutex
	queue  [][]byte
	weight int
	ended  bool
	err    error
	wake   chan struct{} // a token when there is something to write
	room   chan struct{} // closed, and made anew, when there is room again
}

func newLines(write func([]byte) error) *lines {
	l := &lines{write: write, broken: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1), room: make(chan struct{})}
	go l.run()
	return l
}

// post puts messages into the queue, one behind the other, without waiting.
func (l *lines) post(messages ...any) {
	encoded := encode(messages)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(encoded)
}

// send waits for room first.
func (l *lines) send(ctx context.Context, message any) error {
	encoded := encode([]any{message})
	for {
		l.mu.Lock()
		room, full, err := l.room, l.weight > roomy, l.err
		if err == nil && !full {
			l.put(encoded)
		}
		l.mu.Unlock()
		if err != nil || !full {
			return err
		}
		select {
		case <-room:
		case <-l.broken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func encode(messages []any) [][]byte {
	var encoded [][]byte
	for _, m := range messages {
		line, err := jsonl.Marshal(m)
		if a, ok := m.(answer); err != nil && ok {
			line, err = jsonl.Marshal(answer{JSONRPC: "2.0", ID: a.ID, Error: Errorf(InternalError, "the answer could not be written: %v", err)})
		}
		if err == nil {
			encoded = append(encoded, line)
		}
	}
	return encoded
}

func (l *lines) put(encoded [][]byte) {
	if l.err != nil || l.ended {
		return
	}
	for _, line := range encoded {
		l.queue = append(l.queue, line)
		l.weight += len(line)
	}
	if l.weight > most {
		l.fail(errNotRead)
	}
	l.signal()
}

func (l *lines) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lines) fail(err error) {
	if l.err == nil {
		l.err, l.queue, l.weight = err, nil, 0
		close(l.broken)
	}
}

// run is the only caller of write.
func (l *lines) run() {
	defer close(l.done)
	for range l.wake {
		for {
			l.mu.Lock()
			batch, ended := l.queue, l.ended || l.err != nil
			l.queue, l.weight = nil, 0
			close(l.room)
			l.room = make(chan struct{})
			l.mu.Unlock()
			if len(batch) == 0 {
				if ended {
					return
				}
				break
			}
			for _, line := range batch {
				if err := l.write(line); err != nil {
					l.mu.Lock()
					l.fail(fmt.Errorf("write: %w", err))
					l.mu.Unlock()
					return
				}
			}
		}
	}
}

// close lets the writer finish, and waits for it until ctx ends.
func (l *lines) close(ctx context.Context) error {
	l.mu.Lock()
	l.ended = true
	l.signal()
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-l.broken:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
