package editor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var scripts = map[string]string{
	"english": "The quick brown fox jumps over the lazy dog, again and again and again.\nSecond line\twith a tab",
	"arabic":  "شغّل الأمر go test ./... ثم أعد المحاولة حتى تنجح كل الاختبارات في هذا المستودع",
	"chinese": "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜",
	"emoji":   strings.Repeat("👨‍👩‍👧‍👦👍🏽❤️🇩🇪1️⃣ ", 12),
	"url":     "https://example.com/" + strings.Repeat("a", 120),
}

// E-5: no row is wider than the window, and the caret is inside it.
func TestViewStaysInside(t *testing.T) {
	for name, text := range scripts {
		for _, width := range []int{1, 2, 5, 20, 40, 80, 200} {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				e := editor.New(editor.Options{Prompt: "> ", Placeholder: "Ask anything, or type / for commands"})
				for step := range 2 {
					view := e.View(width, 5)
					rows := strings.Split(view, "\n")
					if len(rows) > 5 {
						t.Errorf("%d rows of 5", len(rows))
					}
					for _, row := range rows {
						if w := style.Width(row); w > width {
							t.Errorf("row %q has %d columns of %d", row, w, width)
						}
					}
					if x, y := e.Cursor(); x < 0 || x >= width || y < 0 || y >= len(rows) {
						t.Errorf("cursor at %d,%d of %dx%d", x, y, width, len(rows))
					}
					if step == 0 {
						e.SetValue(text)
					}
				}
			})
		}
	}
}

// Case 25: the caret's column is in cells, so that an input method's window
// opens beside it.
func TestCursorCell(t *testing.T) {
	e := editor.New(editor.Options{Prompt: "> "})
	e.SetValue("あいう")
	e.View(40, 5)
	if x, y := e.Cursor(); x != 8 || y != 0 {
		t.Errorf("cursor at %d,%d, want 8,0", x, y)
	}
}

func TestScroll(t *testing.T) {
	e, _ := newEditor()
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("line %02d", i))
	}
	e.SetValue(strings.Join(lines, "\n"))
	show := func() string { return strings.ReplaceAll(strings.ReplaceAll(e.View(40, 3), "line ", ""), "\n", " ") }
	if got := show(); got != "17 18 19" {
		t.Errorf("at the end: %s", got)
	}
	press(e, "up")
	if got := show(); got != "17 18 19" {
		t.Errorf("one up: %s", got)
	}
	press(e, "up", "up")
	if got := show(); got != "16 17 18" {
		t.Errorf("three up: %s", got)
	}
	press(e, "alt+<")
	if got := show(); got != "00 01 02" {
		t.Errorf("at the start: %s", got)
	}
	if got := e.Value(); got != strings.Join(lines, "\n") {
		t.Errorf("value %q", got)
	}
}

// burstOver is longer than a paste's burst of keys.
const burstOver = time.Second

// painted are styles that need no colour.
func painted() style.Styles { return style.New(themes.Theme{}, true, false) }

// A click puts the caret where it is seen.
func TestMoveTo(t *testing.T) {
	for _, c := range []struct {
		text string
		x, y int
		want string
	}{
		{"hello", 4, 0, "he|llo"}, {"hello", 0, 0, "|hello"}, {"hello", 99, 0, "hello|"}, {"你好吗", 4, 0, "你|好吗"}, {"ab\ncd", 3, 1, "ab\nc|d"},
		{"ab\ncd", 3, 9, "ab\nc|d"}, {"ab\n\ncd", 9, 1, "ab\n|\ncd"}, {"", 5, 5, "|"},
	} {
		e := editor.New(editor.Options{Prompt: "> "})
		e.SetValue(c.text)
		e.View(80, 10)
		e.MoveTo(c.x, c.y)
		if got := strings.NewReplacer("> ", "", "\n  ", "\n").Replace(marked(e)); got != c.want {
			t.Errorf("%q at %d,%d: %q, want %q", c.text, c.x, c.y, got, c.want)
		}
	}
	e := editor.New(editor.Options{Prompt: "> ", Reorder: true})
	e.SetValue("\u05d0\u05d1\u05d2")
	e.View(12, 1)
	e.MoveTo(9, 0) // the text is in the columns 8 to 10
	if x, _ := caret(e, 12); x != 9 {
		t.Errorf("caret in column %d of right-to-left text, want 9", x)
	}
	e.SetValue("one two three four")
	e.View(8, 9)
	e.MoveTo(7, 1) // behind a row that goes on is on its last character
	if x, y := caret(e, 8); y != 1 || x > 7 {
		t.Errorf("caret at %d,%d of a wrapped text", x, y)
	}
}

func caret(e *editor.Editor, width int) (x, y int) {
	e.View(width, 9)
	return e.Cursor()
}
