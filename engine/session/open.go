package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// ErrNoEntry is wrapped when an id names no entry of the session.
var ErrNoEntry = errors.New("no such entry")

// Notice is something the user should know about a file that was opened.
type Notice struct {
	Line int // from 1; 0 when it is about the whole file
	Text string
}

func (n Notice) String() string {
	if n.Line == 0 {
		return n.Text
	}
	return fmt.Sprintf("line %d: %s", n.Line, n.Text)
}

// Open reads the session in the file at path. A last line that was never
// finished is cut off and kept in a file beside it, path + ".torn". Errors wrap
// ErrNotSession, ErrVersion or *LockedError where that is the cause; the file
// is then unchanged. Of the options Cwd, Dir, ID and ParentSession only matter
// for sessions that branch off this one.
func Open(path string, o Options) (*Document, []Notice, error) {
	d, notices, err := open(path, o.withDefaults(), false)
	if err != nil {
		return nil, nil, fmt.Errorf("open session %s: %w", path, err)
	}
	return d, notices, nil
}

// open loads a file; with look it takes no lock and changes nothing.
func open(path string, o Options, look bool) (*Document, []Notice, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	o.InMemory, o.Path = false, ""
	if o.Dir == "" {
		o.Dir = filepath.Dir(path)
	}
	l := loader{look: look}
	if !look {
		var notice string
		if l.lock, notice, err = takeLock(o.Locks, path); err != nil {
			return nil, nil, err
		}
		if notice != "" {
			l.notices = append(l.notices, Notice{Text: notice})
		}
	}
	f, err := l.openFile(path)
	if err != nil {
		l.lock.release()
		return nil, nil, err
	}
	l.doc = newDocument(Header{}, o)
	l.doc.store = store{path: path, file: f, lock: l.lock, write: writeFile}
	if err := l.load(); err != nil {
		f.Close()
		l.lock.release()
		return nil, nil, err
	}
	return l.doc, l.notices, nil
}

// loader builds a document from a file.
type loader struct {
	doc     *Document
	lock    *lock
	look    bool
	notices []Notice
	line    int
}

func (l *loader) notice(format string, args ...any) {
	const most = 20 // a file of rubbish need not fill the screen
	if len(l.notices) < most {
		l.notices = append(l.notices, Notice{Line: l.line, Text: fmt.Sprintf(format, args...)})
	}
}

func (l *loader) openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is no regular file", ErrNotSession)
	}
	if l.look {
		return os.Open(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err == nil {
		return f, nil
	}
	// A file that can be read but not written is still worth reading.
	f, readErr := os.Open(path)
	if readErr != nil {
		return nil, readErr
	}
	l.notices = append(l.notices, Notice{Text: "the session can be read but not written; what is said now stays in memory: " + cause(err)})
	return f, nil
}

// cause is the error without the path, which the reader knows.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func (l *loader) load() error {
	d := l.doc
	if err := l.scan(); err != nil {
		return err
	}
	if n := len(d.nodes); n > 0 {
		d.leaf = d.nodes[n-1]
	}
	if d.header.Version < Version {
		d.migrate()
	}
	l.line = 0
	nodes, _ := d.contextNodes()
	l.notices = append(l.notices, d.warm(nodes)...)
	return nil
}

// scan reads all lines into the tree.
func (l *loader) scan() error {
	d := l.doc
	lines := jsonl.NewReader(d.store.file, 0)
	if err := l.header(lines); err != nil {
		return err
	}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l.line++
		if !line.Terminated {
			l.lastLine(line)
			return nil
		}
		l.entry(line)
		d.store.end = lines.Offset()
	}
	d.store.end = lines.Offset() // blank lines at the end belong to the file
	return nil
}

// header reads up to and with the header. Nothing in the file is touched
// before this has succeeded.
func (l *loader) header(lines *jsonl.Reader) error {
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			if l.line == 0 {
				return fmt.Errorf("%w: %w", ErrNotSession, ErrEmpty)
			}
			return ErrNotSession
		}
		if err != nil {
			return err
		}
		l.line++
		if l.line == 1 && isTitleLine(line.Data) {
			continue
		}
		h, err := decodeHeader(line.Data)
		if err != nil {
			return err
		}
		l.doc.header = h
		l.doc.store.end = lines.Offset()
		l.doc.store.unended = !line.Terminated
		return nil
	}
}

// lastLine takes in a line without a line end: whole, if it is valid, or torn.
func (l *loader) lastLine(line jsonl.Line) {
	s := &l.doc.store
	if json.Valid(line.Data) {
		s.end, s.unended = line.Offset+int64(len(line.Data)), true
		l.entry(line)
		return
	}
	if l.look {
		l.notice("the last line is not finished and is left out")
		return
	}
	s.torn = true // the next write tries again if it cannot be done now
	err := keepTorn(s.path+".torn", line.Data)
	if err == nil {
		err = s.restoreEnd()
	}
	if err != nil {
		l.notice("the last line was never finished and could not be cut off: %s", cause(err))
		return
	}
	l.notice("the last line was never finished; its %d bytes are kept in %s", len(line.Data), filepath.Base(s.path)+".torn")
}

func keepTorn(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(append(bytes.Clone(data), '\n'))
	return errors.Join(err, f.Close())
}

// entry takes a line into the tree.
func (l *loader) entry(line jsonl.Line) {
	d := l.doc
	h, ok := scanHead(line.Data, false)
	if ok && h.id == "" && d.header.Version == 1 && h.typ != "" {
		h.id = d.ids.next() // version 1 is a list: no ids, each line follows the one before
		h.parent = d.last().name()
	}
	switch {
	case !ok:
		l.notice("not readable; it stays in the file and is left out")
		return
	case h.typ == "" || h.id == "":
		l.notice("an entry without type or id; it stays in the file and is left out")
		return
	case h.typ == typeHeader || h.typ == typeTitleLine:
		l.notice("a second header; it stays in the file and is left out")
		return
	}
	if _, taken := d.index[h.id]; taken {
		l.notice("entry id %q is used twice", h.id)
	}
	n := &node{id: h.id, typ: Type(h.typ), parentID: h.parent, off: line.Offset, size: len(line.Data)}
	d.add(n, l.parent(n))
	switch n.typ {
	case TypeInfo, typeTitleChange, TypeLabel:
		if e, err := decodeEntry(line.Data); err == nil {
			d.note(e)
		}
	}
}

// parent finds the entry that n follows. Only entries before n can be it, so
// that no file can make a circle. Where the parent is missing, its line was
// not readable: n then follows the entry before it, so that what came before
// the damage is not lost from the conversation.
func (l *loader) parent(n *node) *node {
	if n.parentID == "" {
		return nil
	}
	if p, ok := l.doc.index[n.parentID]; ok {
		return p
	}
	p := l.doc.last()
	l.notice("its parent %q is missing; it now follows the entry before it", n.parentID)
	n.parentID = p.name()
	return p
}

func (d *Document) last() *node {
	if len(d.nodes) == 0 {
		return nil
	}
	return d.nodes[len(d.nodes)-1]
}
