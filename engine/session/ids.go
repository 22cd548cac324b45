package session

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"
)

// idSource hands out entry ids. It is the one part of a document that other
// goroutines may use: a message gets its id when it starts, on the run's.
type idSource struct {
	mu   sync.Mutex
	rand io.Reader
	used map[string]struct{}
}

func newIDSource(r io.Reader) *idSource {
	return &idSource{rand: r, used: map[string]struct{}{}}
}

func (s *idSource) reserve(id string) {
	s.mu.Lock()
	s.used[id] = struct{}{}
	s.mu.Unlock()
}

// next returns 8 hex digits that were neither reserved nor returned before.
func (s *idSource) next() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for try := 0; ; try++ {
		source := s.rand
		if try > 8 {
			source = rand.Reader // a source that repeats itself must not hold us
		}
		var b [4]byte
		random(source, b[:])
		id := hex.EncodeToString(b[:])
		if _, taken := s.used[id]; !taken {
			s.used[id] = struct{}{}
			return id
		}
	}
}

// sessionID returns a UUID of version 7: its order is that of time.
func sessionID(now time.Time, r io.Reader) string {
	var b [16]byte
	random(r, b[6:])
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// random fills b from r, or from the machine's source if r fails or ends.
func random(r io.Reader, b []byte) {
	if _, err := io.ReadFull(r, b); err != nil {
		_, _ = rand.Read(b) // never fails
	}
}
