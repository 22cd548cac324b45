package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/internal/ignore"
)

// Source is what a delta belongs to.
type Source int

// The sources.
const (
	Text Source = iota
	Thinking
	Tool
)

func (s Source) String() string { return [...]string{"text", "thinking", "tool"}[s] }

// scope is a place where a rule's conditions count.
type scope struct {
	source Source
	tool   string // a tool's name in lower case; "" is any
	glob   *glob  // of a path among the arguments; nil is any
}

// glob is a file pattern. One that begins with a slash is about full paths,
// any other about paths as seen from the working folder.
type glob struct {
	*ignore.Glob
	full bool
}

func compileGlob(pattern string) (*glob, error) {
	g, err := ignore.CompileGlob(pattern)
	return &glob{g, strings.HasPrefix(pattern, "/")}, err
}

// file is a path among the arguments of a call.
type file struct{ full, rel string }

func (g *glob) matches(files []file) bool {
	return slices.ContainsFunc(files, func(f file) bool {
		if g.full {
			return g.Match(f.full)
		}
		return g.Match(f.rel)
	})
}

// parseScope reads "text", "thinking", "tool" or "toolcall", "tool:name" or
// "name"; a glob in parentheses may follow what is about tools.
func parseScope(text string) (scope, error) {
	name, pattern, hasGlob := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.ToLower(strings.TrimSpace(name))
	s := scope{source: Tool}
	switch name {
	case "text":
		s.source = Text
	case "thinking":
		s.source = Thinking
	case "tool", "toolcall":
	default:
		s.tool = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "toolcall:"), "tool:"))
		if s.tool == "" || strings.ContainsAny(s.tool, " \t\n)*\"'") {
			return scope{}, fmt.Errorf("unknown scope %s: use text, thinking, tool, tool:name or tool:name(*.go)", brief(text))
		}
	}
	if !hasGlob {
		return s, nil
	}
	pattern, closed := strings.CutSuffix(strings.TrimSpace(pattern), ")")
	if !closed || s.source != Tool {
		return scope{}, fmt.Errorf("scope %s: a file pattern stands in parentheses behind a tool", brief(text))
	}
	var err error
	if s.glob, err = compileGlob(strings.TrimSpace(pattern)); err != nil {
		return scope{}, fmt.Errorf("scope %s: %w", brief(text), err)
	}
	return s, nil
}

// watches reports whether any scope is about a source and, for Tool, a tool.
func (c *compiled) watches(source Source, tool string) bool {
	return slices.ContainsFunc(c.scopes, func(s scope) bool {
		return s.source == source && (s.tool == "" || s.tool == tool)
	})
}

// allows reports whether a tool call with these files is one that the rule is
// about.
func (c *compiled) allows(tool string, files []file) bool {
	if len(c.globs) > 0 && !slices.ContainsFunc(c.globs, func(g *glob) bool { return g.matches(files) }) {
		return false
	}
	return slices.ContainsFunc(c.scopes, func(s scope) bool {
		return s.source == Tool && (s.tool == "" || s.tool == tool) && (s.glob == nil || s.glob.matches(files))
	})
}
