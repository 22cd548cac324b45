package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/internal/ignore"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

//go:embed find.md
var findDoc string

// Bounds of what find and ls list.
const (
	defaultListed = 500
	maxListed     = 5000
)

type findArgs struct {
	Pattern string `json:"pattern" jsonschema:"A glob: *.go, src/**/*.ts, **/test/*.{js,ts}."`
	Path    string `json:"path,omitempty" jsonschema:"Folder to search; the working directory by default."`
	Limit   int    `json:"limit,omitempty" jsonschema:"Most paths to list; 500 by default, at most 5000."`
}

type listDetails struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
	Cut   bool   `json:"truncated,omitempty"`
}

// Find returns the tool that finds files and folders by name.
func Find() tool.Tool {
	return tool.New(tool.Spec{
		Name: "find", Label: "Find", Kind: tool.Search,
		Description: findDoc, Summary: "find files by name",
	}, findFiles, tool.Described(describeFind))
}

func describeFind(_ context.Context, c tool.Call, a findArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	return t.describe(tool.Search, fmt.Sprintf("Find %s in %s", shown(tool.Line(a.Pattern, 100)), t.shown), 0, false), nil
}

func findFiles(ctx context.Context, c tool.Call, a findArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	glob, err := ignore.CompileGlob(a.Pattern)
	if err != nil {
		return tool.Result{}, fmt.Errorf("pattern %q: %w", tool.Line(a.Pattern, 200), err)
	}
	info, err := c.Env.Workspace.Stat(ctx, t.abs)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	if !info.IsDir() {
		return tool.Result{}, fmt.Errorf("%s is a file; give the folder to search", t.shown)
	}
	l := listing{limit: limit(a.Limit, defaultListed, maxListed)}
	complete, err := ignore.Walker{FS: c.Env.Workspace, Root: t.abs}.Walk(ctx, func(e ignore.Entry) error {
		if glob.Match(e.Rel) && !l.add(workspace.Display(c.Env.Workspace, e.Path), e) {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	text := l.text("Narrow the pattern or path, or raise limit.")
	if l.count == 0 {
		text = fmt.Sprintf("Nothing in %s matches %s.", t.shown, shown(tool.Line(a.Pattern, 200)))
		if !strings.ContainsAny(a.Pattern, "*?[{") {
			text += fmt.Sprintf(" A name without wildcards must match whole: try *%s*.", shown(tool.Line(a.Pattern, 200)))
		}
	}
	if !complete {
		text += "\n[The tree is too large: not all of it was searched. Give a path.]"
	}
	return result(text, listDetails{t.abs, l.count, l.full}), nil
}

// limit is what a model asked for within bounds; one that asks for too much
// gets the most there is.
func limit(asked, byDefault, most int) int {
	if asked <= 0 {
		return byDefault
	}
	return min(asked, most)
}

// listing is a bounded list of names.
type listing struct {
	body  strings.Builder
	limit int
	count int
	full  bool
}

// add appends an entry, marking folders with / and links with @. It returns
// false when the list is full.
func (l *listing) add(name string, e fs.DirEntry) bool {
	if l.count == l.limit || l.body.Len() > tool.MaxBytes {
		l.full = true
		return false
	}
	mark := ""
	switch {
	case e.IsDir():
		mark = "/"
	case e.Type()&fs.ModeSymlink != 0:
		mark = "@"
	}
	fmt.Fprintf(&l.body, "%s%s\n", shown(name), mark)
	l.count++
	return true
}

func (l *listing) text(more string) string {
	if l.full {
		return fmt.Sprintf("%s[There is more: shown are the first %d. %s]", l.body.String(), l.count, more)
	}
	return l.body.String()
}
