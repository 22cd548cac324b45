package markdown

import (
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Lists are laid out here: Glamour has no hanging indent, and glues the
// paragraphs of an item together. Each item's content is a small text of its
// own, rendered to the room beside its marker.
//
// The rules are CommonMark's but for two that models break all the time: a
// nested list may be set in by two columns under "1. ", and a paragraph after
// a blank line belongs to the item however little it is set in.

// item is one list item.
type item struct {
	marker  string // as it is shown, with the blank behind it
	number  int    // of an ordered item, else -1
	indent  int    // column of the marker in the source
	offset  int    // column of the content in the source
	content strings.Builder
}

// part is a run of lines that are one list, or none.
type part struct {
	text  string // no list
	items []*item
	gap   bool // a blank line stood before it
}

// lists cuts a block into lists and what is between them.
func lists(text string) []part {
	var parts []part
	var plain strings.Builder
	var cur *part // the open list
	var in fence  // in the open item, or in plain text
	blank, gap := false, false
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String(), gap: gap})
			plain.Reset()
		}
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimSuffix(line, "\n")
		empty := strings.Trim(bare, " \t") == ""
		var open *item
		if cur != nil {
			open = cur.items[len(cur.items)-1]
		}
		switch {
		case in.mark != 0 && open == nil:
			if in.closedBy(bare) {
				in = fence{}
			}
			plain.WriteString(line)
		case in.mark != 0:
			body := dedent(bare, open.offset)
			if in.closedBy(body) {
				in = fence{}
			}
			open.add(body)
		case empty:
			if open != nil {
				open.add("")
			} else {
				plain.WriteString(line)
			}
		case open != nil && open.owns(bare, blank):
			body := dedent(bare, open.offset)
			in = opens(body, false)
			open.add(body)
		default:
			it := startsItem(bare, open == nil && plain.Len() > 0 && !blank)
			if it == nil {
				if open != nil {
					cur, gap = nil, blank
				}
				in = opens(bare, false)
				plain.WriteString(line)
				break
			}
			if open == nil {
				flush()
				parts = append(parts, part{gap: blank})
				cur = &parts[len(parts)-1]
			} else if it.number >= 0 && it.number <= open.number {
				it.count(open.number + 1)
			}
			cur.items = append(cur.items, it)
			in = opens(it.content.String(), false)
		}
		blank = empty
	}
	flush()
	return parts
}

func (it *item) add(line string) {
	it.content.WriteByte('\n')
	it.content.WriteString(line)
}

// count gives an ordered item another number.
func (it *item) count(n int) {
	it.marker = strings.Replace(it.marker, strconv.Itoa(it.number), strconv.Itoa(n), 1)
	it.number = n
}

// owns reports whether a line that is not blank goes on with the item.
func (it *item) owns(line string, blank bool) bool {
	n := indent(line)
	switch {
	case n >= it.offset:
		return true
	case isItem(line):
		return n > it.indent+1
	case blank:
		return n > 0
	}
	rest := strings.TrimLeft(line, " \t")
	return opens(line, false).mark == 0 && rest[0] != '#' && rest[0] != '>' && rest[0] != '|' && !isRule(rest)
}

// startsItem reads the first line of an item. Inside a paragraph only what
// can interrupt one is an item.
func startsItem(line string, paragraph bool) *item {
	rest := strings.TrimLeft(line, " \t")
	n := itemMarker(rest)
	if n == 0 || indent(line) > 3 || isRule(rest) {
		return nil
	}
	sign := strings.TrimRight(rest[:n], " \t")
	blanks := n - len(sign)
	content := rest[n:]
	if blanks > 4 { // indented code after the marker
		content = rest[len(sign)+1:]
		blanks = 1
	}
	it := &item{marker: "• ", number: -1, indent: indent(line)}
	it.offset = it.indent + len(sign) + max(blanks, 1)
	if number, err := strconv.Atoi(sign[:len(sign)-1]); err == nil {
		it.number = number
		it.marker = strconv.Itoa(number) + sign[len(sign)-1:] + " "
	}
	if paragraph && (content == "" || it.number > 1) {
		return nil
	}
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if after, ok := strings.CutPrefix(content, box); ok {
			it.marker, content = strings.ToLower(box), after
		}
	}
	it.content.WriteString(content)
	return it
}

// isRule reports whether a line is a thematic break.
func isRule(line string) bool {
	line = strings.ReplaceAll(strings.ReplaceAll(line, " ", ""), "\t", "")
	return len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("-*_", line[:1])
}

// dedent takes up to n columns of blanks from the start of a line.
func dedent(line string, n int) string {
	for n > 0 && strings.HasPrefix(line, " ") {
		line, n = line[1:], n-1
	}
	return line
}

// dedented is dedent for each line.
func dedented(text string, n int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = dedent(line, n)
	}
	return strings.Join(lines, "\n")
}

// listRows lays out the items of a list, each beside its marker.
func (r *Renderer) listRows(items []*item, width, depth int) []flow.Row {
	var rows []flow.Row
	for _, it := range items {
		rows = append(rows, r.itemRows(laidItem{it.marker, it.content.String(), width, depth})...)
	}
	return rows
}

// laidItem is all that an item's rows depend on.
type laidItem struct {
	marker, text string
	width, depth int
}

// itemRows lays out an item. Its rows are kept, and not to be changed: of a list
// that streams all items but the last come again in each frame.
func (r *Renderer) itemRows(it laidItem) []flow.Row {
	r.mu.Lock()
	rows, ok := r.items[it]
	r.mu.Unlock()
	if ok {
		return rows
	}
	rows = r.beside(it.marker, it.text, it.width, it.depth)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil || len(r.items) >= itemsMax || r.itemBytes > cacheBytes {
		r.items, r.itemBytes = map[laidItem][]flow.Row{}, 0
	}
	r.itemBytes += len(it.text)
	for _, row := range rows {
		r.itemBytes += len(row.Text)
	}
	r.items[it] = rows
	return rows
}

// beside lays out a text beside a marker: to the right of it, or to the left
// where the text runs from right to left and is put in order here.
func (r *Renderer) beside(marker, text string, width, depth int) []flow.Row {
	marker = style.Cut(marker, max(width-1, 0))
	columns := style.Width(marker)
	rows := r.document(text, width-columns, depth+1)
	if len(rows) == 0 {
		rows = []flow.Row{{}}
	}
	right := r.Bidi.Reorder && flow.RightToLeft(text)
	for i, row := range rows {
		switch {
		case right && i == 0:
			gap := strings.Repeat(" ", max(width-columns-style.Width(row.Text), 0))
			rows[i].Text += gap + r.styles.Text.Render(" "+mirror(strings.TrimRight(marker, " ")))
		case right:
		case i == 0:
			rows[i] = row.Indent(r.styles.Text.Render(marker), columns)
			rows[i].Text = strings.TrimRight(rows[i].Text, " ")
			rows[i].Lead = 0 // a copy has the marker
		default:
			rows[i] = row.Indent(strings.Repeat(" ", columns), columns)
		}
	}
	return rows
}

// mirror turns "1." into ".1", as it stands on the right.
func mirror(marker string) string {
	if n := len(marker) - 1; n > 0 && (marker[n] == '.' || marker[n] == ')') {
		return strings.Replace(marker[n:], ")", "(", 1) + marker[:n]
	}
	return marker
}
