package markdown_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "write the golden files")

func styles(t testing.TB, dark, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, dark, color)
}

const sample = `# What this does / 这是做什么的

The tool reads *one* file and writes **another**; see ` + "`main.go`" + ` and <Component> in [the guide](https://example.com/guide).
A second row.

- first item, with a long line that has to be wrapped at some point because it goes on
- second item

  with a paragraph of its own
  1. nested
  2. again

` + "```go\nfunc main() {\n\tfmt.Println(\"hello, 世界\") // a comment that is long enough to be wrapped on narrow screens\n}\n```" + `

| name | 说明 | الوصف |
|------|------|-------|
| a    | 天地玄黄宇宙洪荒 | مرحبا بالعالم |
| b    | second | 👨‍👩‍👧‍👦 |

> quoted text

شغّل الأمر ` + "`go test ./...`" + ` ثم أعد المحاولة، وإذا فشل فاقرأ الرسالة بعناية.

天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜

👨‍👩‍👧‍👦👍🏽❤️🇩🇪1️⃣👨‍👩‍👧‍👦👍🏽❤️🇩🇪1️⃣👨‍👩‍👧‍👦👍🏽❤️🇩🇪1️⃣👨‍👩‍👧‍👦👍🏽❤️🇩🇪1️⃣

https://example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

---

1. one
2. two
   - [x] done
`

// E-5: golden text at four widths. Colours are left out of the files; that
// they are there is another test.
func TestGolden(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			rows := markdown.New(styles(t, true, true)).Render(sample, width)
			for _, row := range rows {
				if w := style.Width(row); w > width {
					t.Errorf("row %q has %d columns", row, w)
				}
			}
			got := ansi.Strip(strings.Join(rows, "\n")) + "\n"
			file := filepath.Join("testdata", fmt.Sprintf("sample-%d.txt", width))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("rows differ from %s (run with -update and look at the change):\n%s", file, got)
			}
		})
	}
}

// E-5, case 26: nothing is wider than asked for, down to one column.
func TestWidths(t *testing.T) {
	texts := []string{
		sample, strings.Repeat("天地玄黄", 40), "# " + strings.Repeat("天地玄黄", 20), "- " + strings.Repeat("天地玄黄", 20),
		"> " + strings.Repeat("天地玄黄", 20), "`" + strings.Repeat("x", 93) + "`", "    " + strings.Repeat("code ", 40),
		"```\n" + strings.Repeat("x", 10<<10) + "\n```", "a\tb\tc\n\n```\n\t\tx\n```",
		"> > > > > > deep\n\n- a\n  - b\n    - c\n      - d\n        - e",
	}
	r := markdown.New(styles(t, false, true))
	for i, text := range texts {
		for _, width := range []int{1, 2, 3, 8, 20, 40, 80, 200} {
			for _, row := range r.Render(text, width) {
				if w := style.Width(row); w > width {
					t.Errorf("text %d at %d: row %q has %d columns", i, width, row, w)
				}
			}
		}
	}
}

// E-5, case 27: no control reaches the terminal, neither written out nor as
// an entity, and links lead to the web only.
func TestHostile(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	for _, c := range []struct{ name, in, never string }{
		{"OSC 52 in a fence", "```\na\x1b]52;c;aGk=\x07b\n```", "52;c"},
		{"OSC 52 by entities", "x &#27;]52;c;aGk=&#7; y", "\x1b]52"},
		{"OSC 52 by entities in code", "x `&#27;]52;c;aGk=&#7;` y", "\x1b]52"},
		{"OSC 52 by entities in a table", "| a |\n|---|\n| &#27;]52;c;aGk=&#7; |", "\x1b]52"},
		{"clear by entities", "# x &#x1b;[2J", "\x1b[2J"},
		{"conceal by entities", "x &#x1b;[8m y", "\x1b[8m"},
		{"bidi by entities", "x &#x202e; y", "\u202e"},
		{"tab by entities", "x &Tab; y `&Tab;`", "\t"},
		{"C1 by entities", "x &#x9b;2J y", "\u009b"},
		{"script link", "[x](javascript:alert)", "\x1b]8;id"},
		{"file link", "[x](file:///etc/passwd)", "\x1b]8;id"},
		{"link with controls", "[x](http://a/\x1b]52;c;aGk=\x07)", "52;c"},
		{"link with entities", "[x](http://a/&#27;]52;c;aGk=&#7;)", "\x1b]52"},
		{"title in prose", "\x1b]0;owned\x07 text", "owned"},
		{"fence language", "```go\x1b[2J\nx\n```", "[2J"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, width := range []int{10, 40, 80} {
				out := strings.Join(r.Render(c.in, width), "\n")
				if strings.Contains(out, c.never) {
					t.Errorf("%q in %q", c.never, out)
				}
				onlyHarmless(t, out)
			}
		})
	}
	out := strings.Join(r.Render("[x](https://example.com/)", 80), "\n")
	if !strings.Contains(out, "\x1b]8;") {
		t.Errorf("no link in %q", out)
	}
}

