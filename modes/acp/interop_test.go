package acp_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestInterop drives the built binary with clients that others wrote (A-1 to
// They come from the npm registry, so it runs only where
// HOOPOE_INTEROP=1 asks for it. HOOPOE_INTEROP_ACP_DIR names a folder that keeps
// them from one run to the next.
func TestInterop(t *testing.T) {
	if testing.Short() || os.Getenv("HOOPOE_INTEROP") != "1" {
		t.Skip("set HOOPOE_INTEROP=1 to drive the binary with clients from the npm registry")
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
	for _, script := range []string{"sdk", "sdk1", "acpx"} {
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
	if dir = os.Getenv("HOOPOE_INTEROP_ACP_DIR"); dir == "" {
		dir = t.TempDir()
	}
	source := filepath.Join("..", "..", "testdata", "interop", "acp")
	before, _ := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	entries, err := os.ReadDir(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(source, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, e.Name()), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	now, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil && bytes.Equal(before, now) {
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

func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	return c
}
