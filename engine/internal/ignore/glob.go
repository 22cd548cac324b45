package ignore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// glob is a compiled wildcard pattern. Matching tracks the set of tokens that
// could come next, so its time is bounded by tokens times characters whatever
// the pattern: patterns are hostile.
//
// Patterns and texts are runes. Ignore rules widen bytes to runes, because git
// compares bytes; globs of the model use characters.
type glob struct {
	tokens []token
	never  bool // the pattern is malformed: it matches nothing
}

type tokenKind uint8

const (
	literal tokenKind = iota // one given character
	any1                     // one character
	set                      // one character of a class
	star                     // any run without a slash
	deep                     // any run
	dirs                     // nothing, or any run that ends in a slash
)

type token struct {
	kind  tokenKind
	r     rune
	class *class
}

// compileGlob reads a pattern. In a path pattern, * ? and classes don't match
// a slash, and ** spans folders where it stands for whole components; atStart
// tells that the pattern's first character begins a component.
func compileGlob(p []rune, path, atStart bool) glob {
	var g glob
	for i := 0; i < len(p); {
		switch p[i] {
		case '\\':
			if i+1 == len(p) {
				return glob{never: true}
			}
			g.tokens = append(g.tokens, token{kind: literal, r: p[i+1]})
			i += 2
		case '?':
			g.tokens = append(g.tokens, token{kind: any1})
			i++
		case '[':
			c, n := parseClass(p[i:])
			if n == 0 {
				return glob{never: true}
			}
			g.tokens = append(g.tokens, token{kind: set, class: c})
			i += n
		case '*':
			n := 1
			for i+n < len(p) && p[i+n] == '*' {
				n++
			}
			begins := i == 0 && atStart || i > 0 && p[i-1] == '/'
			kind, extra := stars(p[i+n:], n, path, begins)
			g.tokens = append(g.tokens, token{kind: kind})
			i += n + extra
		default:
			g.tokens = append(g.tokens, token{kind: literal, r: p[i]})
			i++
		}
	}
	return g
}

// stars decides what n stars before rest mean and how much of rest they take.
func stars(rest []rune, n int, path, begins bool) (kind tokenKind, taken int) {
	switch {
	case !path:
		return deep, 0
	case n < 2 || !begins:
		return star, 0
	case len(rest) == 0:
		return deep, 0
	case rest[0] == '/':
		return dirs, 1
	case len(rest) > 1 && rest[0] == '\\' && rest[1] == '/':
		return deep, 0
	}
	return star, 0
}

func (g glob) match(text []rune, path bool) bool {
	if g.never {
		return false
	}
	now := make([]bool, len(g.tokens)+1)
	next := make([]bool, len(g.tokens)+1)
	now[0] = true
	g.skip(now, true)
	for _, r := range text {
		clear(next)
		alive := false
		for i, t := range g.tokens {
			if !now[i] {
				continue
			}
			switch to := i + 1; {
			case t.kind == literal && t.r == r,
				t.kind == any1 && !(path && r == '/'),
				t.kind == set && !(path && r == '/') && t.class.has(r):
				next[to], alive = true, true
			case t.kind == star && r != '/', t.kind == deep, t.kind == dirs:
				next[i], alive = true, true
			}
		}
		if !alive {
			return false
		}
		g.skip(next, r == '/')
		now, next = next, now
	}
	return now[len(g.tokens)]
}

// skip marks what can follow without another character. dirs may end only
// where it began or behind a slash.
func (g glob) skip(now []bool, afterSlash bool) {
	for i, t := range g.tokens {
		if now[i] && (t.kind == star || t.kind == deep || t.kind == dirs && afterSlash) {
			now[i+1] = true
		}
	}
}

// class is a bracket expression.
type class struct {
	negated bool
	ranges  [][2]rune
	named   []func(rune) bool
}

func (c *class) has(r rune) bool {
	in := slices.ContainsFunc(c.ranges, func(x [2]rune) bool { return x[0] <= r && r <= x[1] }) ||
		slices.ContainsFunc(c.named, func(f func(rune) bool) bool { return f(r) })
	return in != c.negated
}

