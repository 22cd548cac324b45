package tui

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// echoInput is ENABLE_ECHO_INPUT of the console.
const echoInput = 0x4

// setEcho has the console show what is typed, or not.
func setEcho(in *os.File, show bool) error {
	state, err := term.GetState(in.Fd())
	if err != nil {
		return err
	}
	if show {
		state.Mode |= echoInput
	} else {
		state.Mode &^= echoInput
	}
	return term.SetState(in.Fd(), state)
}
