package editor_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// clock is a hand-set clock for the paste guard.
type clock struct{ now time.Time }

func (c *clock) wait(d time.Duration) { c.now = c.now.Add(d) }

func newEditor(history ...string) (*editor.Editor, *clock) {
	c := &clock{now: time.Unix(1_000_000, 0)}
	return editor.New(editor.Options{History: history, Now: func() time.Time { return c.now }}), c
}

// keys maps the names that tests use to what the terminal layer reports.
var keys = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift},
	"alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "backspace": {Code: tea.KeyBackspace},
	"delete": {Code: tea.KeyDelete}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"alt+left": {Code: tea.KeyLeft, Mod: tea.ModAlt}, "alt+right": {Code: tea.KeyRight, Mod: tea.ModAlt},
	"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
	"ctrl+alt+]": {Code: ']', Mod: tea.ModAlt | tea.ModCtrl}, "space": {Code: ' ', Text: " "},
	"alt+backspace": {Code: tea.KeyBackspace, Mod: tea.ModAlt}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
}

func key(name string) tea.KeyPressMsg {
	if k, ok := keys[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if r, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(r[0]), Mod: tea.ModCtrl}
	}
	if r, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyPressMsg{Code: rune(r[0]), Mod: tea.ModAlt}
	}
	r, _ := utf8.DecodeRuneInString(name)
	return tea.KeyPressMsg{Code: r, Text: name}
}

func press(e *editor.Editor, names ...string) editor.Action {
	var a editor.Action
	for _, name := range names {
		a = e.Update(key(name))
	}
	return a
}

