package editor

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// fuzzKeys are what the control characters of a script stand for.
var fuzzKeys = []tea.KeyPressMsg{
	{Code: tea.KeyBackspace}, {Code: tea.KeyDelete}, {Code: tea.KeyLeft}, {Code: tea.KeyRight},
	{Code: tea.KeyLeft, Mod: tea.ModCtrl}, {Code: tea.KeyRight, Mod: tea.ModCtrl}, {Code: 'k', Mod: tea.ModCtrl},
	{Code: 'u', Mod: tea.ModCtrl}, {Code: 'w', Mod: tea.ModCtrl}, {Code: 'y', Mod: tea.ModCtrl}, {Code: 'y', Mod: tea.ModAlt},
	{Code: tea.KeyUp}, {Code: tea.KeyDown}, {Code: tea.KeyHome}, {Code: tea.KeyEnd}, {Code: 'j', Mod: tea.ModCtrl},
	{Code: 'd', Mod: tea.ModAlt}, {Code: '_', Mod: tea.ModCtrl}, {Code: '^', Mod: tea.ModCtrl}, {Code: ']', Mod: tea.ModCtrl},
	{Code: tea.KeyEscape}, {Code: tea.KeyBackspace, Mod: tea.ModAlt}, {Code: 'r', Mod: tea.ModCtrl}, {Code: tea.KeyEnter},
}

// FuzzKeys plays a text as keys, pastes and images, with and without vim's
// keys, and checks after each what must hold; at the end that undo leads back
// to nothing and redo to the end.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{
		"hello\x01\x02world\x03", "🇩🇪e\u0301\u200d👧\x04\x05", "مرحبا\x06\x07 \x08", "a\u0301\x02\x02\u0323", "\x1c\x1d\x1c\x02x\x11\x12",
		"\x14ihello world\x14bdw.u\x16", "\x14i你好 go\x14bcwx\x14.", "\x14ia(b c)\x14hdi(u", "\x14i\x0f\x0fx\x14kkddpP", "\x14iab\x14vbyPV~J3.",
		"\x14\x1cxp2dfy;", "क्षि\x00स्ते\x02\x02\x00", "\u1112\u1161\x02\u11ab", "word word\x14ggVGdu",
	} {
		f.Add(s, uint8(20), true)
		f.Add(s, uint8(3), false)
	}
	f.Fuzz(func(t *testing.T, script string, width uint8, vim bool) {
		if len(script) > 200 {
			return
		}
		now := time.Unix(1, 0)
		e := New(Options{History: []string{"older", "newer\nentry"}, Now: func() time.Time { return now }, Vim: vim, Reorder: width%2 == 0})
		for _, r := range script {
			now = now.Add(time.Second)
			switch {
			case int(r) < len(fuzzKeys):
				e.Update(fuzzKeys[r])
			case r == 0x1c:
				e.Paste(strings.Repeat("pasted\n", 12))
			case r == 0x1d:
				e.Attach("", nil, "image/png")
			case r == 0x1e:
				e.Paste("two\r\nlines \U0001F1EB")
			case r == 0x1f:
				e.MoveTo(int(width)/2, len(e.buf.lines)%4)
			case r >= ' ':
				e.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			check(t, e, int(width)+2)
		}
		unwind(t, e)
	})
}

// check fails if the editor is in a state that must not be.
func check(t *testing.T, e *Editor, width int) {
	t.Helper()
	if c := e.cursor; c.line < 0 || c.line >= len(e.buf.lines) || c.col < 0 || c.col > len(e.buf.lines[c.line]) {
		t.Fatalf("the caret is at %v of %d lines", c, len(e.buf.lines))
	}
	for _, line := range e.buf.lines {
		cut := resegment(line)
		if len(cut) != len(line) {
			t.Fatalf("%q is %d cells, its clusters are %d", textOf([][]cell{line}), len(line), len(cut))
		}
		for i := range cut {
			if cut[i] != line[i] {
				t.Fatalf("cell %q is no cluster, %q is", line[i].text, cut[i].text)
			}
		}
	}
	rows := strings.Split(e.View(width, 4), "\n")
	for _, row := range rows {
		if style.Width(row) > width {
			t.Fatalf("row %q is wider than %d", row, width)
		}
	}
	if x, y := e.Cursor(); x < 0 || x >= width || y < 0 || y >= len(rows) {
		t.Fatalf("cursor at %d,%d of %dx%d", x, y, width, len(rows))
	}
	value := e.Value()
	if !utf8.ValidString(value) {
		t.Fatalf("value %q", value)
	}
	again := New(Options{})
	again.Restore(e.Submission())
	if again.Value() != value {
		t.Fatalf("%q comes back as %q", value, again.Value())
	}
}

// unwind undoes all and does it again.
func unwind(t *testing.T, e *Editor) {
	t.Helper()
	for e.takeBack(&e.redo, &e.undo) {
	}
	value, start := e.Value(), ""
	if at := e.history.at; at < len(e.history.entries) {
		start = e.history.entries[at] // undo goes back to the prompt of the history
	}
	if len(e.undo) == undoMax {
		return
	}
	for e.takeBack(&e.undo, &e.redo) {
	}
	if v := e.Value(); v != start {
		t.Fatalf("%q is left after undoing everything, want %q", v, start)
	}
	for e.takeBack(&e.redo, &e.undo) {
	}
	if v := e.Value(); v != value {
		t.Fatalf("%q after doing it again, want %q", v, value)
	}
}
