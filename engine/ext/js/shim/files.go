package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// maxFile bounds a file that is read or copied into JavaScript, in bytes;
// maxEntries a folder that is listed.
const (
	maxFile    = 64 << 20
	maxEntries = 100_000
)

// fileCall is one operation on files, decoded, so that it can run off the loop.
type fileCall struct {
	op, path, to string
	data         []byte
	recursive    bool
	force        bool
	exclusive    bool
	mode         os.FileMode
}

// operations by the name that scripts use. What they return makes the result.
var operations = map[string]func(fileCall) (func(*sobek.Runtime) sobek.Value, error){
	"open":     readFile,
	"write":    writeFile,
	"append":   appendFile,
	"mkdir":    makeFolder,
	"mkdtemp":  makeTemporary,
	"scandir":  readFolder,
	"stat":     func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return stat(os.Stat(c.path)) },
	"lstat":    func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return stat(os.Lstat(c.path)) },
	"access":   access,
	"rm":       remove,
	"unlink":   unlink,
	"rmdir":    removeFolder,
	"rename":   func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return nil, os.Rename(c.path, c.to) },
	"copyfile": copyFile,
	"realpath": func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return path(filepath.EvalSymlinks(c.path)) },
	"readlink": func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return path(os.Readlink(c.path)) },
	"symlink":  func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return nil, os.Symlink(c.to, c.path) },
	"chmod":    func(c fileCall) (func(*sobek.Runtime) sobek.Value, error) { return nil, os.Chmod(c.path, c.mode) },
}

func (s *shims) fileNatives() {
	s.set("file", func(c sobek.FunctionCall) (sobek.Value, error) {
		call, err := s.fileCall(c, false)
		if err != nil {
			return nil, err
		}
		value, err := call.run()
		if err != nil || value == nil {
			return nil, err
		}
		return value(s.rt), nil
	})
	s.set("fileLater", func(c sobek.FunctionCall) (sobek.Value, error) {
		call, err := s.fileCall(c, true)
		if err != nil {
			return nil, err
		}
		return s.Promise(func(context.Context) (func(*sobek.Runtime) sobek.Value, error) { return call.run() })
	})
}

// fileCall reads (op, path, to, data, {recursive, force, exclusive, mode}).
func (s *shims) fileCall(c sobek.FunctionCall, later bool) (fileCall, error) {
	call := fileCall{op: c.Argument(0).String(), data: bytesOf(c.Argument(3)), mode: 0o666}
	if operations[call.op] == nil {
		return call, fmt.Errorf("there is no operation %q on files", call.op)
	}
	if err := s.allowed("fs", "the file system ("+call.op+")"); err != nil {
		return call, err
	}
	call.path = s.absolute(c.Argument(1).String())
	if to := c.Argument(2); !sobek.IsUndefined(to) {
		call.to = to.String()
		if call.op != "symlink" { // whose target is meant from the link on
			call.to = s.absolute(call.to)
		}
	}
	if later {
		call.data = bytes.Clone(call.data)
	}
	o := c.Argument(4)
	call.recursive, call.force, call.exclusive = field(o, "recursive").ToBoolean(), field(o, "force").ToBoolean(), field(o, "exclusive").ToBoolean()
	if mode := field(o, "mode"); sobek.IsNumber(mode) {
		call.mode = os.FileMode(mode.ToInteger()) & os.ModePerm
	} else if call.op == "mkdir" {
		call.mode = 0o777
	}
	return call, nil
}

// absolute is a path from the session's working directory on.
func (s *shims) absolute(path string) string {
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	return filepath.Join(s.cwd(), path)
}

func (s *shims) cwd() (dir string) {
	s.Outside(func() { dir = s.opts.Cwd() })
	return dir
}

func (c fileCall) run() (func(*sobek.Runtime) sobek.Value, error) {
	value, err := operations[c.op](c)
	if err != nil {
		return nil, fileError(c, err)
	}
	return value, nil
}

func readFile(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	f, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, syscall.EISDIR
	}
	if !info.Mode().IsRegular() && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return nil, fmt.Errorf("it isn't a regular file, and reading it might never end")
	}
	tooLarge := fmt.Errorf("the file is larger than %d MB, the most that an extension may read", maxFile>>20)
	if info.Size() > maxFile {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1)) // it may grow meanwhile
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, tooLarge
	}
	return func(rt *sobek.Runtime) sobek.Value { return rt.ToValue(rt.NewArrayBuffer(data)) }, nil
}

func writeFile(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if c.exclusive {
		flags |= os.O_EXCL
	}
	return nil, c.put(flags)
}

func appendFile(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	return nil, c.put(os.O_WRONLY | os.O_CREATE | os.O_APPEND)
}

