package page

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Bounds of nesting. What is deeper is text like the rest.
const (
	maxBoxes = 16
	maxSpans = 16
	maxCells = 100
)

// renderer is the state between two tokens.
type renderer struct {
	Options
	data []bool // see dataTables; those that are yet to come

	out     []byte
	pending int  // line ends before the next text, 2 for an empty line
	space   bool // a space before the next text
	boxes   []box
	spans   []span
	code    *codeBlock

	table *table

	title      strings.Builder
	inTitle    bool
	titled     bool
	refresh    string
	main, rest int // where the main part begins and ends in out; 0 without one
	mainFound  bool
}

// box is an element whose every line begins in a way of its own.
type box struct {
	tag         string
	first, rest string // of its first line, and of the others
	written     bool   // the first line is out
	count       int    // of the items of a numbered list; -1 in other lists
}

// span is a piece of text with a mark around it.
type span struct {
	tag  string
	at   int // where its text begins in out; -1 before it has any
	href string
}

type codeBlock struct {
	text     []byte
	language string
}

// table is a table of data. While a cell is open, the renderer writes it.
type table struct {
	rows  int
	cells []string
	cell  *renderer
}

// text takes a piece of text.
func (r *renderer) text(s string) {
	switch {
	case r.inTitle:
		if r.title.Len() < maxAttribute {
			r.title.WriteString(s)
		}
		return
	case r.table != nil && r.table.cell != nil:
		r.table.cell.text(s)
		return
	case r.code != nil:
		r.code.text = append(r.code.text, s...)
		return
	}
	for i, word := range strings.FieldsFunc(s, isSpace) {
		if i > 0 || isSpace(rune(s[0])) {
			r.space = true
		}
		r.put(word)
	}
	if s != "" && isSpace(rune(s[len(s)-1])) {
		r.space = true
	}
}

// isSpace holds for what HTML takes for a gap between words. A no-break space
// isn't one.
func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' }

// put writes text that goes on in the line, after the gap that is due.
func (r *renderer) put(s string) {
	switch {
	case r.pending > 0 || len(r.out) == 0:
		r.breakLine()
	case r.space:
		r.out = append(r.out, ' ')
	}
	r.space = false
	for i := range r.spans {
		if r.spans[i].at < 0 {
			r.spans[i].at = len(r.out)
		}
	}
	r.out = append(r.out, s...)
}

// breakLine begins a line, with the marks of the lists and quotes it is in.
func (r *renderer) breakLine() {
	if len(r.out) > 0 {
		r.out = append(r.out, '\n')
		if r.pending > 1 {
			start := len(r.out)
			for _, b := range r.boxes {
				if b.written {
					r.out = append(r.out, b.rest...)
				}
			}
			r.out = append(r.out[:start], bytes.TrimRight(r.out[start:], " ")...)
			r.out = append(r.out, '\n')
		}
	}
	r.pending, r.space = 0, false
	for i := range r.boxes {
		b := &r.boxes[i]
		if b.written {
			r.out = append(r.out, b.rest...)
		} else {
			r.out = append(r.out, b.first...)
		}
		b.written = true
	}
}

// line ends the line that there is.
func (r *renderer) line() { r.pending = max(r.pending, 1) }

// block puts an empty line between what was and what comes; in lists, a line
// end.
func (r *renderer) block() {
	if slices.ContainsFunc(r.boxes, func(b box) bool { return b.tag == "li" }) {
		r.line()
		return
	}
	r.pending = 2
}

func (r *renderer) push(b box) {
	if len(r.boxes) < maxBoxes {
		r.boxes = append(r.boxes, b)
	}
}

