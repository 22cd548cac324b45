package tui

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// Case 21: a paste that holds an end of its own stays one paste.
func TestPasteStaysWhole(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"keys", "ab\x1b[C", "ab\x1b[C"},
		{"a paste", "x<a>y", "x<a>y"},
		{"an end inside", "<a>rm -rf /\r>", "<arm -rf /\r>"},
		{"two ends inside", "<a>b>c>d", "<abc>d"},
		{"two ends side by side", "<a>>\r", "<a>\r"},
		{"two pastes", "<a><b>\r", "<a><b>\r"},
		{"two pastes, an end in each", "<a>b><c>d>e", "<ab><cd>e"},
		{"the rest of a paste", "a>b>c", "ab>c"},
		{"a start inside", "<a<b>c", "<a<b>c"},
		{"half an end", "<a>b\x1b[201", "<a>b\x1b[201"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			marks := strings.NewReplacer("<", pasteStart, ">", pasteStop)
			read := []byte(marks.Replace(c.in))
			if got, want := string(read[:whole(read)]), marks.Replace(c.want); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// Cases 14, 21: however late the rest comes, no mark of a paste and no letter is
// handed over in parts, and nothing is lost.
func TestHalves(t *testing.T) {
	in := "é\x1b[C" + pasteStart + "天\r\x1b[20 b" + pasteStop + "\r" + pasteStart + pasteStop + "\x1b[3~x"
	for cut := 1; cut < len(in); cut++ {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		k := &keyboard{File: r, gone: make(chan struct{})}
		var got string
		read := func() {
			p := make([]byte, 256)
			n, _ := k.Read(p)
			got += string(p[:n])
		}
		_, _ = w.WriteString(in[:cut])
		read()
		if !utf8.ValidString(got) {
			t.Errorf("cut at %d: half a letter: %q", cut, got)
		}
		for _, mark := range []string{pasteStart, pasteStop} {
			for n := len("\x1b[2"); n < len(mark); n++ {
				begun := strings.HasPrefix(in[len(got)-min(n, len(got)):], mark)
				if strings.HasSuffix(got, mark[:n]) && begun {
					t.Errorf("cut at %d: half a mark: %q", cut, got)
				}
			}
		}
		_, _ = w.WriteString(in[cut:])
		read()
		_ = w.Close()
		read()
		_ = r.Close()
		if got != in {
			t.Errorf("cut at %d: read %q", cut, got)
		}
	}
}
