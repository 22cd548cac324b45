package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestGrep(t *testing.T) {
	b := newBench(t, map[string]string{
		".gitignore": "out/\n", "out/x.go": "needle\n", ".hidden": "needle h\n",
		"a.go": "one\nneedle two\nthree\nfour\nNeedle five\n", "b/c.txt": "x needle y\r\nfoo\r\n",
		"bin": "needle\x00", "u16": "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00", "re.txt": "a.b\nacb\nfoo(\n",
		"文/件.txt": "针 needle\n", "empty": "", "last": "no newline: needle",
	})
	for _, tt := range []struct{ name, args, want string }{
		{"everywhere, ignored files aside", `{"pattern":"needle"}`, ".hidden:1: needle h\na.go:2: needle two\nb/c.txt:1: x needle y\nlast:1: no newline: needle\nu16:1: needle\n文/件.txt:1: 针 needle\n"},
		{"case", `{"pattern":"needle","ignoreCase":true,"glob":"*.go"}`, "a.go:2: needle two\na.go:5: Needle five\n"},
		{"glob with folders", `{"pattern":"needle","glob":"b/**"}`, "b/c.txt:1: x needle y\n"},
		{"folder", `{"pattern":"needle","path":"b"}`, "b/c.txt:1: x needle y\n"},
		{"file", `{"pattern":"^n","path":"a.go"}`, "a.go:2: needle two\n"},
		{"ignored, but asked for", `{"pattern":"needle","path":"out"}`, "out/x.go:1: needle\n"},
		{"end of a CRLF line", `{"pattern":"y$"}`, "b/c.txt:1: x needle y\n"},
		{"regular expression", `{"pattern":"a.b","path":"re.txt"}`, "re.txt:1: a.b\nre.txt:2: acb\n"},
		{"literal", `{"pattern":"a.b","literal":true,"path":"re.txt"}`, "re.txt:1: a.b\n"},
		{"line by line", `{"pattern":"o\\s+t","path":"a.go"}`, `No matches for "o\\s+t" in a.go.`},
		{"a match that can't cross lines hides none", `{"pattern":"two\\s+three|two","path":"a.go"}`, "a.go:2: needle two\n"},
		{"empty lines", `{"pattern":"^$","path":"a.go"}`, `No matches for "^$" in a.go.`},
		{"context", `{"pattern":"needle|five","path":"a.go","context":1}`, "a.go-1- one\na.go:2: needle two\na.go-3- three\na.go-4- four\na.go:5: Needle five\n"},
		{"context, apart", `{"pattern":"one|five","path":"a.go","context":1}`, "a.go:1: one\na.go-2- needle two\n--\na.go-4- four\na.go:5: Needle five\n"},
		{"neighbours with context", `{"pattern":"three|four","path":"a.go","context":1}`, "a.go-2- needle two\na.go:3: three\na.go:4: four\na.go-5- Needle five\n"},
		{"limit", `{"pattern":"e","path":"a.go","limit":2}`, "a.go:1: one\na.go:2: needle two\n[There is more: shown are the first 2 matches. Narrow the pattern, path or glob, or raise limit.]"},
		{"limit that is just enough", `{"pattern":"needle","path":"a.go","limit":1}`, "a.go:2: needle two\n"},
		{"none", `{"pattern":"nowhere","glob":"*.go"}`, `No matches for "nowhere" in . (*.go).`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := b.text(Grep(), tt.args); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	b.fails(Grep(), `{"pattern":"foo("}`, `pattern "foo(" is not a regular expression`, "set literal")
	b.fails(Grep(), `{"pattern":"x","glob":"[a"}`, `glob "[a"`)
	b.fails(Grep(), `{"pattern":"x","path":"bin"}`, "bin is a binary file")
}

func TestGrepLongLine(t *testing.T) {
	b := newBench(t, map[string]string{"f": strings.Repeat("é", 5000) + "needle" + strings.Repeat("x", 5000)})
	got := b.text(Grep(), `{"pattern":"needle"}`)
	if len(got) > 1200 || !strings.HasPrefix(got, "f:1: …") || !strings.HasSuffix(got, "…\n") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	holds(t, got, "needle")
}

// The answer doesn't depend on which worker is first, and stays within bounds.
func TestGrepMany(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%03d.txt", i%7, i)] = strings.Repeat("padding\n", i) + "needle " + strings.Repeat("y", 300) + "\n"
	}
	b := newBench(t, files)
	first := b.text(Grep(), `{"pattern":"needle","limit":1000}`)
	if len(first) > 60_000 {
		t.Errorf("%d bytes", len(first))
	}
	holds(t, first, "[There is more: shown are the first ")
	for range 5 {
		if again := b.text(Grep(), `{"pattern":"needle","limit":1000}`); again != first {
			t.Fatal("two searches differ")
		}
	}
}

func TestFindAndLs(t *testing.T) {
	b := newBench(t, map[string]string{
		".gitignore": "out/\n*.log\n", "out/x.go": "", "a.log": "", "Main.go": "", "src/b.go": "", "src/deep/c.ts": "", "src/deep/d.tsx": "", ".env": "", "文/件.go": "",
	})
	if err := os.Symlink("src", b.path("link")); err != nil {
		t.Skip("no symlinks here")
	}
	if err := os.Mkdir(b.path("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		tool string
		args string
		want string
	}{
		{"by name", "find", `{"pattern":"*.go"}`, "Main.go\nsrc/b.go\n文/件.go\n"},
		{"by path", "find", `{"pattern":"src/**/*.{ts,tsx}"}`, "src/deep/c.ts\nsrc/deep/d.tsx\n"},
		{"folder", "find", `{"pattern":"deep"}`, "src/deep/\n"},
		{"below", "find", `{"pattern":"**","path":"src"}`, "src/b.go\nsrc/deep/\nsrc/deep/c.ts\nsrc/deep/d.tsx\n"},
		{"pattern is relative to the path", "find", `{"pattern":"deep/*","path":"src"}`, "src/deep/c.ts\nsrc/deep/d.tsx\n"},
		{"link", "find", `{"pattern":"link"}`, "link@\n"},
		{"ignored, but asked for", "find", `{"pattern":"*","path":"out"}`, "out/x.go\n"},
		{"limit", "find", `{"pattern":"*.{ts,tsx}","limit":1}`, "src/deep/c.ts\n[There is more: shown are the first 1. Narrow the pattern or path, or raise limit.]"},
		{"nothing", "find", `{"pattern":"main"}`, "Nothing in . matches main. A name without wildcards must match whole: try *main*."},
		{"list", "ls", `{}`, ".env\n.gitignore\na.log\nempty/\nlink@\nMain.go\nout/\nsrc/\n文/\n"},
		{"list a folder", "ls", `{"path":"src"}`, "b.go\ndeep/\n"},
		{"list through a link", "ls", `{"path":"link"}`, "b.go\ndeep/\n"},
		{"list with a limit", "ls", `{"limit":2}`, ".env\n.gitignore\n[There is more: shown are the first 2. The folder has 9 entries; find takes a pattern.]"},
		{"list nothing", "ls", `{"path":"empty"}`, "[empty is an empty folder]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := Find()
			if tt.tool == "ls" {
				x = Ls()
			}
			if got := b.text(x, tt.args); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	b.fails(Ls(), `{"path":"Main.go"}`, "Main.go is a file; look at it with read")
	b.fails(Find(), `{"pattern":"x","path":"Main.go"}`, "Main.go is a file")
	b.fails(Find(), `{"pattern":"[x"}`, `pattern "[x"`)
}

// Looking for the needle first must find what matching alone finds.
func TestNeedle(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    string
	}{
		{"needle", "needle"},
		{"(?i)Needle", "needle, any case"},
		{"(?i)password", "word, any case"},
		{"(?i)ks", ""},
		{"(?m)^func (main)\\(", "func "},
		{"[a-z]+edle", "edle"},
		{"TODO|FIXME", "TODO|FIXME"},
		{"(?i)x(foo|bar)y", "foo|bar, any case"},
		{"TODO|.", ""},
		{"a|(?i)b", ""},
		{"ab|cd|ef|gh|ij|kl|mn|op|qr", ""},
		{"(abc)*", ""},
		{"(abc)+x", "abc"},
		{"(abc){2}", "abc"},
		{"a\\nb", ""},
		{".", ""},
	} {
		n := needleOf(tt.pattern)
		got := strings.Join(n.texts, "|")
		if n.fold {
			got += ", any case"
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.pattern, got, tt.want)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	patterns := []string{"ab", "(?i)ab", "(?i)ks", "a+b", "^a", "b$", "a\\sb", "(a|k)b", "(?i)ſ", "é.", "[ab]b", "b{2}", "ab|BB", "ba|(a|b)B", "a|b|é", "^$", "a\n"}
	pieces := []string{"a", "B", "b", "k", "K", "\u212a", "s", "ſ", "é", "\n", "\n", " ", "\r\n"}
	for range 5000 {
		a := grepArgs{Pattern: patterns[r.IntN(len(patterns))], IgnoreCase: r.IntN(2) == 0}
		re, err := a.compile()
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for range r.IntN(20) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := lineSearch{pattern: re, needle: needleOf(re.String()), limit: 100}
		var got, want []int
		for _, h := range s.lines(text.String()).hits {
			got = append(got, h.line)
		}
		lines := strings.Split(strings.ReplaceAll(text.String(), "\r\n", "\n"), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, line := range lines {
			if re.MatchString(line) {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s in %q: lines %v, want %v", re, text.String(), got, want)
		}
		if s.cantMatch([]byte(text.String())) && want != nil {
			t.Fatalf("%s: %q was given up", re, text.String())
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%d/f%03d.go", i%20, i)] = strings.Repeat("\tif err != nil {\n\t\treturn err\n\t}\n", 200)
	}
	files["d1/needle.go"] = "needle\n"
	x := newBench(b, files)
	g := Grep()
	for _, pattern := range []string{"needle", "[a-z]+edle", "(?i)needle", "needle|haystack", "[nm]..dle"} {
		call := x.call(g, `{"pattern":`+marshal(pattern)+`}`)
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				if _, err := g.Run(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