// pop closes the innermost box of a tag, with what is in it, but not across one
// of within.
func (r *renderer) pop(tag string, within ...string) {
	for i, b := range slices.Backward(r.boxes) {
		if b.tag == tag {
			r.boxes = r.boxes[:i]
			return
		}
		if slices.Contains(within, b.tag) {
			return
		}
	}
}

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
		r.block()
		b := box{tag: name, written: true, count: -1}
		if name == "ol" {
			b.count = 0
			if n, err := strconv.Atoi(a["start"]); err == nil && n > 0 && n < 1e6 {
				b.count = n - 1
			}
		}
		r.push(b)
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

// mark is a mark of Markdown, none in plain text.
func (r *renderer) mark(s string) string {
	if r.Plain {
		return ""
	}
	return s
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

// endCode writes a block of code.
func (r *renderer) endCode() {
	if r.code == nil {
		return
	}
	text, language := strings.TrimRight(string(r.code.text), " \t\r\n"), r.code.language
	r.code = nil
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 20 {
		fence += "`"
	}
	if !r.Plain {
		r.put(fence + language)
		r.line()
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(r.out) > maxText {
			break
		}
		r.line()
		r.put(line)
	}
	if !r.Plain {
		r.line()
		r.put(fence)
	}
	r.block()
}

// language is the one that classes such as "language-go" name.
func language(class string) string {
	for name := range strings.FieldsSeq(class) {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
			if lang, ok := strings.CutPrefix(name, prefix); ok && len(lang) <= 20 && !strings.Contains(lang, "`") {
				return lang
			}
		}
	}
	return ""
}

// page ends what is open and gives the result.
func (r *renderer) page() Page {
	cut := len(r.out) >= maxText
	r.closeTable()
	r.endCode()
	text := r.out
	if r.mainFound {
		end := r.rest
		if end < 0 {
			end = len(text)
		}
		if part := bytes.TrimSpace(text[r.main:max(end, r.main)]); len(part) >= minMain {
			text = part
		}
	}
	if len(text) > maxText {
		text, cut = bytes.ToValidUTF8(text[:maxText], nil), true
	}
	title := strings.Join(strings.Fields(r.title.String()), " ")
	return Page{Title: title, Refresh: r.refresh, Text: string(bytes.TrimSpace(text)), Cut: cut}
}

// openTable begins a table; one of data is written by its rows.
func (r *renderer) openTable() {
	r.block()
	if r.nextTable() {
		r.table = &table{}
	}
}

// nextTable says whether the table that begins holds data.
func (r *renderer) nextTable() bool {
	if len(r.data) == 0 {
		return false
	}
	data := r.data[0]
	r.data = r.data[1:]
	return data
}

// tableTag takes the tags that make a table of data. It reports whether the
// tag was one.
func (r *renderer) tableTag(name string, end bool) bool {
	t := r.table
	switch name {
	case "tr":
		r.endRow()
	case "td", "th":
		r.endCell()
		if !end && len(t.cells) < maxCells {
			t.cell = &renderer{Options: r.Options}
		}
	case "thead", "tbody", "tfoot":
		r.endRow()
	case "table":
		r.closeTable()
		if !end { // the scan took it for an inner one
			r.openTable()
		}
	default:
		return false
	}
	return true
}

func (r *renderer) endCell() {
	t := r.table
	if t.cell == nil {
		return
	}
	t.cell.endCode()
	text := strings.Join(strings.Fields(string(t.cell.out)), " ")
	if !r.Plain {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	t.cells, t.cell = append(t.cells, text), nil
}

func (r *renderer) endRow() {
	r.endCell()
	t := r.table
	cells := t.cells
	t.cells = nil
	if strings.Join(cells, "") == "" {
		return
	}
	r.line()
	if r.Plain {
		r.put(strings.Join(cells, " | "))
		return
	}
	r.put("| " + strings.Join(cells, " | ") + " |")
	if t.rows++; t.rows == 1 {
		r.line()
		r.put("|" + strings.Repeat(" --- |", len(cells)))
	}
}

func (r *renderer) closeTable() {
	if r.table != nil {
		r.endRow()
		r.table = nil
	}
	r.block()
}
