package page

import (
	"net/url"
	"slices"
	"strings"
)

// span is a piece of text with a mark around it.
type span struct {
	tag  string
	at   int // where its text begins in out; -1 before it has any
	href string
}

// maxSpans bounds the nesting. What is deeper is text like the rest.
const maxSpans = 16

// open begins a piece with a mark around it.
func (r *renderer) open(tag string, a map[string]string) {
	if r.Plain || r.code != nil || len(r.spans) == maxSpans {
		return
	}
	s := span{tag: tag, at: -1}
	if tag == "a" {
		s.href = r.link(a["href"])
	}
	r.spans = append(r.spans, s)
}

// close ends the innermost piece of a tag and those in it.
func (r *renderer) close(tag string) {
	at := -1
	for i, s := range slices.Backward(r.spans) {
		if s.tag == tag {
			at = i
			break
		}
	}
	if at < 0 || r.code != nil {
		return
	}
	for len(r.spans) > at {
		last := r.spans[len(r.spans)-1]
		r.spans = r.spans[:len(r.spans)-1]
		r.wrap(last)
	}
}

// wrap puts the marks of a piece around its text.
func (r *renderer) wrap(s span) {
	if s.at < 0 || s.at >= len(r.out) {
		return
	}
	text := string(r.out[s.at:])
	lines := strings.Contains(text, "\n")
	var before, after string
	switch s.tag {
	case "a":
		switch {
		case s.href == "" || s.href == text:
			return
		case lines: // a whole block is the link
			r.out = append(r.out, " <"+s.href+">"...)
			return
		}
		before, after = "[", "]("+s.href+")"
	case "b", "strong":
		before, after = "**", "**"
	case "em", "i":
		before, after = "*", "*"
	case "del", "s":
		before, after = "~~", "~~"
	default:
		before, after = "`", "`"
		if strings.Contains(text, "`") {
			before, after = "`` ", " ``"
		}
	}
	if lines {
		return
	}
	r.out = append(append(append(r.out[:s.at], before...), text...), after...)
}

// link is where a reference leads to, "" for what is no page.
func (r *renderer) link(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if r.Base != nil {
		u = r.Base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	text := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E").Replace(u.String())
	if len(text) > maxAttribute || strings.ContainsAny(text, "\n\r\t") {
		return ""
	}
	return text
}

// image writes a picture by the text that stands for it.
func (r *renderer) image(a map[string]string) {
	alt := strings.Join(strings.Fields(a["alt"]), " ")
	if alt == "" || r.code != nil {
		return
	}
	if src := r.link(a["src"]); src != "" && !r.Plain {
		alt = "![" + alt + "](" + src + ")"
	}
	r.put(alt)
}

// refreshes reads "5; url=next.html".
func (r *renderer) refreshes(content string) {
	_, target, _ := strings.Cut(content, ";")
	name, target, ok := strings.Cut(strings.TrimSpace(target), "=")
	if ok && strings.EqualFold(strings.TrimSpace(name), "url") && r.refresh == "" {
		r.refresh = r.link(strings.Trim(strings.TrimSpace(target), `"'`))
	}
}
