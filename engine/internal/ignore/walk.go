// Package ignore walks a tree the way git sees it: without what .gitignore
// files, .git/info/exclude and our own .hoopoeignore leave out.
//
//	.git/info/exclude ─▶ top/.gitignore ─▶ ... ─▶ dir/.gitignore, dir/.hoopoeignore ─▶ ignored?
//	Walk: ReadDir ─▶ drop .git and ignored ─▶ visit ─▶ descend
//
// The last rule that matches wins; a file in a deeper folder wins over one
// above it. What is inside an ignored folder can't be taken back. Rules of the
// folders above the start count as far up as the repository's root. Not read:
// core.excludesFile and other settings of the user's git. Rules apply outside
// a repository too, from the start of the walk down.
package ignore

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// FS is what a walk needs of a file system; paths are absolute.
type FS interface {
	Stat(ctx context.Context, path string) (fs.FileInfo, error)
	ReadFile(ctx context.Context, path string, limit int64) ([]byte, error)
	ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error)
}

// What a Walker uses where its fields say nothing.
const (
	DefaultMaxEntries = 500_000
	DefaultMaxDepth   = 100
)

// maxRules bounds one ignore file, in bytes.
const maxRules = 1 << 20

// Walker walks a tree. Symlinks are visited and not followed; folders that
// can't be read are passed over.
type Walker struct {
	FS   FS
	Root string // where to start; absolute
	// MaxEntries and MaxDepth bound the walk.
	MaxEntries, MaxDepth int
}

// Entry is a file or folder that isn't ignored.
type Entry struct {
	fs.DirEntry
	Path string // absolute
	Rel  string // relative to the walk's root, with slashes
}

// Walk calls visit for every entry below the root, the entries of a folder
// sorted by name. visit may return fs.SkipDir for a folder and fs.SkipAll;
// other errors end the walk. complete is false when a bound cut the walk
// short.
func (w Walker) Walk(ctx context.Context, visit func(Entry) error) (complete bool, err error) {
	if w.MaxEntries <= 0 {
		w.MaxEntries = DefaultMaxEntries
	}
	if w.MaxDepth <= 0 {
		w.MaxDepth = DefaultMaxDepth
	}
	w.Root = filepath.Clean(w.Root)
	top, err := w.top(ctx)
	if err != nil {
		return false, err
	}
	s := &walk{Walker: w, ctx: ctx, visit: visit, top: top, complete: true}
	rules, err := s.above()
	if err != nil {
		return false, err
	}
	err = s.folder(w.Root, "", rules, 1)
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return s.complete, err
}

type walk struct {
	Walker
	ctx      context.Context
	visit    func(Entry) error
	top      string
	seen     int
	complete bool
}

func (w *walk) folder(dir, rel string, above *ruleset, depth int) error {
	entries, err := w.FS.ReadDir(w.ctx, dir)
	if err != nil {
		if rel == "" || w.ctx.Err() != nil {
			return err
		}
		return nil
	}
	rules, err := w.load(dir, above, entries)
	if err != nil {
		return err
	}
	base := w.base(dir)
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		name := e.Name()
		if name == ".git" || rules.ignored(path.Join(base, name), e.IsDir()) {
			continue
		}
		if w.seen++; w.seen > w.MaxEntries {
			w.complete = false
			return fs.SkipAll
		}
		entry := Entry{DirEntry: e, Path: filepath.Join(dir, name), Rel: path.Join(rel, name)}
		if err := w.visit(entry); err != nil {
			if e.IsDir() && errors.Is(err, fs.SkipDir) {
				continue
			}
			return err
		}
		if !e.IsDir() {
			continue
		}
		if depth == w.MaxDepth {
			w.complete = false
			continue
		}
		if err := w.folder(entry.Path, entry.Rel, rules, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// base is a folder relative to the tree's top, "" for the top itself.
func (w *walk) base(dir string) string {
	rel, err := filepath.Rel(w.top, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// names of ignore files, the stronger one last.
var names = []string{".gitignore", ".hoopoeignore"}

// load puts the ignore files of dir over the rules from above. entries tells
// which files there are; nil means that it isn't known.
func (w *walk) load(dir string, above *ruleset, entries []fs.DirEntry) (*ruleset, error) {
	var rules []rule
	for _, name := range names {
		if entries != nil && !has(entries, name) {
			continue
		}
		data, err := w.FS.ReadFile(w.ctx, filepath.Join(dir, name), maxRules)
		if err != nil { // missing, unreadable or absurdly big: no rules
			if w.ctx.Err() != nil {
				return nil, err
			}
			continue
		}
		rules = append(rules, parse(data, w.base(dir))...)
	}
	if rules == nil {
		return above, nil
	}
	return &ruleset{parent: above, rules: rules}, nil
}

func has(entries []fs.DirEntry, name string) bool {
	for _, e := range entries {
		if e.Name() == name {
			return e.Type().IsRegular() // git doesn't follow symlinks here either
		}
	}
	return false
}

// above collects the rules that hold at the root from outside: the
// repository's exclude file and the ignore files of the folders over the root.
func (w *walk) above() (*ruleset, error) {
	var rules *ruleset
	if data, err := w.FS.ReadFile(w.ctx, w.exclude(), maxRules); err == nil {
		rules = &ruleset{rules: parse(data, "")}
	}
	dir := w.top
	for _, part := range strings.Split(w.base(w.Root), "/") {
		if dir == w.Root {
			break
		}
		var err error
		if rules, err = w.load(dir, rules, nil); err != nil {
			return nil, err
		}
		dir = filepath.Join(dir, part)
	}
	return rules, w.ctx.Err()
}

// top finds the root of the repository that holds the walk's root, else the
// walk's root.
func (w Walker) top(ctx context.Context) (string, error) {
	if !filepath.IsAbs(w.Root) {
		return "", errors.New("walk: the root " + w.Root + " is not absolute")
	}
	for dir := w.Root; ; {
		if _, err := w.FS.Stat(ctx, filepath.Join(dir, ".git")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return w.Root, ctx.Err()
		}
		dir = parent
	}
}

// exclude is the path of the repository's exclude file. In a linked work tree
// .git is a file that names the real folder, which names the common one.
func (w *walk) exclude() string {
	git := filepath.Join(w.top, ".git")
	if to, ok := strings.CutPrefix(w.line(git), "gitdir: "); ok {
		git = under(w.top, to)
		if common := w.line(filepath.Join(git, "commondir")); common != "" {
			git = under(git, common)
		}
	}
	return filepath.Join(git, "info", "exclude")
}

// line reads a file of one line, "" if there is none.
func (w *walk) line(path string) string {
	data, err := w.FS.ReadFile(w.ctx, path, 4096)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
