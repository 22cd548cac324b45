package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// bytesOf returns n's line without its end, from memory or from the file.
func (d *Document) bytesOf(n *node) ([]byte, error) {
	if n.line != nil {
		return n.line, nil
	}
	if d.store.file == nil {
		return nil, fmt.Errorf("read session entry %q: the session is closed", n.id)
	}
	line := make([]byte, n.size)
	if _, err := d.store.file.ReadAt(line, n.off); err != nil {
		return nil, fmt.Errorf("read session entry %q: %w", n.id, err)
	}
	return line, nil
}

// load returns n's entry, decoding it if need be. A damaged one has no payload
// but Raw. The tree decides about ids and parents, not the line: migrated and
// orphaned entries have others than they were written with.
func (d *Document) load(n *node) (Entry, error) {
	if n.entry != nil {
		return *n.entry, nil
	}
	line, err := d.bytesOf(n)
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
	entries := make([]Entry, len(nodes))
	parallel(len(nodes), func(i int) { entries[i], _ = d.load(nodes[i]) })
	return entries
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

// parallel calls fn for 0..n-1, on two goroutines where that pays. Reading and
// decoding entries is all it is used for: load does not change the document.
func parallel(n int, fn func(i int)) {
	const worthIt = 64
	half := n / 2
	if n < worthIt {
		half = n
	}
	var wg sync.WaitGroup
	if half < n {
		wg.Go(func() {
			for i := half; i < n; i++ {
				fn(i)
			}
		})
	}
	for i := range half {
		fn(i)
	}
	wg.Wait()
}

// warm decodes what the current context needs, and says what is damaged in it.
func (d *Document) warm() []Notice {
	nodes := d.contextNodes()
	entries, errs := make([]Entry, len(nodes)), make([]error, len(nodes))
	parallel(len(nodes), func(i int) { entries[i], errs[i] = d.load(nodes[i]) })
	var notices []Notice
	for i, n := range nodes {
		n.entry = &entries[i]
		if errs[i] != nil {
			notices = append(notices, Notice{Text: "damaged and left out: " + errs[i].Error()})
		}
	}
	return notices
}

// forget drops decoded entries that a compaction has put out of the context
// and that can be read from the file again.
func (d *Document) forget() {
	needed := map[*node]bool{}
	for _, n := range d.contextNodes() {
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
		if e, err := d.load(n); err == nil && e.Custom.CustomType == customType {
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
	var prompts []Prompt
	for _, n := range d.nodes {
		if n.typ != TypeMessage || d.role(n) != message.User {
			continue
		}
		e, err := d.load(n)
		if err != nil || e.Message == nil {
			continue
		}
		if text := e.Message.Text(); text != "" {
			prompts = append(prompts, Prompt{EntryID: n.id, Text: text})
		}
	}
	return prompts
}

// role reads a message's role, and no more than it must.
func (d *Document) role(n *node) message.Role {
	if n.entry != nil && n.entry.Message != nil {
		return n.entry.Message.Role
	}
	line, err := d.bytesOf(n)
	if err != nil {
		return ""
	}
	return message.Role(unquote(field(field(line, "message"), "role")))
}

// Line returns an entry's line as the file has it, without the line end.
func (d *Document) Line(id string) (json.RawMessage, error) {
	n, ok := d.index[id]
	if !ok {
		return nil, fmt.Errorf("read session entry %q: %w", id, ErrNoEntry)
	}
	line, err := d.bytesOf(n)
	return bytes.Clone(line), err
}
