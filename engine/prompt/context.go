package prompt

import (
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

// Bounds of context files.
const (
	maxFile    = 64 << 10 // bytes of one file
	maxFiles   = 64       // files with their imports
	maxImports = 5        // depth of imports
)

// names are the context files of a folder; the first that exists counts.
var names = [...]string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md"}

// File is a context file as the model gets it.
type File struct {
	Path string // absolute
	Text string // valid UTF-8
}

// Notice tells the user that a file was left out, cut or mended. It is one line.
type Notice struct {
	Path string
	Text string
}

func (n Notice) String() string { return n.Path + ": " + n.Text }

// Files are the file operations that reading needs.
type Files struct {
	Stat    func(path string) (fs.FileInfo, error) // follows symlinks
	Open    func(path string) (fs.File, error)
	Resolve func(path string) (string, error) // as filepath.EvalSymlinks
}

// Disk reads from this machine's file system.
func Disk() Files {
	return Files{
		Stat:    os.Stat,
		Open:    func(path string) (fs.File, error) { return os.Open(path) },
		Resolve: filepath.EvalSymlinks,
	}
}

// Search says where context files are looked for. All paths are absolute; ""
// leaves a place out.
type Search struct {
	Files
	Home string
	Cwd  string
	User string // the folder with the user's own AGENTS.md
}

// ContextFiles returns the notes for the model: the user's own, then one of
// each folder from the repository's root down to Cwd. Outside of a repository
// the way begins at Home, or at Cwd where that isn't below Home. A line's
// "@path" brings in another file, right after the one that names it.
//
// A project's notes can't bring in files from outside the project, neither by
// an import nor by being a symlink.
func ContextFiles(s Search) ([]File, []Notice) {
	for _, dir := range []*string{&s.Home, &s.Cwd, &s.User} {
		// What is inside is judged by real paths. A folder that doesn't exist
		// has nothing to read.
		if real, err := s.Resolve(*dir); *dir != "" && err == nil {
			*dir = real
		}
	}
	c := &collector{Search: s, seen: map[string]bool{}}
	if s.User != "" {
		c.inside = nonEmpty(s.User, s.Home)
		c.folder(s.User)
	}
	if s.Cwd != "" {
		root := c.root()
		c.inside = []string{root}
		for _, dir := range way(root, s.Cwd) {
			c.folder(dir)
		}
	}
	return c.files, c.notices
}

// collector gathers the files of one search.
type collector struct {
	Search
	inside  []string // folders that files may come from
	seen    map[string]bool
	files   []File
	notices []Notice
}

func (c *collector) notice(path, format string, args ...any) {
	c.notices = append(c.notices, Notice{path, fmt.Sprintf(format, args...)})
}

// root is where the way down to Cwd begins.
func (c *collector) root() string {
	if dir := Repository(c.Files, c.Cwd); dir != "" {
		return dir
	}
	if c.Home != "" && within(c.Home, c.Cwd) {
		return c.Home
	}
	return c.Cwd
}

// way lists the folders from root down to dir.
func way(root, dir string) []string {
	var dirs []string
	for ; dir != root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	dirs = append(dirs, root)
	slices.Reverse(dirs)
	return dirs
}

// folder takes the first context file that dir has. One that can't be read
// still counts: falling back to another would hide the fault.
func (c *collector) folder(dir string) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		_, err := c.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.add(path, 0)
		return
	}
}

// add reads one file and then what it imports.
func (c *collector) add(path string, depth int) {
	real, err := c.Resolve(path)
	if err != nil {
		c.notice(path, "not read: %v", cause(err))
		return
	}
	if c.seen[real] {
		return // twice the same, or a cycle
	}
	if !slices.ContainsFunc(c.inside, func(dir string) bool { return within(dir, real) }) {
		c.notice(path, "not read: it is outside of %s", strings.Join(c.inside, " and "))
		return
	}
	c.seen[real] = true
	if len(c.files) == maxFiles {
		c.notice(path, "not read: there are more than %d context files", maxFiles)
		return
	}
	info, err := c.Stat(real)
	if err != nil {
		c.notice(path, "not read: %v", cause(err))
		return
	}
	if !info.Mode().IsRegular() {
		c.notice(path, "not read: it is not a regular file")
		return
	}
	text, cut, err := c.read(real, maxFile)
	if err != nil {
		c.notice(path, "not read: %v", cause(err))
		return
	}
	if strings.ContainsRune(text, 0) {
		c.notice(path, "not read: it is not text")
		return
	}
	if cut {
		c.notice(path, "longer than %d KiB; the rest was left out", maxFile>>10)
		text = wholeLines(text)
	}
	if !utf8.ValidString(text) {
		c.notice(path, "not UTF-8; some characters were replaced")
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.TrimSpace(text) == "" {
		return
	}
	c.files = append(c.files, File{Path: path, Text: text})
	c.imports(path, text, depth)
}

// imports adds the files that text names.
func (c *collector) imports(path, text string, depth int) {
	for _, name := range importNames(text) {
		target := filepath.FromSlash(name)
		if rest, ok := strings.CutPrefix(name, "~/"); ok && c.Home != "" {
			target = filepath.Join(c.Home, filepath.FromSlash(rest))
		} else if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		info, err := c.Stat(target)
		switch {
		case err == nil && info.IsDir(), err != nil && !strings.HasSuffix(name, ".md"):
			continue // a person, a package: an @ that means no file
		case err != nil:
			c.notice(path, "imports @%s: %v", name, cause(err))
		case depth == maxImports:
			c.notice(path, "imports @%s: more than %d imports deep", name, maxImports)
		default:
			c.add(target, depth+1)
		}
	}
}

// importNames finds "@path" at the beginning of words, outside of code.
func importNames(text string) []string {
	var (
		found []string
		fence string
	)
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t")
		if mark := fenceMark(trimmed); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		for i, plain := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue // inside a code span
			}
			for _, word := range strings.Fields(plain) {
				name, ok := strings.CutPrefix(word, "@")
				name = strings.TrimRight(name, ".,;:!?)]}\"'")
				if ok && name != "" && len(name) < 1024 {
					found = append(found, name)
				}
			}
		}
	}
	return found
}

// fenceMark returns the run of backticks or tildes that begins a code fence.
func fenceMark(line string) string {
	for _, mark := range []string{"`", "~"} {
		if run := len(line) - len(strings.TrimLeft(line, mark)); run >= 3 {
			return line[:run]
		}
	}
	return ""
}

// read returns at most limit bytes of a file; cut says that there are more.
func (f Files) read(path string, limit int64) (text string, cut bool, err error) {
	file, err := f.Open(path)
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return "", false, err
	}
	if int64(len(data)) > limit {
		return string(data[:limit]), true, nil
	}
	return string(data), false, nil
}

// wholeLines drops the torn last line, or the torn last character of a file
// that is one line.
func wholeLines(text string) string {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	for range utf8.UTFMax - 1 {
		if r, n := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || n != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func nonEmpty(dirs ...string) []string {
	return slices.DeleteFunc(dirs, func(d string) bool { return d == "" })
}

// cause is the reason without the path, which the notice has already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
