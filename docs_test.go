package main

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The documentation is tested like code: this file has what a page is and
// checks its links, docs_blocks_test.go the fenced blocks, docs_commands_test.go
// the commands, docs_tables_test.go what has to be complete.

// page is a Markdown file of the repository.
type page struct {
	path   string // with slashes, below the root
	text   string
	prose  []string // its lines, those of fenced blocks blank
	blocks []block
}

// block is a fenced block.
type block struct {
	line  int    // of its fence, from 1
	kind  string // behind the fence
	mark  string // of the comment above it: "<!-- settings.json -->"
	lines []string
}

func (b block) text() string { return strings.Join(b.lines, "\n") + "\n" }

// mark is a comment that says what the next block is.
var mark = regexp.MustCompile(`^<!-- (\S+) -->$`)

// pages reads all Markdown of the repository but test data and the texts that
// models read.
func pages(t *testing.T) []page {
	t.Helper()
	var found []page
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && (base == "node_modules" || base == "dist" || name != "." && strings.HasPrefix(base, ".") || filepath.ToSlash(name) == "engine") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(base, ".md") {
			found = append(found, readPage(t, filepath.ToSlash(name)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 20 {
		t.Fatalf("only %d pages", len(found))
	}
	return found
}

func readPage(t *testing.T, name string) page {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := page{path: name, text: strings.ReplaceAll(string(data), "\r\n", "\n")}
	var open *block
	above := ""
	for i, line := range strings.Split(p.text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		prose := ""
		switch {
		case isFence && open == nil:
			open = &block{line: i + 1, kind: fence, mark: above}
		case isFence:
			p.blocks, open = append(p.blocks, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		default:
			prose = line
		}
		p.prose = append(p.prose, prose)
		above = ""
		if m := mark.FindStringSubmatch(line); m != nil && open == nil {
			above = m[1]
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", name, open.line)
	}
	return p
}

// manual are the pages for users.
func manual(t *testing.T) []page {
	t.Helper()
	return slices.DeleteFunc(pages(t), func(p page) bool {
		return p.path != "README.md" && !strings.HasPrefix(p.path, "docs/")
	})
}

var (
	code    = regexp.MustCompile("`[^`]+`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#{1,6} +(.+)$`)
	// machine are paths of somebody's computer.
	machine = regexp.MustCompile(`(?:^|[\s("'=` + "`" + `])/(?:work|root|home|Users)/`)
)

// anchors are the names of a page's headings, as forges make them.
func (p page) anchors() []string {
	var names []string
	for _, line := range p.prose {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		names = append(names, name)
	}
	return names
}

// Requirement C-5: every link leads somewhere; nothing points to the machine that
// a page was written on.
func TestDocsLinks(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		for i, line := range p.prose {
			for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
				if why := deadLink(all, p, m[1]); why != "" {
					t.Errorf("%s:%d: %s: %s", p.path, i+1, m[1], why)
				}
			}
		}
		for i, line := range strings.Split(p.text, "\n") {
			if machine.MatchString(strings.ReplaceAll(line, "/home/ada/", "")) { // who is in every example
				t.Errorf("%s:%d: a path of one machine: %s", p.path, i+1, line)
			}
		}
	}
}

// deadLink says why a link of a page leads nowhere, "" if it doesn't.
func deadLink(all []page, from page, target string) string {
	u, err := url.Parse(target)
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme == "https" && u.Host != "":
		return "" // tests use no network
	case u.Scheme != "" || u.Host != "":
		return "links outside begin with https://"
	case path.IsAbs(u.Path):
		return "links inside are relative"
	}
	name := from.path
	if u.Path != "" {
		name = path.Join(path.Dir(from.path), u.Path)
	}
	if strings.HasPrefix(name, "..") {
		return "it leaves the repository"
	}
	i := slices.IndexFunc(all, func(p page) bool { return p.path == name })
	if _, err := os.Stat(filepath.FromSlash(name)); i < 0 && err != nil {
		return "there is no such file"
	}
	if u.Fragment != "" && (i < 0 || !slices.Contains(all[i].anchors(), u.Fragment)) {
		return "there is no such heading"
	}
	return ""
}

// The check of links finds what is dead.
func TestDocsDeadLinks(t *testing.T) {
	from := page{path: "docs/a.md", prose: []string{"# One two, three!"}}
	for target, dead := range map[string]bool{
		"#one-two-three": false, "#one": true, "../README.md": false, "../README.md#nothing": true, "b.md": true, "../../x": true,
		"/etc/hosts": true, "https://example.com/a#b": false, "http://example.com": true, "images/answer.png": false, "images/none.png": true,
	} {
		if why := deadLink([]page{from}, from, target); (why != "") != dead {
			t.Errorf("%s: %q", target, why)
		}
	}
}
