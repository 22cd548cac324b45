package remote

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// W-10: a code is read as what was written. The reader is another program, so
// the test needs it.
func TestQRIsRead(t *testing.T) {
	if _, err := exec.LookPath("zbarimg"); err != nil {
		unavailable(t, "there is no zbarimg (package zbar-tools) here")
	}
	for n := 1; n <= 213; n += 11 {
		text := strings.Repeat("http://192.168.1.20:8080/#token=aB3-_xyz&session=0199", 5)[:n]
		code := encodeQR([]byte(text))
		path := filepath.Join(t.TempDir(), "code.pbm")
		if err := os.WriteFile(path, picturedQR(code), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("zbarimg", "-q", "--raw", path).Output()
		if err != nil || strings.TrimSuffix(string(out), "\n") != text {
			t.Errorf("%d bytes are read as %q, %v", n, out, err)
		}
	}
}

// picturedQR is a code as a bitmap, four pixels a module.
func picturedQR(q *qrCode) []byte {
	const scale, quiet = 4, 4
	side := (q.size + 2*quiet) * scale
	var b bytes.Buffer
	fmt.Fprintf(&b, "P1\n%d %d\n", side, side)
	for y := range side {
		for x := range side {
			cx, cy := x/scale-quiet, y/scale-quiet
			if cx >= 0 && cy >= 0 && cx < q.size && cy < q.size && q.dark[cy][cx] {
				b.WriteString("1 ")
			} else {
				b.WriteString("0 ")
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// The same code in both of its drawings, and none for a text that is too long.
func TestQR(t *testing.T) {
	if got := QR(strings.Repeat("x", 214), true); got != "" {
		t.Errorf("too long a text gives\n%s", got)
	}
	plain, coloured := QR("hoopoe", false), QR("hoopoe", true)
	if strings.Contains(plain, "\x1b") || strings.Count(plain, "\n") != 13 {
		t.Errorf("without escapes:\n%s", plain)
	}
	opposite := strings.NewReplacer("█", " ", " ", "█", "▀", "▄", "▄", "▀").Replace(plain)
	stripped := strings.NewReplacer("\x1b[38;5;16;48;5;231m", "", "\x1b[0m", "").Replace(coloured)
	a, b := strings.Split(opposite, "\n"), strings.Split(stripped, "\n")
	for i := range min(len(a), len(b)) - 2 { // the last line has but one row of modules
		if a[i] != b[i] {
			t.Errorf("line %d: %q and %q", i, a[i], b[i])
		}
	}
}
