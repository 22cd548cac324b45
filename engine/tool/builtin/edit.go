package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed edit.md
var editDoc string

type replacement struct {
	OldText    string `json:"oldText" jsonschema:"The text to replace, as it is in the file; enough of it to be unique."`
	NewText    string `json:"newText" jsonschema:"What comes in its place; empty to delete."`
	ReplaceAll bool   `json:"replaceAll,omitempty" jsonschema:"Replace every occurrence."`
}

type editArgs struct {
	Path       string        `json:"path" jsonschema:"The file, relative to the working directory or absolute."`
	OldText    *string       `json:"oldText,omitempty" jsonschema:"The text to replace; for one replacement."`
	NewText    *string       `json:"newText,omitempty" jsonschema:"What comes in its place; empty to delete."`
	ReplaceAll bool          `json:"replaceAll,omitempty" jsonschema:"Replace every occurrence of oldText."`
	Edits      []replacement `json:"edits,omitempty" jsonschema:"Several replacements, made together."`
}

// Edit returns the tool that replaces parts of a file.
func Edit() tool.Tool {
	path := func(a editArgs) string { return a.Path }
	return tool.New(tool.Spec{
		Name: "edit", Label: "Edit", Kind: tool.Edit,
		Description: editDoc, Summary: "replace exact pieces of a file",
	}, edit, tool.Described(describeEdit), tool.Previewed(previewed(planEdit, path)))
}

// describeEdit doesn't read the file: permission is asked for the path, and
// the preview has the lines.
func describeEdit(_ context.Context, c tool.Call, a editArgs) (tool.Description, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Description{}, err
	}
	return t.describe(tool.Edit, "Edit "+t.shown, 0, true), nil
}

func edit(ctx context.Context, c tool.Call, a editArgs) (tool.Result, error) {
	t, err := resolve(c, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer c.Env.Files.Lock(t.abs)()
	p, err := planEdit(ctx, c, t, a)
	if err != nil {
		return tool.Result{}, err
	}
	return p.carryOut(ctx, c, t)
}

func planEdit(ctx context.Context, c tool.Call, t target, a editArgs) (plan, error) {
	edits, err := a.replacements()
	if err != nil {
		return plan{}, err
	}
	data, err := c.Env.Workspace.ReadFile(ctx, t.abs, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plan{}, fmt.Errorf("%w. To make a new file use write", t.explain(ctx, c, err))
	case err != nil:
		return plan{}, t.explain(ctx, c, err)
	}
	if changed, _ := c.Env.Files.Changed(t.abs, data); changed {
		return plan{}, errChanged(t)
	}
	text, e, err := textOf(t, data)
	if err != nil {
		return plan{}, err
	}
	regions, err := locate(t, text, edits)
	if err != nil {
		return plan{}, err
	}
	edited := apply(text, regions)
	if edited == text {
		return plan{}, fmt.Errorf("%s would not change: the new text is what is already there", t.shown)
	}
	ch := compare(t, text, edited)
	done := fmt.Sprintf("Edited %s: %d replacements, %s lines, first at line %d.", t.shown, len(regions), ch.counts(), ch.FirstChanged)
	if len(regions) == 1 {
		done = fmt.Sprintf("Edited %s at line %d (%s lines).", t.shown, ch.FirstChanged, ch.counts())
	}
	return plan{ch, e.encode(edited), done}, nil
}

// replacements joins both forms of the arguments.
func (a editArgs) replacements() ([]replacement, error) {
	edits := slices.Clone(a.Edits)
	switch {
	case a.OldText != nil && a.NewText != nil:
		edits = append([]replacement{{*a.OldText, *a.NewText, a.ReplaceAll}}, edits...)
	case a.OldText != nil || a.NewText != nil:
		return nil, errors.New("oldText and newText belong together: give both, or use edits")
	case len(edits) == 0:
		return nil, errors.New("nothing to replace: give oldText and newText, or edits")
	}
	for i, e := range edits {
		switch {
		case e.OldText == "":
			return nil, fmt.Errorf("%soldText is empty: give the text to replace, or use write for the whole file", which(i, edits))
		case e.OldText == e.NewText:
			return nil, fmt.Errorf("%soldText and newText are the same", which(i, edits))
		}
	}
	return edits, nil
}

// locate finds the regions of all edits in the text as it is now. One that
// isn't found, isn't unique or overlaps another fails them all.
func locate(t target, text string, edits []replacement) ([]region, error) {
	type place struct {
		match
		edit int
	}
	var places []place
	var regions []region
	var problems []string
	for i, e := range edits {
		f := find(text, e.OldText, e.ReplaceAll)
		switch n := len(f.matches); {
		case n == 0:
			problems = append(problems, which(i, edits)+notFound(t, text, e))
			continue
		case n > 1 && !e.ReplaceAll:
			problems = append(problems, which(i, edits)+ambiguous(t, text, f.matches))
			continue
		case n == maxMatches:
			problems = append(problems, fmt.Sprintf("%soldText is in %s more than %d times: use bash for a change this big", which(i, edits), t.shown, maxMatches))
			continue
		}
		for _, m := range f.matches {
			places = append(places, place{m, i})
			regions = append(regions, f.replace(text, m, e.OldText, e.NewText))
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(places); i++ {
		if a, b := places[i-1], places[i]; b.start < a.end {
			problems = append(problems, fmt.Sprintf("edits %d and %d overlap at line %d: make one edit of them", a.edit+1, b.edit+1, lineAt(text, b.start)))
		}
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "\n\n") + "\n\nNothing was changed.")
	}
	return regions, nil
}

// which names one edit of several.
func which(i int, edits []replacement) string {
	if len(edits) == 1 {
		return ""
	}
	return fmt.Sprintf("edit %d: ", i+1)
}

func notFound(t target, text string, e replacement) string {
	s := "oldText is not in " + t.shown + "."
	if e.NewText != "" {
		if f := find(text, e.NewText, false); len(f.matches) == 1 {
			s += fmt.Sprintf(" newText is, at line %d: was this edit already made?", lineAt(text, f.matches[0].start))
		}
	}
	if near := candidate(text, e.OldText); near != "" {
		s += " " + near
	}
	return s
}

func ambiguous(t target, text string, matches []match) string {
	const named = 10
	var lines []string
	for _, m := range matches[:min(named, len(matches))] {
		lines = append(lines, fmt.Sprint(lineAt(text, m.start)))
	}
	if len(matches) > named {
		lines = append(lines, "...")
	}
	return fmt.Sprintf("oldText is in %s %d times (lines %s). Give more of the text around it to make it unique, or set replaceAll.",
		t.shown, len(matches), strings.Join(lines, ", "))
}
