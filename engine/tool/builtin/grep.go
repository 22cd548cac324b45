package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/internal/ignore"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed grep.md
var grepDoc string

// Bounds of one search.
const (
	defaultMatches = 100
	maxMatchLimit  = 1000
	maxContext     = 20
	maxGrepFile    = 16 << 20 // bytes of a file that is searched
	maxGrepLine    = 400      // characters shown of a line
)

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"A regular expression (RE2), matched line by line."`
	Path       string `json:"path,omitempty" jsonschema:"Folder or file to search; the working directory by default."`
	Glob       string `json:"glob,omitempty" jsonschema:"Only files that match, such as *.go or src/**/*.{ts,tsx}."`
	IgnoreCase bool   `json:"ignoreCase,omitempty" jsonschema:"Take upper and lower case for the same."`
	Literal    bool   `json:"literal,omitempty" jsonschema:"Take the pattern as plain text."`
	Context    int    `json:"context,omitempty" jsonschema:"Lines to show before and after each match; at most 20."`
	Limit      int    `json:"limit,omitempty" jsonschema:"Most matches to show; 100 by default, at most 1000."`
}

// Grep returns the tool that searches the content of files.
func Grep() tool.Tool {
	return tool.New(tool.Spec{
		Name: "grep", Label: "Grep", Kind: tool.Search,
		Description: grepDoc, Summary: "search the content of files",
	}, grep, tool.Described(describeGrep))
}

func describeGrep(_ context.Context, c tool.Call, a grepArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	return t.describe(tool.Search, fmt.Sprintf("Search for %q in %s", tool.Line(a.Pattern, 100), t.shown), 0, false), nil
}

type grepDetails struct {
	Path    string `json:"path"`
	Matches int    `json:"matches"`
	Files   int    `json:"files"`
	Cut     bool   `json:"truncated,omitempty"`
}

func grep(ctx context.Context, c tool.Call, a grepArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	s := lineSearch{call: c, context: max(0, min(a.Context, maxContext)), limit: limit(a.Limit, defaultMatches, maxMatchLimit)}
	if s.pattern, err = a.compile(); err != nil {
		return tool.Result{}, err
	}
	s.needle = needleOf(s.pattern.String())
	if a.Glob != "" {
		if s.glob, err = ignore.CompileGlob(a.Glob); err != nil {
			return tool.Result{}, fmt.Errorf("glob %q: %w", a.Glob, err)
		}
	}
	info, err := c.Env.Workspace.Stat(ctx, t.abs)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	var found findings
	if info.IsDir() {
		found, err = s.tree(ctx, t)
	} else {
		found, err = s.one(ctx, t)
	}
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	return result(found.text(a, t), grepDetails{t.abs, found.matches, found.files, found.full}), nil
}

// compile makes ^ and $ work line by line.
func (a grepArgs) compile() (*regexp.Regexp, error) {
	p := a.Pattern
	if a.Literal {
		p = regexp.QuoteMeta(p)
	}
	flags := "m"
	if a.IgnoreCase {
		flags += "i"
	}
	re, err := regexp.Compile("(?" + flags + ")" + p)
	if err != nil {
		return nil, fmt.Errorf("pattern %q is not a regular expression of RE2 (%w); set literal to search for it as it is", tool.Line(a.Pattern, 200), err)
	}
	return re, nil
}

// findings collect what a search found.
type findings struct {
	body    strings.Builder
	matches int
	files   int
	full    bool // a limit ended the search
	partial bool // the tree is too large to be walked whole
	skipped int  // files that are too large or can't be read
	held    int  // files that the user's rules withhold
}

func (r *findings) text(a grepArgs, t target) string {
	var notes []string
	if r.full {
		notes = append(notes, fmt.Sprintf("[There is more: shown are the first %d matches. Narrow the pattern, path or glob, or raise limit.]", r.matches))
	}
	if r.partial {
		notes = append(notes, "[The tree is too large: not all of it was searched. Give a path.]")
	}
	if r.skipped > 0 {
		notes = append(notes, fmt.Sprintf("[%d files couldn't be searched: unreadable, or over %s.]", r.skipped, tool.Size(maxGrepFile)))
	}
	if r.held > 0 {
		notes = append(notes, fmt.Sprintf("[Not searched, by the user's rules: %d files. One that is named as path is asked about.]", r.held))
	}
	if r.matches == 0 {
		where := t.shown
		if a.Glob != "" {
			where += " (" + a.Glob + ")"
		}
		notes = append([]string{fmt.Sprintf("No matches for %q in %s.", tool.Line(a.Pattern, 200), where)}, notes...)
	}
	return r.body.String() + strings.Join(notes, "\n")
}
