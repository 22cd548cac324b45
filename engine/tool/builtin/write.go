package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed write.md
var writeDoc string

type writeArgs struct {
	Path    string `json:"path" jsonschema:"The file, relative to the working directory or absolute."`
	Content string `json:"content" jsonschema:"The whole new content."`
}

// Write returns the tool that makes a file or replaces a whole one.
func Write() tool.Tool {
	path := func(a writeArgs) string { return a.Path }
	return tool.New(tool.Spec{
		Name: "write", Label: "Write", Kind: tool.Edit,
		Description: writeDoc, Summary: "create a file or replace a whole one",
	}, write, tool.Described(describeWrite), tool.Previewed(previewed(planWrite, path)))
}

func describeWrite(_ context.Context, c tool.Call, a writeArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	return t.describe(tool.Edit, "Write "+t.shown, 0, true), nil
}

// plan is a change with the bytes that make it.
type plan struct {
	change change
	data   []byte
	done   string // what the model is told afterwards
}

func write(ctx context.Context, c tool.Call, a writeArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer c.Env.Files.Lock(t.abs)()
	p, err := planWrite(ctx, c, t, a)
	if err != nil {
		return tool.Result{}, err
	}
	return p.carryOut(ctx, c, t)
}

// planWrite keeps the byte order mark and CRLF line endings of a file that is
// replaced: read doesn't show them, so the model can't mean to change them.
func planWrite(ctx context.Context, c tool.Call, t target, a writeArgs) (plan, error) {
	old, err := c.Env.Workspace.ReadFile(ctx, t.abs, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		ch := compare(t, "", a.Content)
		ch.Created = true
		return plan{ch, []byte(a.Content), fmt.Sprintf("Created %s (%s).", t.shown, lineCount(a.Content))}, nil
	}
	if err != nil {
		if info, statErr := c.Env.Workspace.Stat(ctx, t.abs); statErr == nil && info.IsDir() {
			return plan{}, fmt.Errorf("%s is a folder; name a file in it", t.shown)
		}
		return plan{}, t.explain(ctx, c, err)
	}
	if changed, _ := c.Env.Files.Changed(t.abs, old); changed {
		return plan{}, errChanged(t)
	}
	text, e, err := decodeText(old)
	if err != nil { // binary: replaced as it is
		return plan{compare(t, "", a.Content), []byte(a.Content), fmt.Sprintf("Replaced %s (%s).", t.shown, lineCount(a.Content))}, nil
	}
	content := strings.TrimPrefix(a.Content, "\ufeff")
	if crlf(text) {
		content = withEndings(content, true)
	}
	ch := compare(t, text, content)
	done := fmt.Sprintf("Replaced %s (%s, %s).", t.shown, lineCount(content), ch.counts())
	if content == text {
		done = t.shown + " already has this content."
	}
	return plan{ch, e.encode(content), done}, nil
}

// carryOut writes the planned bytes and remembers them.
func (p plan) carryOut(ctx context.Context, c tool.Call, t target) (tool.Result, error) {
	if err := c.Env.Workspace.WriteFile(ctx, t.abs, p.data); err != nil {
		return tool.Result{}, err
	}
	c.Env.Files.Record(t.abs, p.data)
	return result(p.done, p.change.kept()), nil
}

func lineCount(text string) string {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
