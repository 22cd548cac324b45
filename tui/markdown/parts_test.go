package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Tables, quotes, notes and links, which are laid out here.
func TestParts(t *testing.T) {
	r := markdown.New(styles(t, true, false))
	for _, c := range []struct {
		name  string
		width int
		in    string
		want  string
	}{
		{"table", 40, "| a | b |\n|---|---|\n| one | 2 |", "a   │ b\n────┼──\none │ 2"},
		{"aligned", 40, "| left | right | mid |\n|:--|--:|:-:|\n| a | b | c |\n| long cell | x | y |", "left      │ right │ mid\n──────────┼───────┼────\na         │     b │  c\nlong cell │     x │  y"},
		{"cells are wrapped", 30, "| name | text |\n|---|---|\n| a | some words that need more than a row |", "name │ text\n─────┼────────────────────────\na    │ some words that need\n     │ more than a row"},
		{"break in a cell", 30, "| a | b |\n|---|---|\n| x<br>y | z |", "a │ b\n──┼──\nx │ z\ny │"},
		{"a bar in a cell", 30, "| a | b |\n|---|---|\n| x \\| y | `a\\|b` |", "a     │ b\n──────┼──────\nx | y │ `a|b`"},
		{"marks of blocks in cells", 30, "| a | b |\n|---|---|\n| - x | # y |", "a   │ b\n────┼────\n- x │ # y"},
		{"cells that are missing", 30, "| a | b |\n|---|---|\n| x |\n| 1 | 2 | 3 |", "a │ b\n──┼──\nx │\n1 │ 2\n  │ 3"},
		{"too narrow for columns", 20, "| name | description | price |\n|---|---|---|\n| Hammer | drives nails into wood | 12 |\n| Saw | cuts | 9 |",
			"name: Hammer\ndescription:\n  drives nails into\n  wood\nprice: 12\n────────────────────\nname: Saw\ndescription: cuts\nprice: 9"},
		{"head alone", 30, "| a | b |\n|---|---|", "a │ b\n──┼──"},
		{"after a paragraph", 30, "See:\n| a |\n|---|\n| b |", "See:\na\n─\nb"},
		{"no table", 30, "a | b\nc | d", "a | b\nc | d"},
		{"quote", 20, "> one two three four five six\n> seven\n\nafter", "│ one two three four\n│ five six\n│ seven\n\nafter"},
		{"list in a quote", 20, "> - a\n> - b\n>\n> c", "│ • a\n│ • b\n│\n│ c"},
		{"code in a quote", 20, "> ```go\n> x := 1\n> ```", "│   x := 1"},
		{"quote in a quote", 20, "> a\n> > b", "│ a\n│ │ b"},
		{"footnote", 30, "It is so[^1], they say[^src].\n\n[^1]: By whom\n[^src]: A long note that is wrapped", "It is so¹, they say[src].\n\n¹ By whom\n[src] A long note that is\n      wrapped"},
		{"definition of a link stays", 40, "See [a][x].\n\n[x]: https://example.com/a", "See [a][x].\n\n[x]: https://example.com/a"},
		{"link to a file", 40, "[the file](./a/b.go)", "the file (./a/b.go)"},
		{"link that says another address", 80, "[https://bank.example](https://evil.example)", "https://bank.example https://evil.example"},
		{"link in parts", 40, "[**bold** and `code`](https://x.example) end", "bold and `code` end"},
		{"autolink", 40, "see https://x.example/a_b_c.", "see https://x.example/a_b_c."},
		{"indented code", 20, "    a < b && c", "  a < b && c"},
		{"tags", 40, "<details>\n<b>x</b>\n</details>", "<details>\n<b>x</b>\n</details>"},
		{"strike", 40, "a ~~b~~ c", "a b c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []string
			for _, row := range r.Render(c.in, c.width) {
				if w := style.Width(row); w > c.width {
					t.Errorf("row %q has %d columns", row, w)
				}
				rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
			}
			if got := strings.Join(rows, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Without OSC 8 the addresses are written out and no sequence is.
func TestPlainLinks(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	r.PlainLinks = true
	out := strings.Join(r.Render("[a](https://x.example/) and > [b](https://y.example/)\n\n> [c](https://z.example/)", 80), "\n")
	if strings.Contains(out, "\x1b]8") {
		t.Errorf("a link in %q", out)
	}
	for _, want := range []string{"https://x.example/", "https://y.example/", "https://z.example/"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q isn't in %q", want, out)
		}
	}
}

const arabic = "# عنوان الملف `main.go`\n\nشغّل الأمر `go test ./...` ثم أعد المحاولة، وإذا فشل فاقرأ src/main.go بعناية (كلها).\n\n- البند الأول وهو طويل بما يكفي لينكسر السطر عنده في الشاشات الضيقة\n- second item\n  1. בדיקה של רשימה\n\n> اقتباس قصير\n\n| الاسم | value |\n|---|---|\n| مرحبا | one |\n\nEnglish with عربي inside.\n"

const english = "# The file `main.go`\n\nRun `go test ./...` and try again; if it fails, read src/main.go with care (all of it), and [the guide](https://example.com/guide).\n\n- the first item, which is long enough to be broken in a narrow window\n- the second\n  1. nested\n  2. again\n\n- [x] done\n- [ ] to be done\n\n> A short quotation.\n\n```go\nfunc main() { fmt.Println(\"hello\") } // a comment that is long\n```\n\n| Name | What it is for |\n|---|---:|\n| first | the beginning of it all |\n"

const chinese = "# 文件 `主.go`\n\n请运行 `go test ./...`，然后再试一次；如果失败了，请仔细阅读 源码/主.go（全部内容）和[《使用指南》](https://example.com/指南)。\n\n- 第一项，这一项比较长，在窄窗口里需要换行显示\n- 第二项\n  1. 里面的一项\n  2. 再来一项\n\n- [x] 做完了\n- [ ] 还没有做\n\n> 一句简短的引文。\n\n```go\nfunc main() { fmt.Println(\"你好，世界\") } // 这一行注释比较长\n```\n\n| 名称 | 用途 |\n|---|---:|\n| 第一 | 所有事情的开头 |\n"

// E-5, case 31: golden texts in three languages, Arabic as each kind of terminal
// gets it.
func TestGoldenTongues(t *testing.T) {
	for _, c := range []struct {
		name, text string
		bidi       flow.Bidi
	}{
		{"english", english, flow.Bidi{}}, {"chinese", chinese, flow.Bidi{}},
		{"arabic-plain", arabic, flow.Bidi{}}, {"arabic-isolate", arabic, flow.Bidi{Isolate: true}}, {"arabic-reorder", arabic, flow.Bidi{Reorder: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := markdown.New(styles(t, true, true))
			r.Bidi = c.bidi
			var b strings.Builder
			for _, width := range []int{20, 40, 80, 200} {
				fmt.Fprintf(&b, "== width %d\n", width)
				for _, row := range r.Render(c.text, width) {
					plain := ansi.Strip(row)
					if w := style.Width(row); w > width {
						t.Errorf("row %q has %d columns of %d", plain, w, width)
					}
					if !c.bidi.Reorder && strings.Contains(plain, "│") && flow.HasRTL(plain) {
						t.Errorf("a line that would jump: %q", plain)
					}
					if n := strings.Count(plain, "\u2066"); n != strings.Count(plain, "\u2069") || n > 0 != c.bidi.Isolate && n > 0 {
						t.Errorf("isolates in %q", plain)
					}
					b.WriteString(plain + "\n")
				}
			}
			file := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("rows differ from %s (run with -update and look at the change):\n%s", file, b.String())
			}
		})
	}
}
