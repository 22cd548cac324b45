package ignore

import (
	"bytes"
	"strings"
)

// rule is one line of an ignore file. base is the folder of that file,
// relative to the tree's top, "" for the top itself.
type rule struct {
	base     string
	negated  bool
	dirOnly  bool
	baseName bool // no slash in the pattern: compared with the last component

	// The pattern is prefix, compared as it is, followed by rest. Most rules
	// are a prefix alone, or a star and a literal suffix: no glob is run then.
	prefix string
	suffix string // with star
	star   bool
	rest   *glob
}

// parse reads an ignore file as git does: comments, blank lines, trailing
// spaces unless escaped, a byte order mark, CRLF.
func parse(data []byte, base string) []rule {
	var rules []rule
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if r, ok := parseLine(trimSpaces(string(line)), base); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// trimSpaces cuts trailing spaces that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
		case '\\':
			i++
			if i == len(s) {
				return s
			}
			end = i + 1
		default:
			end = i + 1
		}
	}
	return s[:end]
}

func parseLine(p, base string) (rule, bool) {
	r := rule{base: base}
	if p, r.negated = strings.CutPrefix(p, "!"); p == "" {
		return r, false
	}
	p, r.dirOnly = strings.CutSuffix(p, "/")
	r.baseName = !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	special := strings.IndexAny(p, `*?[\`)
	switch {
	case special < 0:
		r.prefix = p
	case special == 0 && p[0] == '*' && r.baseName && !strings.ContainsAny(p[1:], `*?[\`):
		r.star, r.suffix = true, p[1:]
	default:
		// git compares what stands before the first wildcard and then sees the
		// rest as a pattern of its own: a** therefore begins like **.
		if r.baseName {
			special = 0
		}
		r.prefix = p[:special]
		g := compileGlob(widen(p[special:]), !r.baseName, true)
		r.rest = &g
	}
	return r, true
}

// matches reports whether the rule names the path, which is relative to the
// tree's top.
func (r *rule) matches(path string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	name := path
	if r.base != "" {
		below, ok := strings.CutPrefix(path, r.base)
		if !ok || below == "" || below[0] != '/' {
			return false
		}
		name = below[1:]
	}
	if r.baseName {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	if r.star {
		return strings.HasSuffix(name, r.suffix)
	}
	rest, ok := strings.CutPrefix(name, r.prefix)
	if !ok {
		return false
	}
	if r.rest == nil {
		return rest == ""
	}
	return r.rest.match(widen(rest), !r.baseName)
}

// widen makes each byte a rune: git's patterns work on bytes.
func widen(s string) []rune {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return out
}

// ruleset is a chain of rules: those of one folder over those of its parents.
type ruleset struct {
	parent *ruleset
	rules  []rule
}

// ignored gives the last word to the last rule of the deepest file.
func (s *ruleset) ignored(path string, dir bool) bool {
	for ; s != nil; s = s.parent {
		for i := len(s.rules) - 1; i >= 0; i-- {
			if s.rules[i].matches(path, dir) {
				return !s.rules[i].negated
			}
		}
	}
	return false
}
