package session

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// bytesOf returns n's line without its end, from memory or from the file.
func (d *Document) bytesOf(n *node) ([]byte, error) {
	return d.bytesThrough(n, &window{})
}

// window is a stretch of the file that was read ahead: entries are mostly read
// one after the other, and a system call each would cost more than decoding.
type window struct {
	off int64
	buf []byte
	// ahead is how much to read at least; 0 means just the line.
	ahead int
}

// readAhead is how much of the file is read at once when entries follow each
// other, in bytes.
const readAhead = 128 << 10

// bytesThrough is bytesOf by way of a window. The line is valid until the
// window is used again.
func (d *Document) bytesThrough(n *node, w *window) ([]byte, error) {
	if n.line != nil {
		return n.line, nil
	}
	if d.store.file == nil {
		return nil, fmt.Errorf("read session entry %q: the session is closed", n.id)
	}
	from, to := n.off-w.off, n.off-w.off+int64(n.size)
	if from < 0 || to > int64(len(w.buf)) {
		size := max(n.size, w.ahead)
		if cap(w.buf) < size {
			w.buf = make([]byte, size)
		}
		got, err := d.store.file.ReadAt(w.buf[:size], n.off)
		if got < n.size {
			w.buf = w.buf[:0]
			return nil, fmt.Errorf("read session entry %q: %w", n.id, err)
		}
		w.off, w.buf = n.off, w.buf[:got]
		from, to = 0, int64(n.size)
	}
	return w.buf[from:to:to], nil
}

// load returns n's entry, decoding it if need be. A damaged one has no payload
// but Raw; that is what to look at, since the error comes only once. The tree
// decides about ids and parents, not the line: migrated and orphaned entries have
// others than they were written with.
func (d *Document) load(n *node) (Entry, error) { return d.loadThrough(n, &window{}) }

func (d *Document) loadThrough(n *node, w *window) (Entry, error) {
	if n.entry != nil {
		return *n.entry, nil
	}
	line, err := d.bytesThrough(n, w)
	if err != nil {
		return Entry{Type: n.typ, ID: n.id, ParentID: n.parentID}, err
	}
	e, err := decodeEntry(line)
	e.Type, e.ID, e.ParentID = n.typ, n.id, n.parentID
	if e.Message != nil {
		e.Message.ID = n.id
		resolveBlobs(e.Message.Content, d.opts.Blobs)
	}
	if e.CustomMessage != nil {
		resolveBlobs(e.CustomMessage.Content, d.opts.Blobs)
	}
	return e, err
}

// Entry returns the entry with that id.
func (d *Document) Entry(id string) (Entry, bool) {
	n, ok := d.index[id]
	if !ok {
		return Entry{}, false
	}
	e, _ := d.load(n)
	return e, true
}

// Entries returns all entries in the order of the file.
func (d *Document) Entries() []Entry { return d.loadAll(d.nodes) }

// Path returns the entries from the root to the leaf.
func (d *Document) Path() []Entry { return d.loadAll(d.leaf.path()) }

func (d *Document) loadAll(nodes []*node) []Entry {
	entries, _ := d.loadEach(nodes)
	return entries
}

// loadEach loads nodes and the error of each.
func (d *Document) loadEach(nodes []*node) ([]Entry, []error) {
	entries, errs := make([]Entry, len(nodes)), make([]error, len(nodes))
	parallel(len(nodes), func(from, to int) {
		w := window{ahead: readAhead}
		for i := from; i < to; i++ {
			entries[i], errs[i] = d.loadThrough(nodes[i], &w)
		}
	})
	return entries, errs
}

