package prompt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of template discovery.
const (
	maxTemplates     = 500
	maxTemplateDepth = 3
)

// Template is a prompt that a user can call by name: a Markdown file of a
// commands folder.
type Template struct {
	Name        string // the file's name; folders before it, joined by ":"
	Description string // of the front matter, else the first line
	Hint        string // what arguments it takes
	Path        string
	Source      string // of the folder it is from
	Body        string
}

// Expand fills in the arguments. See the function Expand.
func (t Template) Expand(arguments string) (string, error) { return Expand(t.Body, arguments) }

// Folder is a place for templates.
type Folder struct {
	Path   string // "" is skipped
	Source string // "user", "project" ...
}

// Templates reads the templates of all folders, in order; of two with one
// name the first counts. Folders that don't exist are skipped.
func Templates(folders []Folder) ([]Template, []Notice) {
	l := &library{taken: map[string]bool{}}
	for _, f := range folders {
		if f.Path != "" {
			l.walk(f)
		}
	}
	return l.templates, l.notices
}

type library struct {
	templates []Template
	taken     map[string]bool
	notices   []Notice
}

func (l *library) walk(f Folder) {
	root, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if info, statErr := os.Stat(f.Path); statErr == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		l.notices = append(l.notices, Notice{f.Path, "not read: " + cause(err).Error()})
		return
	}
	// The walk doesn't follow symlinks to folders, so it can't loop.
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			l.notices = append(l.notices, Notice{path, "not read: " + cause(err).Error()})
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || strings.Count(rel, string(filepath.Separator))+1 >= maxTemplateDepth) {
				return fs.SkipDir
			}
			return nil
		}
		name, ok := strings.CutSuffix(filepath.ToSlash(rel), ".md")
		if !ok || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		if len(l.templates) == maxTemplates {
			l.notices = append(l.notices, Notice{path, "not read: there are more templates than can be listed"})
			return fs.SkipAll
		}
		l.add(strings.ReplaceAll(name, "/", ":"), path, f.Source)
		return nil
	})
	if err != nil {
		l.notices = append(l.notices, Notice{f.Path, "not read: " + cause(err).Error()})
	}
}

func (l *library) add(name, path, source string) {
	fail := func(why string) { l.notices = append(l.notices, Notice{path, "not read: " + why}) }
	if !isCommandName(name) {
		fail("a template's name has letters, digits, '-', '_' and '.' only")
		return
	}
	if l.taken[name] {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		fail(cause(err).Error())
		return
	}
	if !info.Mode().IsRegular() {
		fail("it is not a regular file")
		return
	}
	text, cut, err := Disk().read(path, maxFile)
	switch {
	case err != nil:
		fail(cause(err).Error())
		return
	case cut:
		fail("it is larger than 64 KiB")
		return
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		fail("it is not UTF-8 text")
		return
	}
	fields, body, err := FrontMatter(text)
	if err != nil {
		l.notices = append(l.notices, Notice{path, err.Error()})
	}
	description := fields.Text("description")
	if description == "" {
		description = firstLine(body)
	}
	l.taken[name] = true
	l.templates = append(l.templates, Template{
		Name: name, Description: description, Hint: fields.Text("argument-hint"),
		Path: path, Source: source, Body: strings.TrimSpace(body),
	})
}

// isCommandName reports whether name can be typed after a slash.
func isCommandName(name string) bool {
	return name != "" && len(name) <= 100 && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_.:", r)
	}) < 0
}

// firstLine is the first line with text, without heading marks, cut to a
// menu's width.
func firstLine(body string) string {
	const limit = 80
	for line := range strings.Lines(body) {
		line = oneLine(strings.TrimLeft(line, "# \t"))
		if line == "" {
			continue
		}
		if r := []rune(line); len(r) > limit {
			line = string(r[:limit-1]) + "…"
		}
		return line
	}
	return ""
}
