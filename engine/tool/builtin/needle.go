package builtin

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// needle is a set of texts of which every match of a pattern holds one.
// Looking for them is many times faster than matching, and most lines have
// none.
type needle struct {
	texts []string // none when nothing is known
	fold  bool     // ASCII case doesn't matter; the texts are lower case
}

// maxNeedles is where looking for each stops being faster.
const maxNeedles = 8

// needleOf returns the longest needle of a pattern.
func needleOf(pattern string) needle {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return needle{}
	}
	return required(re)
}

func required(re *syntax.Regexp) needle {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedle(string(re.Rune), re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best needle
		for _, sub := range re.Sub {
			if n := required(sub); n.shortest() > best.shortest() {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		return eitherOf(re.Sub)
	}
	return needle{}
}

// eitherOf needs a needle of every alternative.
func eitherOf(alternatives []*syntax.Regexp) needle {
	var all needle
	for i, sub := range alternatives {
		n := required(sub)
		if n.texts == nil || i > 0 && n.fold != all.fold || len(all.texts)+len(n.texts) > maxNeedles {
			return needle{}
		}
		all = needle{append(all.texts, n.texts...), n.fold}
	}
	return all
}

func (n needle) shortest() int {
	if len(n.texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(n.texts, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// literalNeedle keeps of a literal that ignores case the longest part that only
// ASCII can match: k and s also have forms elsewhere in Unicode. A line break
// isn't in any line.
func literalNeedle(s string, fold bool) needle {
	if strings.ContainsAny(s, "\n\r") || !utf8.ValidString(s) {
		return needle{}
	}
	if !fold {
		return needle{[]string{s}, false}
	}
	best := ""
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if best == "" {
		return needle{}
	}
	return needle{[]string{lowerASCII(best)}, true}
}

// haystack is a text prepared for looking for n.
func (n needle) haystack(text string) string {
	if n.fold {
		return lowerASCII(text)
	}
	return text
}

// sight finds needles in a haystack from front to back; it remembers where each
// was seen next, so that no part is searched twice for the same one.
type sight struct {
	needle
	stack string
	next  []int
}

func (n needle) in(text string) *sight {
	return &sight{n, n.haystack(text), make([]int, len(n.texts))}
}

// after returns the first place at from or later, -1 for none. Calls go
// forward: from never shrinks.
func (s *sight) after(from int) int {
	first := -1
	for k, text := range s.texts {
		if at := s.next[k]; at >= 0 && (at < from || from == 0) {
			if s.next[k] = strings.Index(s.stack[from:], text); s.next[k] >= 0 {
				s.next[k] += from
			}
		}
		if at := s.next[k]; at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// lowerASCII keeps every offset, which strings.ToLower doesn't.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
