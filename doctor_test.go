//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// The doctor asks the terminal, keeps its answers, and leaves it as it was.
func TestDoctorAsks(t *testing.T) {
	p := newPlace(t)
	c := p.command("doctor")
	c.Env = append(c.Env, "TERM=xterm-256color")
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	buf := make([]byte, 4096)
	for answered := false; ; {
		n, err := f.Read(buf)
		out.Write(buf[:n])
		if !answered && bytes.HasSuffix(out.Bytes(), []byte("\x1b[c")) {
			answered = true
			if _, err := f.WriteString("\x1bP>|foot(1.20)\x1b\\\x1b[?0u\x1b[?2026;2$y\x1b[?62;4c"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break
		}
	}
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d: %s", code, out.String())
	}
	for _, want := range []string{"+ terminal        foot 1.20, TERM=xterm-256color\r\n", "+ redraw          synchronised", "+ images          shown (sixel)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
	files, err := filepath.Glob(filepath.Join(p.home, ".local", "state", "hoopoe", "terminals", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept in %v, %v", files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), `"terminal": "foot"`) {
		t.Errorf("kept %s, %v", data, err)
	}
}
