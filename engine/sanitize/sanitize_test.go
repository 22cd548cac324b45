package sanitize_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// The hostile texts of requirement E-5: none may reach a terminal.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "hello\n\tworld", "hello\n\tworld"},
		{"arabic and chinese", "مرحبا بالعالم 你好 👨‍👩‍👧‍👦", "مرحبا بالعالم 你好 👨‍👩‍👧‍👦"},
		{"clipboard OSC 52 with BEL", "a\x1b]52;c;aGk=\x07b", "ab"},
		{"title OSC with ST", "a\x1b]0;owned\x1b\\b", "ab"},
		{"OSC over lines", "a\x1b]52;c;aG\nk=\x07b", "ab"},
		{"OSC without end keeps later lines", "a\x1b]52;c;aGk=\nb", "a\nb"},
		{"OSC cancelled by CSI", "a\x1b]0;x\x1b[31mb", "ab"},
		{"clear screen", "a\x1b[2Jb", "ab"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"CSI without end", "a\x1b[12", "a"},
		{"CSI broken by text", "a\x1b[12é", "aé"},
		{"ESC at the end", "a\x1b", "a"},
		{"charset", "a\x1b(Bb", "ab"},
		{"save cursor", "a\x1b7b", "ab"},
		{"DCS", "a\x1bP1$r0m\x1b\\b", "ab"},
		{"APC", "a\x1b_Gf=100;AAAA\x1b\\b", "ab"},
		{"C1 CSI as a character", "a\u009b2Jb", "ab"},
		{"C1 CSI as a byte", "a\x9b2Jb", "ab"},
		{"C1 OSC and ST", "a\u009d52;c;aGk=\u009cb", "ab"},
		{"NEL", "a\u0085b", "ab"},
		{"bell, backspace, delete", "a\a\b\x7f\x00b", "ab"},
		{"bidi override", "a\u202eb\u202c\u2066c\u2069", "abc"},
		{"directional marks stay", "a\u200eb\u200fc\u061cd", "a\u200eb\u200fc\u061cd"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"CR CR LF", "a\r\r\nb", "a\nb"},
		{"progress bar", "10%\r50%\r100%\ndone", "100%\ndone"},
		{"progress bar at rest", "10%\r100%\r", "100%"},
		{"CR with erase", "10%\r\x1b[K100%\n", "100%\n"},
		{"line separator", "a\u2028b\u2029c", "a\nb\nc"},
		{"invalid UTF-8", "a\xffb\xe4\xbd", "a\ufffdb\ufffd\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sanitize.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "main.go", "main.go"},
		{"line ends", "a\nb\r\nc\td", "a b c d"},
		{"nothing is overwritten", "evil\rgood", "evil good"},
		{"title", "\x1b]0;x\x07a\u202eb", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sanitize.Line(c.in); got != c.want {
				t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestSGR(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a", "a"},
		{"colour is closed", "\x1b[31mred", "\x1b[31mred\x1b[m"},
		{"colour goes on after a line", "\x1b[31ma\nb\x1b[0mc", "\x1b[31ma\x1b[m\n\x1b[31mb\x1b[mc"},
		{"C1 spelling", "\u009b31ma\x9b0mb", "\x1b[31ma\x1b[mb"},
		{"extended colours", "\x1b[38;5;8;48;2;5;6;8ma\x1b[38:2::5:6:8mb\x1b[m", "\x1b[38;5;8;48;2;5;6;8ma\x1b[38:2::5:6:8mb\x1b[m"},
		{"conceal and blink go", "\x1b[8ma\x1b[1;5mb", "ab"},
		{"private and other CSI go", "\x1b[?25la\x1b[>4;2mb\x1b[2Jc", "abc"},
		{"progress bar", "\x1b[32m10%\r\x1b[33m20%\x1b[m\n", "\x1b[32m\x1b[33m20%\x1b[m\n"},
		{"reset with nothing to reset", "a\x1b[0mb", "ab"},
		{"too long", "\x1b[" + strings.Repeat("1;", 60) + "1mb", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sanitize.SGR(c.in); got != c.want {
				t.Errorf("SGR(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// A command awaiting approval hides nothing.
func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "go test ./...\n\techo 你好 é 👍", "go test ./...\n\techo 你好 é 👍"},
		{"escape", "a\x1b[2Kb", "a␛[2Kb"},
		{"carriage return", "rm -rf /\rls", "rm -rf /^Mls"},
		{"delete and bell", "a\x7f\a", "a^?^G"},
		{"bidi", "a\u202eb", `a\u202eb`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"joiners where they belong", "👨\u200d👩 می\u200cخواهم", "👨\u200d👩 می\u200cخواهم"},
		{"joiners elsewhere", "rm\u200d é\u200d\u200dé", `rm\u200d é\u200d\u200dé`},
		{"C1", "a\u009bb", `a\u009bb`},
		{"tags", "a\U000e0041", `a\U000e0041`},
		{"spaces that are none", "a\u00a0b\u3164", `a\u00a0b\u3164`},
		{"bytes", "a\xff\ufffd", `a\xff` + "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sanitize.Visible(c.in); got != c.want {
				t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTabs(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    string
		width int
		want  string
	}{
		{"none", "abc", 4, "abc"},
		{"stops", "a\tb\t\tc", 4, "a   b       c"},
		{"each line", "a\tb\n\tc", 4, "a   b\n    c"},
		{"wide characters", "你\tb", 4, "你  b"},
		{"colour", "\x1b[31ma\x1b[m\tb", 4, "\x1b[31ma\x1b[m   b"},
		{"width zero", "a\tb", 0, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sanitize.Tabs(c.in, c.width); got != c.want {
				t.Errorf("Tabs(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestCleanTextDoesNotAllocate(t *testing.T) {
	in := strings.Repeat("clean text, مرحبا, 你好\n", 100)
	if n := testing.AllocsPerRun(10, func() { sanitize.Text(in); sanitize.SGR(in) }); n != 0 {
		t.Errorf("%v allocations for clean text", n)
	}
}

// safe checks what the package promises of every result.
func safe(t *testing.T, what, in, out string, sgr bool) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%s(%q) = %q: invalid UTF-8", what, in, out)
	}
	for i, r := range out {
		switch {
		case r == '\n' || r == '\t':
		case r == 0x1b && sgr:
			end := strings.IndexByte(out[i:], 'm')
			if end < 2 || strings.Trim(out[i+2:i+end], "0123456789;:") != "" {
				t.Fatalf("%s(%q) = %q: an escape that is no colour", what, in, out)
			}
		case r < ' ' || r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f:
			t.Fatalf("%s(%q) = %q: has %U", what, in, out, r)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a\x1b]52;c;aGk=\x07b", "a\u009b2Jb", "\x9d0;x\x9c", "10%\r20%\n", "\x1b[31ma\nb", "a\u202eb",
		"\x1b\x1b[m", "\xc2", "\x1b[0;31mx\ry\n\u2028\t",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, c := range []struct {
			name string
			f    func(string) string
			sgr  bool
		}{
			{"Text", sanitize.Text, false},
			{"Line", sanitize.Line, false},
			{"SGR", sanitize.SGR, true},
			{"Visible", sanitize.Visible, false},
		} {
			out := c.f(in)
			safe(t, c.name, in, out, c.sgr)
			if again := c.f(out); again != out {
				t.Fatalf("%s is not idempotent on %q: %q, then %q", c.name, in, out, again)
			}
		}
		if line := sanitize.Line(in); strings.ContainsAny(line, "\n\t\r") {
			t.Fatalf("Line(%q) = %q", in, line)
		}
	})
}

func BenchmarkTextClean(b *testing.B) {
	in := strings.Repeat("clean text, مرحبا, 你好\n", 1000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		sanitize.Text(in)
	}
}

func BenchmarkTextHostile(b *testing.B) {
	in := strings.Repeat("\x1b[31mred\x1b[m \x1b]0;x\x07 مرحبا\r\n", 1000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		sanitize.Text(in)
	}
}
