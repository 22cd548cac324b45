package shell

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// canInterruptRead: a blocked Read of a pipe can't be ended from our side here.
// It ends when the last process of the job has.
const canInterruptRead = false

func signalNumber(*os.ProcessState) int { return 0 }

// isTooLong reports the error of a command line beyond the system's limit.
func isTooLong(err error) bool { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }
