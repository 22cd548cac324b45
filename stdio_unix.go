//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var errNoStdin = errors.New("stdin is closed, and commands come from there: start with a pipe to it, or with < /dev/null to serve none")

// checkStdin finds a stdin that nothing can ever come from, which would look
// like a host that has just gone. When descriptor 0 is closed the Go runtime
// puts the null device there, for reading and writing; where somebody means
// the null device it is for reading.
func checkStdin(stdin *os.File) error {
	flags, err := unix.FcntlInt(stdin.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE == unix.O_WRONLY {
		return errNoStdin
	}
	info, err := stdin.Stat()
	if err != nil || info.IsDir() {
		return errNoStdin
	}
	null, err := os.Stat(os.DevNull)
	if err == nil && os.SameFile(info, null) && flags&unix.O_ACCMODE == unix.O_RDWR {
		return errNoStdin
	}
	return nil
}

// claimStdout takes the standard output for the caller alone. What libraries
// and children write there from now on goes to stderr.
func claimStdout(stdout, stderr *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup2(int(stderr.Fd()), int(stdout.Fd()))
	}
	if err != nil {
		return nil, fmt.Errorf("take the standard output for the protocol: %w", err)
	}
	return os.NewFile(uintptr(fd), stdout.Name()), nil
}
