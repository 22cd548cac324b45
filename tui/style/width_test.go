package style_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// What a text takes, and how a terminal gets it that measures each character
// on its own: requirement C-3.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		steady     string // "": the text itself
	}{
		{"letters", "abc é", 5, ""},
		{"Chinese", "字", 2, ""},
		{"Arabic", "شَغِّل", 3, ""},
		{"Thai", "น้ำ", 2, ""},
		{"Hindi", "स्ते", 2, ""},
		{"Hindi with joiner", "क्\u200dष", 2, ""},
		{"narrow kana", "ｶﾞ", 2, ""},
		{"Arabic number sign", "\u0600a", 1, ""},
		{"Korean in parts", "\u1112\u1161\u11ab\u1100\u1161", 4, "한가"},
		{"emoji", "👍", 2, ""},
		{"mark on nothing", "\u0cf3", 1, "◌"},
		{"flag", "🇩🇪", 2, ""},
		{"half a flag", "🇩", 2, "D "},
		{"skin tone", "👍🏽!", 3, "👍!"},
		{"heart", "❤️!", 3, "❤ !"},
		{"keycap", "1️⃣", 2, "1\u20e3 "},
		{"family", "👨‍👩‍👧‍👦", 2, "👨"},
		{"rainbow", "🏳️‍🌈", 2, "🏳 "},
		{"colours and links", "\x1b[31m👍🏽\x1b[m\x1b]8;;https://a.b\x1b\\👨‍👩‍👧‍👦\x1b]8;;\x1b\\", 4, "\x1b[31m👍\x1b[m\x1b]8;;https://a.b\x1b\\👨\x1b]8;;\x1b\\"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.steady
			if want == "" {
				want = c.text
			}
			if got := style.Width(c.text); got != c.width {
				t.Errorf("Width(%q) = %d, want %d", c.text, got, c.width)
			}
			if got := style.Steady(c.text); got != want {
				t.Errorf("Steady(%q) = %q, want %q", c.text, got, want)
			}
		})
	}
}

// Rows keep to their width in every form, and the steady one is measured alike
// character by character.
func FuzzWidth(f *testing.F) {
	f.Add("Emoji 👨‍👩‍👧‍👦 ❤️ ☀️ 1️⃣ स्ते 👍🏽 🇩🇪 น้ำ", 20)
	f.Add("क्ष्म्यि a\u200db ❤\ufe0e \u1112\u1161\u11ab", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + abs(width)%100
		text = sanitize.Line(text)
		steady := style.Steady(text)
		if got, want := style.Width(steady), style.Width(text); got != want {
			t.Errorf("%q takes %d columns, its steady form %q %d", text, want, steady, got)
		}
		if got, want := ansi.StringWidthWc(steady), style.Width(text); got != want {
			t.Errorf("%q takes %d columns, the characters of its steady form %q %d", text, want, steady, got)
		}
		if cut := style.Cut(text, width); style.Width(cut) > width {
			t.Errorf("Cut(%q, %d) = %q", text, width, cut)
		}
		for _, row := range style.Wrap(text, width) {
			if style.Width(row) > width {
				t.Errorf("Wrap(%q, %d) has %q", text, width, row)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// Most rows have nothing to look at.
func BenchmarkWidth(b *testing.B) {
	for name, row := range map[string]string{
		"ascii": strings.Repeat("some words ", 8), "chinese": strings.Repeat("中文", 20), "thai": strings.Repeat("น้ำ", 26),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				style.Width(row)
			}
		})
	}
}
