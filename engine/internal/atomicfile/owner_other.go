//go:build !unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Windows error codes for a full volume.
const (
	errorHandleDiskFull syscall.Errno = 39
	errorDiskFull       syscall.Errno = 112
)

func keepOwner(*os.File, fs.FileInfo) {}

func syncDir(string) {}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull)
}