// path returns the nodes from the root to n.
func (n *node) path() []*node {
	var nodes []*node
	for ; n != nil; n = n.parent {
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return nodes
}

// parallel calls fn for the halves of 0..n on two goroutines, where that pays.
// What fn does must change nothing that both halves share.
func parallel(n int, fn func(from, to int)) {
	const worthIt = 64
	if n < worthIt {
		fn(0, n)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { fn(n/2, n) })
	fn(0, n/2)
	wg.Wait()
}

// warm decodes nodes, keeps their entries and says what is damaged in them.
func (d *Document) warm(nodes []*node) []Notice {
	var cold []*node
	for _, n := range nodes {
		if n.entry == nil {
			cold = append(cold, n)
		}
	}
	errs := make([]error, len(cold))
	parallel(len(cold), func(from, to int) {
		w := window{ahead: readAhead}
		for i := from; i < to; i++ {
			e, err := d.loadThrough(cold[i], &w)
			cold[i].entry, errs[i] = &e, err // each by itself, so that forget can let go of it
		}
	})
	var notices []Notice
	for _, err := range errs {
		if err != nil {
			notices = append(notices, Notice{Text: "damaged and left out: " + err.Error()})
		}
	}
	return notices
}

// forget drops decoded entries that a compaction has put out of the context
// and that can be read from the file again.
func (d *Document) forget() {
	needed := map[*node]bool{}
	nodes, _ := d.contextNodes()
	for _, n := range nodes {
		needed[n] = true
	}
	for _, n := range d.nodes {
		if n.line == nil && !needed[n] {
			n.entry = nil
		}
	}
}

// LastCustom returns the last custom entry of that type between the root and
// the leaf.
func (d *Document) LastCustom(customType string) (Entry, bool) {
	for n := d.leaf; n != nil; n = n.parent {
		if n.typ != TypeCustom {
			continue
		}
		if e, _ := d.load(n); e.Custom != nil && e.Custom.CustomType == customType {
			return e, true
		}
	}
	return Entry{}, false
}

// Prompt is a user message with text, for a list to choose from.
type Prompt struct{ EntryID, Text string }

// Prompts returns the user's messages that have text, on all branches, in the
// order of the file.
func (d *Document) Prompts() []Prompt {
	prompts, _ := d.prompts()
	return prompts
}

// prompts returns those that could be read, and the last error of reading.
func (d *Document) prompts() (prompts []Prompt, err error) {
	w := window{ahead: readAhead}
	for _, n := range d.nodes {
		if n.typ != TypeMessage {
			continue
		}
		role, e := d.roleThrough(n, &w)
		if e != nil {
			err = e
		}
		if role != message.User {
			continue
		}
		if entry, _ := d.loadThrough(n, &w); entry.Message != nil {
			if text := entry.Message.Text(); text != "" {
				prompts = append(prompts, Prompt{EntryID: n.id, Text: text})
			}
		}
	}
	return prompts, err
}

// role reads a message's role, and no more than it must.
func (d *Document) role(n *node) message.Role {
	role, _ := d.roleThrough(n, &window{})
	return role
}

func (d *Document) roleThrough(n *node, w *window) (message.Role, error) {
	if n.entry != nil && n.entry.Message != nil {
		return n.entry.Message.Role, nil
	}
	line, err := d.bytesThrough(n, w)
	if err != nil {
		return "", err
	}
	return message.Role(unquote(field(field(line, "message"), "role"))), nil
}

// WriteTo writes the session as its file has it or would have it.
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	s := &d.store
	if s.file != nil && !s.rewrite {
		n, err := io.Copy(w, io.NewSectionReader(s.file, 0, s.end))
		if err == nil && s.unended {
			var m int
			m, err = io.WriteString(w, "\n")
			n += int64(m)
		}
		return d.writeLines(w, s.pending, n, err)
	}
	head, err := d.header.encode()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(head)
	return d.writeLines(w, d.nodes, int64(n), err)
}

func (d *Document) writeLines(w io.Writer, nodes []*node, n int64, err error) (int64, error) {
	for _, node := range nodes {
		if err != nil {
			break
		}
		var line []byte
		if line, err = d.bytesOf(node); err != nil {
			break
		}
		var m int
		m, err = w.Write(append(line[:len(line):len(line)], '\n'))
		n += int64(m)
	}
	return n, err
}
