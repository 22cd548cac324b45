package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

const (
	maxManifest = 1 << 20 // bytes of a package.json
	maxUp       = 32      // folders between an entry and its package.json
	maxListed   = 200     // entries of one package or folder
)

// entryExtensions are those of files that can be extensions.
var entryExtensions = []string{".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs"}

// isEntry reports whether a file's name is that of a script. Declarations of
// types (.d.ts) are none.
func isEntry(path string) bool {
	base := strings.ToLower(filepath.Base(path))
	ext := filepath.Ext(base)
	return slices.Contains(entryExtensions, ext) && !strings.HasSuffix(strings.TrimSuffix(base, ext), ".d")
}

// Entries returns the entry files that a path stands for, absolute: a script
// itself; of a package what its package.json lists, else its "main", else its
// index.ts or index.js; of any other folder the scripts and packages in it,
// sorted. Lists may name files, folders, patterns such as "ext/*.ts" and, after
// a "!", what to leave out. What isn't there has no entries. What is wrong is an
// *Error, beside the entries of whatever isn't.
func Entries(path string) ([]string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", path, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault(path, path, unreadable(err))
	case info.IsDir():
		entries, err := packageEntries(path)
		if err != nil || len(entries) > 0 {
			return entries, err
		}
		return list(path)
	case !isEntry(path):
		return nil, notScript(path)
	}
	return []string{path}, nil
}

// packageEntries are those of a folder that is one extension; none if it isn't.
func packageEntries(folder string) ([]string, error) {
	m, err := readManifest(filepath.Join(folder, "package.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault(folder, m.path, err.Error())
	}
	entries, err := m.entries()
	if err != nil {
		return nil, fault(folder, m.path, err.Error())
	}
	if len(entries) == 0 {
		if index := indexOf(folder); index != "" {
			entries = []string{index}
		}
	}
	return entries, nil
}

// list returns the entries of all extensions in a folder of extensions.
func list(folder string) ([]string, error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, fault(folder, folder, unreadable(err))
	}
	var entries []string
	var errs []error
	for _, f := range found {
		path := filepath.Join(folder, f.Name())
		if strings.HasPrefix(f.Name(), ".") || f.Name() == "node_modules" {
			continue
		}
		info, err := os.Stat(path) // follows links
		switch {
		case err != nil: // a link to nothing
		case info.Mode().IsRegular() && isEntry(path):
			entries = append(entries, path)
		case info.IsDir():
			inside, err := packageEntries(path)
			entries, errs = append(entries, inside...), append(errs, err)
		}
		if len(entries) > maxListed {
			entries, errs = entries[:maxListed], append(errs, fault(folder, folder, fmt.Sprintf("holds more than %d extensions; remove some", maxListed)))
			break
		}
	}
	return entries, errors.Join(errs...)
}

// fault is an Error of one problem without a place.
func fault(entry, file, text string) error {
	return &Error{Entry: entry, Problems: []Problem{{File: file, Text: text}}}
}

func notScript(path string) error {
	return fault(path, path, "isn't a script; give a "+strings.Join(entryExtensions, ", ")+" file or a folder with an index.ts")
}

func indexOf(folder string) string {
	for _, ext := range entryExtensions {
		if path := filepath.Join(folder, "index"+ext); isFile(path) {
			return path
		}
	}
	return ""
}

// manifest is what counts here of a package.json.
type manifest struct {
	path string
	src  []byte

	Name        string
	Description string
	Main        string
	Hoopoe      struct {
		Extensions   []string
		Capabilities []string
	}
	Pi  struct{ Extensions []string }
	Omp struct{ Extensions []string }
}

// readManifest reads a package.json. The error has no path in it.
func readManifest(path string) (manifest, error) {
	m := manifest{path: path}
	src, err := plainfile.Read(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest{}, err
	}
	if err != nil {
		return m, errors.New(unreadable(err))
	}
	m.src = src
	if err := json.Unmarshal(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), &m); err != nil {
		return m, fmt.Errorf("can't be used: %w", err)
	}
	return m, nil
}

