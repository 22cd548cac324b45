package editor

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// scripts are prompts whose letters are more than a byte and a column.
var scripts = map[string]string{
	"english":    "The quick fox (12 times) jumps.",
	"chinese":    "请看一下这个函数，为什么（这里）要加锁？",
	"mixed":      "运行 go test ./... 然后告诉我「结果」ok",
	"japanese":   "カタカナとひらがな、漢字ー々。",
	"korean":     "한국어 문장을 씁니다",
	"jamo":       "\u1112\u1161\u11ab\u1100\u1173\u11af x \u1112\u1161",
	"arabic":     "شغّل الأمر (go test ./...) ثم أعد 12 مرة، نعم!",
	"hebrew":     "בדיקה של 3.14 (סוגריים) and back",
	"embedded":   "see مرحبا بك here and עברית (5) there",
	"marks":      "e\u0301a\u0300\u0323 n\u0303o שָׁלוֹם x",
	"devanagari": "क्षत्रिय स्ते हिन्दी",
	"thai":       "ภาษาไทย ดี",
	"families":   "a👨‍👩‍👧‍👦b👍🏽c👩‍💻 d🏳️‍🌈",
	"flags":      "🇩🇪🇯🇵🇪🇬 x🇫🇷",
	"keycaps":    "1️⃣2️⃣ ❤️ ☀️ ok",
	"lines":      "你好\nمرحبا (1)\n\nx👍🏽\n한",
}

func scripted(text string, reorder bool) *Editor {
	now := time.Unix(1, 0)
	e := New(Options{Prompt: "› ", Reorder: reorder, Now: func() time.Time { now = now.Add(time.Second); return now }})
	e.SetValue(text)
	e.cursor = pos{}
	return e
}

func strike(e *Editor, code rune, mod tea.KeyMod) { e.Update(tea.KeyPressMsg{Code: code, Mod: mod}) }

// Case 25: wherever the caret is, the terminal's own cursor stands on the
// character behind it, and never inside one. The terminal is asked, not our
// own measure.
func TestCaretOnTheTerminal(t *testing.T) {
	for _, width := range []int{7, 20, 40} {
		screen := vt.NewEmulator(width, 16)
		defer screen.InputPipe().(io.Closer).Close()
		for name, text := range scripts {
			for _, reorder := range []bool{false, true} {
				t.Run(fmt.Sprint(name, width, reorder), func(t *testing.T) {
					e := scripted(text, reorder)
					for {
						onTerminal(t, e, screen)
						if e.cursor == e.buf.end() {
							return
						}
						before := e.cursor
						if strike(e, tea.KeyRight, 0); !before.before(e.cursor) {
							t.Fatalf("the caret stays at %v", before)
						}
					}
				})
			}
		}
	}
}

// onTerminal draws the editor on an emulator and looks where its caret is.
func onTerminal(t *testing.T, e *Editor, screen *vt.Emulator) {
	t.Helper()
	view := e.View(screen.Width(), screen.Height())
	if _, err := screen.WriteString("\x1b[H\x1b[2J" + strings.ReplaceAll(view, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	x, y := e.Cursor()
	x = style.Seen(strings.Split(view, "\n")[y], x) // the emulator measures clusters
	at := e.caretRow()
	from, to := e.rowCells(at)
	shown := func(x int) string {
		if c := screen.CellAt(x, y); c != nil && c.Content != "" {
			return c.Content
		}
		return "inside another"
	}
	got := shown(x)
	if e.cursor.col == to { // behind the row's last character
		if got != " " && !e.opts.Reorder {
			t.Errorf("the caret at %v is on %q, want a blank", e.cursor, got)
		}
		return
	}
	c := e.buf.lines[at.line][e.cursor.col]
	want := c.text
	if e.opts.Reorder {
		levels, base := e.lineLevels(at.line)
		level := levels[e.cursor.col]
		if rest := e.buf.lines[at.line][e.cursor.col:to]; strings.TrimSpace(textOf([][]cell{rest})) == "" {
			level = base // blanks at the end of a row
		}
		if level == 1 { // beside it, on the side where it begins
			want, got = c.mirrored(), shown(x-c.width)
		}
		if c.space() && from < to { // one that hangs over isn't drawn
			return
		}
	}
	if got != want {
		t.Errorf("the caret at %v, column %d, is on %q, want %q; the rows are\n%s", e.cursor, x, got, want, view)
	}
}

// A click on a character puts the caret before or behind it, and the caret's
// own place leads back to it.
func TestClickWhereTheCaretIs(t *testing.T) {
	for name, text := range scripts {
		for _, reorder := range []bool{false, true} {
			t.Run(fmt.Sprint(name, reorder), func(t *testing.T) {
				e := scripted(text, reorder)
				for {
					e.View(20, 30)
					x, y := e.Cursor()
					want := e.cursor
					e.MoveTo(x, y)
					e.View(20, 30)
					if gotX, gotY := e.Cursor(); gotX != x || gotY != y {
						t.Errorf("a click at %d,%d puts the caret of %v to %d,%d", x, y, want, gotX, gotY)
					}
					if e.cursor = want; e.cursor == e.buf.end() {
						return
					}
					strike(e, tea.KeyRight, 0)
				}
			})
		}
	}
}

// One step and one deletion are one character as people see it, from both
// ends.
func TestStepsAreClusters(t *testing.T) {
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			var clusters []string
			for it := graphemes.FromString(text); it.Next(); {
				clusters = append(clusters, it.Value())
			}
			e := scripted(text, false)
			steps := 0
			for ; e.cursor != e.buf.end(); steps++ {
				strike(e, tea.KeyRight, 0)
			}
			if steps != len(clusters) {
				t.Errorf("%d steps over %d characters", steps, len(clusters))
			}
			for n := len(clusters) - 1; n >= 0; n-- {
				strike(e, tea.KeyBackspace, 0)
				if got, want := e.Value(), strings.Join(clusters[:n], ""); got != want {
					t.Fatalf("Backspace leaves %q, want %q", got, want)
				}
			}
			e = scripted(text, false)
			for n := range clusters {
				strike(e, tea.KeyDelete, 0)
				if got, want := e.Value(), strings.Join(clusters[n+1:], ""); got != want {
					t.Fatalf("Delete leaves %q, want %q", got, want)
				}
			}
		})
	}
}

