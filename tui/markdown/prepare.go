package markdown

import "strings"

// prepare rewrites a block so that Glamour shows what is written:
//
//   - a code fence without a language, or of one that is not known, says
//     "text", or the highlighter tries all its languages, which takes longer
//     than everything else;
//   - "<" that begins no link stays a "<": raw HTML would vanish, and with it
//     every <Component> of an explanation;
//   - "&" in a code span stays a "&".
func prepare(block string, known func(language string) bool) string {
	var b strings.Builder
	b.Grow(len(block) + len(block)/16)
	p := preparer{out: &b, known: known}
	for line := range strings.SplitAfterSeq(block, "\n") {
		p.line(line)
	}
	return b.String()
}

type preparer struct {
	out   *strings.Builder
	known func(string) bool

	in    fence
	text  bool // the last line was prose
	ticks int  // length of the open code span's marker, 0 outside
}

func (p *preparer) line(line string) {
	bare := strings.TrimSuffix(line, "\n")
	if p.in.quote && !strings.HasPrefix(strings.TrimLeft(bare, " "), ">") {
		p.in = fence{}
	}
	switch {
	case p.in.mark != 0:
		if p.in.closedBy(bare) {
			p.in = fence{}
		}
		p.out.WriteString(line)
		p.text = false
	case strings.TrimSpace(bare) == "":
		p.ticks = 0
		p.out.WriteString(line)
		p.text = false
	default:
		p.prose(line, bare)
	}
}

// prose writes a line outside fences.
func (p *preparer) prose(line, bare string) {
	if f := opens(bare, false); f.mark != 0 {
		p.in = f
		p.fenceLine(line, bare)
		p.text = false
		return
	}
	if code := !p.text && indent(bare) > 3; code {
		p.out.WriteString(line)
		return
	}
	p.inline(line)
	p.text = true
}

// fenceLine writes a line that opens a fence, with a language that is known.
func (p *preparer) fenceLine(line, bare string) {
	at := strings.LastIndexByte(bare, p.in.mark) + 1
	info := strings.TrimSpace(bare[at:])
	language, _, _ := strings.Cut(info, " ")
	if language != "" && p.known(language) {
		p.out.WriteString(line)
		return
	}
	p.out.WriteString(bare[:at])
	p.out.WriteString("text")
	p.out.WriteString(line[len(bare):])
}

// inline copies a line of prose and keeps track of code spans.
func (p *preparer) inline(line string) {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && p.ticks == 0 && i+1 < len(line):
			p.out.WriteByte(c)
			i++
			p.out.WriteByte(line[i])
			continue
		case c == '`':
			n := run(line[i:])
			switch p.ticks {
			case 0:
				p.ticks = n
			case n:
				p.ticks = 0
			}
			p.out.WriteString(line[i : i+n])
			i += n - 1
			continue
		case c == '&' && p.ticks > 0:
			p.out.WriteString("&amp;")
			continue
		case c == '<' && p.ticks == 0 && !autolink(line[i+1:]):
			p.out.WriteString("&lt;")
			continue
		}
		p.out.WriteByte(c)
	}
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
