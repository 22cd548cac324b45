package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Sessions hold what the user said and what files say: for the user alone.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// SaveError says that entries could not be written. They are pending, none is
// lost while the process lives.
type SaveError struct {
	Path    string
	Pending int // entries
	Err     error
}

func (e *SaveError) Error() string {
	return fmt.Sprintf("save session %s: %v (%d entries wait to be written)", e.Path, e.Err, e.Pending)
}

func (e *SaveError) Unwrap() error { return e.Err }

// ErrReplaced is wrapped by a *SaveError when another program has put a
// different file in the session's place.
var ErrReplaced = errors.New("another program has replaced the file; open it again or fork this session")

// store is a document's file and what has still to go into it.
type store struct {
	path string
	file *os.File // nil until the file is made, or after Close
	lock *lock
	end  int64 // where the next line belongs
	// torn: the file may go on after end with half a line of ours.
	torn bool
	// unended: the last line is whole but has no line end.
	unended bool
	// rewrite: the file is of an older version; the first write replaces it.
	rewrite bool
	// unsynced: something was written since the last Sync.
	unsynced bool
	pending  []*node
	write    func(f *os.File, p []byte) (int, error)
}

func writeFile(f *os.File, p []byte) (int, error) { return f.Write(p) }

// startsFile holds for the entries that make a session worth a file.
func startsFile(e Entry) bool {
	if e.Message == nil {
		return false
	}
	switch e.Message.Role {
	case message.User, message.Assistant, message.ToolResult, message.BashExecution:
		return true
	}
	return false
}

// Save writes what is pending, and makes the file if there is none yet.
func (d *Document) Save() error {
	if d.opts.InMemory {
		return nil
	}
	return d.flush()
}

// Sync writes what is pending and has it on the disk when it returns. A
// session that has no file yet gets none.
func (d *Document) Sync() error {
	if d.store.file == nil && !d.owesFile() {
		return nil
	}
	if len(d.store.pending) > 0 {
		if err := d.flush(); err != nil {
			return err
		}
	}
	if !d.store.unsynced {
		return nil
	}
	if err := d.store.file.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return &SaveError{Path: d.store.path, Err: err}
	}
	d.store.unsynced = false
	return nil
}

// Close syncs, closes the file and gives the lock back, whatever the error. The
// document must not be used any more.
func (d *Document) Close() error {
	err := d.Sync()
	if f := d.store.file; f != nil {
		err = errors.Join(err, f.Close())
		d.store.file = nil
	}
	d.store.lock.release()
	d.store.lock = nil
	return err
}

// owesFile holds when the file could not be made at the first message.
func (d *Document) owesFile() bool {
	return d.store.file == nil && slices.ContainsFunc(d.store.pending, func(n *node) bool {
		return n.entry != nil && startsFile(*n.entry)
	})
}

// flush writes all pending lines with one write.
func (d *Document) flush() error {
	s := &d.store
	if err := d.flushPending(); err != nil {
		return &SaveError{Path: s.path, Pending: len(s.pending), Err: err}
	}
	return nil
}

func (d *Document) flushPending() error {
	s := &d.store
	switch {
	case s.file == nil:
		return d.create()
	case len(s.pending) == 0:
		return nil
	case s.rewrite:
		return d.replace()
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	if err := s.restoreEnd(); err != nil {
		return err
	}
	return s.writeLines(nil)
}

// create makes the file: header and all pending lines in one write.
func (d *Document) create() error {
	s := &d.store
	head, err := d.header.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), dirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = fs.ErrExist
	}
	if err != nil {
		f.Close()
		return err
	}
	s.file, s.end = f, 0
	if err := s.writeLines(head); err != nil {
		// Without its header the file is none: begin again next time.
		f.Close()
		os.Remove(s.path)
		s.file, s.torn = nil, false
		return err
	}
	return nil
}

// writeLines appends head and the pending lines, and settles where they are.
func (s *store) writeLines(head []byte) error {
	buf := bytes.NewBuffer(nil)
	if s.unended {
		buf.WriteByte('\n')
	}
	buf.Write(head)
	offsets := make([]int64, len(s.pending))
	for i, n := range s.pending {
		offsets[i] = s.end + int64(buf.Len())
		buf.Write(n.line)
		buf.WriteByte('\n')
	}
	s.unsynced = true
	if n, err := s.write(s.file, buf.Bytes()); err != nil || n < buf.Len() {
		if err == nil {
			err = io.ErrShortWrite
		}
		s.torn = true
		return errors.Join(err, s.restoreEnd())
	}
	for i, n := range s.pending {
		n.off, n.line = offsets[i], nil
	}
	s.end += int64(buf.Len())
	s.unended, s.pending = false, nil
	return nil
}

// restoreEnd cuts half a line of ours off the file.
func (s *store) restoreEnd() error {
	if !s.torn {
		return nil
	}
	if err := s.file.Truncate(s.end); err != nil {
		return fmt.Errorf("cut off half a line: %w", err)
	}
	s.torn = false
	return nil
}

// inPlace checks that the file still has its name and its size. Other programs
// that keep no locks may have added lines, which stay, or removed the file,
// which is then made again from the open one.
func (s *store) inPlace() error {
	open, err := s.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.recreate(open)
	case err != nil:
		return err
	case !os.SameFile(open, named):
		return ErrReplaced
	}
	if size := open.Size(); size > s.end && !s.torn {
		last := []byte{0}
		if _, err := s.file.ReadAt(last, size-1); err != nil {
			return err
		}
		s.end, s.unended = size, last[0] != '\n'
	} else if size < s.end {
		return ErrReplaced
	}
	return nil
}

// recreate gives the open file's content its name back.
func (s *store) recreate(open fs.FileInfo) error {
	fill := func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(s.file, 0, min(open.Size(), s.end)))
		return err
	}
	if err := atomicfile.WriteFunc(s.path, atomicfile.Options{Mode: fileMode, DirMode: dirMode}, fill); err != nil {
		return err
	}
	s.torn = false
	return s.reopen()
}

func (s *store) reopen() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	s.file.Close()
	s.file = f
	return nil
}
