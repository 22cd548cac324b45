package engine

import (
	"context"
	"io/fs"

	"github.com/hoopoe-agent/hoopoe/engine/internal/ignore"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// maxFiles bounds a list of files for completion.
const maxFiles = 20_000

// Files lists a folder's files and folders that aren't ignored, relative to
// it, folders with a slash behind them; at most 20,000. What can't be read is
// left out.
func (e *Engine) Files(ctx context.Context, cwd string) []string {
	local, err := workspace.NewLocal(workspace.Options{Cwd: cwd, Home: e.paths.Home})
	if err != nil {
		return nil
	}
	var names []string
	_, _ = ignore.Walker{FS: local, Root: local.Cwd(), MaxEntries: maxFiles}.Walk(ctx, func(f ignore.Entry) error {
		if f.IsDir() {
			names = append(names, f.Rel+"/")
		} else {
			names = append(names, f.Rel)
		}
		if len(names) >= maxFiles {
			return fs.SkipAll
		}
		return nil
	})
	return names
}
