package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
)

// TooLargeError says that a file is over the reader's limit, in bytes.
type TooLargeError struct {
	Path        string
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("read %s: the file has %d bytes, the limit is %d", e.Path, e.Size, e.Limit)
}

// ErrNotFile says that a path is a device, pipe or socket, which may never end.
var ErrNotFile = errors.New("not a regular file")

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
	info, err := os.Stat(path) // before opening: a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("read %s: it is a folder", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: %w", path, ErrNotFile)
	case limit > 0 && info.Size() > limit:
		return nil, &TooLargeError{path, info.Size(), limit}
	}
	if limit <= 0 {
		return os.ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The size is a promise that growing files and /proc don't keep.
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, &TooLargeError{path, int64(len(data)), limit}
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
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
