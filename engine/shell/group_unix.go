//go:build !windows

package shell

import (
	"errors"
	"os"
	"syscall"
)

// canInterruptRead: closing our end of the pipe ends a blocked Read.
const canInterruptRead = true

func signalNumber(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}

func isTooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
