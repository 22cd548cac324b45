package filewatch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What is watched is told when it is written, put in place of another, made or
// taken away; its neighbours aren't.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	file, other, folder := filepath.Join(dir, "a.ts"), filepath.Join(dir, "b.ts"), filepath.Join(dir, "more")
	write(t, file, "1")
	write(t, other, "1")
	told := make(chan []string, 16)
	w, err := New(Options{Quiet: 20 * time.Millisecond, Changed: func(paths []string) { told <- paths }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Watch([]string{file}, []string{folder})
	wants := func(path string) {
		t.Helper()
		select {
		case paths := <-told:
			if !slices.Contains(paths, path) || slices.Contains(paths, other) {
				t.Errorf("told of %q, want %s", paths, path)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("not told of %s", path)
		}
	}
	write(t, other, "2")
	write(t, file, "2")
	wants(file)
	write(t, other+"~", "3")
	if err := os.Rename(other+"~", file); err != nil {
		t.Fatal(err)
	}
	wants(file)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	wants(folder)
	w.Watch([]string{file}, []string{folder})
	write(t, filepath.Join(folder, "c.ts"), "1")
	wants(filepath.Join(folder, "c.ts"))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	wants(file)
}
