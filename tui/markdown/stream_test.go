package markdown_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// shapes are texts whose blocks are hard to tell apart before they are whole.
var shapes = map[string]string{
	"sample":        sample,
	"arabic":        arabic,
	"empty header":  "|\n|-\n",
	"nested lists":  "1. a\n   - b 列表\n     - c\n\n       d\n   - e\n2. f\n\n   ```go\n   x := 1\n   ```\n\n   g\n\n- h\n+ i\n* j\n\n- [ ] k\n- [x] l\n  - [ ] m\n",
	"tables":        "intro\n\n| 名称 | القيمة | n |\n|:---|---:|:-:|\n| 天地玄黄宇宙洪荒 | مرحبا بالعالم | 1 |\n| `a\\|b` | [x](http://y.example) | <br>2 |\n\nafter | no table\n\n|a|\n|-|\n",
	"footnotes":     "So[^1], they say[^two].\n\n[^1]: By whom, 谁说的\n[^two]: A long note\n  that goes on\n\n[^3]: عربي\n\nend[^9]\n",
	"tags":          "<details>\n<summary>x</summary>\n\n<b>bold</b> a<br>b <br/> c\n\n</details>\n<!-- gone? -->\n\n<Component prop={1} />\n",
	"links":         "[a](javascript:alert(1)) [b](file:///etc/passwd) [c](http://x.example/\x1b]52;c;aGk=\x07) [https://bank.example](https://evil.example)\n\n<https://x.example/a_b> www.x.example [d]: x\n\n[d]: https://x.example\n![p](data:image/png;base64,AAAA)\n",
	"open fence":    "a\n\n```go\nfunc main() {\n\n\tx := \"一二三\"\n",
	"fences":        "````md\n```go\nx\n```\n````\n\n~~~\n```\n~~~\n\n```\n\n\n```\n   ```py\n   y\n   ```\n```go title\nz\n",
	"quotes":        "> a\n> > b\nlazy\n\n> - c\n>   ```\n>   d\n>   ```\n>\n> | e |\n> |---|\n> | f |\nafter\n",
	"headings":      "# a `b` 标题\n\n## عنوان\n\nc\n===\n\nd\n---\n\n---\n***\n#no\n####### seven\n",
	"emphasis":      "**bold *both* bold** __a__ _b_ ~~c~~ `d` ``e ` f`` \\*g\\* snake_case * h *i\n\n**open and `never closed\n\n*a**b*\n",
	"blank and odd": "\n\n  \na\n\n\n\n\tb\n    c\r\nd\re\n \n",
	"blank code":    "\tcode *a\n    ",
	"controls":      "a\x00b\x1b[2Jc\u009b2Jd\u202ee &#27;[2J &#x202e; &lt;b&gt;\n",
}

// cutAtRandom feeds a stream with a text in pieces and reads its rows in
// between. What is settled on the way is collected, as a scrollback does.
func cutAtRandom(r *markdown.Renderer, text string, width int, rng *rand.Rand) (rows, scrolled []flow.Row) {
	s := r.Stream()
	from := 0
	take := func() {
		fresh, to := s.Settled(width, from)
		if len(fresh) > 0 && len(scrolled) > 0 {
			scrolled = append(scrolled, flow.Row{})
		}
		scrolled, from = append(scrolled, fresh...), to
	}
	for at := 0; at < len(text); {
		next := min(at+1+rng.IntN(1+rng.IntN(60)), len(text))
		s.Append(text[at:next])
		at = next
		switch rng.IntN(4) {
		case 0:
			s.Rows(width)
		case 1:
			take()
		case 2:
			s.Rows(1 + rng.IntN(100)) // the window's width changes
		}
	}
	s.Finish()
	take()
	return s.Rows(width), scrolled
}

// Case 33: however a text is cut and whatever is asked for on the way, in the
// end there are the rows of the whole text, in the scrollback too.
func TestRandomCuts(t *testing.T) {
	for mode, bidi := range map[string]flow.Bidi{"plain": {}, "isolate": {Isolate: true}, "reorder": {Reorder: true}} {
		r := markdown.New(styles(t, true, true))
		r.Bidi = bidi
		for name, text := range shapes {
			if mode != "plain" && !flow.HasRTL(text) {
				continue
			}
			t.Run(mode+"/"+name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, uint64(len(text))))
				for _, width := range []int{8, 20, 40, 80, 200} {
					want := r.Render(text, width)
					for range 2 {
						rows, scrolled := cutAtRandom(r, text, width, rng)
						sameRows(t, fmt.Sprintf("rows at %d", width), flow.Texts(rows), want)
						sameRows(t, fmt.Sprintf("scrollback at %d", width), flow.Texts(scrolled), want)
					}
				}
			})
		}
	}
}

func sameRows(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\n%s\nwant\n%s", what, ansi.Strip(strings.Join(got, "\n")), ansi.Strip(strings.Join(want, "\n")))
	}
}

