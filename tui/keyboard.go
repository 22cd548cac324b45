package tui

import (
	"bytes"
	"os"
	"sync"
	"unicode/utf8"
)

// keyboard is the terminal's input. Without a signal nothing else tells that
// the terminal has gone: the library's reader just stops.
type keyboard struct {
	*os.File
	once sync.Once
	gone chan struct{} // closed when there are no more keys

	pasting bool
	held    []byte // came, and is read together with what follows
}

// Read reads what was typed. The library takes a sequence that doesn't go on for
// a moment as it is, and over a slow line half a mark of a paste would be one:
// what begins such a mark, or a letter, waits for its other half.
func (k *keyboard) Read(p []byte) (int, error) {
	n := copy(p, k.held)
	k.held = nil
	more, err := k.File.Read(p[n:])
	read := p[:whole(p[:n+more])]
	start, stop := bytes.LastIndex(read, []byte(pasteStart)), bytes.LastIndex(read, []byte(pasteStop))
	if start != stop {
		k.pasting = start > stop
	}
	if err != nil {
		k.once.Do(func() { close(k.gone) })
		return len(read), err
	}
	n = len(read) - half(read, k.pasting)
	k.held = bytes.Clone(read[n:])
	return n, nil
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

// half tells how many bytes at the end begin a mark of a paste or a letter. What
// may also be a key outside of a paste, Esc or Alt+[, is none.
func half(read []byte, pasting bool) int {
	mark, least := pasteStart, len("\x1b[2")
	if pasting {
		mark, least = pasteStop, len("\x1b")
	}
	for n := len(mark) - 1; n >= least; n-- {
		if bytes.HasSuffix(read, []byte(mark[:n])) {
			return n
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(read); n++ {
		if tail := read[len(read)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}
