package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("%s holds %q, want %q", path, got, text)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), mode)
	}
}

// leftovers fails the test if a temporary file stayed behind.
func leftovers(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if err != nil || len(found) > 0 {
		t.Errorf("temporary files left: %v %v", found, err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, step := range []struct {
		name string
		o    Options
		mode fs.FileMode
	}{
		{"new file", Options{Mode: 0o600}, 0o600},
		{"existing keeps its mode", Options{Mode: 0o644}, 0o600},
		{"forced mode", Options{Mode: 0o640, ForceMode: true}, 0o640},
		{"synced", Options{Sync: true}, 0o640},
	} {
		if err := Write(path, []byte(step.name), step.o); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		want(t, path, step.name, step.mode)
	}
	leftovers(t, dir)
}

func TestWriteKeepsExecutableBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.sh")
	write(t, path, "old", 0o755)
	if err := Write(path, []byte("new"), Options{}); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new", 0o755)
}

func TestWriteCreatesParents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "c.txt")
	err := Write(path, nil, Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the folder") {
		t.Fatalf("without DirMode: %v", err)
	}
	if err := Write(path, []byte("x"), Options{DirMode: 0o700}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("parent has mode %o", info.Mode().Perm())
	}
}

func TestWriteFollowsSymlinks(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, "real"), 0o755))
	must(os.Symlink(filepath.Join("real", "b"), filepath.Join(dir, "second")))
	must(os.Symlink("second", filepath.Join(dir, "first")))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))

	for _, text := range []string{"dangling at first", "then existing"} {
		if err := Write(filepath.Join(dir, "first"), []byte(text), Options{}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "real", "b"))
		if err != nil || string(got) != text {
			t.Fatalf("target holds %q, %v", got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "first")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if err := Write(filepath.Join(dir, "loop"), nil, Options{}); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("loop: %v", err)
	}
}

// E-1: a full disk leaves the old content and says what to do.
func TestFailureLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	write(t, path, "old", 0o644)
	other := errors.New("model gone")
	for _, c := range []struct {
		name  string
		cause error
		says  string
	}{
		{"disk full", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "the disk is full"},
		{"any other", other, "model gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := WriteFunc(path, Options{}, func(w io.Writer) error {
				if _, err := w.Write([]byte("half")); err != nil {
					return err
				}
				return c.cause
			})
			if !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error: %v", err)
			}
			want(t, path, "old", 0o644)
			leftovers(t, dir)
		})
	}
}

func TestRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, nil, Options{}); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	file := filepath.Join(dir, "f")
	write(t, file, "", 0o644)
	if err := Write(filepath.Join(file, "below"), nil, Options{DirMode: 0o755}); err == nil {
		t.Error("a file was taken for a folder")
	}
	leftovers(t, dir)
}
