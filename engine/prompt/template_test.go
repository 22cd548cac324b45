package prompt

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTemplates(t *testing.T) {
	root := tree(t, map[string]string{
		"project/review.md":       "---\ndescription: Review a file\nargument-hint: <file>\n---\nReview $1.\n",
		"project/git/commit.md":   "# Commit the work\n\nNow.",
		"project/bad name.md":     "x",
		"project/bin.md":          "a\x00",
		"project/.hidden.md":      "x",
		"project/notes.txt":       "x",
		"project/broken.md":       "---\n{{{\n---\nstill here",
		"project/a/b/c/d/deep.md": "x",
		"project/dead.md":         "-> nowhere",
		"project/large.md":        strings.Repeat("x", maxFile+1),
		"project/sub.md/x":        "a folder's name",
		"user/review.md":          "hidden by the project's",
		"user/اختبار.md":          "النص $ARGUMENTS",
	})
	got, notices := Templates([]Folder{{Path: filepath.Join(root, "project"), Source: "project"}, {Source: "none"}, {Path: filepath.Join(root, "missing"), Source: "x"}, {Path: filepath.Join(root, "user"), Source: "user"}})
	var names []string
	byName := map[string]Template{}
	for _, one := range got {
		names = append(names, one.Source+"/"+one.Name)
		byName[one.Name] = one
	}
	want := []string{"project/broken", "project/git:commit", "project/review", "user/اختبار"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("templates %v, want %v", names, want)
	}
	if r := byName["review"]; r.Description != "Review a file" || r.Hint != "<file>" || r.Body != "Review $1." {
		t.Errorf("review: %+v", r)
	}
	if c := byName["git:commit"]; c.Description != "Commit the work" {
		t.Errorf("commit: %+v", c)
	}
	if text, err := byName["review"].Expand("x.go"); err != nil || text != "Review x.go." {
		t.Errorf("expanded: %q %v", text, err)
	}
	var told []string
	for _, n := range notices {
		told = append(told, filepath.Base(n.Path))
	}
	if !reflect.DeepEqual(told, []string{"bad name.md", "bin.md", "broken.md", "dead.md", "large.md"}) {
		t.Errorf("notices %v", notices)
	}
}

func TestTemplatesNeedAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "commands")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, notices := Templates([]Folder{{Path: file, Source: "user"}})
	if len(got) > 0 || !reflect.DeepEqual(notices, []Notice{{file, "not read: it is not a folder"}}) {
		t.Errorf("a file gave %v, %v", got, notices)
	}
}

func TestTemplatesBehindALink(t *testing.T) {
	root := tree(t, map[string]string{"dotfiles/a.md": "x", "commands": "-> dotfiles"})
	got, notices := Templates([]Folder{{Path: filepath.Join(root, "commands"), Source: "user"}})
	if len(got) != 1 || got[0].Name != "a" || len(notices) > 0 {
		t.Errorf("got %v, %v", got, notices)
	}
}

// Settings and extensions may name a file.
func TestTemplatesOfAFile(t *testing.T) {
	root := tree(t, map[string]string{"x/fix.md": "Fix $1", "x/other.md": "no"})
	got, notices := Templates([]Folder{{Path: filepath.Join(root, "x", "fix.md")}})
	if len(got) != 1 || got[0].Name != "fix" || len(notices) > 0 {
		t.Errorf("got %v, %v", got, notices)
	}
}
