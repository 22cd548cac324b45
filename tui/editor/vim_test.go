package editor_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// normal returns an editor in vim's Normal mode; "|" in text is before the
// cell of the caret.
func normal(text string) *editor.Editor {
	e, _ := newEditor()
	before, after, _ := strings.Cut(text, "|")
	e.SetValue(after)
	press(e, "alt+<")
	e.Insert(before)
	e.SetVim(true)
	if before != "" && !strings.HasSuffix(before, "\n") {
		press(e, "right") // Esc goes back again
	}
	press(e, "esc")
	return e
}

// vimKeys presses the characters of a command one by one; <name> is a key with
// a name.
func vimKeys(e *editor.Editor, keys string) {
	for keys != "" {
		if name, rest, ok := strings.Cut(strings.TrimPrefix(keys, "<"), ">"); ok && keys[0] == '<' && len(name) > 1 {
			press(e, name)
			keys = rest
			continue
		}
		r := []rune(keys)[0]
		press(e, string(r))
		keys = keys[len(string(r)):]
	}
}

// C-4: vim's keys, as vim has them.
func TestVim(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		// moving
		{"one |two", "h", "one| two"}, {"one |two", "2l", "one tw|o"}, {"|ab", "5l", "a|b"}, {"ab\n|cd", "h", "ab\n|cd"},
		{"one |two three", "w", "one two |three"}, {"|one two three", "2w", "one two |three"}, {"|a.b c", "w", "a|.b c"},
		{"|a.b c", "W", "a.b |c"}, {"a.b |c", "B", "|a.b c"}, {"a.b |c", "b", "a.|b c"}, {"|one two", "e", "on|e two"},
		{"on|e two", "e", "one tw|o"}, {"|a.b c", "E", "a.|b c"}, {"one t|wo", "ge", "on|e two"}, {"one\n\n|two", "b", "one\n|\ntwo"},
		{"|one\n  two", "w", "one\n  |two"}, {"|使用go编译", "w", "使用|go编译"}, {"|one", "w", "on|e"},
		{"  one t|wo", "0", "|  one two"}, {"  one t|wo", "^", "  |one two"}, {"|one two", "$", "one tw|o"},
		{"one\ntwo\n|three", "gg", "|one\ntwo\nthree"}, {"|one\ntwo\nthree", "G", "one\ntwo\n|three"}, {"|one\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"on|e\ntwo\nx\nfour", "3j", "one\ntwo\nx\nfo|ur"}, {"one\ntw|o", "k", "on|e\ntwo"}, {"ab|c\nx\nabc", "jj", "abc\nx\nab|c"},
		{"|a,b,c,d", "f,", "a|,b,c,d"}, {"|a,b,c,d", "2f,", "a,b|,c,d"}, {"|a,b,c,d", "t,;", "a,|b,c,d"}, {"|a,b,c,d", "f,;", "a,b|,c,d"},
		{"a,b,c,|d", "F,", "a,b,c|,d"}, {"a,b,c,|d", "T,", "a,b,c,|d"}, {"a,b,c|,d", "F,,", "a,b,c|,d"}, {"|abc", "fz", "|abc"},
		{"f|(a, (b))", "%", "f(a, (b)|)"}, {"f(a, (b)|)", "%", "f|(a, (b))"},
		{"|你好,世界", "f世", "你好,|世界"},

		// deleting and changing
		{"a|bc", "x", "a|c"}, {"a|bcd", "2x", "a|d"}, {"ab|c", "X", "a|c"}, {"a|👨‍👩‍👧‍👦b", "x", "a|b"}, {"ab|c", "x", "a|b"},
		{"|one two three", "dw", "|two three"}, {"|one two three", "2dw", "|three"}, {"|one two three", "d2w", "|three"}, {"one |two\nthree", "dw", "one| \nthree"},
		{"|one two", "de", "| two"}, {"one two |three", "db", "one |three"}, {"one |two three", "D", "one| "}, {"one |two", "d0", "|two"},
		{"one\n|two\nthree", "dd", "one\n|three"}, {"one\n|two", "dd", "|one"}, {"|one", "dd", "|"}, {"|a\nb\nc\nd", "2dd", "|c\nd"}, {"|a\nb\nc", "dj", "|c"},
		{"a\nb\n|c", "dk", "|a"}, {"a\n|b\nc", "dG", "|a"}, {"a\n|b\nc", "dgg", "|c"}, {"|a,b,c", "df,", "|b,c"}, {"|a,b,c", "dt,", "|,b,c"},
		{"f|(a, (b)) c", "d%", "f| c"},
		{"|one two", "cwx<esc>", "|x two"}, {"on|e two", "cwx<esc>", "on|x two"}, {"|one two", "c2wx<esc>", "|x"}, {"one |two\nx", "ccyes<esc>", "ye|s\nx"},
		{"one |two", "Cx<esc>", "one |x"}, {"|abc", "sxy<esc>", "x|ybc"}, {"|one\ntwo", "Sx<esc>", "|x\ntwo"}, {"|abc", "rx", "|xbc"}, {"|abc", "2rx", "x|xc"},
		{"|abc", "9rx", "|abc"}, {"|aBc", "3~", "Ab|C"}, {"|one\n  two\nthree", "J", "one| two\nthree"}, {"|a\nb\nc", "3J", "a b| c"},

		// typing
		{"a|b", "ix<esc>", "a|xb"}, {"a|b", "ax<esc>", "ab|x"}, {"  a|b", "Ix<esc>", "  |xab"}, {"|ab", "Ax<esc>", "ab|x"},
		{"|ab", "ox<esc>", "ab\n|x"}, {"|ab", "Ox<esc>", "|x\nab"}, {"|one", "iab<esc>", "a|bone"},

		// copying and putting
		{"|one two", "ywP", "one| one two"}, {"|one two", "ywwP", "one one| two"}, {"|ab", "xp", "b|a"}, {"|a\nb", "yyp", "a\n|a\nb"}, {"|a\nb", "yyP", "|a\na\nb"},
		{"|a\nb", "ddp", "b\n|a"}, {"|a\nb\nc", "yjGp", "a\nb\nc\n|a\nb"}, {"|ab", "x3p", "baa|a"}, {"|a\nb", "Yp", "a\n|a\nb"}, {"a |b", "yiwP", "a |bb"},

		{"|a\nb", "yy2p", "a\n|a\na\nb"}, {"one t|wo", "yy0P", "|one two\none two"}, {"a\nb|c", "ygg", "|a\nbc"},

		// what is up to the start of a line
		{"a\n|\n  b", "dw", "a\n  |b"}, {"a\n|\nb", "cbx<esc>", "|x\n\nb"}, {"a\n|\nb", "d_", "a\n|b"}, {"a\nb|c\nd", "3dk", "|d"}, {"a b\n|\nc", "VBd", "|c"}, {"a b\n|\nc", "ge", "a |b\n\nc"},

		// objects
		{"one t|wo three", "diw", "one | three"}, {"one t|wo three", "daw", "one |three"}, {"one t|wo", "daw", "on|e"}, {"a.b|.c d", "diW", "| d"},
		{`say "he|llo" now`, `ci"x<esc>`, `say "|x" now`}, {`say "he|llo" now`, `da"`, `say | now`}, {`|say "hello" now`, `di"`, `say "|" now`},
		{"f(a, |b) c", "di(", "f(|) c"}, {"f(a, |b) c", "da(", "f| c"}, {"f(a, (|b)) c", "dib", "f(a, (|)) c"}, {"f(a, (b)|) c", "dib", "f(|) c"},
		{"x {\n  |y\n}", "di{", "x {|}"}, {"[a|b]", "ci[x<esc>", "[|x]"}, {"<|a>", "di<", "<|>"}, {"a'|b'", "di'", "a'|'"}, {"no |brackets", "di(", "no |brackets"},
		{"|a (b) c", "di(", "a (|) c"}, {"it's 'quo|ted' x", "di'", "it's '|' x"}, {"a\n\n|b", "dap", "|a"}, {"one|two", "yip", "|onetwo"},
		{"a\n|b\n\nc", "dip", "|\nc"}, {"a\n|b\n\nc", "dap", "|c"},

		// seeing what one does
		{"|one two", "vlld", "| two"}, {"one |two", "vbd", "|wo"}, {"|a\nb\nc", "Vjd", "|c"}, {"|one two", "viwc<esc>", "| two"}, {"a(|b) c", "va(d", "a| c"},
		{"|one two", "vey$p", "one twoon|e"}, {"|one two", "vwo<esc>", "|one two"}, {"|abc", "vly<esc>P", "a|babc"}, {"|abc", "v<esc>x", "|bc"}, {"|ab cd", "ywwviwp", "ab ab| "},
		{"|abc", "v2l~", "|ABC"}, {"|aBc", "v2lu", "|abc"}, {"|aBc", "v2lU", "|ABC"},

		{"|one\ntwo\nthree", "VjJ", "one| two\nthree"}, {"|abc", "vlsx<esc>", "|xc"}, {"|a\nb\nc", "vX", "|b\nc"}, {"|a\nb", "vSx<esc>", "|x\nb"}, {"|a\nb", "vYp", "a\n|a\nb"},
		{"|a\nb\nc", "yyjVp", "a\n|a\nc"}, {"|a\nb", "yyjVp", "a\n|a"}, {"|abc", "vVv<esc>x", "|bc"}, {"|abc", "<end>x", "a|b"}, {"a|b\ncd", "<down>x<up>x<backspace>", "|b\nc"},

		// undo, redo, again
		{"|one two three", "dwdwu", "|two three"}, {"|one two three", "dwdwuu", "|one two three"}, {"|one two", "dwu<ctrl+r>", "|two"},
		{"|one", "Ax y z<esc>u", "on|e"}, {"|one two", "cwx y<esc>u", "|one two"}, {"|a b c d", "dw..", "|d"}, {"|a b c", "cwx<esc>w.", "x |x c"}, {"|a", "A!<esc>..", "a!!|!"},
		{"|a\nb", "ox<esc>.", "a\nx\n|x\nb"}, {"|a b c", "dw.u", "|b c"}, {"|abcdef", "2x.", "|ef"}, {"|a", "Ax<esc>.u", "a|x"},
		{"|a", "A b c<ctrl+_><esc>", "a |b"}, {"|a", "A b c<ctrl+_><esc>u", "|a"},

		// what isn't a command does nothing
		{"|abc", "dz", "|abc"}, {"|abc", "d<esc>x", "|bc"}, {"|abc", "2<esc>x", "|bc"}, {"|abc", "gz", "|abc"}, {"|abc", "你x", "|bc"}, {"|abc", "dcx", "|bc"},
		{"|abc", "<right><right>", "ab|c"}, {"ab|c", "<home><delete>", "|bc"}, {"|abc", "<space>", "a|bc"}, {"|", "x", "|"}, {"|", "p", "|"}, {"|", ".", "|"},
	} {
		t.Run(c.text+" "+c.keys, func(t *testing.T) {
			e := normal(c.text)
			vimKeys(e, c.keys)
			if got := marked(e); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if mode, _ := e.VimMode(); mode != editor.Normal || e.VimPending() != "" {
				t.Errorf("ends in %v, pending %q", mode, e.VimPending())
			}
		})
	}
}

