//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var (
	errNoStdin  = errors.New("stdin is closed, and commands come from there: start with a pipe to it, or with < /dev/null to serve none")
	errNoStdout = errors.New("stdout is closed, and answers go there: start with a pipe from it, or with > /dev/null where nobody wants them")
)

// checkStdin finds a stdin that nothing can ever come from, which would look
// like a host that has just gone.
func checkStdin(stdin *os.File) error {
	flags, err := unix.FcntlInt(stdin.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE == unix.O_WRONLY {
		return errNoStdin
	}
	info, err := stdin.Stat()
	if err != nil || info.IsDir() {
		return errNoStdin
	}
	if flags&unix.O_ACCMODE == unix.O_RDWR && isNull(info) {
		return errNoStdin
	}
	return nil
}

// isNull holds for the null device. The Go runtime puts it, for reading and
// writing, where a standard stream is closed; a shell opens it for the one or
// the other.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// claimStdout takes the standard output for the caller alone. What libraries
// and children write there from now on goes to stderr. One that was closed is
// refused: a host would wait for answers that are lost. Elsewhere it can't be:
// programs that want no output give the same.
func claimStdout(stdout, stderr *os.File) (*os.File, error) {
	flags, err := unix.FcntlInt(stdout.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE == unix.O_RDONLY {
		return nil, errNoStdout
	}
	if info, err := stdout.Stat(); err != nil || flags&unix.O_ACCMODE == unix.O_RDWR && isNull(info) {
		return nil, errNoStdout
	}
	fd, err := unix.FcntlInt(stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup2(int(stderr.Fd()), int(stdout.Fd()))
	}
	if err != nil {
		return nil, fmt.Errorf("take the standard output for the protocol: %w", err)
	}
	return os.NewFile(uintptr(fd), stdout.Name()), nil
}
