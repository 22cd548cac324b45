package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/picture"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed read.md
var readDoc string

type readArgs struct {
	Path   string `json:"path" jsonschema:"The file, relative to the working directory or absolute."`
	Offset int    `json:"offset,omitempty" jsonschema:"First line to read, counted from 1."`
	Limit  int    `json:"limit,omitempty" jsonschema:"How many lines to read."`
}

// Read returns the tool that shows a text file or an image.
func Read() tool.Tool {
	return tool.New(tool.Spec{
		Name: "read", Label: "Read", Kind: tool.Read,
		Description: readDoc, Summary: "read a text file or an image",
	}, read, tool.Described(describeRead))
}

func describeRead(_ context.Context, c tool.Call, a readArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	title := "Read " + t.shown
	switch {
	case a.Offset > 0 && a.Limit > 0:
		title += fmt.Sprintf(" lines %d-%d", a.Offset, a.Offset+a.Limit-1)
	case a.Offset > 0:
		title += fmt.Sprintf(" from line %d", a.Offset)
	case a.Limit > 0:
		title += fmt.Sprintf(" lines 1-%d", a.Limit)
	}
	return t.describe(tool.Read, title, max(a.Offset, 0), false), nil
}

func read(ctx context.Context, c tool.Call, a readArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	info, err := c.Env.Workspace.Stat(ctx, t.abs)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	if info.IsDir() {
		return tool.Result{}, fmt.Errorf("%s is a folder; list it with ls", t.shown)
	}
	data, err := readRecorded(ctx, c, t)
	if err != nil {
		return tool.Result{}, t.explain(ctx, c, err)
	}
	if kind := picture.Kind(data); kind != "" {
		return readImage(ctx, c, t, data, kind)
	}
	text, _, err := decodeText(data)
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s (%s) is %w; look at it with bash (file, xxd, strings)", t.shown, tool.Size(int64(len(data))), err)
	}
	return readText(t, text, a)
}

// readRecorded reads a file and notes its content, with no edit in between.
func readRecorded(ctx context.Context, c tool.Call, t target) ([]byte, error) {
	defer c.Env.Files.Lock(t.abs)()
	data, err := c.Env.Workspace.ReadFile(ctx, t.abs, maxFile)
	if err == nil {
		c.Env.Files.Record(t.abs, data)
	}
	return data, err
}

type readDetails struct {
	Path       string `json:"path"`
	FirstLine  int    `json:"firstLine"`
	Lines      int    `json:"lines"`
	TotalLines int    `json:"totalLines"`
}

func readText(t target, text string, a readArgs) (tool.Result, error) {
	if text == "" {
		return result(fmt.Sprintf("[%s is empty]", t.shown), readDetails{Path: t.abs}), nil
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\ufffd")
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	total, first := len(lines), max(a.Offset, 1)
	if first > total {
		return tool.Result{}, fmt.Errorf("%s has %d lines; offset %d is past the end", t.shown, total, first)
	}
	lines = lines[first-1:]
	if a.Limit > 0 && a.Limit < len(lines) {
		lines = lines[:a.Limit]
	}
	lines = lines[:min(len(lines), tool.MaxLines)]
	kept := &strings.Builder{}
	n := 0
	for _, line := range lines {
		line = shorten(line)
		if n > 0 && kept.Len()+len(line) > tool.MaxBytes {
			break
		}
		kept.WriteString(line)
		n++
	}
	last := first + n - 1
	if last < total {
		fmt.Fprintf(kept, "\n[Lines %d-%d of %d. To read on, use offset %d.]", first, last, total, last+1)
	}
	return result(kept.String(), readDetails{t.abs, first, n, total}), nil
}

// shorten cuts a line that is too long for a model, keeping its end of line.
func shorten(line string) string {
	if len(line) <= tool.MaxLineRunes {
		return line
	}
	body, ended := strings.CutSuffix(line, "\n")
	body = tool.Line(body, tool.MaxLineRunes)
	if ended {
		body += "\n"
	}
	return body
}

// textOf returns a file's content as text; file names it in the error.
func textOf(t target, data []byte) (string, encoding, error) {
	text, e, err := decodeText(data)
	if err != nil {
		return "", e, fmt.Errorf("%s is %w and can't be edited as text", t.shown, err)
	}
	return text, e, nil
}

// errChanged tells the model to look again before it overwrites foreign work.
func errChanged(t target) error {
	return errors.New(t.shown + " has changed since you read it; nothing was written. Read it again, then repeat the change")
}