// onlyHarmless fails if out has anything but text, colours and web links.
func onlyHarmless(t testing.TB, out string) {
	t.Helper()
	var state byte
	p := ansi.NewParser()
	for s := out; s != ""; {
		seq, width, n, next := ansi.DecodeSequence(s, state, p)
		state = next
		s = s[n:]
		switch {
		case seq == "\n" || width > 0:
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
		case strings.HasPrefix(seq, "\x1b]8;;"):
		case strings.HasPrefix(seq, "\x1b]8;") && strings.Contains(seq, ";http"):
		case ansi.StringWidth(seq) == 0 && seq >= "\u0300": // marks and joiners
			for _, r := range seq {
				if r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Errorf("%U in %q", r, out)
				}
			}
		default:
			t.Errorf("%q in %q", seq, out)
		}
	}
}

// What is written stays readable.
func TestMeaning(t *testing.T) {
	r := markdown.New(styles(t, true, false))
	for _, c := range []struct{ name, in, want string }{
		{"plain", "hello\nworld", "hello\nworld"},
		{"tags stay", "use <Foo> and a < b", "use <Foo> and a < b"},
		{"entity in code stays", "write `&lt;` and `&amp;`", "write `&lt;` and `&amp;`"},
		{"line break", "a<br>b `<br>`", "a\nb `<br>`"},
		{"line break in a table", "| x |\n|---|\n| a<br/>b |", "x\n─\na\nb"},
		{"a lone tick opens no code", "a ` b <Foo>", "a ` b <Foo>"},
		{"code over two lines", "a `b\n<c>` <d>", "a `b\n<c>` <d>"},
		{"code has ticks without colour", "run `ls`", "run `ls`"},
		{"open fence", "```\na < b", "  a < b"},
		{"code keeps its look", "```\nif a < b && c {\n    x\n}\n```", "  if a < b && c {\n      x\n  }"},
		{"snake_case", "some_snake_case", "some_snake_case"},
		{"autolink", "<https://example.com>", "https://example.com"},
		{"ordered list goes on", "3. a\n4. b", "3. a\n4. b"},
		{"only blanks", " \n\n ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []string
			for _, row := range r.Render(c.in, 60) {
				rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
			}
			if got := strings.Join(rows, "\n"); got != c.want {
				t.Errorf("Render(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// Case 13: each theme's code has its own colours, also after a change.
func TestThemeChange(t *testing.T) {
	code := "```go\nfunc main() {}\n```"
	dark := strings.Join(markdown.New(styles(t, true, true)).Render(code, 40), "\n")
	light := strings.Join(markdown.New(styles(t, false, true)).Render(code, 40), "\n")
	if dark == light || !strings.Contains(dark, "\x1b[38;2;") {
		t.Errorf("dark %q, light %q", dark, light)
	}
	if none := strings.Join(markdown.New(styles(t, true, false)).Render(sample, 40), "\n"); strings.Contains(none, "38;") {
		t.Errorf("colour without colour: %q", none)
	}
}

func TestLists(t *testing.T) {
	r := markdown.New(styles(t, true, false))
	for _, c := range []struct{ name, in, want string }{
		{"hanging indent", "- one two three four five six seven", "• one two three four\n  five six seven"},
		{"paragraphs of an item", "- a\n\n  b", "• a\n\n  b"},
		{"nested", "- a\n  - b\n    - c\n- d", "• a\n  • b\n    • c\n• d"},
		{"nested by two under a number", "1. a\n  - b\n2. c", "1. a\n   • b\n2. c"},
		{"number kept", "7) a\n8) b", "7) a\n8) b"},
		{"all ones count on", "1. a\n1. b\n1. c", "1. a\n2. b\n3. c"},
		{"with blanks between", "1. a\n\n2. b", "1. a\n\n2. b"},
		{"wide numbers", "9. a\n10. b", "9. a\n10. b"},
		{"tasks", "- [ ] a\n- [x] b", "[ ] a\n[x] b"},
		{"after a paragraph", "intro:\n- a\n- b", "intro:\n• a\n• b"},
		{"a number in a paragraph", "born in\n1984. It was cold", "born in\n1984. It was cold"},
		{"lazy line", "- a\nb", "• a\n  b"},
		{"heading ends it", "- a\n# b", "• a\nb"},
		{"fence in an item", "- a\n  ```go\n  x < y\n\n  z\n  ```\n- b", "• a\n    x < y\n\n    z\n• b"},
		{"fence behind the marker", "- ```\n  x\n  ```\n- b", "•   x\n• b"},
		{"fence beside an item", "1. a\n```\nx\n```\n2. b", "1. a\n  x\n2. b"},
		{"rule", "- a\n---", "• a\n────────"},
		{"empty item", "-\n- a", "•\n• a"},
		{"item in an item", "- - a", "• • a"},
		{"markup", "- **a** `b`\n- [c](http://d.example)", "• a `b`\n• c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []string
			for _, row := range r.Render(c.in, 20) {
				rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
			}
			if got := strings.Join(rows, "\n"); got != c.want {
				t.Errorf("Render(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// Case 9: on a terminal that knows nothing there are no escape codes at all.
func TestBare(t *testing.T) {
	out := strings.Join(markdown.New(style.Styles{}).Render(sample, 60), "\n")
	if strings.Contains(out, "\x1b") {
		t.Errorf("escape codes in %q", out)
	}
}

// Case 33: however the deltas fall, the rows end up the same.
func TestStreamEqualsRender(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	for _, size := range []int{1, 7, 50, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			s := r.Stream()
			for chunk := range slices.Chunk([]byte(sample), size) {
				s.Append(string(chunk))
				if size > 1 {
					s.Rows(60)
				}
			}
			s.Finish()
			if got, want := flow.Texts(s.Rows(60)), r.Render(sample, 60); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if got, want := flow.Texts(s.Rows(30)), r.Render(sample, 30); !slices.Equal(got, want) {
				t.Error("rows differ after a change of width")
			}
		})
	}
}

// Nothing jumps when a fence closes: the rows are the same, now coloured.
func TestFenceKeepsItsRows(t *testing.T) {
	code := "intro\n\n```go\nfunc main() {\n\tx := \"" + strings.Repeat("天 long ", 20) + "\" // said\n}\n"
	for _, width := range []int{10, 40, 80} {
		s := markdown.New(styles(t, true, true)).Stream()
		s.SetText(code)
		open := strings.Join(flow.Texts(s.Rows(width)), "\n")
		s.SetText(code + "```\n")
		closed := strings.Join(flow.Texts(s.Rows(width)), "\n")
		if ansi.Strip(open) != ansi.Strip(closed) {
			t.Errorf("open\n%s\nclosed\n%s", open, closed)
		}
		if open == closed {
			t.Error("a closed fence is not highlighted")
		}
	}
}

func TestStreamRestarts(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	s := r.Stream()
	s.SetText("first\n\nsecond\n\nthird")
	s.Rows(40)
	s.SetText("other text")
	if got := ansi.Strip(strings.Join(flow.Texts(s.Rows(40)), "\n")); got != "other text" {
		t.Errorf("after a restart: %q", got)
	}
}

// A block of more than 64 KB is shown as plain text.
func TestHugeBlock(t *testing.T) {
	rows := markdown.New(styles(t, true, true)).Render("**x** "+strings.Repeat("word ", 20<<10), 80)
	if len(rows) < 1000 || !strings.HasPrefix(rows[0], "**x** word") {
		t.Errorf("%d rows, first %q", len(rows), rows[0])
	}
}

// A paragraph in one line is painted also where it is long, if it is prose.
func TestLongParagraph(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	for name, text := range map[string]string{
		"English": strings.Repeat("some **bold** words, and others. ", 250),
		"Chinese": strings.Repeat("天地玄黄，**宇宙**洪荒。", 250),
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(r.Render(text, 80), "\n"); strings.Contains(got, "**") {
				t.Errorf("marks are left: %.200q", got)
			}
		})
	}
}

// Nesting that would take Glamour for ever is shown as plain text.
func TestDeepNesting(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	for name, text := range map[string]string{
		"quotes": strings.Repeat("> ", 5000) + "a",
		"marks":  strings.Repeat(">", 60000),
		"lists":  strings.Repeat("- 1. ", 5000) + "a",
	} {
		t.Run(name, func(t *testing.T) {
			if rows := r.Render(text, 80); len(rows) < 100 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
}

// FuzzRender holds the output to what the package promises of it.
func FuzzRender(f *testing.F) {
	f.Add(sample, 40)
	f.Add("x &#27;]52;c;aGk=&#7; `&#27;[2J` [a](http://x/&#7;)", 10)
	f.Add("| a |\n|--|\n| &#x202e; 1️⃣ |\n\n- a\n\n  ```\n  x", 3)
	r := markdown.New(styles(f, true, true))
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 2 || width > 200 || len(text) > 500 {
			return
		}
		rows := r.Render(text, width)
		for _, row := range rows {
			if w := style.Width(row); w > width {
				t.Errorf("row %q has %d columns of %d", row, w, width)
			}
		}
		onlyHarmless(t, strings.Join(rows, "\n"))
	})
}
