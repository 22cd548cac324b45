//go:build !unix

package main

import (
	"errors"
	"os"
)

// checkStdin finds a stdin that nothing can ever come from, which would look
// like a host that has just gone.
func checkStdin(stdin *os.File) error {
	if _, err := stdin.Stat(); err != nil {
		return errors.New("stdin is closed, and commands come from there: start with a pipe to it, or with < NUL to serve none")
	}
	return nil
}

// claimStdout takes the standard output for the caller alone. Children don't
// inherit it on such systems. One that is closed is refused: a host would wait
// for answers that are lost.
func claimStdout(stdout, _ *os.File) (*os.File, error) {
	if _, err := stdout.Stat(); err != nil {
		return nil, errors.New("stdout is closed, and answers go there: start with a pipe from it, or with > NUL where nobody wants them")
	}
	return stdout, nil
}