// typeIn types a text, one key for each character.
func typeIn(e *editor.Editor, text string) {
	for _, r := range text {
		e.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// marked is the text with the caret as "|", as an 80-column View shows it.
func marked(e *editor.Editor) string {
	rows := strings.Split(e.View(80, 100), "\n")
	x, y := e.Cursor()
	left := ""
	for n := range len([]rune(rows[y])) + 1 {
		if head := string([]rune(rows[y])[:n]); style.Width(head) <= x {
			left = head
		}
	}
	rows[y] = left + "|" + strings.TrimPrefix(rows[y], left)
	return strings.Join(rows, "\n")
}

func TestEditing(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		keys string
		want string
	}{
		{"typing", "hello", "", "hello|"},
		{"backspace", "hello", "backspace", "hell|"},
		{"delete", "hello", "home delete", "|ello"},
		{"ctrl+d deletes", "hello", "home ctrl+d", "|ello"},
		{"emoji goes whole", "a👨‍👩‍👧‍👦", "backspace", "a|"},
		{"accent joins its letter", "e\u0301", "backspace", "|"},
		{"flag goes whole", "🇩🇪🇫🇷", "backspace", "🇩🇪|"},
		{"arabic letter by letter", "مرحبا", "backspace left", "مرح|ب"},
		{"wide letters", "你好吗", "left left", "你|好吗"},
		{"newline keys", "a", "ctrl+j shift+enter alt+enter", "a\n\n\n|"},
		{"backslash enter", `a\`, "enter", "a\n|"},
		{"home and end stay in the line", "ab\ncd", "home", "ab\n|cd"},
		{"join lines", "ab\ncd", "home backspace", "ab|cd"},
		{"word left", "go test ./...", "alt+left alt+left", "go |test ./..."},
		{"word right", "go test", "home ctrl+right", "go| test"},
		{"ctrl+w", "git commit --amend", "ctrl+w", "git commit |"},
		{"alt+backspace", "git --amend", "alt+backspace", "git --|"},
		{"alt+d", "go test", "home alt+d", "| test"},
		{"ctrl+k to the end", "one two", "home ctrl+right ctrl+k", "one|"},
		{"ctrl+k joins lines", "a\nb", "up end ctrl+k", "a|b"},
		{"ctrl+u", "one two", "alt+left ctrl+u", "|two"},
		{"yank", "one two", "ctrl+w ctrl+y ctrl+y", "one twotwo|"},
		{"cuts in a row are one", "one two three", "ctrl+w ctrl+w ctrl+y", "one two three|"},
		{"yank pop", "one two", "ctrl+w left ctrl+w end ctrl+y alt+y", " two|"},
		{"undo a word", "one two", "ctrl+_", "one|"},
		{"undo all", "one two", "ctrl+_ ctrl+_ ctrl+_", "|"},
		{"undo arabic in one step", "مرحبا", "ctrl+_", "|"},
		{"undo a cut", "one two", "ctrl+u ctrl+_", "one two|"},
		{"up keeps the column", "abcdef\na\nabcdef", "up up", "abcdef|\na\nabcdef"},
		{"up keeps the column past wide letters", "你好吗\na\nabcdef", "up up", "你好吗|\na\nabcdef"},

		{"devanagari goes by syllables", "स्ते क्षि", "backspace backspace left", "|स्ते"},
		{"hangul of letters goes by syllables", "\u1112\u1161\u11ab\u1100\u1173\u11af", "backspace", "\u1112\u1161\u11ab|"},
		{"hangul goes by syllables", "한글", "left backspace", "|글"},
		{"several marks", "a\u0301\u0323b", "left backspace", "|b"},
		{"skin tone and heart", "👍🏽❤️1️⃣", "left left backspace", "|❤️1️⃣"},
		{"half a flag joins", "🇩🇪🇫", "left left", "|🇩🇪🇫"},
		{"half a flag before flags", "🇩🇪🇫🇷🇯🇵", "home 🇺 right", "🇺🇩🇪🇫|🇷🇯🇵"},
		{"half a flag away", "🇺🇩🇪🇫🇷", "home delete", "|🇪🇫🇷"},
		{"a mark behind a blank", "a \u0301", "left", "a| \u0301"},

		{"apostrophe is in the word", "I don't", "alt+backspace", "I |"},
		{"point is in the number", "pi 3.14", "alt+backspace", "pi |"},
		{"point parts names", "main.go", "alt+backspace", "main.|"},
		{"han and kana are words", "日本語のテキスト", "alt+backspace alt+backspace", "日本語|"},
		{"latin in han", "使用go编译", "alt+left alt+left", "使用|go编译"},
		{"arabic words", "شغّل الأمر الآن", "alt+backspace alt+backspace", "شغّل |"},
		{"ctrl+w stops at a clause", "先看，再写。", "ctrl+w", "先看，|"},

		{"redo", "one two", "ctrl+_ ctrl+_ alt+-", "one|"},
		{"redo all", "one two", "ctrl+_ ctrl+_ ctrl+_ ctrl+^ ctrl+^ ctrl+^", "one two|"},
		{"redo a cut", "one two", "alt+left ctrl+k ctrl+_ ctrl+^", "one |"},
		{"typing ends redo", "one two", "ctrl+_ x ctrl+^", "onex|"},
		{"jump", "find a comma, or two", "home ctrl+] ,", "find a comma|, or two"},
		{"jump over lines", "a\nb=c", "alt+< ctrl+] c", "a\nb=|c"},
		{"jump back", "f(a, b)", "ctrl+alt+] (", "f|(a, b)"},
		{"jump nowhere", "abc", "home ctrl+] z x", "x|abc"},
		{"esc ends a jump", "abc", "home ctrl+] esc c", "c|abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := newEditor()
			for i, line := range strings.Split(c.text, "\n") {
				if i > 0 {
					press(e, "ctrl+j")
				}
				typeIn(e, line)
			}
			press(e, strings.Fields(c.keys)...)
			if got := marked(e); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestActions(t *testing.T) {
	e, _ := newEditor()
	for _, name := range []string{"esc", "tab", "up", "down", "ctrl+d", "backspace", "ctrl+c", "ctrl+_"} {
		if got := press(e, name); got != editor.Ignored {
			t.Errorf("%s in an empty editor = %v, want Ignored", name, got)
		}
	}
	typeIn(e, "x")
	if got := press(e, "left"); got != editor.Moved {
		t.Errorf("left = %v, want Moved", got)
	}
	if got := press(e, "enter"); got != editor.Submitted {
		t.Errorf("enter = %v, want Submitted", got)
	}
	if e.Value() != "x" {
		t.Errorf("value after enter: %q", e.Value())
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	e, _ := newEditor("first", "second\nline")
	typeIn(e, "draft")
	press(e, "left", "left")
	for _, c := range []struct{ key, want string }{
		{"up", "second\nline|"},
		{"up", "seco|nd\nline"},
		{"up", "first|"},
		{"up", "first|"},
		{"down", "seco|nd\nline"},
		{"down", "second\nline|"},
		{"down", "dra|ft"},
		{"down", "dra|ft"},
	} {
		press(e, c.key)
		if got := marked(e); got != c.want {
			t.Errorf("after %s: %q, want %q", c.key, got, c.want)
		}
	}
	e.Reset()
	e.AddHistory("third")
	e.AddHistory("third")
	if press(e, "up"); e.Value() != "third" {
		t.Errorf("newest entry is %q", e.Value())
	}
	if got := len(e.History()); got != 3 {
		t.Errorf("%d entries, want 3", got)
	}
}

// E-5, case 23: one newline for CRLF, whole escape sequences removed.
func TestPasteIsCleaned(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"crlf", "a\r\nb", "a\nb"},
		{"cr", "a\rb", "a\nb"},
		{"escape", "a\x1b[31mb\x1b]52;c;aGk=\x07c", "abc"},
		{"end marker", "a\x1b[201~b", "ab"},
		{"C1 and bidi", "a\u009b2Jb\u202ec", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := newEditor()
			e.Paste(c.in)
			if got := e.Value(); got != c.want {
				t.Errorf("Paste(%q): %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// E-5, case 22: a big paste is a label, and what is sent is all of it.
func TestBigPaste(t *testing.T) {
	e, _ := newEditor()
	big := strings.Repeat("line\r\n", 11999) + "end"
	typeIn(e, "see ")
	e.Paste(big)
	typeIn(e, " and ")
	e.Paste(strings.Repeat("x", 3000))
	if got, want := marked(e), "see [Pasted 12,000 lines] and [Pasted 3,000 characters #2]|"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	want := "see " + strings.ReplaceAll(big, "\r\n", "\n") + " and " + strings.Repeat("x", 3000)
	if e.Value() != want {
		t.Errorf("value has %d bytes, want %d", len(e.Value()), len(want))
	}
	press(e, "left")
	if got := marked(e); !strings.HasSuffix(got, "and |[Pasted 3,000 characters #2]") {
		t.Errorf("the caret does not pass a label at once: %q", got)
	}
	press(e, "home", "alt+right", "alt+right")
	if got := marked(e); !strings.HasPrefix(got, "see [Pasted 12,000 lines]| and") {
		t.Errorf("a label is no word: %q", got)
	}
	press(e, "backspace")
	if got := marked(e); !strings.HasPrefix(got, "see | and") {
		t.Errorf("a label is not deleted at once: %q", got)
	}
	press(e, "ctrl+_")
	if e.Value() != want {
		t.Error("undo does not bring the paste back")
	}
	press(e, "end", "ctrl+u", "ctrl+y")
	if e.Value() != want {
		t.Error("cut and yank lose a paste")
	}
	e.Reset()
	e.Paste(strings.Repeat("y\n", 9))
	if got := marked(e); got != "[Pasted 9 lines]|" {
		t.Errorf("after Reset: %q", got)
	}
}

// A big prompt from the history is as quick to edit as a big paste.
func TestSetValueLabelsBigTexts(t *testing.T) {
	big := strings.Repeat("line\n", 5000)
	e, _ := newEditor(big)
	press(e, "up")
	if got := marked(e); got != "[Pasted 5,000 lines]|" {
		t.Errorf("shown as %q", got)
	}
	if e.Value() != big {
		t.Error("the value is not the text")
	}
	e.SetValue("short\ntext")
	if got := marked(e); got != "short\ntext|" {
		t.Errorf("shown as %q", got)
	}
}

// E-5, case 21: what breaks out of a paste is text and is never sent.
func TestPasteBreakOut(t *testing.T) {
	e, c := newEditor()
	e.Paste("a")
	typeIn(e, " rm -rf")
	if got := press(e, "enter"); got != editor.Changed {
		t.Fatalf("enter in the burst of a paste = %v, want Changed", got)
	}
	c.wait(10 * time.Millisecond)
	if got := press(e, "enter"); got != editor.Changed {
		t.Fatalf("later enter in the burst = %v, want Changed", got)
	}
	c.wait(time.Second)
	if got := press(e, "enter"); got != editor.Submitted {
		t.Fatalf("enter by hand = %v, want Submitted", got)
	}
	if got := e.Value(); got != "a rm -rf\n\n" {
		t.Errorf("value %q", got)
	}
}

// C-4: keys can be changed.
func TestOtherKeys(t *testing.T) {
	m, problems := keymap.New(map[string][]string{"newLine": {"enter"}, "submit": {"ctrl+s"}, "undo": {"ctrl+z"}, "suspend": nil})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	e := editor.New(editor.Options{Keys: m})
	typeIn(e, "a")
	if press(e, "enter") != editor.Changed || press(e, "ctrl+s") != editor.Submitted || press(e, "ctrl+_") != editor.Ignored {
		t.Errorf("the usual keys hold: %q", e.Value())
	}
	if press(e, "ctrl+z"); e.Value() != "a" {
		t.Errorf("the new key for undo: %q", e.Value())
	}
}
