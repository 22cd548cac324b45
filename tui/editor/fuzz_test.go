package editor_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// FuzzKeys plays a text as keys and pastes and checks what must hold after
// each: rows inside the window, the caret inside the view, valid UTF-8, and
// that undoing everything since the last SetValue leaves nothing.
func FuzzKeys(f *testing.F) {
	f.Add("hello\x01\x02world\x03", uint8(20))
	f.Add("🇩🇪e\u0301\u200d👧\x04\x05", uint8(3))
	f.Add("مرحبا\x06\x07 \x08", uint8(10))
	control := []string{
		"backspace", "delete", "left", "right", "alt+left", "alt+right", "ctrl+k", "ctrl+u", "ctrl+w", "ctrl+y",
		"alt+y", "up", "down", "home", "end", "ctrl+j", "alt+d", "ctrl+_",
	}
	f.Fuzz(func(t *testing.T, script string, width uint8) {
		if len(script) > 200 {
			return
		}
		e, c := newEditor("older", "newer\nentry")
		for _, r := range script {
			c.wait(time.Second)
			switch {
			case int(r) < len(control):
				press(e, control[r])
			case r == 0x1e:
				e.Paste(strings.Repeat("pasted\n", 12))
			case r >= ' ':
				e.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			w := int(width) + 2
			rows := strings.Split(e.View(w, 4), "\n")
			for _, row := range rows {
				if style.Width(row) > w {
					t.Fatalf("row %q is wider than %d", row, w)
				}
			}
			if x, y := e.Cursor(); x < 0 || x >= w || y < 0 || y >= len(rows) {
				t.Fatalf("cursor at %d,%d of %dx%d", x, y, w, len(rows))
			}
			if !utf8.ValidString(e.Value()) {
				t.Fatalf("value %q", e.Value())
			}
		}
		for press(e, "ctrl+_") == editor.Changed {
		}
		if v := e.Value(); v != "" && !strings.ContainsAny(script, "\x0b\x0c") {
			t.Fatalf("%q is left after undoing everything", v)
		}
	})
}
