//go:build unix

package tui

import (
	"os"
	"syscall"
)

// winch tells this process that its terminal has another size.
func winch() { _ = syscall.Kill(os.Getpid(), syscall.SIGWINCH) }
