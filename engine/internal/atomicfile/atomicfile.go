// Package atomicfile replaces whole files so that a reader, a crash or a full
// disk never meets half of one.
//
// The bytes go to a temporary file in the target's own folder, which is then
// renamed over the target:
//
//	path -> follow symlinks -> target ─┐
//	fill(w) -> .target.XXXX.tmp ───────┴─ rename -> target
//
// Until the rename the old content is untouched; after a failure the temporary
// file is gone. A rename gives the name to a new inode, so other hard links of
// the target keep the old content.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxLinks bounds a chain of symlinks, as kernels do.
const maxLinks = 40

// Options say how a file is made. The zero value writes 0644 files and does
// not create folders.
type Options struct {
	// Mode is the permission of a new file, before the umask; 0 means 0644.
	Mode fs.FileMode
	// ForceMode gives Mode to an existing file too, past the umask. Without it
	// an existing file keeps its own mode.
	ForceMode bool
	// DirMode, if not 0, creates missing parent folders with this permission.
	DirMode fs.FileMode
	// Sync flushes the content, and on Unix the folder, to the disk before
	// Write returns.
	Sync bool
}

// Write replaces the file at path by data. See WriteFunc.
func Write(path string, data []byte, o Options) error {
	return WriteFunc(path, o, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc replaces the file at path by what fill writes. A symlink stays and
// its target is replaced, also when the target doesn't exist yet. If fill or
// any later step fails, the file is as it was. Errors name the path and what
// to do, and wrap the cause (fs.ErrPermission, fs.ErrNotExist ...).
func WriteFunc(path string, o Options, fill func(io.Writer) error) error {
	if err := replace(path, o, fill); err != nil {
		return explain(path, err)
	}
	return nil
}

func replace(path string, o Options, fill func(io.Writer) error) (err error) {
	target, err := follow(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(target)
	if o.DirMode != 0 {
		if err := os.MkdirAll(dir, o.DirMode); err != nil {
			return err
		}
	}
	old, err := existing(target)
	if err != nil {
		return err
	}
	mode := o.Mode
	if mode == 0 {
		mode = 0o644
	}
	f, err := create(target, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // a second Close only returns an error
			os.Remove(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := keepAttributes(f, old, mode, o.ForceMode); err != nil {
		return err
	}
	if o.Sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	if o.Sync {
		syncDir(dir)
	}
	return nil
}

// follow resolves the symlinks of the last path element. Unlike
// filepath.EvalSymlinks it accepts a link whose target is missing.
func follow(path string) (string, error) {
	target := path
	for range maxLinks {
		info, err := os.Lstat(target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return target, nil // a missing file is the caller's to create
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	return "", errors.New("too many levels of symbolic links")
}

// existing returns the file that is about to be replaced, nil if there is
// none. A rename would override a read-only mode that every other way of
// writing obeys, so that is checked here.
func existing(target string) (fs.FileInfo, error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a folder, not a file")
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("the file is read-only: %w", err)
	}
	if err == nil {
		f.Close()
	}
	return info, nil
}

// create opens a new file beside target; the umask applies to mode.
func create(target string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	if len(base) > 100 { // leave room for the suffix below the usual 255 bytes
		base = base[:100]
	}
	for {
		name := filepath.Join(dir, "."+base+"."+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func keepAttributes(f *os.File, old fs.FileInfo, mode fs.FileMode, force bool) error {
	if old != nil {
		keepOwner(f, old) // before Chmod: a change of owner clears setuid
		if !force {
			mode = old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
		}
	}
	if old == nil && !force {
		return nil
	}
	return f.Chmod(mode)
}

// explain says which file failed and, for the causes a user can cure, how.
func explain(path string, err error) error {
	var pe *fs.PathError
	switch {
	case diskFull(err):
		return fmt.Errorf("write %s: the disk is full, the file is unchanged; free some space and try again: %w", path, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("write %s: the file system is read-only: %w", path, err)
	case errors.Is(err, fs.ErrPermission) && errors.As(err, &pe) && filepath.Base(pe.Path) != filepath.Base(path):
		return fmt.Errorf("write %s: no permission to create files in %s: %w", path, filepath.Dir(path), err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: the folder %s does not exist: %w", path, filepath.Dir(path), err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}
