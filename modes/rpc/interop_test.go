package rpc_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestInterop drives the built binary with clients that others wrote (R-1,
// They come from the npm registry, so it runs only where
// HOOPOE_INTEROP=1 asks for it. HOOPOE_INTEROP_DIR names a folder that keeps
// them from one run to the next.
func TestInterop(t *testing.T) {
	if testing.Short() || os.Getenv("HOOPOE_INTEROP") != "1" {
		t.Skip("set HOOPOE_INTEROP=1 to drive the binary with clients from the npm registry")
	}
	if runtime.GOOS == "windows" {
		t.Skip("pi-acp starts the binary through a shell script here")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			unavailable(t, "%v", err)
		}
	}
	dir := installClients(t)
	binary := filepath.Join(t.TempDir(), "hoopoe")
	if out, err := command(t, "", "go", "build", "-o", binary, "github.com/hoopoe-agent/hoopoe").CombinedOutput(); err != nil {
		t.Fatalf("build the binary: %v\n%s", err, out)
	}
	for _, script := range []string{"readline", "pi-client", "pi-acp"} {
		t.Run(script, func(t *testing.T) {
			c := command(t, dir, "node", script+".mjs")
			c.Env = append(os.Environ(), "HOOPOE_BIN="+binary)
			out, err := c.CombinedOutput()
			t.Logf("\n%s", out)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// installClients copies the scripts and installs the packages that they need.
func installClients(t *testing.T) (dir string) {
	t.Helper()
	if dir = os.Getenv("HOOPOE_INTEROP_DIR"); dir == "" {
		dir = t.TempDir()
	}
	source := filepath.Join("..", "..", "testdata", "interop", "rpc")
	installed := sameFile(filepath.Join(source, "package-lock.json"), filepath.Join(dir, "package-lock.json")) &&
		exists(filepath.Join(dir, "node_modules", ".package-lock.json"))
	copyFiles(t, source, dir)
	if installed {
		return dir
	}
	if out, err := command(t, dir, "npm", "ci", "--ignore-scripts", "--omit=optional").CombinedOutput(); err != nil {
		unavailable(t, "npm ci: %v\n%s", err, out)
	}
	return dir
}

// unavailable fails where the clients have to be there, and skips elsewhere.
func unavailable(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// copyFiles copies the files of a folder, but not its folders.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func sameFile(a, b string) bool {
	x, err := os.ReadFile(a)
	if err != nil {
		return false
	}
	y, err := os.ReadFile(b)
	return err == nil && bytes.Equal(x, y)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	return c
}
