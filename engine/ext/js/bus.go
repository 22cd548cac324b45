package js

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/grafana/sobek"
)

// buses are what the extensions of each session tell each other over.
type buses struct {
	mu  sync.Mutex
	all map[string]*bus // by the session's key
}

// bus carries events between the instances of one session.
type bus struct {
	of  *buses
	key string

	mu      sync.RWMutex
	members []*instance
}

// join makes an instance a member of its session's bus.
func (b *buses) join(key string, in *instance) *bus {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string]*bus{}
	}
	found := b.all[key]
	if found == nil {
		found = &bus{of: b, key: key}
		b.all[key] = found
	}
	found.mu.Lock()
	found.members = append(found.members, in)
	found.mu.Unlock()
	return found
}

func (b *bus) leave(in *instance) {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members = slices.DeleteFunc(b.members, func(m *instance) bool { return m == in })
	if len(b.members) == 0 {
		delete(b.of.all, b.key)
	}
}

// emit gives an event to all others that listen. It doesn't wait for them: each
// handles it in a turn of its own, in the order in which events were sent.
func (b *bus) emit(from *instance, channel string, data sobek.Value) {
	var text any = sobek.Undefined()
	if !sobek.IsUndefined(data) {
		text = json.RawMessage(data.String())
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, m := range b.members {
		if m != from && m.listens(channel) {
			m.loop.Post(func(rt *sobek.Runtime) error { return m.api.tell(rt, "bus", channel, text) })
		}
	}
}
