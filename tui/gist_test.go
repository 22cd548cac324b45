package tui

import "testing"

func TestGist(t *testing.T) {
	for _, c := range []struct{ markdown, want string }{
		{"", ""},
		{"plain words", "plain words"},
		{"# A heading\n\nand   **bold**, *leaning*, ~~gone~~, `code`", "A heading and bold, leaning, gone, code"},
		{"| setting | before |\n| --- | ---: |\n| `Addr` | as given |", "setting · before Addr · as given"},
		{"```go\nAddr:            addr,\n```\n\n---\n- [x] done\n- [ ] open\n* star\n> > said", "Addr: addr, done open star said"},
		{"see [the guide](docs/x.md) and ![a picture](p.png)", "see the guide and a picture"},
		{"2 * 3, a*b, *p, snake_case, __init__", "2 * 3, a*b, p, snake_case, __init__"},
		{"中文也可以，**粗体**和 `代码`。\nوالعربية *أيضا*.", "中文也可以，粗体和 代码。 والعربية أيضا."},
		{"broken \xff*\xff", "broken \ufffd*\ufffd"},
	} {
		if got := gist(c.markdown); got != c.want {
			t.Errorf("%q is %q, want %q", c.markdown, got, c.want)
		}
	}
}
