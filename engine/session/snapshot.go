package session

import (
	"errors"
	"maps"
	"os"
)

// Snapshot is a document as it was at one moment, to be read on another
// goroutine while the document goes on. Taking one costs no reading; entries
// that aren't in memory come from the document's file when they are asked for.
type Snapshot struct{ frozen *Document }

// Snapshot returns the document as it is now.
func (d *Document) Snapshot() Snapshot {
	frozen := &Document{header: d.header, opts: d.opts, labels: maps.Clone(d.labels), leaf: d.leaf,
		nodes: make([]*node, len(d.nodes)), store: store{file: d.store.file}}
	copies := make([]node, len(d.nodes))
	for i, n := range d.nodes {
		// What changes of a node is where its line is and whether it is decoded;
		// the rest, also of its parent, stays as it was made.
		copies[i] = *n
		frozen.nodes[i] = &copies[i]
	}
	return Snapshot{frozen}
}

// Leaf returns the id of the entry that the next one will follow, "" at the root.
func (s Snapshot) Leaf() string { return s.frozen.Leaf() }

// Entries returns all entries in the order of the file. The error wraps
// os.ErrClosed: the document was closed, or its file made anew, before it was
// read.
func (s Snapshot) Entries() ([]Entry, error) {
	entries, errs := s.frozen.loadEach(s.frozen.nodes)
	for _, err := range errs {
		if errors.Is(err, os.ErrClosed) {
			return nil, err
		}
	}
	return entries, nil
}

// Tree is Document.Tree, with the error of Entries.
func (s Snapshot) Tree() ([]*TreeNode, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	return s.frozen.tree(entries), nil
}

// Prompts is Document.Prompts, with the error of Entries.
func (s Snapshot) Prompts() ([]Prompt, error) {
	prompts, err := s.frozen.prompts()
	if errors.Is(err, os.ErrClosed) {
		return nil, err
	}
	return prompts, nil
}
