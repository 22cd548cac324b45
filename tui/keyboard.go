package tui

import (
	"bytes"
	"os"
	"sync"
)

// keyboard is the terminal's input. Without a signal nothing else tells that
// the terminal has gone: the library's reader just stops.
type keyboard struct {
	*os.File
	once sync.Once
	gone chan struct{} // closed when there are no more keys
}

func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	n = whole(p[:n])
	if err != nil {
		k.once.Do(func() { close(k.gone) })
	}
	return n, err
}

// What the terminal puts around a paste.
const (
	pasteStart = "\x1b[200~"
	pasteStop  = "\x1b[201~"
)

// whole keeps a paste together that holds the end of one itself, and tells how
// many bytes are left. Of two ends without a start between them the first was
// pasted: the terminal should have taken it out, and what stands behind it,
// Enter included, would be typed.
func whole(read []byte) int {
	for at := 0; ; {
		end := bytes.Index(read[at:], []byte(pasteStop))
		if end < 0 {
			return len(read)
		}
		at += end
		rest := read[at+len(pasteStop):]
		next := bytes.Index(rest, []byte(pasteStop))
		if next < 0 {
			return len(read)
		}
		if bytes.Contains(rest[:next], []byte(pasteStart)) {
			at += len(pasteStop)
			continue
		}
		read = append(read[:at], rest...)
	}
}
