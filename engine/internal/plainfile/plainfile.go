// Package plainfile reads whole regular files within a limit. Devices and
// pipes, which may never end or never begin, and files that would fill the
// memory are errors.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// TooLargeError says that a file is over the reader's limit, in bytes.
type TooLargeError struct {
	Path        string
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("read %s: the file has %d bytes, the limit is %d", e.Path, e.Size, e.Limit)
}

// ErrNotFile says that a path is a device, pipe or socket.
var ErrNotFile = errors.New("not a regular file")

// Read returns the content of the file at path. Its errors are those of
// os.ReadFile, a *TooLargeError, or wrap ErrNotFile.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening: a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("read %s: it is a folder", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: %w", path, ErrNotFile)
	case info.Size() > limit:
		return nil, &TooLargeError{path, info.Size(), limit}
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
