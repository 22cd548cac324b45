package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(file, 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	var large *TooLargeError
	if _, err := Read(file, 4); !errors.As(err, &large) || large.Size != 5 || large.Limit != 4 {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := Read(dir, 5); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if _, err := Read("/dev/zero", 5); !errors.Is(err, ErrNotFile) {
		t.Errorf("device: %v", err)
	}
	if got, err := Read("/proc/self/stat", 1<<20); err != nil || len(got) == 0 {
		t.Errorf("a file without a size: %q, %v", got, err)
	}
	if _, err := Read("/proc/self/stat", 3); !errors.As(err, &large) {
		t.Errorf("a file without a size, over the limit: %v", err)
	}
}