// parseClass reads the bracket expression at the start of p and returns its
// length, 0 when it is malformed.
func parseClass(p []rune) (*class, int) {
	c := &class{}
	i := 1
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		c.negated = true
		i++
	}
	previous, ranging := rune(0), false // ranging: previous can begin a range
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		if p[i] == ']' && !first {
			return c, i + 1
		}
		switch {
		case p[i] == '-' && ranging && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				i++
			}
			if i >= len(p) {
				return nil, 0
			}
			c.ranges = append(c.ranges, [2]rune{previous, p[i]})
			i++
			ranging = false
			continue
		case p[i] == '[' && i+1 < len(p) && p[i+1] == ':':
			end := slices.Index(p[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			if name := string(p[i+2 : i+2+end]); strings.HasSuffix(name, ":") {
				f := named(strings.TrimSuffix(name, ":"))
				if f == nil {
					return nil, 0
				}
				c.named = append(c.named, f)
				i += end + 3
				ranging = false
				continue
			}
		case p[i] == '\\':
			i++
			if i >= len(p) {
				return nil, 0
			}
		}
		c.ranges = append(c.ranges, [2]rune{p[i], p[i]})
		previous, ranging = p[i], true
		i++
	}
}

// named returns the POSIX class of that name for ASCII, nil if there is none.
func named(name string) func(rune) bool {
	lower := func(r rune) bool { return 'a' <= r && r <= 'z' }
	upper := func(r rune) bool { return 'A' <= r && r <= 'Z' }
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	graph := func(r rune) bool { return ' ' < r && r < 0x7f }
	switch name {
	case "lower":
		return lower
	case "upper":
		return upper
	case "digit":
		return digit
	case "graph":
		return graph
	case "alpha":
		return func(r rune) bool { return lower(r) || upper(r) }
	case "alnum":
		return func(r rune) bool { return lower(r) || upper(r) || digit(r) }
	case "punct":
		return func(r rune) bool { return graph(r) && !lower(r) && !upper(r) && !digit(r) }
	case "print":
		return func(r rune) bool { return graph(r) || r == ' ' }
	case "blank":
		return func(r rune) bool { return r == ' ' || r == '\t' }
	case "space":
		return func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }
	case "cntrl":
		return func(r rune) bool { return r < ' ' || r == 0x7f }
	case "xdigit":
		return func(r rune) bool { return digit(r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' }
	}
	return nil
}

// Glob is a file pattern as people and models write it: * and ? within one
// path component, ** across folders, [a-z], {a,b}. A pattern without a slash
// is compared with the base name, one with a slash with the whole path.
type Glob struct {
	choices []choice
}

type choice struct {
	glob glob
	path bool
}

// Bounds of a Glob: bytes of its pattern, and patterns that its braces stand
// for.
const (
	maxPattern = 4096
	maxChoices = 256
)

// CompileGlob reads a pattern. A leading "/" or "./" anchors it.
func CompileGlob(pattern string) (*Glob, error) {
	if strings.TrimSpace(pattern) == "" {
		return nil, errors.New("the pattern is empty")
	}
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern has %d bytes, the limit is %d", len(pattern), maxPattern)
	}
	expanded, ok := braces(pattern, nil)
	if !ok {
		return nil, errors.New("the pattern's braces stand for too many patterns")
	}
	g := &Glob{}
	for _, p := range expanded {
		path := strings.Contains(p, "/")
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		compiled := compileGlob([]rune(p), path, true)
		if compiled.never {
			return nil, errors.New(`the pattern has an unfinished [ or \ in it; write \[ for the character itself`)
		}
		g.choices = append(g.choices, choice{compiled, path})
	}
	return g, nil
}

// Match reports whether the glob matches a path with slashes, relative to the
// folder that the glob belongs to.
func (g *Glob) Match(rel string) bool {
	base := []rune(rel[strings.LastIndexByte(rel, '/')+1:])
	whole := []rune(rel)
	for _, c := range g.choices {
		text := base
		if c.path {
			text = whole
		}
		if c.glob.match(text, true) {
			return true
		}
	}
	return false
}

// braces expands the first {a,b} of p and, recursively, the rest; braces
// without a comma or a partner stand for themselves.
func braces(p string, out []string) ([]string, bool) {
	open, parts, rest := splitBraces(p)
	if parts == nil {
		if len(out) == maxChoices {
			return nil, false
		}
		return append(out, p), true
	}
	for _, part := range parts {
		var ok bool
		if out, ok = braces(p[:open]+part+rest, out); !ok {
			return nil, false
		}
	}
	return out, true
}

func splitBraces(p string) (open int, parts []string, rest string) {
	for open = 0; open < len(p); open++ {
		if p[open] == '\\' {
			open++
			continue
		}
		if p[open] != '{' {
			continue
		}
		depth, start := 0, open+1
		var found []string
		for i := open; i < len(p); i++ {
			switch p[i] {
			case '\\':
				i++
			case '{':
				depth++
			case ',':
				if depth == 1 {
					found = append(found, p[start:i])
					start = i + 1
				}
			case '}':
				if depth--; depth == 0 {
					if found == nil {
						i = len(p) // {a}: literal
						break
					}
					return open, append(found, p[start:i]), p[i+1:]
				}
			}
		}
	}
	return 0, nil, ""
}
