package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// A listing reads this much of a file from its start, and the tail of a longer
// one for the name it was given last.
const (
	scanHeadBytes = 256 << 10
	scanTailBytes = 32 << 10
	titleRunes    = 120
)

// Summary is what a list of sessions shows. All texts are as the file has
// them: who shows them on a terminal sanitises them.
type Summary struct {
	Path          string
	ID            string
	Cwd           string
	Name          string // given by the user, "" if none
	Title         string // the user's first message, one line, cut
	ParentSession string
	Created       time.Time
	Modified      time.Time // of the file
	// Messages counts what was said; with More there are others, in the part
	// of a long file that was not read.
	Messages int
	More     bool
	Size     int64 // bytes
}

// Label is the name, else the title, else the id.
func (s Summary) Label() string { return cmp.Or(s.Name, s.Title, s.ID) }

// List returns the sessions in the folders, the last modified first. Folders
// that are missing and files that are no sessions are passed over.
func List(folders ...string) ([]Summary, error) {
	files, err := sessionFiles(folders)
	if err != nil {
		return nil, err
	}
	found := make([]Summary, len(files))
	parallel(len(files), func(from, to int) {
		for i := from; i < to; i++ {
			found[i], _ = summarize(files[i].path, files[i].info) // no session: no ID
		}
	})
	return slices.DeleteFunc(found, func(s Summary) bool { return s.ID == "" }), nil
}

// Latest returns the session modified last, false if there is none.
func Latest(folders ...string) (Summary, bool, error) {
	files, err := sessionFiles(folders)
	if err != nil {
		return Summary{}, false, err
	}
	for _, f := range files {
		if s, err := summarize(f.path, f.info); err == nil {
			return s, true, nil
		}
	}
	return Summary{}, false, nil
}

type sessionFile struct {
	path string
	info fs.FileInfo
}

func sessionFiles(folders []string) ([]sessionFile, error) {
	var files []sessionFile
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".jsonl") {
				continue
			}
			path := filepath.Join(folder, e.Name())
			info, err := os.Stat(path) // follows links, as Open does
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			files = append(files, sessionFile{path, info})
		}
	}
	slices.SortFunc(files, func(a, b sessionFile) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), strings.Compare(b.path, a.path))
	})
	return files, nil
}

// Summarize describes one session file.
func Summarize(path string) (Summary, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotSession
	}
	if err == nil {
		var s Summary
		if s, err = summarize(path, info); err == nil {
			return s, nil
		}
	}
	return Summary{}, fmt.Errorf("read session %s: %w", path, err)
}

func summarize(path string, info fs.FileInfo) (Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	buf := make([]byte, min(info.Size(), scanHeadBytes))
	n, err := io.ReadFull(f, buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Summary{}, ErrNotSession // an empty file too
	}
	s := Summary{Path: path, Modified: info.ModTime(), Size: info.Size(), More: info.Size() > int64(n)}
	if err := s.scan(buf[:n]); err != nil {
		return Summary{}, err
	}
	if s.More {
		s.scanTail(f)
	}
	return s, nil
}

// scan reads the header and what follows it.
func (s *Summary) scan(b []byte) error {
	lines := jsonl.NewReader(bytes.NewReader(b), 0)
	for s.ID == "" {
		line, err := lines.Next()
		if err != nil {
			return ErrNotSession
		}
		if isTitleLine(line.Data) {
			continue
		}
		h, err := decodeHeader(line.Data)
		if err != nil {
			return err
		}
		s.ID, s.Cwd, s.Name, s.Created, s.ParentSession = h.ID, h.Cwd, h.Title, h.Timestamp, h.ParentSession
	}
	s.lines(lines)
	return nil
}

// lines takes in what is left; bytes in memory can only end.
func (s *Summary) lines(lines *jsonl.Reader) {
	for line, err := lines.Next(); err == nil; line, err = lines.Next() {
		s.line(line.Data)
	}
}

