package remote

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterop drives the built binary with clients as the protocol's family
// writes them (W-9). They need a package of the npm registry and one of the
// system, so it runs only where HOOPOE_INTEROP=1 asks for it.
func TestInterop(t *testing.T) {
	if testing.Short() || os.Getenv("HOOPOE_INTEROP") != "1" {
		t.Skip("set HOOPOE_INTEROP=1 to drive the binary with Node and Python clients")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "interop", "remote"))); err != nil {
		t.Fatal(err)
	}
	if out, err := in(t, dir, "npm", "ci", "--ignore-scripts").CombinedOutput(); err != nil {
		unavailable(t, "npm ci: %v\n%s", err, out)
	}
	binary := filepath.Join(t.TempDir(), "hoopoe")
	if out, err := in(t, "", "go", "build", "-o", binary, "github.com/hoopoe-agent/hoopoe").CombinedOutput(); err != nil {
		t.Fatalf("build the binary: %v\n%s", err, out)
	}
	server := in(t, t.TempDir(), binary, "--remote", "127.0.0.1:0", "--offline")
	server.Env = append(os.Environ(), "HOOPOE_DIR="+t.TempDir())
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if err != nil || !ok {
		t.Fatalf("the server says %q, %v", line, err)
	}
	python := "/usr/bin/python3" // that which the system's packages are for
	for _, client := range [][]string{{"node", "oneframe.mjs"}, {"node", "family.mjs"}, {python, "oneframe.py"}} {
		t.Run(client[1], func(t *testing.T) {
			if client[0] == python && in(t, "", python, "-c", "import websockets").Run() != nil {
				unavailable(t, "the package python3-websockets isn't installed")
			}
			if out, err := in(t, dir, client[0], client[1], address).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// unavailable fails where the clients have to be there, and skips elsewhere.
func unavailable(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

func in(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.WaitDelay = dir, 5*time.Second
	return c
}
