package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// maxFile bounds what is read into memory of one file, in bytes.
const maxFile = 32 << 20

// target is a path of a call, resolved.
type target struct {
	abs    string
	shown  string // for people and the model
	inside bool
}

// resolve finds what path means; an empty path is the working directory. Once
// the call was judged, that has to be what was judged.
func resolve(c tool.Call, path string) (target, error) {
	if path == "" {
		path = "."
	}
	abs, inside, err := c.Env.Workspace.Resolve(path)
	if err != nil {
		return target{}, err
	}
	if c.Env.Settled != nil && !slices.Contains(c.Env.Settled, abs) {
		return target{}, fmt.Errorf("%s leads to %s now, and led elsewhere when it was allowed; call the tool again", shown(path), shown(abs))
	}
	return target{abs, shown(workspace.Display(c.Env.Workspace, abs)), inside}, nil
}

// shown quotes a name that could be taken for more than a name: one with line
// breaks or other control characters.
func shown(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// describe is the description of a call that touches t alone.
func (t target) describe(kind tool.Kind, title string, line int, write bool) tool.Description {
	return tool.Description{
		Title: title, Kind: kind,
		Paths: []tool.Path{{Path: t.abs, Line: line, Write: write, Inside: t.inside}},
	}
}

// explain turns a file system error into one that a model can act on.
func (t target) explain(ctx context.Context, c tool.Call, err error) error {
	var large *workspace.TooLargeError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s doesn't exist%s", t.shown, t.alternatives(ctx, c))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to open %s", t.shown)
	case errors.Is(err, workspace.ErrNotFile):
		return fmt.Errorf("%s is a device, pipe or socket, not a file", t.shown)
	case errors.As(err, &large):
		return fmt.Errorf("%s has %s, more than the %s that can be read at once; search it with grep, or look at parts of it with bash (head, tail, sed -n)",
			t.shown, tool.Size(large.Size), tool.Size(large.Limit))
	}
	return err
}

// alternatives names what a missing path may have meant.
func (t target) alternatives(ctx context.Context, c tool.Call) string {
	dir := filepath.Dir(t.abs)
	entries, err := c.Env.Workspace.ReadDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "; neither does the folder " + shown(workspace.Display(c.Env.Workspace, dir))
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	near := tool.Nearest(filepath.Base(t.abs), names, 3)
	if len(near) == 0 {
		return ""
	}
	for i, name := range near {
		near[i] = shown(workspace.Display(c.Env.Workspace, filepath.Join(dir, name)))
	}
	return "; did you mean " + strings.Join(near, ", ") + "?"
}
