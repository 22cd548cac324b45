package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// maxLinks bounds the symlinks of one path, as kernels do.
const maxLinks = 40

// Resolve implements Workspace. It also takes file URLs and, when only that
// exists, a path behind the "@" of a mention. What it returns is where a read
// or write would land: every symlink is followed as the system would, also one
// whose target doesn't exist yet.
func (l *Local) Resolve(path string) (abs string, inside bool, err error) {
	if path == "" {
		return "", false, errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", false, fmt.Errorf("path %q holds a NUL character", path)
	}
	literal, err := l.absolute(path)
	if err != nil {
		return "", false, err
	}
	if mention, ok := strings.CutPrefix(path, "@"); ok && mention != "" && !exists(literal) {
		if other, err := l.absolute(mention); err == nil && exists(other) {
			literal = other
		}
	}
	abs, err = follow(literal)
	if err != nil {
		return "", false, fmt.Errorf("resolve %s: %w", path, err)
	}
	for _, root := range l.roots {
		inside = inside || contains(root, abs)
	}
	return abs, inside, nil
}

// absolute joins path to the working directory. It doesn't clean it: "a/../b"
// is b only if a is no symlink, which follow knows.
func (l *Local) absolute(path string) (string, error) {
	if strings.HasPrefix(path, "file:") {
		p, err := filePath(path)
		if err != nil {
			return "", err
		}
		path = p
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if l.home == "" {
			return "", fmt.Errorf("path %s: no home directory is known; use an absolute path", path)
		}
		path = l.home + rest
	}
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path, nil
	}
	return l.cwd + string(filepath.Separator) + path, nil
}

func filePath(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("file URL %q: %w", raw, err)
	}
	if u.Opaque != "" || u.Path == "" || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
		return "", fmt.Errorf("file URL %q names no file of this machine", raw)
	}
	if p := u.Path; runtime.GOOS == "windows" && len(p) > 2 && p[2] == ':' {
		return p[1:], nil
	}
	return u.Path, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// follow resolves an absolute path component by component. What doesn't exist,
// or can't be looked into, is taken as it is written.
func follow(path string) (string, error) {
	volume := filepath.VolumeName(path)
	done := volume + string(filepath.Separator)
	todo := split(path[len(volume):])
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many levels of symbolic links")
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done = volume + string(filepath.Separator)
			target = target[len(volume):]
		}
		todo = append(split(target), todo...)
	}
	return done, nil
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}
