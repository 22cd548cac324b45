package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// What ReadFile refuses.
type TooLargeError = plainfile.TooLargeError

// ErrNotFile says that a path is a device, pipe or socket, which may never end.
var ErrNotFile = plainfile.ErrNotFile

// ready refuses what must not reach the disk: a cancelled call, and a path
// that would depend on the process's directory.
func ready(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("path %q is not absolute", path)
	}
	return ctx.Err()
}

// Stat implements FS.
func (l *Local) Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	if err := ready(ctx, path); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// ReadFile implements FS. The error for a big file is a *TooLargeError, for a
// device or pipe it wraps ErrNotFile.
func (l *Local) ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	if err := ready(ctx, path); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = math.MaxInt64
	}
	return plainfile.Read(path, limit)
}

// WriteFile implements FS.
func (l *Local) WriteFile(ctx context.Context, path string, data []byte) error {
	if err := ready(ctx, path); err != nil {
		return err
	}
	return atomicfile.Write(path, data, atomicfile.Options{DirMode: 0o755})
}

// ReadDir implements FS; entries are sorted by name.
func (l *Local) ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error) {
	if err := ready(ctx, path); err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}
