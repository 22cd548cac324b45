package ignore

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
