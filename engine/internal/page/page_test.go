package page

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://birds.example/guide/index.html")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"paragraphs", "<p>One\n  two</p>three<p>four", "One two\n\nthree\n\nfour"},
		{"words and tags", "a<b>b</b>c <i> d </i> e", "a**b**c *d* e"},
		{"headings", "<h1>Birds</h1>text<h3>More <em>birds</em></h3>", "# Birds\n\ntext\n\n### More *birds*"},
		{"entities", "a &lt;b&gt; &amp; &eacute; &#8212; &nope;", "a <b> & é — &nope;"},
		{"links", `<a href="x.html">one</a>, <a href="/y?a=1&amp;b=2">two</a>, <a href="#z">here</a>, <a href="javascript:alert(1)">bad</a>, <a>none</a>`,
			"[one](https://birds.example/guide/x.html), [two](https://birds.example/y?a=1&b=2), here, bad, none"},
		{"a link that is its text", `<a href="https://x.example/">https://x.example/</a>`, "https://x.example/"},
		{"a block as a link", `<a href="x"><h3>Title</h3><p>about</p></a>`, "### Title\n\nabout <https://birds.example/guide/x>"},
		{"brackets in links", `<a href="a (b)">c</a>`, "[c](https://birds.example/guide/a%20%28b%29)"},
		{"base", `<base href="/other/"><a href="x">y</a>`, "[y](https://birds.example/other/x)"},
		{"images", `<img src="a.png" alt="A  bird"><img src="b.png"><img alt="c" src="data:x">`, "![A bird](https://birds.example/guide/a.png)c"},
		{"lists", "<ul><li>one<li><p>two</p><ol start=3><li>three</li><li>four</ol><li>five</ul>after", "- one\n- two\n  3. three\n  4. four\n- five\n\nafter"},
		{"lists of definitions", "<dl><dt>bird<dd>an animal<dt>tree<dd>a plant</dl>", "bird\n  an animal\ntree\n  a plant"},
		{"quotes", "<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d", "> a\n>\n> b\n>\n> - c\n\nd"},
		{"breaks", "a<br>b<br><br>c<hr>d", "a\nb\n\nc\n\n---\n\nd"},
		{"code", "<code>x</code> <code>a`b</code> <kbd>Esc</kbd>", "`x` `` a`b `` `Esc`"},
		{"blocks of code", "<pre><code class='hl language-go'>func f() {\n\treturn  1\n}\n</code></pre>x", "```go\nfunc f() {\n\treturn  1\n}\n```\n\nx"},
		{"code with fences", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"},
		{"code in a list", "<ul><li>a<pre>b\nc</pre></ul>", "- a\n  ```\n  b\n  c\n  ```"},
		{"highlighted code", "<pre><span>a</span> <b>b</b><br>c</pre>", "```\na b\nc\n```"},
		{"tables", "<table><caption>t</caption><thead><tr><th>a<th>b</thead><tr><td>1|2<td><b>x</b><br>y</table>z", "t\n\n| a | b |\n| --- | --- |\n| 1\\|2 | **x** y |\n\nz"},
		{"tables that lay out", "<table><tr><td><table><tr><td>a<td>b</table></td><td>side</td></tr></table>", "| a | b |\n| --- | --- |\n\nside"},
		{"code in tables", "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>", "```\n1\n2\n```\n\n```\na\nb\n```"},
		{"tables that are left out", "<nav><table><tr><td><h1>x</h1></table></nav><table><tr><td>a<td>b</table>", "| a | b |\n| --- | --- |"},
		{"what isn't seen", "<script>a<b</script>x<style>p{}</style><svg><title>s</title><text>t</text></svg><!-- c --><template>q</template>y", "xy"},
		{"menus", "<nav><a href=x>menu</a><nav>n</nav></nav>text<footer>foot</footer>", "text"},
		{"nothing but a menu", "<nav>menu</nav>", "menu"},
		{"a short main part", "before<main>main</main>after", "before\n\nmain\n\nafter"},
		{"a main part", "before<main>" + strings.Repeat("main ", 60) + "</main>after", strings.TrimSpace(strings.Repeat("main ", 60))},
		{"a main part without an end", "before<main>" + strings.Repeat("main ", 60), strings.TrimSpace(strings.Repeat("main ", 60))},
		{"wrong nesting", "<b>a<i>b</b>c</i>d</em></p></li></table>e", "**a*b***cd\n\ne"},
		{"open ends", "<ul><li><b>a<table><tr><td>b", "- a\n  | b |\n  | --- |"},
		{"no-break space", "a&nbsp;b", "a\u00a0b"},
		{"languages", "<p dir=rtl>مرحبا <b>بكم</b><p>你好，世界", "مرحبا **بكم**\n\n你好，世界"},
		{"control characters", "a\x1b[2Jb\x00c", "a[2Jbc"},
		{"bytes", "a\xffb", "a\uFFFDb"},
		{"empty", "", ""},
		{"text", "1 < 2", "1 < 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Read(c.doc, Options{Base: base(t)}); got.Text != c.want || got.Cut {
				t.Errorf("got\n%s\nwant\n%s", got.Text, c.want)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	doc := `<h1>Birds</h1><p>A <b>bold</b> <a href="x">link</a><ul><li>one<li>two</ul><blockquote>q</blockquote><pre>a
b</pre><table><tr><th>a<th>b<tr><td>1<td>2</table><img alt=pic src=x>`
	want := "Birds\n\nA bold link\n\n- one\n- two\n\nq\n\na\nb\n\na | b\n1 | 2\n\npic"
	if got := Read(doc, Options{Base: base(t), Plain: true}).Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHead(t *testing.T) {
	p := Read(`<html><head><title> All
 birds &amp; more </title><meta http-equiv=Refresh content="0; URL='next.html'"></head><body><svg><title>no</title></svg>`, Options{Base: base(t)})
	if p.Title != "All birds & more" || p.Refresh != "https://birds.example/guide/next.html" || p.Text != "" {
		t.Errorf("%+v", p)
	}
	if p := Read(`<meta http-equiv=refresh content="0;url=javascript:x"><meta http-equiv=refresh content=5>`, Options{}); p.Refresh != "" {
		t.Errorf("%+v", p)
	}
}

// Pages that mean harm cost no more than their size.
func TestHostile(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size /= 16
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, doc := range map[string]string{
		"nesting":            fill("<div>"),
		"quotes":             fill("<blockquote>") + fill("a<br>"),
		"lists":              fill("<ul><li>"),
		"bold":               fill("<b>") + "x" + fill("</b>"),
		"bold and text":      fill("<b>x"),
		"ends":               fill("</b></table></pre>"),
		"tables":             fill("<table><tr><td>"),
		"cells":              "<table><tr>" + fill("<td>x"),
		"an attribute":       `<a href="` + fill("x") + `">a</a>`,
		"attributes":         "<a " + fill("x=1 ") + ">a</a>",
		"one word":           fill("x"),
		"code in quotes":     fill("<blockquote>") + "<pre>" + fill("\n"),
		"code of backticks":  "<pre>" + fill("`"),
		"an open script":     "a<script>" + fill("<b>"),
		"an open comment":    "a<!--" + fill("-"),
		"an open menu":       "<nav>" + fill("x "),
		"links":              fill(`<a href=x>y</a>`),
		"entities":           fill("&amp"),
		"an endless title":   "<title>" + fill("x"),
		"layers of bold":     fill("<b><i><em><a href=x>y</a>"),
		"plaintext":          "<plaintext>" + fill("<p>"),
		"refreshes":          fill("<meta http-equiv=refresh content='0;url=x'>"),
		"closing what isn't": fill("<ul></ol><li></dl>"),
	} {
		t.Run(name, func(t *testing.T) {
			p := Read(doc, Options{Base: base(t)})
			if len(p.Text) > maxText || len(p.Title) > 4*size {
				t.Errorf("%d bytes of text, %d of title", len(p.Text), len(p.Title))
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"<p>a<b>b</i>", "<table><tr><td><table><td>", "<pre><code class=language-x>`", "<ul><ol start=9><li><blockquote><h1>x", "<main><a href=x><main></a></main>", "<nav><table></nav><table><td>", "&#0;&#7;<title><svg><title>", "<dl><dt><dd><li></dl>", "<plaintext>", "<a href='http://[::1'>x", "<base href='//x'><a href=y>"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	u := base(f)
	f.Fuzz(func(t *testing.T, doc string, plain bool) {
		p := Read(doc, Options{Base: u, Plain: plain})
		if !utf8.ValidString(p.Text) || strings.TrimSpace(p.Text) != p.Text || len(p.Text) > maxText {
			t.Errorf("%q", p.Text)
		}
		if strings.ContainsAny(p.Text, "\x00\x1b\x07") {
			t.Errorf("control characters in %q", p.Text)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	doc := strings.Repeat("<h2>Birds</h2><p>Some <b>text</b> with a <a href='/x'>link</a>.<ul><li>one<li>two</ul><pre>code</pre>", 1000)
	u := base(b)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		Read(doc, Options{Base: u})
	}
}