func (c fileCall) put(flags int) error {
	f, err := os.OpenFile(c.path, flags, c.mode)
	if err != nil {
		return err
	}
	_, err = f.Write(c.data)
	return errors.Join(err, f.Close())
}

func makeFolder(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	if !c.recursive {
		return nil, os.Mkdir(c.path, c.mode)
	}
	return nil, os.MkdirAll(c.path, c.mode)
}

func makeTemporary(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	dir, name := filepath.Split(c.path)
	return path(os.MkdirTemp(dir, name+"*"))
}

func readFolder(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	f, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	names := make([]any, 0, 2*len(entries))
	for _, e := range entries {
		names = append(names, e.Name(), kind(e.Type()))
	}
	return func(rt *sobek.Runtime) sobek.Value { return rt.NewArray(names...) }, nil
}

// kind is one letter for what an entry is.
func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "f"
	case m.IsDir():
		return "d"
	case m&fs.ModeSymlink != 0:
		return "l"
	}
	return "o"
}

func stat(info fs.FileInfo, err error) (func(*sobek.Runtime) sobek.Value, error) {
	if err != nil {
		return nil, err
	}
	mode := int64(info.Mode().Perm())
	switch kind(info.Mode().Type()) {
	case "f":
		mode |= 0o100000
	case "d":
		mode |= 0o040000
	case "l":
		mode |= 0o120000
	}
	changed := float64(info.ModTime().UnixNano()) / float64(time.Millisecond)
	return func(rt *sobek.Runtime) sobek.Value {
		return rt.NewArray(kind(info.Mode().Type()), info.Size(), mode, changed)
	}, nil
}

// access checks that a path is there and, with a mode, what may be done with it.
func access(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	info, err := os.Stat(c.path)
	if err == nil && c.exclusive && info.Mode().Perm()&0o222 == 0 {
		err = fs.ErrPermission
	}
	return nil, err
}

func remove(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	info, err := os.Lstat(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.force:
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir() && !c.recursive:
		return nil, syscall.EISDIR
	}
	return nil, os.RemoveAll(c.path)
}

func unlink(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	if info, err := os.Lstat(c.path); err == nil && info.IsDir() {
		return nil, syscall.EISDIR
	}
	return nil, os.Remove(c.path)
}

func removeFolder(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	if info, err := os.Lstat(c.path); err == nil && !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return nil, os.Remove(c.path)
}

func copyFile(c fileCall) (func(*sobek.Runtime) sobek.Value, error) {
	from, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, syscall.EISDIR
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if c.exclusive {
		flags |= os.O_EXCL
	}
	to, err := os.OpenFile(c.to, flags, info.Mode().Perm())
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(to, from)
	return nil, errors.Join(err, to.Close())
}

func path(p string, err error) (func(*sobek.Runtime) sobek.Value, error) {
	return func(rt *sobek.Runtime) sobek.Value { return rt.ToValue(p) }, err
}

// codes are Node's names of the errors that scripts look for, with its texts.
var codes = []struct {
	err        error
	code, text string
}{
	{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
	{syscall.EISDIR, "EISDIR", "illegal operation on a directory"},
	{syscall.ENOTEMPTY, "ENOTEMPTY", "directory not empty"},
	{syscall.ELOOP, "ELOOP", "too many symbolic links encountered"},
	{syscall.EXDEV, "EXDEV", "cross-device link not permitted"},
	{syscall.ENOSPC, "ENOSPC", "no space left on device"},
	{syscall.EROFS, "EROFS", "read-only file system"},
	{syscall.EINVAL, "EINVAL", "invalid argument"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG", "name too long"},
	{syscall.EPERM, "EPERM", "operation not permitted"},
	{fs.ErrNotExist, "ENOENT", "no such file or directory"},
	{fs.ErrExist, "EEXIST", "file already exists"},
	{fs.ErrPermission, "EACCES", "permission denied"},
}

// fileError is an error as Node words it: "ENOENT: no such file or directory,
// open '/x'".
func fileError(c fileCall, err error) error {
	op := c.op
	if op == "write" || op == "append" {
		op = "open"
	}
	e := &loop.Error{Props: map[string]any{"syscall": op, "path": c.path}}
	where := fmt.Sprintf("%s '%s'", op, c.path)
	if c.to != "" {
		e.Props["dest"] = c.to
		where += fmt.Sprintf(" -> '%s'", c.to)
	}
	for _, known := range codes {
		if errors.Is(err, known.err) {
			e.Code, e.Message = known.code, fmt.Sprintf("%s: %s, %s", known.code, known.text, where)
			return e
		}
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	e.Message = fmt.Sprintf("%v, %s", err, where)
	return e
}
