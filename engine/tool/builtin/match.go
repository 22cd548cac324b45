package builtin

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// match is a place in a text that fits what was looked for: the bytes
// [start, end), found in its canon at [at, at+size).
type match struct {
	start, end int
	at, size   int
}

// finding is where a pattern was found, and how loosely it had to be read.
type finding struct {
	matches []match
	loose   looseness
	open    bool // the pattern's last line may go on in the text
	in      canon
}

// maxMatches bounds what is collected of a pattern that is everywhere.
const maxMatches = 10_000

// find looks for old, first exactly and then ever more loosely; the first way
// that finds anything counts. With all, matches don't overlap; else all places
// are returned, so that one that overlaps another isn't taken for unique.
func find(content, old string, all bool) finding {
	for l := exact; l <= typography; l++ {
		in := canon{text: content, size: len(content)}
		if l > exact {
			in = canonical(content, l, false)
		}
		for _, open := range []bool{true, false} {
			if !open && l < blanks {
				continue
			}
			pattern := old
			if l > exact {
				pattern = canonical(old, l, open).text
			}
			if m := search(in, pattern, all, !open); len(m) > 0 {
				return finding{m, l, open, in}
			}
		}
	}
	return finding{}
}

// search finds pattern in a canon; wholeLine demands that a match ends where a
// line ends.
func search(in canon, pattern string, all, wholeLine bool) []match {
	var found []match
	if pattern == "" {
		return nil
	}
	for from := 0; len(found) < maxMatches; {
		i := strings.Index(in.text[from:], pattern)
		if i < 0 {
			break
		}
		at := from + i
		after := at + len(pattern)
		from = at + 1
		if wholeLine && after < len(in.text) && in.text[after] != '\n' {
			continue
		}
		found = append(found, match{in.start(at), in.end(after - 1), at, len(pattern)})
		if all {
			from = after
		}
	}
	return found
}

// region is a part of a text and what comes in its place.
type region struct {
	start, end int
	text       string
}

// replace returns the region that puts text in the place of m. When the match
// was a loose one, what old and text have in common stays as the file has it:
// a curly quote isn't straightened because a model can't type it.
func (f finding) replace(content string, m match, old, text string) region {
	r := region{m.start, m.end, text}
	if f.loose > exact {
		r = f.narrow(m, old, text)
	}
	if ending, known := endingAt(content, m); known {
		r.text = withEndings(r.text, ending)
	}
	return r
}

func (f finding) narrow(m match, old, text string) region {
	was, will := canonical(old, f.loose, f.open), canonical(text, f.loose, true)
	prefix, suffix := common(was.text, will.text)
	r := region{m.start, m.end, text}
	if prefix+suffix == len(was.text) && prefix+suffix == len(will.text) {
		return r // they differ only in what was overlooked: then that is meant
	}
	from, to := 0, len(text)
	if prefix > 0 {
		r.start, from = f.in.end(m.at+prefix-1), will.end(prefix-1)
	}
	if suffix > 0 {
		r.end, to = f.in.start(m.at+m.size-suffix), will.start(len(will.text)-suffix)
	}
	r.text = text[from:to]
	return r
}

// common counts the bytes at both ends that a and b share, in whole
// characters and without counting any twice.
func common(a, b string) (prefix, suffix int) {
	n := min(len(a), len(b))
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for prefix > 0 && (prefix < len(a) && !utf8.RuneStart(a[prefix]) || prefix < len(b) && !utf8.RuneStart(b[prefix])) {
		prefix--
	}
	for suffix < n-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	for suffix > 0 && !utf8.RuneStart(a[len(a)-suffix]) {
		suffix--
	}
	return prefix, suffix
}

// endingAt tells the line ending in use at m: inside it, before it, or after
// it. known is false for a text of one line.
func endingAt(content string, m match) (crlf, known bool) {
	at := strings.IndexByte(content[m.start:m.end], '\n')
	switch {
	case at >= 0:
		at += m.start
	case strings.LastIndexByte(content[:m.start], '\n') >= 0:
		at = strings.LastIndexByte(content[:m.start], '\n')
	default:
		if at = strings.IndexByte(content[m.end:], '\n'); at < 0 {
			return false, false
		}
		at += m.end
	}
	return at > 0 && content[at-1] == '\r', true
}

// apply carries out regions, which don't overlap.
func apply(content string, regions []region) string {
	slices.SortFunc(regions, func(a, b region) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for _, r := range regions {
		b.WriteString(content[at:r.start])
		b.WriteString(r.text)
		at = r.end
	}
	b.WriteString(content[at:])
	return b.String()
}

// lineAt is the line of a byte offset, counted from 1.
func lineAt(content string, offset int) int {
	return 1 + strings.Count(content[:offset], "\n")
}