// No shape makes a row too wide, at any width.
func TestShapesFit(t *testing.T) {
	r := markdown.New(styles(t, true, true))
	for name, text := range shapes {
		for width := 1; width < 90; width++ {
			for _, row := range r.Render(text, width) {
				if w := style.Width(row); w > width {
					t.Errorf("%s at %d: a row of %d columns: %q", name, width, w, row)
				}
			}
		}
	}
}

// What is huge is shown whole and needs no more than its share of time: with
// the square of it these would take minutes.
func TestHuge(t *testing.T) {
	table := "| n | name | قيمة |\n|---|---|---|\n"
	for i := range 5000 {
		table += fmt.Sprintf("| %d | 名字 %d | مرحبا |\n", i, i)
	}
	var list, fence strings.Builder
	fence.WriteString("```go\n")
	for i := range 5000 {
		fmt.Fprintf(&list, "- item %d with `code`\n", i)
		fmt.Fprintf(&fence, "\tx%d := f(%d)\n", i, i)
	}
	for _, c := range []struct {
		name, text, last string
		rows             int
	}{
		{"table", table, "4999", 5000},
		{"long line", strings.Repeat("x", 10_000), "x", 125},
		{"long line of words", "**a** " + strings.Repeat("word ", 2000), "word", 125},
		{"long line of Chinese", "**a** " + strings.Repeat("天地玄黄", 2500), "黄", 250},
		{"long line of code", "`" + strings.Repeat("x", 10_000) + "`", "x", 125},
		{"list", list.String(), "item 4999", 5000},
		{"fence", fence.String() + "```", "x4999", 5000},
		{"long paragraph", strings.Repeat("a **bold** word\n", 3000), "a bold word", 3000},
		{"headings", strings.Repeat("# a\n", 5000), "a", 5000},
		{"underlined headings", strings.Repeat("a\n===\n", 5000), "a", 5000},
		{"stars", strings.Repeat("*a **b ", 9000), "", 1},
		{"brackets", strings.Repeat("[", 60_000), "", 1},
		{"links", strings.Repeat("[a](b", 12_000), "", 1},
		{"empty links", strings.Repeat("[](", 20_000), "", 1},
		{"cells", "| a |\n|---|\n| " + strings.Repeat("[](", 20_000) + " |", "", 1},
		{"items", strings.Repeat("- [](\n", 10_000), "", 10_000},
		{"addresses", strings.Repeat("a@b.c ", 10_000), "", 1},
		{"ticks", "a " + strings.Repeat("`", 30_000) + " b " + strings.Repeat("``` `` ", 4000), "", 1},
		{"entities", strings.Repeat("&#x1b;", 10_000) + "x", "x", 1},
		{"blank lines", "**a**" + strings.Repeat("\n", 20_000) + "b", "b", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := markdown.New(styles(t, true, true)).Render(c.text, 80)
			if len(rows) < c.rows || !strings.Contains(ansi.Strip(rows[len(rows)-1]), c.last) {
				t.Errorf("%d rows, want %d; the last is %q", len(rows), c.rows, rows[len(rows)-1])
			}
		})
	}
}

// FuzzStream: the pieces and the whole are the same rows.
func FuzzStream(f *testing.F) {
	for _, text := range shapes {
		f.Add(text, 40, uint64(1))
	}
	r := markdown.New(styles(f, true, true))
	f.Fuzz(func(t *testing.T, text string, width int, seed uint64) {
		if width < 2 || width > 120 || len(text) > 600 {
			return
		}
		want := r.Render(text, width)
		rows, scrolled := cutAtRandom(r, text, width, rand.New(rand.NewPCG(seed, 1)))
		sameRows(t, "rows", flow.Texts(rows), want)
		sameRows(t, "scrollback", flow.Texts(scrolled), want)
	})
}

// Behind the blank row come the rows, and those of settled blocks stay as they
// were returned before.
func TestApart(t *testing.T) {
	s := markdown.New(styles(t, true, true)).Stream()
	if rows := s.Apart(40); rows != nil {
		t.Errorf("nothing has rows %q", flow.Texts(rows))
	}
	var settled []string
	for _, delta := range strings.SplitAfter(sample, " ") {
		s.Append(delta)
		rows := flow.Texts(s.Rows(40))
		all := s.Apart(40)
		if got := flow.Texts(all); len(rows) > 0 && (got[0] != "" || !slices.Equal(got[1:], rows)) {
			t.Fatalf("%q\nis not a blank row before\n%q", got, rows)
		}
		if got := flow.Texts(all[:len(settled)]); !slices.Equal(got, settled) {
			t.Fatalf("settled rows\n%q\nhave changed to\n%q", settled, got)
		}
		done, _ := s.Settled(40, 0)
		settled = flow.Texts(all[:len(done)])
	}
}
