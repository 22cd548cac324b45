package markdown

import (
	"strings"
)

// The splitter cuts a growing text into blocks that can be rendered apart.
// Two properties make caching sound, and a fuzz test holds it to them: the
// blocks are the text, and a block once cut stays as it is whatever text
// comes after.
//
// A block ends before a line that stands after a blank line, outside a fence,
// and is not indented. So each item of a list with blank lines is a block, with
// the number that it has in the text. A fence that stands in no list or quote
// is a block of its own. Where the splitter is unsure it does not cut: a
// longer block is rendered the same, only later.

// fence is an open code fence.
type fence struct {
	mark   byte // '`' or '~'; 0: no fence
	length int
	quote  bool // behind a '>'; ends with the quote
	top    bool // in no list and no quote
}

// split is the result of cutting a text.
type split struct {
	ends []int // where each block ends; the rest is the open tail
	open fence // the fence that is open at the end of the tail
}

// cut finds the block ends in text, which begins at a block's start.
func cut(text string) split {
	var s split
	var in fence
	var list, content, blank bool
	end := func(at int) {
		s.ends = append(s.ends, at)
		list, content, blank = false, false, false
	}
	for at := 0; at < len(text); {
		line, rest, complete := strings.Cut(text[at:], "\n")
		next := len(text) - len(rest)
		if !complete {
			next = len(text)
		}
		if in.quote && !strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
			in = fence{}
		}
		switch {
		case in.mark != 0:
			if complete && in.closedBy(line) {
				if in.top {
					end(next)
				}
				in = fence{}
			}
		case strings.Trim(line, " \t") == "":
			blank = content
		default:
			if blank && line[0] != ' ' && line[0] != '\t' {
				end(at)
			}
			content, blank = true, false
			if !complete {
				break
			}
			list = list || isItem(line)
			if f := opens(line, list); f.mark != 0 {
				if f.top && at > lastOf(s.ends) && strings.TrimSpace(text[lastOf(s.ends):at]) != "" {
					end(at)
					content = true
				}
				in = f
			}
		}
		at = next
	}
	s.open = in
	return s
}

func lastOf(ends []int) int {
	if len(ends) == 0 {
		return 0
	}
	return ends[len(ends)-1]
}

// itemMarker returns the length of a list marker with its blanks at the start
// of s, or 0.
func itemMarker(s string) int {
	i := 0
	for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	switch {
	case i == len(s):
		return 0
	case i > 0 && s[i] != '.' && s[i] != ')':
		return 0
	case i == 0 && s[i] != '-' && s[i] != '+' && s[i] != '*':
		return 0
	}
	i++
	if i == len(s) {
		return i
	}
	if s[i] != ' ' && s[i] != '\t' {
		return 0
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func isItem(line string) bool {
	return itemMarker(strings.TrimLeft(line, " \t")) > 0
}

// opens returns the fence that a line opens, behind quote and list markers.
func opens(line string, list bool) fence {
	var f fence
	rest := strings.TrimLeft(line, " \t")
	if !list && indent(line) > 3 {
		return f
	}
	marked := false
	for {
		if after, ok := strings.CutPrefix(rest, ">"); ok {
			f.quote, marked = true, true
			rest = strings.TrimLeft(after, " \t")
			continue
		}
		n := itemMarker(rest)
		if n == 0 {
			break
		}
		marked = true
		rest = rest[n:]
	}
	n := run(rest)
	if n < 3 || rest[0] == '`' && strings.Contains(rest[n:], "`") {
		return fence{}
	}
	f.mark, f.length = rest[0], n
	f.top = !list && !marked
	return f
}

// closedBy reports whether a line closes the fence.
func (f fence) closedBy(line string) bool {
	if f.top && indent(line) > 3 {
		return false
	}
	line = strings.TrimLeft(line, " \t")
	if f.quote {
		line = strings.TrimLeft(line, "> \t")
	}
	n := run(line)
	return n >= f.length && line[0] == f.mark && strings.Trim(line[n:], " \t") == ""
}

// run counts the backticks or tildes at the start of s.
func run(s string) int {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

// indent counts the columns of blanks at the start of a line.
func indent(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}
