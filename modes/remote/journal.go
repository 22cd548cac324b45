package remote

import "slices"

// maxJournal bounds what a kept session keeps of its frames for clients that
// come back.
const maxJournal = 16 << 20

// journal holds the frames of a kept session, numbered from 1. Chunks of one
// request are stored together; a client may have got a part of them.
type journal struct {
	seq     uint64 // of the last frame
	entries []entry
	weight  int
	dropped uint64 // the last number that is no longer kept
}

type entry struct {
	frame // seq is the last that it holds
	first uint64
	ends  []int // of each chunk in the text, when there are several
}

// add numbers a frame and keeps it.
func (j *journal) add(f frame) uint64 {
	j.seq++
	f.seq = j.seq
	if n := len(j.entries); f.kind == kindStream && n > 0 {
		last := &j.entries[n-1]
		if last.kind == kindStream && last.id == f.id && len(last.chunk)+len(f.chunk) <= maxChunk {
			last.chunk = append(last.chunk, f.chunk...)
			last.ends = append(last.ends, len(last.chunk))
			last.seq = f.seq
			j.weight += len(f.chunk) + 8
			j.trim()
			return f.seq
		}
	}
	f.chunk = slices.Clone(f.chunk)
	j.entries = append(j.entries, entry{frame: f, first: f.seq, ends: []int{len(f.chunk)}})
	j.weight += f.weight()
	j.trim()
	return f.seq
}

func (j *journal) trim() {
	n := 0
	for ; j.weight > maxJournal && n < len(j.entries)-1; n++ {
		e := j.entries[n]
		j.weight -= e.weight() + 8*(len(e.ends)-1)
		j.dropped = e.seq
	}
	j.entries = slices.Delete(j.entries, 0, n)
}

// since returns the frames after a number. ok is false when they aren't all
// there, or the number was never given.
func (j *journal) since(n uint64) (frames []frame, ok bool) {
	if n < j.dropped || n > j.seq {
		return nil, false
	}
	for _, e := range j.entries {
		if e.seq <= n {
			continue
		}
		f := e.frame
		if n >= e.first { // the client has the beginning
			f.chunk = f.chunk[e.ends[n-e.first]:]
		}
		frames = append(frames, f)
	}
	return frames, true
}
