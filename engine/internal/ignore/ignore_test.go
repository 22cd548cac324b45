package ignore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// disk is the plain file system.
type disk struct{}

func (disk) Stat(_ context.Context, p string) (fs.FileInfo, error)         { return os.Stat(p) }
func (disk) ReadFile(_ context.Context, p string, _ int64) ([]byte, error) { return os.ReadFile(p) }
func (disk) ReadDir(_ context.Context, p string) ([]fs.DirEntry, error)    { return os.ReadDir(p) }

// plant writes files below dir; a name that ends in "/" is a folder.
func plant(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func files(t testing.TB, root string) []string {
	t.Helper()
	var got []string
	complete, err := Walker{FS: disk{}, Root: root}.Walk(t.Context(), func(e Entry) error {
		if !e.IsDir() {
			got = append(got, e.Rel)
		}
		return nil
	})
	if err != nil || !complete {
		t.Fatalf("walk: complete %v, %v", complete, err)
	}
	slices.Sort(got)
	return got
}

// git runs git in dir with no configuration but ours.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// gitFiles lists the files that git doesn't ignore.
func gitFiles(t testing.TB, dir string) []string {
	out := strings.TrimSuffix(git(t, dir, "ls-files", "--others", "--exclude-standard", "-z"), "\x00")
	if out == "" {
		return nil
	}
	got := strings.Split(out, "\x00")
	slices.Sort(got)
	return got
}

func needGit(t testing.TB) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// tree is what the comparisons with git run over.
var tree = map[string]string{
	"a": "", "b.o": "", "ab": "", "a.b": "", "A": "", "#x": "", "!y": "", "x ": "", "-": "", "]": "", "é": "", "日本": "",
	"d/a": "", "d/b.o": "", "d/e/a": "", "d/e/f/a": "", "d/e/f/b": "",
	"ad/a": "", "ad/e/ab": "", "ab1/d/a": "", "e/d/a": "", "e/.h": "", "e/a/b/a": "", "e/\\a": "", "e/*": "",
}

func TestLikeGit(t *testing.T) {
	needGit(t)
	for _, tt := range []struct{ name, top, deep, exclude string }{
		{name: "names", top: "a\n*.o\n"},
		{name: "folders only", top: "a/\ne/\n"},
		{name: "anchored", top: "/a\n/d/e\n"},
		{name: "inner slash anchors", top: "d/a\ne/f\n"},
		{name: "negation", top: "*\n!*/\n!*.o\n"},
		{name: "a folder can't be reached into", top: "d\n!d/a\n"},
		{name: "deep", top: "**/a\n"},
		{name: "below", top: "d/**\n!d/e\n"},
		{name: "between", top: "e/**/a\n"},
		{name: "stars behind a prefix", top: "a**/a\n"},
		{name: "stars that don't stand alone", top: "e/a**b/a\nx**y\n"},
		{name: "classes", top: "[a-c]\n[!a-z]*\n[[:upper:]]\n[]-]\n"},
		{name: "broken class", top: "[a\n[[:nope:]]\n"},
		{name: "escapes", top: "\\#x\n\\!y\nx\\ \ne/\\*\ne/\\\\a\n"},
		{name: "trailing", top: "a \nb.o\t\nab\\\n"},
		{name: "comments and CRLF", top: "\ufeffa\r\n#x\r\n\r\nb.o\r\n"},
		{name: "bytes", top: "?\n日??\n"},
		{name: "odd slashes", top: "/\n//\nd//\n//a\n./a\n"},
		{name: "deeper file wins", top: "a\n", deep: "!a\n"},
		{name: "deeper file anchors to itself", deep: "/a\ne/f\n"},
		{name: "exclude is weakest", exclude: "a\nb.o\n", top: "!a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			plant(t, dir, tree)
			plant(t, dir, map[string]string{".gitignore": tt.top, "d/.gitignore": tt.deep, ".git/info/exclude": tt.exclude})
			compare(t, dir)
		})
	}
}

func compare(t testing.TB, dir string) {
	t.Helper()
	got, want := files(t, dir), gitFiles(t, dir)
	if !slices.Equal(got, want) {
		rules, _ := os.ReadFile(filepath.Join(dir, ".gitignore"))
		deep, _ := os.ReadFile(filepath.Join(dir, "d", ".gitignore"))
		t.Errorf("rules %q, in d %q\n got %q\nwant %q", rules, deep, got, want)
	}
}

// Random rules from the characters that mean something.
func TestLikeGitRandom(t *testing.T) {
	needGit(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	plant(t, dir, tree)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "d", "e", "f", "*", "**", "?", "/", "/", "**/", "/**", "[ab]", "[!a]", "\\", ".", "!", " ", "*.o", "[", "]"}
	random := func() string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			for range 1 + r.IntN(5) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for range 60 {
		plant(t, dir, map[string]string{".gitignore": random(), "d/.gitignore": random()})
		compare(t, dir)
	}
}

func FuzzLikeGit(f *testing.F) {
	needGit(f)
	f.Add("a**/b\n!d/\n", "[a-\\c]\n")
	f.Add("\\ \n **/ \n", "/**/a")
	dir := f.TempDir()
	git(f, dir, "init", "-q")
	plant(f, dir, tree)
	f.Fuzz(func(t *testing.T, top, deep string) {
		if strings.ContainsRune(top+deep, 0) {
			t.Skip("git's lines end at NUL")
		}
		plant(t, dir, map[string]string{".gitignore": top, "d/.gitignore": deep})
		compare(t, dir)
	})
}

