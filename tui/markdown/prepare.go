package markdown

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// prepare rewrites a block so that Glamour shows what is written:
//
//   - a code fence says "text", or the library's highlighter would be at work,
//     for which there is no limit of time;
//   - "<" that begins no link stays a "<": raw HTML would vanish, and with it
//     every <Component> of an explanation;
//   - <br> breaks the line;
//   - "&" in a code span stays a "&".
//   - code in a paragraph with right-to-left text is marked, to be isolated;
//   - "[^1]" becomes the sign of its footnote, and a line that only defines
//     where links lead stays on the screen.
func prepare(block string) string {
	block = strings.NewReplacer(string(spanStart), "", string(spanEnd), "").Replace(block)
	var b strings.Builder
	b.Grow(len(block) + len(block)/16)
	p := preparer{out: &b, mark: flow.HasRTL(block)}
	for line := range strings.SplitAfterSeq(block, "\n") {
		p.line(line)
	}
	p.flush()
	return b.String()
}

type preparer struct {
	out  *strings.Builder
	mark bool // spans of code

	in   fence
	para strings.Builder // lines of prose without a blank one between them
}

func (p *preparer) line(line string) {
	bare := strings.TrimSuffix(line, "\n")
	if p.in.quote && !strings.HasPrefix(strings.TrimLeft(bare, " "), ">") {
		p.in = fence{}
	}
	f := opens(bare, false)
	switch {
	case p.in.mark != 0:
		if p.in.closedBy(bare) {
			p.in = fence{}
		}
		p.out.WriteString(line)
	case strings.TrimSpace(bare) == "":
		p.flush()
		p.out.WriteString(line)
	case f.mark != 0:
		p.flush()
		p.in = f
		p.fenceLine(line, bare)
	case p.para.Len() == 0 && indent(bare) > 3: // indented code
		p.out.WriteString(line)
	default:
		p.para.WriteString(line)
	}
}

// flush writes the paragraph.
func (p *preparer) flush() {
	p.inline(p.para.String())
	p.para.Reset()
}

// fenceLine writes a line that opens a fence.
func (p *preparer) fenceLine(line, bare string) {
	p.out.WriteString(bare[:strings.LastIndexByte(bare, p.in.mark)+1])
	p.out.WriteString("text")
	p.out.WriteString(line[len(bare):])
}

// inline copies a paragraph. A code span ends with as many backticks as it
// began with; without them there is none.
func (p *preparer) inline(s string) {
	none := map[int]bool{} // lengths that no later run of backticks has
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			p.out.WriteString(s[i : i+2])
			i++
		case c == '`':
			n := run(s[i:])
			end := -1
			if !none[n] {
				end = closing(s[i+n:], n)
				none[n] = end < 0
			}
			span := s[i : i+n]
			if end >= 0 {
				span = s[i : i+n+end+n]
			}
			if p.mark && end >= 0 {
				p.out.WriteRune(spanStart)
			}
			p.out.WriteString(strings.ReplaceAll(span, "&", "&amp;"))
			if p.mark && end >= 0 {
				p.out.WriteRune(spanEnd)
			}
			i += len(span) - 1
		case c == '[' && noteReference(s[i:]) != "":
			id := noteReference(s[i:])
			p.out.WriteString(strings.ReplaceAll(noteSign(id), "[", "\\["))
			i += len("[^]") + len(id) - 1
		case c == '[' && startsLine(s, i) && definesLink(s[i:]):
			p.out.WriteString("\\[")
		case c == '<' && lineBreak(s[i:]) > 0:
			n := lineBreak(s[i:])
			p.out.WriteByte('\n')
			i += n - 1
		case c == '<' && !autolink(s[i+1:]):
			p.out.WriteString("&lt;")
		default:
			p.out.WriteByte(c)
		}
	}
}

// closing finds the run of exactly n backticks.
func closing(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		k := run(s[i:])
		if k == n {
			return i
		}
		i += k - 1
	}
	return -1
}

// lineBreak returns the length of a <br> at the start of s, or 0.
func lineBreak(s string) int {
	for _, tag := range []string{"<br>", "<br/>", "<br />"} {
		if len(s) >= len(tag) && strings.EqualFold(s[:len(tag)], tag) {
			return len(tag)
		}
	}
	return 0
}

// noteReference returns the name in a "[^name]" at the start of s.
func noteReference(s string) string {
	rest, ok := strings.CutPrefix(s, "[^")
	if !ok {
		return ""
	}
	id, _, ok := strings.Cut(rest, "]")
	if !ok || !isNoteID(id) {
		return ""
	}
	return id
}

func startsLine(s string, at int) bool {
	line := s[strings.LastIndexByte(s[:at], '\n')+1 : at]
	return strings.Trim(line, " ") == ""
}

// definesLink reports whether s begins with "[label]: address".
func definesLink(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	label, rest, ok := strings.Cut(line, "]:")
	return ok && len(label) > 1 && !strings.Contains(label, "](") && strings.TrimSpace(rest) != ""
}

// autolink reports whether s, which follows a "<", is the rest of a link:
// a scheme or an address, up to ">", without blanks.
func autolink(s string) bool {
	end := strings.IndexAny(s, "> \t\n<")
	if end < 0 || s[end] != '>' {
		return false
	}
	s = s[:end]
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") ||
		strings.HasPrefix(s, "mailto:") || strings.Contains(s, "@") && !strings.ContainsAny(s, `"'=/`)
}
