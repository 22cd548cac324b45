package ignore

import (
	"slices"
	"strings"
)

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
