package workspace

import (
	"crypto/sha256"
	"sync"
)

// Ledger remembers the content of the files a session has read or written, so
// that an edit of a file that has changed since is reported and not carried
// out. It also serialises edits of one file. The zero value is not usable.
type Ledger struct {
	mu    sync.Mutex
	seen  map[string][sha256.Size]byte
	locks map[string]*sync.Mutex
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{seen: map[string][sha256.Size]byte{}, locks: map[string]*sync.Mutex{}}
}

// Record notes that the session knows path to hold content.
func (l *Ledger) Record(path string, content []byte) {
	sum := sha256.Sum256(content)
	l.mu.Lock()
	l.seen[path] = sum
	l.mu.Unlock()
}

// Changed reports whether content differs from what was last recorded for
// path. known is false for a path that was never recorded.
func (l *Ledger) Changed(path string, content []byte) (changed, known bool) {
	sum := sha256.Sum256(content)
	l.mu.Lock()
	old, ok := l.seen[path]
	l.mu.Unlock()
	return ok && old != sum, ok
}

// Lock serialises work on path; call the returned func to release it.
func (l *Ledger) Lock(path string) (unlock func()) {
	l.mu.Lock()
	m := l.locks[path]
	if m == nil {
		m = &sync.Mutex{}
		l.locks[path] = m
	}
	l.mu.Unlock()
	m.Lock()
	return m.Unlock
}
