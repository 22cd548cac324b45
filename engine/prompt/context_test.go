package prompt

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tree makes files and links ("-> target") below a new folder, whose own path
// has no symlinks.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
				t.Skipf("no symlinks here: %v", err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestContextFiles(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", maxFile/16+10)
	for _, c := range []struct {
		name    string
		files   map[string]string
		cwd     string
		want    []string // path: text
		notices []string
	}{
		{
			name: "user, repository root, then down",
			files: map[string]string{
				"home/conf/AGENTS.md": "user", "home/AGENTS.md": "above the repository",
				"home/repo/.git/": "", "home/repo/AGENTS.md": "root", "home/repo/a/CLAUDE.md": "a", "home/repo/a/b/AGENTS.md": "b", "home/repo/other/AGENTS.md": "beside",
			},
			cwd:  "home/repo/a/b",
			want: []string{"home/conf/AGENTS.md: user", "home/repo/AGENTS.md: root", "home/repo/a/CLAUDE.md: a", "home/repo/a/b/AGENTS.md: b"},
		},
		{
			name: "one for each folder, in order of rank",
			files: map[string]string{
				"home/repo/.git": "gitdir: x", "home/repo/AGENTS.override.md": "override", "home/repo/AGENTS.md": "no", "home/repo/CLAUDE.md": "no",
				"home/repo/a/AGENTS.md": "agents", "home/repo/a/CLAUDE.md": "no",
			},
			cwd:  "home/repo/a",
			want: []string{"home/repo/AGENTS.override.md: override", "home/repo/a/AGENTS.md: agents"},
		},
		{
			name:  "no repository: from home down",
			files: map[string]string{"AGENTS.md": "above home", "home/AGENTS.md": "home", "home/x/y/AGENTS.md": "y"},
			cwd:   "home/x/y",
			want:  []string{"home/AGENTS.md: home", "home/x/y/AGENTS.md: y"},
		},
		{
			name:  "no repository, outside of home: the folder alone",
			files: map[string]string{"tmp/AGENTS.md": "anybody's", "tmp/x/AGENTS.md": "x"},
			cwd:   "tmp/x",
			want:  []string{"tmp/x/AGENTS.md: x"},
		},
		{
			name:  "empty ones say nothing but count",
			files: map[string]string{"home/AGENTS.md": " \n", "home/CLAUDE.md": "no"},
			cwd:   "home",
		},
		{
			name:    "long: cut at a line",
			files:   map[string]string{"home/AGENTS.md": long},
			cwd:     "home",
			want:    []string{"home/AGENTS.md: " + long[:maxFile]},
			notices: []string{"home/AGENTS.md: longer than 64 KiB; the rest was left out"},
		},
		{
			name:    "long: one line of wide characters",
			files:   map[string]string{"home/AGENTS.md": "ab" + strings.Repeat("語", maxFile/3)},
			cwd:     "home",
			want:    []string{"home/AGENTS.md: ab" + strings.Repeat("語", maxFile/3-1)},
			notices: []string{"home/AGENTS.md: longer than 64 KiB; the rest was left out"},
		},
		{
			name:    "binary and not UTF-8",
			files:   map[string]string{"home/AGENTS.md": "a\x00b", "home/x/AGENTS.md": "caf\xe9"},
			cwd:     "home/x",
			want:    []string{"home/x/AGENTS.md: caf\uFFFD"},
			notices: []string{"home/AGENTS.md: not read: it is not text", "home/x/AGENTS.md: not UTF-8; some characters were replaced"},
		},
		{
			name:  "byte order mark",
			files: map[string]string{"home/AGENTS.md": "\uFEFFtext"},
			cwd:   "home",
			want:  []string{"home/AGENTS.md: text"},
		},
		{
			name:    "folder and symlink loop",
			files:   map[string]string{"home/AGENTS.md/": "", "home/x/AGENTS.md": "-> AGENTS.md"},
			cwd:     "home/x",
			notices: []string{"home/AGENTS.md: not read: it is not a regular file", "home/x/AGENTS.md: not read:"},
		},
		{
			name:    "a repository's symlinks stay inside (E-4)",
			files:   map[string]string{"secret": "key", "home/repo/.git/": "", "home/repo/AGENTS.md": "-> ../../secret", "home/repo/a/AGENTS.md": "-> ../docs/notes.txt", "home/repo/docs/notes.txt": "notes"},
			cwd:     "home/repo/a",
			want:    []string{"home/repo/a/AGENTS.md: notes"},
			notices: []string{"home/repo/AGENTS.md: not read: it is outside of"},
		},
		{
			name:  "one file by two names comes once",
			files: map[string]string{"home/repo/.git/": "", "home/repo/AGENTS.md": "same", "home/repo/a/CLAUDE.md": "-> ../AGENTS.md"},
			cwd:   "home/repo/a",
			want:  []string{"home/repo/AGENTS.md: same"},
		},
		{
			name: "imports follow their file",
			files: map[string]string{
				"home/repo/.git/":      "",
				"home/repo/AGENTS.md":  "See @docs/a.md, (not @docs/b.md) and `@docs/code.md`.\n```\n@docs/fence.md\n```\n@docs/b.md.\nAsk @alice, use @types/node, mail x@docs/b.md",
				"home/repo/docs/a.md":  "a @sub/c.md",
				"home/repo/docs/b.md":  "b",
				"home/repo/docs/sub/x": "", "home/repo/docs/sub/c.md": "c @../../AGENTS.md", "home/repo/docs/code.md": "no", "home/repo/docs/fence.md": "no",
				"home/repo/x/AGENTS.md": "x",
			},
			cwd: "home/repo/x",
			want: []string{
				"home/repo/AGENTS.md: *", "home/repo/docs/a.md: a @sub/c.md", "home/repo/docs/sub/c.md: c @../../AGENTS.md", "home/repo/docs/b.md: b", "home/repo/x/AGENTS.md: x",
			},
		},
		{
			name: "imports stay inside (E-4)",
			files: map[string]string{
				"home/conf/AGENTS.md": "@~/notes.md @../../secret", "home/notes.md": "user's notes", "secret": "key",
				"home/repo/.git/": "", "home/repo/AGENTS.md": "@../../secret @~/notes.md @link.md @missing.md", "home/repo/link.md": "-> ../../secret",
			},
			cwd:  "home/repo",
			want: []string{"home/conf/AGENTS.md: *", "home/notes.md: user's notes", "home/repo/AGENTS.md: *"},
			notices: []string{
				"secret: not read: it is outside of", "secret: not read: it is outside of", "home/repo/link.md: not read: it is outside of", "home/repo/AGENTS.md: imports @missing.md: no such file",
			},
		},
		{
			name: "imports end at a depth",
			files: map[string]string{
				"home/AGENTS.md": "@1.md", "home/1.md": "@2.md", "home/2.md": "@3.md", "home/3.md": "@4.md", "home/4.md": "@5.md", "home/5.md": "@6.md", "home/6.md": "no",
			},
			cwd:     "home",
			want:    []string{"home/AGENTS.md: *", "home/1.md: *", "home/2.md: *", "home/3.md: *", "home/4.md: *", "home/5.md: *"},
			notices: []string{"home/5.md: imports @6.md: more than 5 imports deep"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, c.files)
			cwd := filepath.Join(root, filepath.FromSlash(c.cwd))
			home := filepath.Join(root, "home")
			files, notices := ContextFiles(Search{Files: Disk(), Home: home, Cwd: cwd, User: filepath.Join(home, "conf")})
			short := func(path string) string {
				rel, err := filepath.Rel(root, path)
				if err != nil {
					t.Fatal(err)
				}
				return filepath.ToSlash(rel)
			}
			if len(files) != len(c.want) {
				t.Errorf("%d files, want %d", len(files), len(c.want))
			}
			for i, f := range files[:min(len(files), len(c.want))] {
				path, text, _ := strings.Cut(c.want[i], ": ")
				if short(f.Path) != path || text != "*" && f.Text != text {
					t.Errorf("file %d is %s: %.60q (%d bytes), want %s: %.60q (%d bytes)", i, short(f.Path), f.Text, len(f.Text), path, text, len(text))
				}
			}
			if len(notices) != len(c.notices) {
				t.Errorf("notices %v, want %v", notices, c.notices)
			}
			for i, n := range notices[:min(len(notices), len(c.notices))] {
				if got := short(n.Path) + ": " + n.Text; !strings.HasPrefix(got, c.notices[i]) {
					t.Errorf("notice %q, want %q", got, c.notices[i])
				}
			}
		})
	}
}

