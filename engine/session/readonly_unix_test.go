//go:build unix

package session

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Root ignores permissions, so the check runs in a child under another uid.
const (
	readOnlyEnv = "SESSION_TEST_READ_ONLY"
	nobody      = 65534
)

// E-1: a session file that can't be written opens with a notice, takes entries
// in memory, and stays as it was.
func TestReadOnlyFile(t *testing.T) {
	if path := os.Getenv(readOnlyEnv); path != "" {
		checkReadOnly(t, path)
		return
	}
	before, err := os.ReadFile(copyOf(t, "pi.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "session") // unlike t.TempDir, all may enter it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pi.jsonl")
	if err := os.WriteFile(path, before, 0o444); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		asNobody(t, dir, path)
	} else {
		checkReadOnly(t, path)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %v", err)
	}
}

// asNobody runs the test in a copy of this program that any user may start.
func asNobody(t *testing.T, dir, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "session.test")
	if err := os.WriteFile(copied, program, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), copied, "-test.run=^TestReadOnlyFile$", "-test.v")
	c.Dir = dir
	c.Env = append(os.Environ(), readOnlyEnv+"="+path)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("TMPDIR is closed to other users, and root has to become one: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestReadOnlyFile") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func checkReadOnly(t *testing.T, path string) {
	d, notices, err := Open(path, Options{})
	if err != nil || len(notices) != 1 {
		t.Fatal(err, notices)
	}
	var save *SaveError
	if _, err := d.Append(user("more")); !errors.As(err, &save) {
		t.Errorf("got %v, want a save error", err)
	}
	if !strings.HasSuffix(texts(d), "user:more") {
		t.Errorf("context %s", texts(d))
	}
	if err := d.Close(); !errors.As(err, &save) {
		t.Errorf("close says %v, want a save error", err)
	}
}