func TestWalk(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		".git/HEAD": "", ".gitignore": "out/\n", ".hoopoeignore": "*.secret\n!keep.secret\n",
		"out/x": "", "src/a.go": "", "src/b.secret": "", "src/keep.secret": "", "lib/.git/x": "", "src/.hidden": "",
		"node/.gitignore": "*\n", "node/x": "",
	})
	if err := os.Symlink(dir, filepath.Join(dir, "src", "loop")); err != nil {
		t.Skip("no symlinks here")
	}
	want := []string{".gitignore", ".hoopoeignore", "src/.hidden", "src/a.go", "src/keep.secret", "src/loop"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("whole tree: got %q, want %q", got, want)
	}
	// Rules of the folders above hold when the walk starts below them.
	if got, want := files(t, filepath.Join(dir, "src")), []string{".hidden", "a.go", "keep.secret", "loop"}; !slices.Equal(got, want) {
		t.Errorf("from src: got %q, want %q", got, want)
	}
	if got := files(t, filepath.Join(dir, "out")); !slices.Equal(got, []string{"x"}) {
		t.Errorf("an ignored folder that is asked for: %q", got)
	}
}

func TestWalkLinkedWorkTree(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"main/.git/info/exclude": "secret\n", "main/.git/worktrees/w/commondir": "../..\n",
		"w/.git": "gitdir: ../main/.git/worktrees/w\n", "w/secret": "", "w/a": "",
	})
	if got := files(t, filepath.Join(dir, "w")); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q", got)
	}
}

func TestWalkBounds(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/b/c/d": "", "e": "", "f": ""})
	count := func(w Walker) (n int, complete bool) {
		w.FS, w.Root = disk{}, dir
		complete, err := w.Walk(t.Context(), func(Entry) error { n++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n, complete
	}
	for _, tt := range []struct {
		name     string
		w        Walker
		n        int
		complete bool
	}{
		{"unbounded", Walker{}, 6, true},
		{"entries", Walker{MaxEntries: 3}, 3, false},
		{"depth", Walker{MaxDepth: 2}, 4, false},
	} {
		if n, complete := count(tt.w); n != tt.n || complete != tt.complete {
			t.Errorf("%s: %d entries, complete %v; want %d, %v", tt.name, n, complete, tt.n, tt.complete)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Walker{FS: disk{}, Root: dir}.Walk(ctx, func(Entry) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled walk: %v", err)
	}
	n := 0
	complete, err := Walker{FS: disk{}, Root: dir}.Walk(t.Context(), func(e Entry) error {
		n++
		if e.IsDir() {
			return fs.SkipDir
		}
		return fs.SkipAll
	})
	if n != 2 || !complete || err != nil {
		t.Errorf("skips: %d visits, %v, %v", n, complete, err)
	}
	if _, err := (Walker{FS: disk{}, Root: filepath.Join(dir, "none")}).Walk(t.Context(), func(Entry) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing root: %v", err)
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"*.go", []string{"a.go", "x/y/a.go", "日本.go"}, []string{"a.gox", "a.go/b"}},
		{"?.go", []string{"é.go", "日.go"}, []string{"ab.go"}},
		{"src/**/*.ts", []string{"src/a.ts", "src/x/y/a.ts"}, []string{"a.ts", "lib/src/a.ts"}},
		{"**/test/*", []string{"test/a", "x/test/a"}, []string{"test/x/a"}},
		{"src/**", []string{"src/a", "src/a/b"}, []string{"src", "srcs/a"}},
		{"./a.go", []string{"a.go"}, []string{"x/a.go"}},
		{"/a.go", []string{"a.go"}, []string{"x/a.go"}},
		{"*.{ts,tsx}", []string{"a.ts", "b/a.tsx"}, []string{"a.js"}},
		{"{a,b}{c,{d,e}}", []string{"ac", "bd", "ae"}, []string{"ab", "a{c"}},
		{"{a}", []string{"{a}"}, []string{"a"}},
		{"{,x}y", []string{"y", "xy"}, nil},
		{"[a-c].go", []string{"b.go"}, []string{"d.go"}},
		{`\*`, []string{"*"}, []string{"a"}},
	} {
		g, err := CompileGlob(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		for _, p := range tt.yes {
			if !g.Match(p) {
				t.Errorf("%s doesn't match %s", tt.pattern, p)
			}
		}
		for _, p := range tt.no {
			if g.Match(p) {
				t.Errorf("%s matches %s", tt.pattern, p)
			}
		}
	}
	for _, bad := range []string{"", " ", "[a", `a\`, strings.Repeat("{a,b}", 20)} {
		if _, err := CompileGlob(bad); err == nil {
			t.Errorf("%.20q compiles", bad)
		}
	}
}

// Patterns that take exponential time in a backtracking matcher.
func FuzzGlob(f *testing.F) {
	f.Add(strings.Repeat("*a", 200), strings.Repeat("a", 500)+"b")
	f.Add(strings.Repeat("**/", 100)+"x", strings.Repeat("a/", 200))
	f.Add("{{{{,}", "a")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, err := CompileGlob(pattern)
		if err != nil {
			return
		}
		g.Match(text)
	})
}

func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	plant(b, dir, map[string]string{".gitignore": "*.o\nbuild/\n/dist\nnode_modules\n*.log\n!keep.log\ndocs/**/*.pdf\n"})
	for i := range 50 {
		for j := range 40 {
			plant(b, dir, map[string]string{filepath.Join("d", string(rune('a'+i%26)), string(rune('a'+i/26)), "f"+string(rune('a'+j))+".go"): ""})
		}
	}
	for b.Loop() {
		n := 0
		if _, err := (Walker{FS: disk{}, Root: dir}).Walk(b.Context(), func(Entry) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
