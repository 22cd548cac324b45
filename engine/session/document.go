package session

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say where a session lives and what it uses of the outside world.
type Options struct {
	// Cwd is the working directory a new session is about.
	Cwd string
	// Dir is the folder for the file of a new session, made if missing.
	Dir string
	// Path is the file of a new session, instead of a name in Dir. It must be
	// missing or empty.
	Path string
	// InMemory sessions have no file.
	InMemory bool
	// ID of a new session; empty means a fresh one.
	ID string
	// ParentSession is stored in a new session's header.
	ParentSession string
	// Blobs is the folder of images that other programs store by their SHA-256;
	// empty leaves references to them as they are.
	Blobs string
	// Locks is the folder of lock files; empty means no locking.
	Locks string
	// Now and Rand default to the machine's clock and crypto/rand.
	Now  func() time.Time
	Rand io.Reader
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return o
}

// node is an entry's place in the tree and where its line is.
type node struct {
	id, parentID string // parentID as written, or as chosen for an orphan
	typ          Type
	parent       *node
	children     []*node
	off          int64 // in the file, if line is nil
	size         int   // bytes without the line end
	line         []byte
	// entry is kept for what the context needs and for what was appended.
	entry *Entry
}

// Document is a session: header, tree and leaf, and the file it is bound to.
type Document struct {
	header Header
	opts   Options
	ids    *idSource
	nodes  []*node // in the order of the file
	index  map[string]*node
	leaf   *node
	labels map[string]label
	name   string // of the last session_info or title_change entry
	named  bool
	store  store
}

type label struct {
	text string
	at   time.Time
}

// New returns an empty session. Its file is made at the first message.
func New(o Options) (*Document, error) {
	o = o.withDefaults()
	now := o.Now()
	h := Header{Version: Version, ID: o.ID, Timestamp: now, Cwd: o.Cwd, ParentSession: o.ParentSession}
	if h.ID == "" {
		h.ID = sessionID(now, o.Rand)
	}
	if o.Dir == "" && o.Path != "" {
		o.Dir = filepath.Dir(o.Path) // where branches go
	}
	d := newDocument(h, o)
	if o.InMemory {
		return d, nil
	}
	path := o.Path
	if path == "" {
		if o.Dir == "" {
			return nil, fmt.Errorf("create a session: no folder is set for it")
		}
		path = filepath.Join(o.Dir, FileName(now, h.ID))
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("create a session: %w", err)
	}
	if info, err := os.Stat(path); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		return nil, fmt.Errorf("create session %s: %w", path, os.ErrExist)
	}
	d.store.path = path
	d.store.lock, _, err = takeLock(o.Locks, path)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func newDocument(h Header, o Options) *Document {
	return &Document{header: h, opts: o, ids: newIDSource(o.Rand), index: map[string]*node{},
		labels: map[string]label{}, store: store{write: writeFile}}
}

// FileName is the name of a session's file.
func FileName(at time.Time, id string) string {
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(formatTime(at))
	safe := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
	return stamp + "_" + safe[:min(len(safe), 128)] + ".jsonl"
}

// Header returns the session's first line.
func (d *Document) Header() Header { return d.header }

// ID returns the session's id.
func (d *Document) ID() string { return d.header.ID }

// File returns the path of the session's file, made or not; "" if it is in memory.
func (d *Document) File() string { return d.store.path }

// Written reports whether the file exists.
func (d *Document) Written() bool { return d.store.file != nil }

// NewID returns a fresh entry id of 8 hex digits. It is safe for concurrent use.
func (d *Document) NewID() string { return d.ids.next() }

// Leaf returns the id of the entry that the next one follows, "" at the root.
func (d *Document) Leaf() string { return d.leaf.name() }

// Len returns the number of entries.
func (d *Document) Len() int { return len(d.nodes) }

// MoveTo makes an entry the leaf; "" goes before the first one. The move is
// not stored: after opening again the leaf is the last entry of the file.
func (d *Document) MoveTo(id string) error {
	if id == "" {
		d.leaf = nil
		return nil
	}
	n, ok := d.index[id]
	if !ok {
		return fmt.Errorf("move to entry %q: %w", id, ErrNoEntry)
	}
	d.leaf = n
	return nil
}

// Append adds an entry after the leaf and makes it the leaf. ID and Timestamp
// are set if empty, ParentID always. The entry counts even when it could not be
// written: the error is then a *SaveError, and the next Append, Sync or Close
// writes what is pending. After any other error nothing has changed.
func (d *Document) Append(e Entry) (Entry, error) {
	if e.ID == "" {
		e.ID = d.ids.next()
	} else if _, taken := d.index[e.ID]; taken {
		return Entry{}, fmt.Errorf("append to session: entry id %q is taken", e.ID)
	}
	e.ParentID = d.leaf.name()
	if e.Timestamp.IsZero() {
		e.Timestamp = d.opts.Now()
	}
	e.Timestamp = e.Timestamp.UTC().Truncate(time.Millisecond) // as it will be read
	if e.Message != nil {
		m := *e.Message
		m.ID = e.ID
		e.Message = &m
	}
	if e.Model != nil {
		m := *e.Model
		m.Role = cmp.Or(m.Role, defaultRole)
		e.Model = &m
	}
	e.Type = cmp.Or(e.payloadType(), e.Type)
	if e.Type == "" || e.Type == typeHeader {
		return Entry{}, fmt.Errorf("append to session: an entry of type %q has no content", e.Type)
	}
	line, err := encodeEntry(e)
	if err != nil {
		return Entry{}, err
	}
	n := &node{id: e.ID, parentID: e.ParentID, typ: e.Type, line: line[:len(line)-1], size: len(line) - 1, entry: &e}
	d.add(n, d.leaf)
	d.note(e)
	d.leaf = n
	if d.opts.InMemory {
		return e, nil
	}
	d.store.pending = append(d.store.pending, n)
	if d.store.file == nil && !startsFile(e) {
		return e, nil
	}
	err = d.flush()
	if e.Compaction != nil {
		d.forget()
	}
	return e, err
}

// Create makes the file of a session that has none yet, so that others find it
// although nothing was said.
func (d *Document) Create() error {
	if d.opts.InMemory || d.store.file != nil {
		return nil
	}
	return d.flush()
}

// payloadType is the type of the payload that is set, "" if none is.
func (e Entry) payloadType() Type {
	switch {
	case e.Message != nil:
		return TypeMessage
	case e.Model != nil:
		return TypeModelChange
	case e.Thinking != nil:
		return TypeThinking
	case e.Compaction != nil:
		return TypeCompaction
	case e.BranchSummary != nil:
		return TypeBranchSummary
	case e.Custom != nil:
		return TypeCustom
	case e.CustomMessage != nil:
		return TypeCustomMessage
	case e.Label != nil:
		return TypeLabel
	case e.Info != nil:
		return TypeInfo
	}
	return ""
}

// add puts n into the tree.
func (d *Document) add(n, parent *node) {
	d.nodes = append(d.nodes, n)
	d.index[n.id] = n
	d.ids.reserve(n.id)
	if n.parent = parent; parent != nil {
		parent.children = append(parent.children, n)
	}
}

// note remembers what an entry says about the session and not to the model.
func (d *Document) note(e Entry) {
	switch {
	case e.Info != nil:
		d.name, d.named = e.Info.Name, true
	case e.Label != nil && e.Label.Text == "":
		delete(d.labels, e.Label.TargetID)
	case e.Label != nil:
		d.labels[e.Label.TargetID] = label{e.Label.Text, e.Timestamp}
	}
}

func (n *node) name() string {
	if n == nil {
		return ""
	}
	return n.id
}
