package syntax_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/syntax"
)

func styles(t testing.TB, dark, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, dark, color)
}

// told is how each run of a line is painted, by the names of colours.
func told(s style.Styles, line syntax.Line) string {
	c := s.Colors
	names := map[style.Style]string{}
	for _, n := range []struct{ name, color string }{
		{"keyword", c.SyntaxKeyword}, {"type", c.SyntaxType}, {"function", c.SyntaxFunction}, {"string", c.SyntaxString},
		{"number", c.SyntaxNumber}, {"comment", c.SyntaxComment}, {"operator", c.SyntaxOperator}, {"added", c.Success}, {"removed", c.Error},
	} {
		if _, taken := names[style.Foreground(n.color)]; !taken {
			names[style.Foreground(n.color)] = n.name
		}
	}
	var parts []string
	for _, run := range line {
		if name := names[run.Style]; name != "" && strings.TrimSpace(run.Text) != "" {
			parts = append(parts, name+"="+strings.TrimSpace(run.Text))
		}
	}
	return strings.Join(parts, " ")
}

// The fence's word or the file's name tells the language.
func TestLanguages(t *testing.T) {
	s := styles(t, true, true)
	for _, c := range []struct{ by, name, code, want string }{
		{"fence", "go", `return "a" // b`, `keyword=return string="a" comment=// b`},
		{"fence", "golang", `return 1`, `keyword=return number=1`},
		{"fence", "Python", `return 1`, `keyword=return number=1`},
		{"fence", "js", "return 1", "keyword=return number=1"},
		{"fence", "ts", "return 1", "keyword=return number=1"},
		{"fence", "bash", `echo "a" # b`, `function=echo string="a" comment=# b`},
		{"fence", "sh", `echo 1`, `function=echo number=1`},
		{"fence", "json", `{"a": 1}`, `keyword="a" number=1`},
		{"fence", "yaml", `a: "b" # c`, `keyword=a string="b" comment=# c`},
		{"fence", "jsonc", `{"a": 1}`, `keyword="a" number=1`},
		{"file", "tsconfig.json5", `{"a": 1}`, `keyword="a" number=1`},
		{"fence", "rust", `fn main() {}`, `keyword=fn function=main`},
		{"fence", "diff", "+a", "added=+a"},
		{"file", "engine/main.go", `return 1`, `keyword=return number=1`},
		{"file", "/a/Makefile", "# b", "comment=# b"},
		{"file", "Dockerfile", "FROM a", "keyword=FROM string=a"},
		{"file", "Dockerfile.dev", "FROM a", "keyword=FROM string=a"},
		{"file", "go.mod", "// a", "comment=// a"},
		{"file", ".bashrc", "# b", "comment=# b"},
		{"file", "x.py", `return 1`, `keyword=return number=1`},
		{"file", "a\\b.go", `return 1`, `keyword=return number=1`},
		{"file", "目录/主.go", `return "你好"`, `keyword=return string="你好"`},
	} {
		t.Run(c.by+" "+c.name, func(t *testing.T) {
			p := syntax.New(s)
			lines := p.Code(c.code, c.name)
			if c.by == "file" {
				lines = p.File(c.code, c.name)
			}
			got := ""
			if len(lines) > 0 {
				got = told(s, lines[0])
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A name that says more than its extension keeps that to itself, in whichever
// order the two come.
func TestNamesOfOneExtension(t *testing.T) {
	const cmake = "project(a)"
	for _, order := range [][]string{{"notes.txt", "CMakeLists.txt"}, {"CMakeLists.txt", "notes.txt"}} {
		p := syntax.New(styles(t, true, true))
		for _, name := range order {
			lines := p.File(cmake, name)
			if colours := len(lines) > 0 && len(lines[0]) > 1; colours != (name == "CMakeLists.txt") {
				t.Errorf("%v: %s has colours: %v", order, name, colours)
			}
		}
	}
}

func TestNothingToColour(t *testing.T) {
	p := syntax.New(styles(t, true, true))
	var none *syntax.Painter
	long := strings.Repeat("x", 5000)
	for name, lines := range map[string][]syntax.Line{
		"no language":       p.Code("return 1", ""),
		"unknown language":  p.Code("return 1", "klingon"),
		"endless language":  p.Code("return 1", strings.Repeat("go", 1000)),
		"hostile language":  p.Code("return 1", "go\x1b[2J"),
		"glob as language":  p.Code("return 1", "*"),
		"bad glob":          p.Code("return 1", "[a-"),
		"unknown extension": p.File("return 1", "a.klingon"),
		"no extension":      p.File("return 1", "klingon"),
		"no name":           p.File("return 1", ""),
		"folder":            p.File("return 1", "a/"),
		"no painter":        none.File("return 1", "a.go"),
		"no colour":         syntax.New(styles(t, true, false)).Code("return 1", "go"),
		"too much":          p.Code(strings.Repeat("return 1\n", syntax.Max/9+1), "go"),
		"a line too long":   p.Code("return 1\n"+long+"\n", "go"),
	} {
		if lines != nil {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
	for word, like := range syntax.Relatives() {
		if p.Code("a", word) == nil || p.Code("a", like) == nil {
			t.Errorf("no colours for %s by %s", word, like)
		}
	}
}

// E-4: what isn't code comes out as it went in, one line for each.
func TestHostileCode(t *testing.T) {
	for name, code := range map[string]string{
		"empty":             "",
		"line ends":         "\n\n\n",
		"no line end":       "a",
		"carriage returns":  "a\r\nb\rc\n",
		"NUL and binary":    "\x00\x01\xff\xfe\x7fELF\x00\n\x80\x81",
		"escape sequences":  "\x1b]52;c;aGk=\x07 \x1b[2J \u009b2J \u202e",
		"open string":       "\"abc\nreturn 1",
		"open comment":      "/* abc\n" + strings.Repeat("x\n", 100),
		"invalid UTF-8":     "return \xe4\xbd\n\xa0",
		"marks and joiners": "e\u0301 👨‍👩‍👧‍👦 \u200d\ufeff",
	} {
		for _, language := range []string{"go", "python", "html", "php", "md", "make", "yaml", "bash", "json", "diff", "js", "rust", "c"} {
			lines := syntax.New(styles(t, true, true)).Code(code, language)
			if lines == nil {
				continue // without colours it is shown all the same
			}
			preserved(t, name+" as "+language, lines, code)
		}
	}
}

// preserved fails if lines are not the code's.
func preserved(t testing.TB, what string, lines []syntax.Line, code string) {
	t.Helper()
	want := strings.Split(code, "\n")
	if len(lines) != len(want) {
		t.Fatalf("%s: %d lines of %d", what, len(lines), len(want))
	}
	for i, line := range lines {
		got := ""
		for _, run := range line {
			got += run.Text
		}
		if got != want[i] {
			t.Fatalf("%s: line %d is %q, want %q", what, i, got, want[i])
		}
	}
}

// A lexer that a text keeps busy for minutes is left after a moment, and not
// asked again, under none of its names. Others go on.
func TestSlowLexer(t *testing.T) {
	p := syntax.New(styles(t, true, true))
	if p.Code("class A {}", "java") == nil {
		t.Fatal("no colours for Java")
	}
	if p.Code(strings.Repeat("\n", 30_000), "java") != nil {
		t.Error("the lexer for Java is quick; this test needs another text")
	}
	if p.Code("class A {}", "java") != nil || p.File("class A {}", "A.java") != nil {
		t.Error("a slow lexer is used again")
	}
	if p.Code("return 1", "go") == nil {
		t.Error("the other languages have no colours any more")
	}
}

// Each theme has its own colours, and without them there is only text.
func TestThemes(t *testing.T) {
	const code = "func main() { return \"a\" } // b"
	seen := map[string]string{}
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dark := range []bool{true, false} {
			lines := syntax.New(style.New(theme, dark, true)).Code(code, "go")
			if len(lines) != 1 {
				t.Fatalf("%s: %d lines", name, len(lines))
			}
			painted := lines[0].Paint()
			if ansi.Strip(painted) != code {
				t.Errorf("%s: %q", name, painted)
			}
			seen[painted] = name
		}
	}
	if len(seen) < len(themes.Names())/2 {
		t.Errorf("%d looks of %d themes", len(seen), len(themes.Names()))
	}
}

// One painter serves the screen and the export at once.
func TestConcurrentUse(t *testing.T) {
	p := syntax.New(styles(t, true, true))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, language := range []string{"go", "python", "klingon", "js", "json"} {
				p.Code("return 1", language)
				p.File("return 1", "a."+language)
			}
		})
	}
	all.Wait()
}

// FuzzCode: whatever the text, it comes out as it went in or not at all.
func FuzzCode(f *testing.F) {
	f.Add("go", "func main() {\n\t\"a\n}")
	f.Add("md", "# a\n```go\nb\n```\n<b")
	f.Add("php", "<?php echo '<b'; ?> \x1b[2J")
	f.Add("a.html", "<script>let a = `${'\xff'}`</script>\r\n")
	f.Add("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-\x00\n+b")
	p := syntax.New(styles(f, true, true))
	f.Fuzz(func(t *testing.T, name, code string) {
		if len(code) > 300 {
			return
		}
		for _, lines := range [][]syntax.Line{p.Code(code, name), p.File(code, name)} {
			if lines != nil {
				preserved(t, name, lines, code)
			}
		}
	})
}

// A file of 12 KB, as a card shows it.
func BenchmarkFile(b *testing.B) {
	p := syntax.New(styles(b, true, true))
	code := strings.Repeat("func part(names []string) (int, error) {\n\tfor i, name := range names { // 一行注释\n\t\tfmt.Println(i, \"name: \", name, 0x1f)\n\t}\n\treturn 1, nil\n}\n\n", 75)
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		if p.File(code, "main.go") == nil {
			b.Fatal("no colours")
		}
	}
}

// Where a theme has no colour for comments they are as faint as other secondary
// text.
func TestCommentsOfSixteenColours(t *testing.T) {
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	s := style.For(theme, true, colorprofile.ANSI)
	line := syntax.New(s).Code("// why", "go")[0].Paint()
	if want := s.Muted.Render("// why"); line != want {
		t.Errorf("a comment is %q, want %q", line, want)
	}
}
