package themes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Set is the themes there are: the embedded ones and those of folders. It
// doesn't change.
type Set struct {
	dirs    []string
	entries map[string]Entry
}

// Entry is one theme of a Set.
type Entry struct {
	Name string // the file's, without .json
	Path string // "" for an embedded theme
	// Err is what is wrong with the file, nil for a good one. With Err there
	// is a Theme only if the file was good before.
	Err   error
	good  bool
	theme Theme // of a file
}

// Bounds of what is read of a folder.
const (
	maxFile  = 256 << 10
	maxFiles = 200
)

// Open reads the themes of folders beside the embedded ones. Of the same name
// the last folder's counts. A folder that isn't there has no themes; a file
// that can't be used is listed by Problems.
func Open(dirs ...string) Set {
	s := Set{dirs: dirs, entries: map[string]Entry{}}
	for _, name := range Names() {
		s.entries[name] = Entry{Name: name, good: true} // read when it is picked
	}
	for _, dir := range dirs {
		s.readFolder(dir)
	}
	return s
}

// Reload reads the folders again. A file that broke in the meantime keeps the
// theme that it was.
func (s Set) Reload() Set {
	next := Open(s.dirs...)
	for name, e := range next.entries {
		if before := s.entries[name]; !e.good && before.good && before.Path == e.Path {
			e.theme, e.good = before.theme, true
			next.entries[name] = e
		}
	}
	return next
}

func (s Set) readFolder(dir string) {
	if dir == "" {
		return
	}
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.entries[dir] = Entry{Name: filepath.Base(dir), Path: dir, Err: fmt.Errorf("read the themes of %s: %w", dir, errors.Unwrap(err))}
	}
	count := 0
	for _, f := range found {
		name, isTheme := strings.CutSuffix(f.Name(), ".json")
		if !isTheme || !validName(name) {
			continue
		}
		if count++; count > maxFiles {
			return
		}
		path := filepath.Join(dir, f.Name())
		t, err := ReadFile(path)
		s.entries[name] = Entry{Name: name, Path: path, Err: err, good: err == nil, theme: t}
	}
}

// validName holds for names that can be shown and typed.
func validName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_. ", r)
	})
}

// ReadFile reads a theme file; the file's name is the theme's. What is wrong in it is told by a *Problems that
// names the file.
func ReadFile(path string) (Theme, error) {
	data, err := readBounded(path)
	if err != nil {
		return Theme{}, fmt.Errorf("read theme: %w", err)
	}
	t, err := Parse(data)
	if problems, ok := errors.AsType[*Problems](err); ok {
		problems.File = path
		return Theme{}, problems
	}
	t.Name = strings.TrimSuffix(filepath.Base(path), ".json")
	return t, err
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d KB", path, maxFile>>10)
	}
	return data, err
}

// Names lists the themes that can be used, in alphabetical order.
func (s Set) Names() []string {
	var names []string
	for _, e := range s.List() {
		if e.good {
			names = append(names, e.Name)
		}
	}
	return names
}

// List lists all themes by name, those that can't be used too.
func (s Set) List() []Entry {
	list := make([]Entry, 0, len(s.entries))
	for _, e := range s.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Problems lists what is wrong with the folders' files.
func (s Set) Problems() []error {
	var list []error
	for _, e := range s.List() {
		if e.Err != nil {
			list = append(list, e.Err)
		}
	}
	return list
}

// Find returns the theme that a setting names, as ParseChoice reads it: one,
// or the variants of two. The error of an unknown name names the nearest, that
// of a broken file what is wrong in it. Find of a found theme's Name finds the
// same theme again.
func (s Set) Find(setting string) (Theme, error) {
	c, err := ParseChoice(setting)
	if err != nil {
		return Theme{}, err
	}
	return s.pick(c)
}

func (s Set) named(name string) (Theme, error) {
	e, ok := s.entries[name]
	switch {
	case !ok:
		return Theme{}, unknown(name, s.Names())
	case !e.good:
		return Theme{}, e.Err
	case e.Path == "":
		return Load(name)
	}
	return e.theme, nil
}

// Path is the file of a theme, "" for an embedded or an unknown one.
func (s Set) Path(name string) string { return s.entries[name].Path }
