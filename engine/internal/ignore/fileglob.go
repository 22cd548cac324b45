package ignore

import (
	"errors"
	"fmt"
	"strings"
)

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
