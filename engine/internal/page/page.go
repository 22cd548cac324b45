// Package page turns HTML into Markdown or plain text, for a model to read.
//
//	HTML ─▶ tokens ─┬─▶ scan: which tables hold data
//	                └─▶ renderer ─▶ lines, each with the prefix of its lists and quotes
//
// It works on tokens and builds no tree, so that time and memory grow with the
// document alone, however it is nested. What no reader sees (scripts, styles,
// menus, footers) is left out; where a page has a main part, that is the page.
package page

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Page is what there is to read on a page.
type Page struct {
	Title string
	// Refresh is where the page sends browsers on to; "" if it doesn't.
	Refresh string
	Text    string
	// Cut says that the text was longer than what is given.
	Cut bool
}

// Options say how a page is turned into text.
type Options struct {
	Base  *url.URL // that links are relative to; nil drops relative ones
	Plain bool     // without links and marks
}

// maxText bounds the text, in bytes.
const maxText = 1 << 20

// Read turns HTML in UTF-8 into text.
func Read(doc string, o Options) Page {
	doc = strings.ToValidUTF8(doc, "\uFFFD")
	data := dataTables(doc)
	p := render(doc, o, data, menus)
	if p.Text == "" {
		p = render(doc, o, data, nil)
	}
	p.Title, p.Text = plain(p.Title), plain(p.Text)
	return p
}

// plain takes control characters out, which may have come as references.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// invisible are elements of which nothing is shown.
var invisible = map[string]bool{
	"script": true, "style": true, "template": true, "svg": true, "iframe": true, "object": true, "canvas": true, "audio": true, "video": true,
	"select": true, "textarea": true, "button": true, "noembed": true, "noframes": true,
}

// menus are elements that are shown, but are not what a page is about.
var menus = map[string]bool{"nav": true, "footer": true, "noscript": true}

// dataTables says of each table, in the order of the document, whether it holds
// rows of data. Others lay out the page: there is a table, a heading or a block
// of code in them.
func dataTables(doc string) []bool {
	var data []bool
	var open []int
	z := html.NewTokenizer(strings.NewReader(doc))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return data
		case html.StartTagToken:
			switch name, _ := z.TagName(); string(name) {
			case "table":
				if len(open) > 0 {
					data[open[len(open)-1]] = false
				}
				open, data = append(open, len(data)), append(data, true)
			case "pre", "h1", "h2", "h3", "h4", "h5", "h6":
				if len(open) > 0 {
					data[open[len(open)-1]] = false
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "table" && len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
}

// minMain is how much a main part has at least to stand for the page, in bytes.
const minMain = 200

// render writes the page without the elements of skipped.
func render(doc string, o Options, data []bool, skipped map[string]bool) Page {
	r := &renderer{Options: o, data: data}
	z := html.NewTokenizer(strings.NewReader(doc))
	skip, depth := "", 0 // the element that is left out, and how often it is open
	for len(r.out) < maxText {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken {
			if skip == "" {
				r.text(string(z.Text()))
			}
			continue
		}
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		raw, more := z.TagName()
		name := string(raw)
		switch {
		case skip != "" && name != skip:
			if name == "table" && kind == html.StartTagToken {
				r.nextTable() // it counts in data
			}
		case skip != "" && kind == html.EndTagToken:
			if depth--; depth == 0 {
				skip = ""
			}
		case skip != "" && kind == html.StartTagToken:
			depth++
		case skip != "":
		case kind == html.EndTagToken:
			r.end(name)
		case invisible[name] || skipped[name]:
			if kind == html.StartTagToken {
				skip, depth = name, 1
			}
		default:
			r.start(name, attributes(z, more))
		}
	}
	return r.page()
}

// attributes are those of a tag that count here.
func attributes(z *html.Tokenizer, more bool) map[string]string {
	var kept map[string]string
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href", "src", "alt", "class", "content", "http-equiv", "start", "role":
			if len(value) > maxAttribute {
				continue
			}
			if kept == nil {
				kept = map[string]string{}
			}
			if _, twice := kept[string(key)]; !twice {
				kept[string(key)] = string(value)
			}
		}
	}
	return kept
}

// maxAttribute is the longest value that is of use, in bytes.
const maxAttribute = 2000
