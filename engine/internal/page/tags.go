package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// start takes a start tag.
func (r *renderer) start(name string, a map[string]string) {
	if r.table != nil && r.tableTag(name, false) {
		return
	}
	if r.table != nil && r.table.cell != nil {
		r.table.cell.start(name, a)
		return
	}
	switch name {
	case "title":
		r.inTitle = !r.titled
	case "base":
		if u, err := url.Parse(a["href"]); err == nil && r.Base != nil && a["href"] != "" {
			r.Base = r.Base.ResolveReference(u)
		}
	case "meta":
		if strings.EqualFold(a["http-equiv"], "refresh") {
			r.refreshes(a["content"])
		}
	case "main":
		r.block()
		if !r.mainFound {
			r.mainFound, r.main, r.rest = true, len(r.out), -1
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.block()
		r.push(box{tag: name, first: r.mark(strings.Repeat("#", int(name[1]-'0')) + " ")})
	case "blockquote":
		r.block()
		r.push(box{tag: name, first: r.mark("> "), rest: r.mark("> ")})
	case "ul", "ol", "menu", "dl":
		r.list(name, a["start"])
	case "li", "dd":
		r.item(name)
	case "dt":
		r.pop("li", "dl")
		r.line()
	case "pre":
		if r.code == nil {
			r.block()
			r.code = &codeBlock{language: language(a["class"])}
		}
	case "br":
		if r.code != nil {
			r.code.text = append(r.code.text, '\n')
		} else {
			r.pending = min(r.pending+1, 2)
		}
	case "hr":
		r.block()
		if !r.Plain {
			r.put("---")
			r.block()
		}
	case "img":
		r.image(a)
	case "table":
		r.openTable()
	case "tr":
		r.line()
	case "td", "th":
		r.space = true
	case "code":
		if r.code != nil && r.code.language == "" {
			r.code.language = language(a["class"])
		}
		r.open(name, a)
	case "a", "b", "strong", "em", "i", "kbd", "samp", "del", "s":
		r.open(name, a)
	default:
		if blocks[name] {
			r.block()
		}
	}
}

// end takes an end tag.
func (r *renderer) end(name string) {
	if r.table != nil && r.tableTag(name, true) {
		return
	}
	if r.table != nil && r.table.cell != nil {
		r.table.cell.end(name)
		return
	}
	switch name {
	case "title":
		r.titled = r.titled || r.inTitle
		r.inTitle = false
	case "main":
		if r.rest < 0 {
			r.rest = len(r.out)
		}
		r.block()
	case "h1", "h2", "h3", "h4", "h5", "h6", "blockquote":
		r.pop(name)
		r.block()
	case "ul", "ol", "menu", "dl":
		r.pop(name)
		r.block()
	case "li", "dd":
		r.pop("li", "ul", "ol", "menu", "dl")
		r.line()
	case "pre":
		r.endCode()
	case "table":
		r.closeTable()
	case "a", "b", "strong", "em", "i", "code", "kbd", "samp", "del", "s":
		r.close(name)
	case "tr", "dt":
		r.line()
	default:
		if blocks[name] {
			r.block()
		}
	}
}

// blocks are elements that stand on lines of their own.
var blocks = map[string]bool{
	"address": true, "article": true, "aside": true, "body": true, "caption": true, "center": true, "details": true, "dialog": true,
	"div": true, "fieldset": true, "figcaption": true, "figure": true, "footer": true, "form": true, "header": true, "hgroup": true,
	"legend": true, "nav": true, "noscript": true, "p": true, "search": true, "section": true, "summary": true,
}

// list begins a list; start is the number of its first item.
func (r *renderer) list(name, start string) {
	r.block()
	b := box{tag: name, written: true, count: -1}
	if name == "ol" {
		b.count = 0
		if n, err := strconv.Atoi(start); err == nil && n > 0 && n < 1e6 {
			b.count = n - 1
		}
	}
	r.push(b)
}

// item begins an item of the innermost list.
func (r *renderer) item(name string) {
	r.pop("li", "ul", "ol", "menu", "dl")
	r.line()
	mark := "- "
	if name == "dd" {
		mark = "  "
	}
	for i, b := range slices.Backward(r.boxes) {
		if b.count >= 0 && b.tag == "ol" {
			r.boxes[i].count++
			mark = strconv.Itoa(r.boxes[i].count) + ". "
		}
		if b.tag == "ol" || b.tag == "ul" {
			break
		}
	}
	r.push(box{tag: "li", first: mark, rest: strings.Repeat(" ", len(mark))})
}
