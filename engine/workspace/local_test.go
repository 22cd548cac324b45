package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// newLocal makes a workspace in a folder of its own, beside an empty "other"
// and a "home".
func newLocal(t testing.TB) (l *Local, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"code/sub", "codeshop", "other", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Cwd: filepath.Join(dir, "code"), Home: filepath.Join(dir, "home")}
	if sh, err := shell.FindShell(runtime.GOOS, exec.LookPath); err == nil {
		o.Runner = shell.NewRunner(shell.Options{Shell: sh, Environ: os.Environ()})
	}
	l, err = NewLocal(o)
	if err != nil {
		t.Fatal(err)
	}
	return l, dir
}

func plant(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no symlinks here")
	}
}

// E-4: what counts as inside is where the file really is.
func TestResolve(t *testing.T) {
	l, dir := newLocal(t)
	work := filepath.Join(dir, "code")
	plant(t, work+"/a.txt", "")
	plant(t, work+"/@at.txt", "")
	link(t, dir+"/other", work+"/out")
	link(t, "sub", work+"/in")
	link(t, "../other/new", work+"/dangling")
	link(t, work, dir+"/other/back")
	link(t, "loop2", work+"/loop1")
	link(t, "loop1", work+"/loop2")
	for _, tt := range []struct {
		path, want string
		inside     bool
	}{
		{"a.txt", "/code/a.txt", true},
		{"./sub/../a.txt", "/code/a.txt", true},
		{".", "/code", true},
		{"new/deep/file", "/code/new/deep/file", true},
		{"missing/../a.txt", "/code/a.txt", true},
		{work, "/code", true},
		{"..", "", false},
		{"../codeshop", "/codeshop", false}, // a name that begins like the root's
		{"../codeshop/../code/a.txt", "/code/a.txt", true},
		{"missing/../../other/x", "/other/x", false},
		{"out", "/other", false},
		{"out/new", "/other/new", false},
		{"out/../x", "/x", false}, // .. of where the link goes, as the system has it
		{"in/f", "/code/sub/f", true},
		{"in/../f", "/code/f", true},
		{"dangling", "/other/new", false},
		{"out/back/a.txt", "/code/a.txt", true},
		{"~", "/home", false},
		{"~/x", "/home/x", false},
		{"~name", "/code/~name", true},
		{"@a.txt", "/code/a.txt", true},
		{"@at.txt", "/code/@at.txt", true},
		{"@new.txt", "/code/@new.txt", true},
		{"@", "/code/@", true},
		{"@../other", "/other", false},
		{"file://" + work + "/a.txt", "/code/a.txt", true},
		{"file://localhost" + work + "/a%20b", "/code/a b", true},
		{"file:" + work + "/a.txt", "/code/a.txt", true},
		{"文件/ملف", "/code/文件/ملف", true},
		{" spaced ", "/code/ spaced ", true},
		{"line\nbreak", "/code/line\nbreak", true},
	} {
		got, inside, err := l.Resolve(tt.path)
		if want := filepath.Join(dir, tt.want); err != nil || got != want || inside != tt.inside {
			t.Errorf("%q: %q, %v, %v; want %q, %v", tt.path, got, inside, err, want, tt.inside)
		}
	}
	for _, bad := range []string{"", "a\x00b", "loop1", "loop1/x", "file://host/x", "file:", "file:///a%00b", "file:%zz"} {
		if got, inside, err := l.Resolve(bad); err == nil {
			t.Errorf("%q resolves to %q, %v", bad, got, inside)
		}
	}
	l.home = ""
	if _, _, err := l.Resolve("~/x"); err == nil || !strings.Contains(err.Error(), "no home directory") {
		t.Errorf("~ without a home: %v", err)
	}
}

