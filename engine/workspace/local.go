package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// Options configure a Local.
type Options struct {
	// Cwd is the working directory; absolute.
	Cwd string
	// Roots are further folders that count as inside; absolute.
	Roots []string
	// Home is what "~" stands for; empty when there is none.
	Home string
	// Runner runs commands; without it Run fails.
	Runner *shell.Runner
}

// Local is this machine. It never changes the process's own directory or
// environment, so many can live in one process.
type Local struct {
	cwd    string
	roots  []string
	home   string
	runner *shell.Runner
}

var _ Workspace = (*Local)(nil)

// NewLocal returns a workspace over the local disk. Cwd and roots must be
// folders; they are kept with their symlinks resolved.
func NewLocal(o Options) (*Local, error) {
	l := &Local{home: o.Home, runner: o.Runner}
	for _, folder := range append([]string{o.Cwd}, o.Roots...) {
		real, err := openFolder(folder)
		if err != nil {
			return nil, fmt.Errorf("open workspace: %w", err)
		}
		if !slices.Contains(l.roots, real) {
			l.roots = append(l.roots, real)
		}
	}
	l.cwd = l.roots[0]
	return l, nil
}

func openFolder(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is not an absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	return real, nil
}

// Cwd implements Workspace.
func (l *Local) Cwd() string { return l.cwd }

// Roots implements Workspace.
func (l *Local) Roots() []string { return slices.Clone(l.roots) }

// Run implements Exec. What the command did is in Output, also when it was
// stopped; the error says that it couldn't be started.
func (l *Local) Run(ctx context.Context, c Command) (Output, error) {
	if l.runner == nil {
		return Output{}, errors.New("this workspace runs no commands")
	}
	dir := c.Dir
	if dir == "" {
		dir = l.cwd
	}
	sc := shell.Command{Script: c.Script, Dir: dir, Env: c.Env, Timeout: c.Timeout}
	if c.OnOutput != nil {
		sc.OnOutput = func(r shell.Result) { c.OnOutput(r.Output) }
	}
	r, err := l.runner.Run(ctx, sc)
	return Output{
		Text: r.Output, ExitCode: r.ExitCode, TimedOut: r.TimedOut, Cancelled: r.Cancelled,
		Truncated: r.Truncated, TotalLines: r.TotalLines, TotalBytes: int64(r.TotalBytes),
		FullOutputPath: r.FullOutputPath, SpoolErr: r.SpoolErr,
	}, err
}

// Display writes a path of w for people: relative to the working directory
// when it lies below, with slashes.
func Display(w Workspace, path string) string {
	if rel, err := filepath.Rel(w.Cwd(), path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// contains reports whether path is root or lies below it. Both are absolute
// and clean.
func contains(root, path string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(root[len(root)-1]))
}
