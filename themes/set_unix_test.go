//go:build unix

package themes_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// E-1: a pipe with a theme's name must not hold the start.
func TestSetSkipsPipes(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := themes.Open(dir)
	if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "is no file") {
		t.Errorf("problems: %v", p)
	}
}