// What is typed letter by letter is what is pasted at once: marks, jamo and
// halves of flags join the character before them.
func TestTypedLetterByLetter(t *testing.T) {
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			e := scripted("", false)
			for _, r := range text {
				if r == '\n' {
					strike(e, 'j', tea.ModCtrl)
					continue
				}
				e.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
				check(t, e, 20)
			}
			if e.Value() != text {
				t.Errorf("%q, want %q", e.Value(), text)
			}
		})
	}
}

// Word by word, there and back: the places are the same from both sides but
// for the blanks, and each word goes at once.
func TestWordsOfScripts(t *testing.T) {
	for _, c := range []struct{ name, text, right, left string }{
		{"english", "The quick (12 times)", "The| quick| (|12| times|)|", "|The |quick |(|12 |times|)"},
		{"chinese", "请看 函数，为什么", "请看| 函数|，|为什么|", "|请看 |函数|，|为什么"},
		{"mixed", "运行go测试", "运行|go|测试|", "|运行|go|测试"},
		{"japanese", "カタカナとひらがな漢字", "カタカナ|とひらがな|漢字|", "|カタカナ|とひらがな|漢字"},
		{"korean", "한국어 문장을", "한국어| 문장을|", "|한국어 |문장을"},
		{"arabic", "شغّل الأمر (12)، نعم", "شغّل| الأمر| (|12|)،| نعم|", "|شغّل |الأمر |(|12|)، |نعم"},
		{"marks", "e\u0301te\u0301 x", "e\u0301te\u0301| x|", "|e\u0301te\u0301 |x"},
		{"emoji", "a👨‍👩‍👧‍👦👍🏽 b", "a|👨‍👩‍👧‍👦👍🏽| b|", "|a|👨‍👩‍👧‍👦👍🏽 |b"},
		{"flags", "🇩🇪🇯🇵 x", "🇩🇪🇯🇵| x|", "|🇩🇪🇯🇵 |x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := scripted(c.text, true)
			stops := map[pos]bool{}
			for e.cursor != e.buf.end() {
				strike(e, tea.KeyRight, tea.ModCtrl)
				stops[e.cursor] = true
			}
			if got := stopped(e, stops); got != c.right {
				t.Errorf("to the right %q, want %q", got, c.right)
			}
			stops = map[pos]bool{}
			for e.cursor != (pos{}) {
				strike(e, tea.KeyLeft, tea.ModCtrl)
				stops[e.cursor] = true
			}
			if got := stopped(e, stops); got != c.left {
				t.Errorf("to the left %q, want %q", got, c.left)
			}
		})
	}
}

// stopped is the text with a bar at each place.
func stopped(e *Editor, stops map[pos]bool) string {
	var b strings.Builder
	for i := 0; ; i++ {
		if stops[pos{0, i}] {
			b.WriteByte('|')
		}
		if i == len(e.buf.lines[0]) {
			return b.String()
		}
		b.WriteString(e.buf.lines[0][i].text)
	}
}
