package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed ls.md
var lsDoc string

type lsArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"The folder; the working directory by default."`
	Limit int    `json:"limit,omitempty" jsonschema:"Most entries to list; 500 by default, at most 5000."`
}

// Ls returns the tool that lists a folder.
func Ls() tool.Tool {
	return tool.New(tool.Spec{
		Name: "ls", Label: "List", Kind: tool.Search,
		Description: lsDoc, Summary: "list a folder",
	}, ls, tool.Described(describeLs))
}

func describeLs(_ context.Context, c tool.Call, a lsArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	return t.describe(tool.Search, "List "+t.shown, 0, false), nil
}

func ls(ctx context.Context, c tool.Call, a lsArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	info, err := c.Env.Workspace.Stat(ctx, t.abs)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	if !info.IsDir() {
		return tool.Result{}, fmt.Errorf("%s is a file; look at it with read", t.shown)
	}
	entries, err := c.Env.Workspace.ReadDir(ctx, t.abs)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	l := listing{limit: limit(a.Limit, defaultListed, maxListed)}
	for _, e := range entries {
		if !l.add(e.Name(), e) {
			break
		}
	}
	text := l.text(fmt.Sprintf("The folder has %d entries; find takes a pattern.", len(entries)))
	if len(entries) == 0 {
		text = fmt.Sprintf("[%s is an empty folder]", t.shown)
	}
	return result(text, listDetails{t.abs, l.count, l.full}), nil
}