func TestVimModes(t *testing.T) {
	e, c := newEditor()
	if mode, on := e.VimMode(); mode.String() != "insert" || on {
		t.Errorf("without vim: %v, %v", mode, on)
	}
	if press(e, "esc") != editor.Ignored || e.Captures(key("esc")) {
		t.Error("Esc isn't the app's without vim")
	}
	e.SetVim(true)
	typeIn(e, "abc")
	for _, step := range []struct {
		key      string
		captured bool // before
		want     editor.Mode
		action   editor.Action
	}{
		{"esc", true, editor.Normal, editor.Moved},
		{"esc", false, editor.Normal, editor.Ignored}, // the app's: it stops what runs
		{"d", false, editor.Normal, editor.Moved},
		{"esc", true, editor.Normal, editor.Moved},
		{"ctrl+r", true, editor.Normal, editor.Ignored},
		{"v", false, editor.Visual, editor.Moved},
		{"V", false, editor.VisualLine, editor.Moved},
		{"esc", true, editor.Normal, editor.Moved},
		{"i", false, editor.Insert, editor.Moved},
		{"ctrl+r", false, editor.Insert, editor.Ignored},
		{"esc", true, editor.Normal, editor.Moved},
		{"enter", false, editor.Normal, editor.Submitted},
	} {
		if got := e.Captures(key(step.key)); got != step.captured {
			t.Errorf("%s is captured: %v", step.key, got)
		}
		if got := press(e, step.key); got != step.action {
			t.Errorf("%s = %v, want %v", step.key, got, step.action)
		}
		if mode, _ := e.VimMode(); mode != step.want {
			t.Errorf("after %s: %v, want %v", step.key, mode, step.want)
		}
	}
	press(e, "2", "d")
	if e.Captures(key("ctrl+c")) || !e.Captures(key("?")) {
		t.Error("a command that isn't whole takes keys that aren't its own, or leaves its own")
	}
	if got := e.VimPending(); got != "2d" {
		t.Errorf("pending %q", got)
	}
	e.Reset()
	if mode, _ := e.VimMode(); mode != editor.Insert {
		t.Errorf("after a prompt was sent: %v", mode)
	}

	// Case 21: what breaks out of a paste is text in every mode.
	press(e, "esc")
	e.Paste("x")
	typeIn(e, "dd")
	if press(e, "enter") == editor.Submitted || e.Value() != "xdd\n" {
		t.Errorf("a paste that broke out gave commands: %q", e.Value())
	}
	c.wait(burstOver)
}

// Vim's k on the first row goes to the earlier prompts, as Up does.
func TestVimHistory(t *testing.T) {
	e, _ := newEditor("earlier")
	e.SetVim(true)
	press(e, "esc", "k")
	if e.Value() != "earlier" {
		t.Errorf("k shows %q", e.Value())
	}
	press(e, "j")
	if !e.Empty() {
		t.Errorf("j shows %q", e.Value())
	}
}

// A selection is painted.
func TestVimSelection(t *testing.T) {
	e := normal("|one two")
	e.SetStyles(painted())
	vimKeys(e, "ve")
	if got := e.View(40, 2); !strings.Contains(got, "\x1b[7mone\x1b[m two") {
		t.Errorf("%q", got)
	}
	vimKeys(e, "V")
	if got := e.View(40, 2); !strings.Contains(got, "\x1b[7mone two\x1b[m") {
		t.Errorf("%q", got)
	}
}

// The help on vim's keys fits the screen like that of the others.
func TestVimHelp(t *testing.T) {
	for _, r := range editor.VimHelp().Rows {
		if len(r.Keys) > 26 || len(r.Text) > 50 || r.Text == "" {
			t.Errorf("%s: %q is cut at 80 columns", r.Keys, r.Text)
		}
	}
}
