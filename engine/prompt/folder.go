package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Folder is a place for templates, skills or rules. In a list of folders an
// earlier one ranks higher: of two files with one name it has the one that
// counts.
type Folder struct {
	Path   string // absolute; "" is skipped
	Source string // "user" or "project"
	Family string // whose convention it is: "hoopoe", "agents", "claude" ...
	// Within bounds what a project's links lead to, by real paths; "" is no
	// bound.
	Within string
}

// Bounds of a walk through one folder.
const (
	maxEntries = 5000 // names in all its folders
	maxLevels  = 4    // of folders, the first one included
)

// loader reads the text files of folders. What can't be read is a notice; the
// rest goes on.
type loader struct {
	notices []Notice
	seen    map[string]bool   // real paths of folders and files
	taken   map[string]string // name -> text of the file that has it
	limit   int               // of names in one folder and those in it
	entries int               // of these, how many are left
}

func newLoader() *loader {
	return &loader{seen: map[string]bool{}, taken: map[string]string{}, limit: maxEntries}
}

func (l *loader) notice(path, format string, args ...any) {
	l.notices = append(l.notices, Notice{path, oneLine(fmt.Sprintf(format, args...))})
}

// walk calls file for the files of a folder and the folders in it, in the
// order of their names; rel is the path from the folder on, with slashes.
// A folder that holds a file named leaf is that file alone. A single Markdown
// file may stand in place of the first folder.
//
// Links to folders are followed, each real folder is entered once, so that
// links can't loop.
func (l *loader) walk(f Folder, leaf string, file func(rel, path string)) {
	if f.Path == "" {
		return
	}
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.notice(f.Path, "not read: %v", cause(err))
	case info.Mode().IsRegular() && filepath.Ext(f.Path) == ".md":
		file(filepath.Base(f.Path), f.Path)
	case !info.IsDir():
		l.notice(f.Path, "not read: it is not a folder")
	default:
		l.entries = l.limit
		l.folder(f, f.Path, "", leaf, file)
	}
}

func (l *loader) folder(f Folder, path, rel, leaf string, file func(rel, path string)) {
	if !l.enter(f, path) {
		return
	}
	entries, err := l.list(path)
	if err != nil {
		l.notice(path, "not read: %v", cause(err))
		return
	}
	if leaf != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == leaf && !e.IsDir() }) {
		file(rel+leaf, filepath.Join(path, leaf))
		return
	}
	for _, e := range entries {
		name, full := e.Name(), filepath.Join(path, e.Name())
		if strings.HasPrefix(name, ".") || name == "node_modules" {
			continue
		}
		folder := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(full)
			folder = err == nil && info.IsDir()
		}
		switch {
		case !folder:
			file(rel+name, full)
		case strings.Count(rel, "/")+1 < maxLevels:
			l.folder(f, full, rel+name+"/", leaf, file)
		}
	}
}

// enter reports whether a folder or file is to be read, and marks it as read.
func (l *loader) enter(f Folder, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		l.notice(path, "not read: %v", cause(err))
		return false
	}
	if f.Within != "" {
		bound, err := filepath.EvalSymlinks(f.Within)
		if err != nil || !within(bound, real) {
			l.notice(path, "not read: it leads outside of %s", f.Within)
			return false
		}
	}
	if l.seen[real] {
		return false
	}
	l.seen[real] = true
	return true
}

// list reads a folder, sorted, as far as its share of names goes.
func (l *loader) list(path string) ([]fs.DirEntry, error) {
	if l.entries == 0 {
		return nil, nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(l.entries)
	if errors.Is(err, io.EOF) { // there is nothing in it
		err = nil
	}
	if l.entries -= len(entries); l.entries == 0 {
		l.notice(path, "not read to its end: there are more than %d files", l.limit)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// text reads a file that enter has not seen yet.
func (l *loader) text(f Folder, path string, limit int64) (string, bool) {
	if !l.enter(f, path) {
		return "", false
	}
	text, err := readText(path, limit)
	if err != nil {
		l.notice(path, "not read: %v", err)
	}
	return text, err == nil
}

// claim gives a name to a file, unless a folder of higher rank has one of that
// name. Copies of one file are no matter for a notice.
func (l *loader) claim(name, path, text string) bool {
	first, taken := l.taken[name]
	if taken && first != text {
		l.notice(path, "not used: another folder of higher rank has one named %s", name)
	}
	if !taken {
		l.taken[name] = text
	}
	return !taken
}

// readText reads a whole text file. The errors don't name the path.
func readText(path string, limit int64) (string, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for a writer
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	text, cut, err := Disk().read(path, limit)
	switch {
	case err != nil:
		return "", cause(err)
	case cut:
		return "", fmt.Errorf("it is larger than %d KiB", limit>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errors.New("it is not UTF-8 text")
	}
	return text, nil
}
