package session

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// ErrNotPrompt is wrapped when a session is to branch at an entry that is no
// message of the user.
var ErrNotPrompt = errors.New("not a message of the user")

// BranchFrom starts a session that ends before a message of the user, and
// returns that message's text to be edited. At the first message the new
// session is empty. The document itself stays as it is; the new one is a file
// in Options.Dir, made at once if it has messages.
func (d *Document) BranchFrom(entryID string) (*Document, string, error) {
	n, ok := d.index[entryID]
	if !ok {
		return nil, "", fmt.Errorf("branch at entry %q: %w", entryID, ErrNoEntry)
	}
	e, err := d.load(n)
	if err != nil {
		return nil, "", err
	}
	if e.Message == nil || e.Message.Role != message.User {
		return nil, "", fmt.Errorf("branch at entry %q: %w", entryID, ErrNotPrompt)
	}
	branch, err := d.copyOf(n.parent.path(), "")
	return branch, e.Message.Text(), err
}

// Clone copies the path from the root to the leaf into a new session.
func (d *Document) Clone() (*Document, error) {
	if d.leaf == nil {
		return nil, fmt.Errorf("clone session: %w", ErrNoEntry)
	}
	return d.copyOf(d.leaf.path(), d.header.Title)
}

// Fork copies a whole session, all its branches, into a new one made of the
// options. The other file is only read, so that a session which another
// process has open can be forked.
func Fork(path string, o Options) (*Document, []Notice, error) {
	o = o.withDefaults()
	source, notices, err := open(path, o, true)
	if err != nil {
		return nil, nil, fmt.Errorf("fork session %s: %w", path, err)
	}
	defer source.Close()
	if o.Cwd == "" {
		o.Cwd = source.header.Cwd
	}
	if o.ParentSession == "" {
		o.ParentSession = source.File()
	}
	fork, err := source.copyInto(source.nodes, source.header.Title, o)
	if err != nil {
		return nil, nil, err
	}
	return fork, notices, nil
}

func (d *Document) copyOf(nodes []*node, title string) (*Document, error) {
	o := d.opts
	o.Path, o.ID, o.Cwd = "", "", d.header.Cwd
	if o.ParentSession = d.File(); o.ParentSession == "" {
		o.ParentSession = d.ID()
	}
	return d.copyInto(nodes, title, o)
}

// copyInto makes a session of some entries of d, lines unchanged so that what
// this build does not know survives, and of the labels on them.
func (d *Document) copyInto(nodes []*node, title string, o Options) (*Document, error) {
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	c.header.Title = title
	if err = d.copyNodes(c, nodes); err == nil && c.worthFile() {
		err = c.Save()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (d *Document) copyNodes(c *Document, nodes []*node) error {
	kept := make(map[*node]*node, len(nodes))
	labels := map[string]label{}
	for _, n := range nodes {
		line, err := d.bytesOf(n)
		if err != nil {
			return err
		}
		copied := &node{id: n.id, parentID: n.parentID, typ: n.typ, line: bytes.Clone(line), size: len(line), entry: n.entry}
		kept[n] = copied
		c.add(copied, kept[n.parent])
		if l, ok := d.labels[n.id]; ok {
			labels[n.id] = l
		}
		switch n.typ {
		case TypeInfo, typeTitleChange, TypeLabel:
			if e, err := d.load(n); err == nil {
				c.note(e)
			}
		}
	}
	if !c.opts.InMemory {
		c.store.pending = append(c.store.pending, c.nodes...)
	}
	c.leaf = c.last()
	return c.relabel(nodes, labels)
}

// relabel sets labels whose own entries lie outside the copied path.
func (d *Document) relabel(nodes []*node, labels map[string]label) error {
	for _, n := range nodes {
		l, ok := labels[n.id]
		if !ok || d.labels[n.id].text == l.text {
			continue
		}
		e := Entry{Timestamp: l.at, Label: &Label{TargetID: n.id, Text: l.text}}
		if _, err := d.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// worthFile reports whether an entry of the document makes it worth a file.
func (d *Document) worthFile() bool {
	for _, n := range d.nodes {
		if n.typ != TypeMessage {
			continue
		}
		switch d.role(n) {
		case message.User, message.Assistant, message.ToolResult, message.BashExecution:
			return true
		}
	}
	return false
}

// TreeNode is an entry with all that follows it. The JSON is the RPC dialects'.
type TreeNode struct {
	Entry    Entry       `json:"entry"`
	Children []*TreeNode `json:"children"`
	Label    string      `json:"label,omitempty"`         // "" if none
	LabelAt  time.Time   `json:"labelTimestamp,omitzero"` // when it was set
}

// Tree returns the entries without a parent, normally one, with everything
// below them, in the order of the file.
func (d *Document) Tree() []*TreeNode { return d.tree(d.Entries()) }

func (d *Document) tree(entries []Entry) []*TreeNode {
	var roots []*TreeNode
	made := make(map[string]*TreeNode, len(d.nodes))
	for i, e := range entries {
		n := d.nodes[i]
		l := d.labels[n.id]
		t := &TreeNode{Entry: e, Label: l.text, LabelAt: l.at, Children: []*TreeNode{}}
		made[n.id] = t
		if parent := made[n.parent.name()]; parent != nil {
			parent.Children = append(parent.Children, t)
		} else {
			roots = append(roots, t)
		}
	}
	return roots
}

// Children returns the ids of the entries that follow id directly; those
// without a parent for "".
func (d *Document) Children(id string) []string {
	var ids []string
	if id == "" {
		for _, n := range d.nodes {
			if n.parent == nil {
				ids = append(ids, n.id)
			}
		}
		return ids
	}
	if n, ok := d.index[id]; ok {
		for _, c := range n.children {
			ids = append(ids, c.id)
		}
	}
	return ids
}
