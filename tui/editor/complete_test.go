package editor_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		text   string
		kind   rune
		prefix string
	}{
		{"", 0, ""},
		{"/", '/', "/"},
		{"/mod", '/', "/mod"},
		{"/model cla", '/', "/model cla"},
		{"/model cla ", '/', "/model cla "},
		{"see @src/ma", '@', "@src/ma"},
		{"/review @src", '@', "@src"},
		{"@main.go:10-", '@', "@main.go:10-"},
		{`see @"my fi`, '@', `@"my fi`},
		{`see @"`, '@', `@"`},
		{`see @"my file":1`, '@', `@"my file":1`},
		{`see @"my file" and`, 0, ""},
		{`x@"my fi`, 0, ""},
		{"看 @文件", '@', "@文件"},
		{"mail a@b", 0, ""},
		{"a\n/x", 0, ""},
		{"a\n@x", '@', "@x"},
		{" /x", 0, ""},
		{"plain", 0, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			e, _ := newEditor()
			e.SetValue(c.text)
			kind, prefix := e.Completion()
			if kind != c.kind || prefix != c.prefix {
				t.Errorf("Completion() = %q, %q, want %q, %q", kind, prefix, c.kind, c.prefix)
			}
		})
	}
	e, _ := newEditor()
	e.SetValue("see @src/ma now")
	press(e, "alt+left", "left")
	_, prefix := e.Completion()
	e.Replace(len(prefix), "@src/main.go")
	if got := marked(e); got != "see @src/main.go| now" {
		t.Errorf("after Replace: %q", got)
	}
	press(e, "ctrl+_")
	if got := marked(e); got != "see @src/ma| now" {
		t.Errorf("a completion undone: %q", got)
	}
}

// A taken completion is followed by a blank that punctuation replaces.
func TestAccept(t *testing.T) {
	for _, c := range []struct{ then, want string }{
		{"", "see @main.go |"}, {":10-40", "see @main.go:10-40|"}, {", x", "see @main.go, x|"}, {"and", "see @main.go and|"},
	} {
		e, _ := newEditor()
		typeIn(e, "see @ma")
		e.Accept(len("@ma"), "@main.go")
		typeIn(e, c.then)
		if got := marked(e); got != c.want {
			t.Errorf("%q typed after it: %q, want %q", c.then, got, c.want)
		}
	}
	e, _ := newEditor()
	e.Accept(0, "@main.go")
	press(e, "left", "right")
	typeIn(e, ":")
	if got := e.Value(); got != "@main.go :" {
		t.Errorf("a blank that was gone by gave way: %q", got)
	}
}

func TestMention(t *testing.T) {
	for _, c := range []struct {
		word string
		want editor.Mention
	}{
		{"@main.go", editor.Mention{Path: "main.go"}},
		{"@main.go:", editor.Mention{Path: "main.go", Lines: ":"}},
		{"@main.go:7", editor.Mention{Path: "main.go", Lines: ":7"}},
		{"@main.go:10-", editor.Mention{Path: "main.go", Lines: ":10-"}},
		{"@main.go:10-40", editor.Mention{Path: "main.go", Lines: ":10-40"}},
		{"@a:b", editor.Mention{Path: "a:b"}},
		{"@C:\\x.go:3", editor.Mention{Path: "C:\\x.go", Lines: ":3"}},
		{"@x:10-40-2", editor.Mention{Path: "x:10-40-2"}},
		{"@x:-4", editor.Mention{Path: "x:-4"}},
		{`@"my file.go":10-40`, editor.Mention{Path: "my file.go", Lines: ":10-40"}},
	} {
		m := editor.ParseMention(c.word)
		if m != c.want || m.String() != c.word {
			t.Errorf("%s: %+v, written %s", c.word, m, m)
		}
	}
	if m := editor.ParseMention(`@"my fi`); m.Path != "my fi" || m.Lines != "" {
		t.Errorf("open quote: %+v", m)
	}
}

func FuzzMention(f *testing.F) {
	for _, s := range []string{"@a:1", `@"a b":2-3`, "@:", `@"`, "@a:9999999999", `"""`, `@"a:10"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		m := editor.ParseMention(word)
		if again := editor.ParseMention(m.String()); !strings.Contains(m.Path, `"`) && again != m {
			t.Errorf("%q: %+v, then %+v", word, m, again)
		}
	})
}
