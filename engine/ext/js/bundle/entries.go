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

// Entries returns the entry files of the extension at path, absolute: the file
// itself, or what a folder's package.json lists, else its "main", else its
// index.ts or index.js. Lists may name files, folders, patterns such as
// "ext/*.ts" and, after a "!", what to leave out. What is wrong is an *Error.
func Entries(path string) ([]string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Entry: path, Problems: []Problem{{File: path, Text: unreadable(err)}}}
	}
	if !info.IsDir() {
		if !isEntry(path) {
			return nil, notScript(path)
		}
		return []string{path}, nil
	}
	m, err := readManifest(filepath.Join(path, "package.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Entry: path, Problems: []Problem{{File: m.path, Text: err.Error()}}}
	}
	entries, err := m.entries()
	if err != nil {
		return nil, &Error{Entry: path, Problems: []Problem{{File: m.path, Text: err.Error()}}}
	}
	if len(entries) > 0 {
		return entries, nil
	}
	if index := indexOf(path); index != "" {
		return []string{index}, nil
	}
	return nil, &Error{Entry: path, Problems: []Problem{{File: path, Text: `the folder has no index.ts or index.js, and no package.json whose "hoopoe": {"extensions": [...]} or "main" names a script`}}}
}

// List returns the entries of all extensions in a folder of extensions, sorted:
// its scripts, and its folders that Entries finds some in. A folder that isn't
// there has none. A faulty package among them is an *Error beside the entries
// of the others.
func List(folder string) ([]string, error) {
	found, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list extensions: %w", err)
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
		case err != nil:
			continue // a link to nothing
		case info.Mode().IsRegular() && isEntry(path):
			entries = append(entries, path)
		case info.IsDir() && (isFile(filepath.Join(path, "package.json")) || indexOf(path) != ""):
			inside, err := Entries(path)
			entries, errs = append(entries, inside...), append(errs, err)
		}
		if len(entries) > maxListed {
			return entries[:maxListed], fmt.Errorf("list extensions: %s holds more than %d; remove some", folder, maxListed)
		}
	}
	return entries, errors.Join(errs...)
}

func notScript(path string) error {
	return &Error{Entry: path, Problems: []Problem{{File: path, Text: "isn't a script; give a " + strings.Join(entryExtensions, ", ") + " file or a folder with an index.ts"}}}
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
			inside, err := List(path)
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
