package engine

import (
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// inbox feeds a session's owner. It has two lanes: commands, small and
// unbounded, so that whoever asks never waits to be heard; and the run's
// events, bounded, so that a run that is faster than its owner waits. The
// commands of a round go first, which lets an abort overtake a flood.
type inbox struct {
	mu       sync.Mutex
	wake     sync.Cond // the owner waits for work
	room     sync.Cond // emitters wait for room
	commands []func()
	events   []item
	closed   bool
}

// item is an event of the run, or a func that must keep its place among them.
type item struct {
	event event.Event
	fn    func()
}

// eventRoom is how many events may wait before the run does. Emitters refill
// it while the owner works on the batch before.
const eventRoom = 1024

func newInbox() *inbox {
	b := &inbox{}
	b.wake.L, b.room.L = &b.mu, &b.mu
	return b
}

// do posts a command. It reports false when the session is closed.
func (b *inbox) do(fn func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.commands = append(b.commands, fn)
	b.wake.Signal()
	return true
}

// post puts an item into the run's lane and waits for room. It reports false
// when the session is closed.
func (b *inbox) post(it item) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.events) >= eventRoom && !b.closed {
		b.room.Wait()
	}
	if b.closed {
		return false
	}
	b.events = append(b.events, it)
	b.wake.Signal()
	return true
}

// take waits for work and takes all of it; spare slices are used again. ok is
// false once the inbox is closed and empty.
func (b *inbox) take(spareCommands []func(), spareEvents []item) (commands []func(), events []item, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.commands) == 0 && len(b.events) == 0 && !b.closed {
		b.wake.Wait()
	}
	commands, events = b.commands, b.events
	clear(spareCommands)
	clear(spareEvents)
	b.commands, b.events = spareCommands[:0], spareEvents[:0]
	b.room.Broadcast()
	return commands, events, len(commands) > 0 || len(events) > 0 || !b.closed
}

// close lets the owner finish what is there and refuses the rest.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.wake.Broadcast()
	b.room.Broadcast()
	b.mu.Unlock()
}