func TestContextFilesAreBounded(t *testing.T) {
	files := map[string]string{}
	var all strings.Builder
	for i := range maxFiles + 5 {
		fmt.Fprintf(&all, "@%d.md\n", i)
		files[fmt.Sprintf("%d.md", i)] = "x"
	}
	files["AGENTS.md"] = all.String()
	root := tree(t, files)
	got, notices := ContextFiles(Search{Files: Disk(), Cwd: root})
	if len(got) != maxFiles || len(notices) != 6 {
		t.Errorf("%d files, %d notices", len(got), len(notices))
	}
}

// On macOS the temporary folder itself is behind a link.
func TestContextFilesFromALinkedFolder(t *testing.T) {
	root := tree(t, map[string]string{"real/.git/": "", "real/AGENTS.md": "@a.md", "real/a.md": "a", "link": "-> real"})
	got, notices := ContextFiles(Search{Files: Disk(), Cwd: filepath.Join(root, "link")})
	want := []File{{filepath.Join(root, "real", "AGENTS.md"), "@a.md"}, {filepath.Join(root, "real", "a.md"), "a"}}
	if !reflect.DeepEqual(got, want) || len(notices) > 0 {
		t.Errorf("got %v, %v", got, notices)
	}
}

func TestContextFileThatCannotBeOpened(t *testing.T) {
	root := tree(t, map[string]string{"AGENTS.md": "x", "CLAUDE.md": "not instead"})
	disk := Disk()
	disk.Open = func(path string) (fs.File, error) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	got, notices := ContextFiles(Search{Files: disk, Cwd: root})
	want := []Notice{{filepath.Join(root, "AGENTS.md"), "not read: permission denied"}}
	if len(got) > 0 || !reflect.DeepEqual(notices, want) {
		t.Errorf("got %v, %v", got, notices)
	}
}

func FuzzImportNames(f *testing.F) {
	f.Add("@a.md `@b` ```\n@c\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range importNames(text) {
			if name == "" || !strings.Contains(text, "@"+name) {
				t.Errorf("%q is not in the text", name)
			}
		}
	})
}