func (s *Summary) line(line []byte) {
	switch Type(unquote(field(line, "type"))) {
	case TypeMessage:
		s.Messages++
		if s.Title == "" {
			s.Title = titleOf(field(line, "message"), line)
		}
	case TypeInfo:
		s.Name = unquote(field(line, "name"))
	case typeTitleChange:
		s.Name = unquote(field(line, "title"))
	}
}

// scanTail looks for a later name at the end of the file.
func (s *Summary) scanTail(f *os.File) {
	from := max(s.Size-scanTailBytes, scanHeadBytes)
	tail := make([]byte, s.Size-from)
	n, _ := f.ReadAt(tail, from)
	tail = tail[:n]
	if cut := bytes.IndexByte(tail, '\n'); cut >= 0 {
		tail = tail[cut:]
	}
	s.lines(jsonl.NewReader(bytes.NewReader(tail), 0))
}

// titleOf returns the beginning of a message if it is the user's. When an
// image makes the line longer than what is read there is no whole message, and
// the first text in the line serves.
func titleOf(raw, line []byte) string {
	if raw == nil {
		return titleOfCut(line)
	}
	if message.Role(unquote(field(raw, "role"))) != message.User {
		return ""
	}
	var m message.Message
	if m.UnmarshalJSON(raw) != nil || m.Synthetic {
		return ""
	}
	for _, b := range m.Content { // what is attached comes after what was typed
		if b.Type == message.TextBlock {
			return cutTitle(b.Text)
		}
	}
	return ""
}

func titleOfCut(line []byte) string {
	if !bytes.Contains(line, []byte(`"role":"user"`)) {
		return ""
	}
	_, rest, ok := bytes.Cut(line, []byte(`"text":`))
	if !ok {
		return ""
	}
	s := scanner{b: rest}
	return cutTitle(unquote(s.value()))
}

func cutTitle(text string) string {
	title := []rune(strings.Join(strings.Fields(text), " "))
	if len(title) > titleRunes {
		return string(title[:titleRunes-1]) + "…"
	}
	return string(title)
}

// ErrNotFound is wrapped when no session answers to a query.
var ErrNotFound = errors.New("no such session")

// AmbiguousError says that several sessions answer to a query.
type AmbiguousError struct {
	Query   string
	Matches []Summary
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q fits %d sessions; give more of the id, or the path", e.Query, len(e.Matches))
}

// Find returns the one session that query names: by path, by id or the
// beginning of one, else by a piece of its name or title.
func Find(query string, folders ...string) (Summary, error) {
	if query == "" {
		return Summary{}, fmt.Errorf("find session: %w: nothing to look for", ErrNotFound)
	}
	if isPath(query) {
		return Summarize(query)
	}
	all, err := List(folders...)
	if err != nil {
		return Summary{}, err
	}
	for _, fits := range []func(Summary) bool{
		func(s Summary) bool { return s.ID == query },
		func(s Summary) bool { return strings.HasPrefix(s.ID, query) },
		func(s Summary) bool { return strings.EqualFold(s.Name, query) },
		func(s Summary) bool {
			text, q := strings.ToLower(s.Name+"\n"+s.Title), strings.ToLower(query)
			return strings.Contains(text, q)
		},
	} {
		matches := slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return !fits(s) })
		switch len(matches) {
		case 0:
			continue
		case 1:
			return matches[0], nil
		}
		return Summary{}, &AmbiguousError{Query: query, Matches: matches}
	}
	return Summary{}, fmt.Errorf("find session %q: %w", query, ErrNotFound)
}

func isPath(query string) bool {
	return strings.ContainsAny(query, `/\`) || strings.HasSuffix(query, ".jsonl")
}

// Delete removes a session and what was cut off it. A session that is open,
// here or elsewhere, and a file that is none are refused.
func Delete(path, locks string) error {
	if _, err := Summarize(path); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	l, _, err := takeLock(locks, path)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	defer l.release()
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	if err := os.Remove(path + ".torn"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}
