package prompt

import (
	"strings"
	"unicode"
)

// maxTemplates bounds the list.
const maxTemplates = 500

// Template is a prompt that a user can call by name: a Markdown file of a
// commands folder.
type Template struct {
	Name        string // the file's name; folders before it, joined by ":"
	Description string // of the front matter, else the first line
	Hint        string // what arguments it takes
	Path        string
	Source      string // of the folder it is from
	Family      string // likewise
	Body        string
}

// Expand fills in the arguments. See the function Expand.
func (t Template) Expand(arguments string) (string, error) { return Expand(t.Body, arguments) }

// Templates reads the templates of all folders; of two with one name the first
// counts, so that a project can have its own of the user's.
func Templates(folders []Folder) ([]Template, []Notice) {
	l := newLoader()
	var templates []Template
	for _, f := range folders {
		l.walk(f, "", func(rel, path string) {
			name, ok := strings.CutSuffix(rel, ".md")
			if !ok || len(templates) > maxTemplates {
				return
			}
			t, ok := l.template(f, strings.ReplaceAll(name, "/", ":"), path)
			if ok && len(templates) == maxTemplates {
				l.notice(path, "not read: there are more than %d templates", maxTemplates)
				return
			}
			if ok {
				templates = append(templates, t)
			}
		})
	}
	return templates, l.notices
}

func (l *loader) template(f Folder, name, path string) (Template, bool) {
	if !isCommandName(name) {
		l.notice(path, "not read: a template's name has letters, digits, '-', '_' and '.' only")
		return Template{}, false
	}
	if _, taken := l.taken[name]; taken {
		return Template{}, false
	}
	text, ok := l.text(f, path, maxFile)
	if !ok {
		return Template{}, false
	}
	fields, body, err := FrontMatter(text)
	if err != nil {
		l.notice(path, "%v; its text is used all the same", err)
	}
	t := Template{
		Name: name, Description: fields.Text("description"), Hint: fields.Text("argument-hint"),
		Path: path, Source: f.Source, Family: f.Family, Body: strings.TrimSpace(body),
	}
	if t.Description == "" {
		t.Description = firstLine(body)
	}
	l.taken[name] = text
	return t, true
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
		return cut(line, limit)
	}
	return ""
}
