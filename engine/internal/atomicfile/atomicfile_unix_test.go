//go:build unix

package atomicfile

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

// Root ignores permissions, so the checks run in a child under another uid.
const (
	roleEnv = "ATOMICFILE_TEST_DIR"
	nobody  = 65534
)

// E-2: a read-only folder and a read-only file are named as such.
func TestReadOnly(t *testing.T) {
	if dir := os.Getenv(roleEnv); dir != "" {
		checkReadOnly(t, dir)
		return
	}
	dir, err := os.MkdirTemp("", "atomicfile")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(locked, "old"), "old", 0o666)
	write(t, filepath.Join(dir, "sealed"), "old", 0o444)
	if os.Getuid() != 0 {
		if err := os.Chmod(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(locked, 0o755) })
		checkReadOnly(t, dir)
		return
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	// The test binary lies in a folder that only root may enter: copy it.
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skipf("cannot run a copy of the test under another uid: %v", err)
	}
	bin := filepath.Join(dir, "test.bin")
	write(t, bin, string(self), 0o755)
	cmd := exec.CommandContext(t.Context(), bin, "-test.run=^TestReadOnly$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), roleEnv+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("TMPDIR is closed to other users, and root has to become one: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func checkReadOnly(t *testing.T, dir string) {
	for _, c := range []struct{ path, says string }{
		{filepath.Join(dir, "locked", "new"), "no permission to create files in"},
		{filepath.Join(dir, "locked", "old"), "no permission to create files in"},
		{filepath.Join(dir, "locked", "sub", "new"), "no permission to create files in"},
		{filepath.Join(dir, "sealed"), "read-only"},
	} {
		err := Write(c.path, []byte("new"), Options{DirMode: 0o755})
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "sealed")); err != nil || string(got) != "old" {
		t.Errorf("sealed file holds %q, %v", got, err)
	}
}

func TestRefusesPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := Write(path, nil, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("pipe: %v", err)
	}
}