// listed are the entries that it lists, ours before the family's.
func (m manifest) listed() []string {
	for _, list := range [][]string{m.Hoopoe.Extensions, m.Pi.Extensions, m.Omp.Extensions} {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// entries resolves what the manifest names; none if it names nothing.
func (m manifest) entries() ([]string, error) {
	folder := filepath.Dir(m.path)
	list := m.listed()
	if len(list) == 0 {
		if main := filepath.Join(folder, filepath.FromSlash(m.Main)); m.Main != "" && filepath.IsLocal(filepath.FromSlash(m.Main)) && isFile(main) && isEntry(main) {
			return []string{main}, nil
		}
		return nil, nil
	}
	var entries []string
	for _, pattern := range list {
		without := strings.HasPrefix(pattern, "!")
		found, err := match(folder, strings.TrimPrefix(pattern, "!"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			i := slices.Index(entries, path)
			switch {
			case without && i >= 0:
				entries = slices.Delete(entries, i, i+1)
			case !without && i < 0:
				entries = append(entries, path)
			}
		}
		if len(found) == 0 && !without {
			return nil, fmt.Errorf("lists the extension %q, which isn't there", shorten(pattern, maxName))
		}
		if len(entries) > maxListed {
			return nil, fmt.Errorf("lists more than %d extensions", maxListed)
		}
	}
	return entries, nil
}

// match finds the scripts that a listed path or pattern names inside folder.
func match(folder, pattern string) ([]string, error) {
	local := filepath.Clean(filepath.FromSlash(pattern))
	if !filepath.IsLocal(local) {
		return nil, fmt.Errorf("lists the extension %q, which isn't inside the package", shorten(pattern, maxName))
	}
	paths := []string{filepath.Join(folder, local)}
	if strings.ContainsAny(local, "*?[") {
		// The folder's own name may hold what a pattern gives a meaning.
		names, err := fs.Glob(os.DirFS(folder), filepath.ToSlash(local))
		if err != nil {
			return nil, fmt.Errorf("lists the pattern %q, which can't be read: %w", shorten(pattern, maxName), err)
		}
		paths = nil
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	var found []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.Mode().IsRegular() && isEntry(path):
			found = append(found, path)
		case info.IsDir():
			if index := indexOf(path); index != "" {
				found = append(found, index)
				continue
			}
			inside, err := list(path)
			if err != nil {
				return nil, err
			}
			found = append(found, inside...)
		}
	}
	return found, nil
}

// capabilities are those that it states, with their places.
func (m manifest) capabilities() []word {
	var words []word
	at := max(bytes.Index(m.src, []byte(`"capabilities"`)), 0)
	for _, c := range m.Hoopoe.Capabilities {
		w := word{text: c, file: m.path, src: m.src, offset: at}
		if i := bytes.Index(m.src[at:], []byte(quoted(c))); i >= 0 {
			w.offset = at + i
		}
		words = append(words, w)
	}
	return words
}

// owner finds the package.json that speaks for entry: the nearest one above
// it, if it names entry or stands beside an index that it says nothing about.
// The package.json of a project says nothing of extensions somewhere in it, so
// its faults don't matter either.
func owner(entry string) (manifest, error) {
	beside := filepath.Dir(entry)
	dir := beside
	for range maxUp {
		m, err := readManifest(filepath.Join(dir, "package.json"))
		if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
			dir = up
			continue
		}
		var entries []string
		if err == nil {
			entries, err = m.entries()
		}
		switch {
		case err != nil && dir == beside && !errors.Is(err, fs.ErrNotExist):
			return m, err
		case err != nil:
			return manifest{}, nil
		case len(entries) == 0 && indexOf(dir) == entry:
			return m, nil
		}
		for _, path := range entries {
			if real, err := filepath.EvalSymlinks(path); err == nil && real == entry {
				return m, nil
			}
		}
		return manifest{}, nil
	}
	return manifest{}, nil
}