func TestResolveAgreesWithSystem(t *testing.T) {
	l, dir := newLocal(t)
	work := filepath.Join(dir, "code")
	link(t, "../other", work+"/a")
	link(t, "a/../home", work+"/b")
	link(t, "/", work+"/c")
	plant(t, dir+"/other/f", "")
	plant(t, dir+"/home/f", "")
	for _, p := range []string{"a/f", "b/f", "a/../home/f", "sub/../a/f", "b/../other/f", "c" + dir + "/home/f", "a/./../other//f"} {
		want, err := filepath.EvalSymlinks(work + "/" + p)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := l.Resolve(p); err != nil || got != want {
			t.Errorf("%s: %s, %v; the system says %s", p, got, err, want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	l, dir := newLocal(f)
	link(f, dir+"/other", dir+"/code/out")
	for _, s := range []string{"a/../..", "out/x", "~/..", "@@", "file:///..%2f", "//x", "out/../code"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		abs, inside, err := l.Resolve(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(abs) || filepath.Clean(abs) != abs {
			t.Fatalf("%q resolves to %q", path, abs)
		}
		if again, in, err := l.Resolve(abs); err != nil || again != abs || in != inside {
			t.Fatalf("%q resolves to %q, that to %q, %v", path, abs, again, err)
		}
		if rel, err := filepath.Rel(dir+"/code", abs); err != nil || filepath.IsLocal(rel) != inside {
			t.Fatalf("%q: %q, inside %v", path, abs, inside)
		}
	})
}

func TestNewLocal(t *testing.T) {
	_, dir := newLocal(t)
	link(t, dir+"/code", dir+"/alias")
	l, err := NewLocal(Options{Cwd: dir + "/alias", Roots: []string{dir + "/other", dir + "/code"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Roots(); len(got) != 2 || got[0] != dir+"/code" || got[1] != dir+"/other" || l.Cwd() != dir+"/code" {
		t.Errorf("roots %v, cwd %s", got, l.Cwd())
	}
	l.Roots()[0] = "/"
	if _, inside, _ := l.Resolve("/etc"); inside {
		t.Error("a caller can widen the roots")
	}
	if _, inside, _ := l.Resolve(dir + "/other/x"); !inside {
		t.Error("a second root isn't inside")
	}
	plant(t, dir+"/file", "")
	for _, bad := range []Options{{}, {Cwd: "relative"}, {Cwd: dir + "/none"}, {Cwd: dir + "/file"}, {Cwd: dir, Roots: []string{dir + "/none"}}} {
		if _, err := NewLocal(bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if root, err := NewLocal(Options{Cwd: "/"}); err == nil {
		if _, inside, _ := root.Resolve("/etc/passwd"); !inside {
			t.Error("the root folder holds nothing")
		}
	}
}

func TestFiles(t *testing.T) {
	l, dir := newLocal(t)
	ctx := t.Context()
	p := dir + "/code/new/f.txt"
	if err := l.WriteFile(ctx, p, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got, err := l.ReadFile(ctx, p, 5); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := l.ReadFile(ctx, p, 0); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	var large *TooLargeError
	if _, err := l.ReadFile(ctx, p, 4); !errors.As(err, &large) || large.Size != 5 || large.Limit != 4 {
		t.Errorf("%v", err)
	}
	if err := os.Chmod(p, 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, p, dir+"/code/link")
	if err := l.WriteFile(ctx, dir+"/code/link", []byte("through")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(p)
	if err != nil || info.Mode() != 0o600 || info.Size() != 7 {
		t.Errorf("%v, %v", info, err)
	}
	if entries, err := l.ReadDir(ctx, dir+"/code"); err != nil || len(entries) != 3 || entries[0].Name() != "link" {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := l.ReadFile(ctx, dir+"/code", 0); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("%v", err)
	}
	if _, err := l.ReadFile(ctx, dir+"/none", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// Files that never end, or whose size lies, are no trap.
func TestReadFileSpecial(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths are Linux's")
	}
	l, dir := newLocal(t)
	for _, p := range []string{"/dev/zero", "/dev/stdin", dir + "/pipe"} {
		if p == dir+"/pipe" {
			if err := exec.Command("mkfifo", p).Run(); err != nil {
				t.Skip(err)
			}
		}
		if info, err := os.Stat(p); err != nil || info.Mode().IsRegular() {
			continue
		}
		if _, err := l.ReadFile(t.Context(), p, 10); !errors.Is(err, ErrNotFile) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if got, err := l.ReadFile(t.Context(), "/proc/self/stat", 1<<20); err != nil || len(got) == 0 {
		t.Errorf("/proc: %q, %v", got, err)
	}
	var large *TooLargeError
	if _, err := l.ReadFile(t.Context(), "/proc/self/stat", 3); !errors.As(err, &large) {
		t.Errorf("/proc over the limit: %v", err)
	}
}

func TestRefused(t *testing.T) {
	l, dir := newLocal(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		path string
	}{{"cancelled", cancelled, dir + "/code/x"}, {"relative", t.Context(), "x"}} {
		_, statErr := l.Stat(tt.ctx, tt.path)
		_, readErr := l.ReadFile(tt.ctx, tt.path, 0)
		_, dirErr := l.ReadDir(tt.ctx, tt.path)
		writeErr := l.WriteFile(tt.ctx, tt.path, nil)
		for _, err := range []error{statErr, readErr, dirErr, writeErr} {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
	if _, err := os.Stat(dir + "/code/x"); err == nil {
		t.Error("a cancelled write wrote")
	}
}

func TestRun(t *testing.T) {
	l, dir := newLocal(t)
	if l.runner == nil {
		t.Skip("no shell")
	}
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		c    Command
		want string
	}{
		{"working directory", Command{Script: "pwd -P"}, dir + "/code\n"},
		{"another directory", Command{Script: "pwd -P", Dir: dir + "/other"}, dir + "/other\n"},
		{"environment", Command{Script: "echo $HOOPOE_X", Env: []string{"HOOPOE_X=y"}}, "y\n"},
	} {
		out, err := l.Run(t.Context(), tt.c)
		if err != nil || strings.TrimRight(out.Text, "\n") != strings.TrimRight(tt.want, "\n") || out.ExitCode == nil || *out.ExitCode != 0 {
			t.Errorf("%s: %+v, %v", tt.name, out, err)
		}
	}
	out, err := l.Run(t.Context(), Command{Script: "exit 4"})
	if err != nil || out.ExitCode == nil || *out.ExitCode != 4 {
		t.Errorf("%+v, %v", out, err)
	}
	if after, err := os.Getwd(); err != nil || after != before || os.Getenv("HOOPOE_X") != "" {
		t.Error("the process's own state changed")
	}
	if _, err := (&Local{}).Run(t.Context(), Command{Script: "true"}); err == nil {
		t.Error("ran without a runner")
	}
}

func TestDisplay(t *testing.T) {
	l, dir := newLocal(t)
	for path, want := range map[string]string{
		dir + "/code/a/b": "a/b", dir + "/code": ".", dir + "/other": dir + "/other", dir + "/code/..x": "..x",
	} {
		if got := Display(l, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestLedger(t *testing.T) {
	l := NewLedger()
	if changed, known := l.Changed("a", []byte("x")); changed || known {
		t.Error("an unknown file is known")
	}
	l.Record("a", []byte("x"))
	if changed, known := l.Changed("a", []byte("x")); changed || !known {
		t.Error("the same content")
	}
	if changed, _ := l.Changed("a", []byte("y")); !changed {
		t.Error("other content")
	}
	n := 0
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			defer l.Lock("a")()
			n++ // the race detector watches
		})
	}
	wg.Wait()
	if n != 100 {
		t.Errorf("n is %d", n)
	}
	unlock := l.Lock("b")
	l.Lock("c")() // another file isn't held up
	unlock()
}
