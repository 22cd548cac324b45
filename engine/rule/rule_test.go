package rule

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name       string
		rule       Rule
		conditions string // joined by a blank
		scopes     string
	}{
		{"no condition", Rule{Globs: []string{"*.go"}}, "", ""},
		{"expression", Rule{Conditions: []string{`console\.log\(`}}, `console\.log\(`, ""},
		{"pattern", Rule{Conditions: []string{"*.rs"}}, ".*", "tool:edit(*.rs) tool:write(*.rs)"},
		{"deep pattern", Rule{Conditions: []string{"src/**"}}, ".*", "tool:edit(src/**) tool:write(src/**)"},
		{"pattern of a folder", Rule{Conditions: []string{"docs/*.{md,txt}"}}, ".*", "tool:edit(docs/*.{md,txt}) tool:write(docs/*.{md,txt})"},
		{"pattern and expression", Rule{Conditions: []string{"*.rs", `unwrap\(`}, Scopes: []string{"text"}}, `unwrap\(`, "text tool:edit(*.rs) tool:write(*.rs)"},
		{"expressions with stars", Rule{Conditions: []string{"foo.*bar", "a*", "https?://.*", `/\*`}}, `foo.*bar a* https?://.* /\*`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := New(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			if s := strings.Join(got.Conditions, " "); s != c.conditions {
				t.Errorf("conditions %q, want %q", s, c.conditions)
			}
			if s := strings.Join(got.Scopes, " "); s != c.scopes {
				t.Errorf("scopes %q, want %q", s, c.scopes)
			}
			if again, err := New(got); err != nil || !slices.Equal(again.Conditions, got.Conditions) || !slices.Equal(again.Scopes, got.Scopes) {
				t.Errorf("not settled: %+v, %v", again, err)
			}
		})
	}
}

// E-2: what can't be used is told in a line that says what to write instead.
func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		rule Rule
		says string
	}{
		{"parenthesis", Rule{Conditions: []string{"foo("}}, `condition "foo(": missing closing )`},
		{"parentheses of two", Rule{Conditions: []string{"a)", "(b"}}, `condition "a)": unexpected )`},
		{"look-ahead", Rule{Conditions: []string{"foo(?!bar)"}}, "look-ahead, look-behind and back-references of JavaScript"},
		{"look-behind", Rule{Conditions: []string{"(?<=x)y"}}, "look-ahead, look-behind"},
		{"back-reference", Rule{Conditions: []string{`(a)\1`}}, "back-references"},
		{"unicode escape", Rule{Conditions: []string{`caf\u00e9`}}, `write \x{00e9}`},
		{"backspace", Rule{Conditions: []string{"\bfoo"}}, "use single quotes"},
		{"long", Rule{Conditions: []string{strings.Repeat("a", maxCondition+1)}}, "longer than 4096 bytes"},
		{"large", Rule{Conditions: []string{"[ab]{900}", "[bc]{900}", "[cd]{900}", "[de]{900}", "[ef]{900}"}}, "too large"},
		{"many", Rule{Conditions: make([]string, maxConditions+1)}, "65 conditions"},
		{"scope", Rule{Conditions: []string{"a"}, Scopes: []string{"some thing"}}, "unknown scope"},
		{"empty scope", Rule{Scopes: []string{"tool:"}}, "unknown scope"},
		{"text with a pattern", Rule{Scopes: []string{"text(*.go)"}}, "stands in parentheses behind a tool"},
		{"open pattern", Rule{Scopes: []string{"tool:edit(*.go"}}, "stands in parentheses"},
		{"bad pattern", Rule{Scopes: []string{"edit([a)"}}, "unfinished ["},
		{"bad glob", Rule{Globs: []string{`a\`}}, "globs:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.rule)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestParseMode(t *testing.T) {
	for text, want := range map[string]Mode{"": "", " Always ": Always, "prose-only": ProseOnly, "tool-only": ToolOnly, "never": Never} {
		if got, err := ParseMode(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ParseMode("sometimes"); err == nil {
		t.Error("an unknown mode was taken")
	}
}

// The machine agrees with the standard library on any expression and text,
// however the text is cut.
func FuzzMachine(f *testing.F) {
	for _, c := range [][2]string{
		{`foo`, "a foo"}, {`^foo$`, "foo"}, {`\bfoo\b`, "a foobar foo"}, {`(?i)straße|K`, "STRASSE \u212A"},
		{`(?m)^x$`, "a\nx\nb"}, {`a{2,3}b`, "aaab"}, {`[^\n]+é.`, "xéz"}, {`\Ba|\z`, ""}, {`(?s).\x{FFFD}`, "a\xe2\x28"},
		{`a*`, ""}, {`^$`, ""}, {`(a|ab)(c|bcd)(d*)$`, "abcd"}, {`\p{Arabic}+`, "سلام"}, {`\Bx`, "日x"}, {`[[:word:]]$`, "a\n"},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 {
			return
		}
		m, err := newMachine(expr)
		if err != nil {
			return // too large
		}
		for _, step := range []int{len(text) + 1, 1, 3} {
			s := newStream(1)
			s.read(0, m, "")
			for rest := text; rest != ""; {
				n := min(step, len(rest))
				s.read(0, m, s.whole(rest[:n]))
				rest = rest[n:]
			}
			if got, want := s.end(0, m), re.MatchString(text); got != want {
				t.Fatalf("%q in %q by %d: %v, want %v", expr, text, step, got, want)
			}
		}
	})
}

// A small table doesn't change what is found.
func TestMachineForgets(t *testing.T) {
	m, err := newMachine(`(x|y)(a|b){12}z`)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("xabbabaxyabababbxxabayb", 2000)
	s := m.run(m.start, text)
	if s == m.hit {
		t.Fatal("found what isn't there")
	}
	if cells := len(m.states) * len(m.first); cells > 2*maxCells {
		t.Errorf("%d cells", cells)
	}
	if m.run(s, "yabababababab"+"z") != m.hit {
		t.Error("not found")
	}
}
