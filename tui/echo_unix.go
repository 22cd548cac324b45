//go:build unix

package tui

import (
	"os"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// setEcho has the terminal show what is typed, or not.
func setEcho(in *os.File, show bool) error {
	state, err := term.GetState(in.Fd())
	if err != nil {
		return err
	}
	if show {
		state.Lflag |= syscall.ECHO
	} else {
		state.Lflag &^= syscall.ECHO
	}
	return term.SetState(in.Fd(), state)
}
