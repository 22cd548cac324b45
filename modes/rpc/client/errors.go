package client

import (
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// ErrClosed is wrapped by what fails because Close was called.
var ErrClosed = errors.New("the client is closed")

// CommandError is the agent's refusal of a command.
type CommandError struct {
	Command string
	Message string // the agent's words
}

func (e *CommandError) Error() string { return e.Command + ": " + e.Message }

// EndedError says that the agent ended, or its output did, before Close.
type EndedError struct {
	Err    error  // how: io.EOF, or for a process how it exited
	Stderr string // the last that the process wrote there
}

func (e *EndedError) Error() string {
	text := fmt.Sprintf("the agent has ended (%v)", e.Err)
	if e.Stderr != "" {
		text += "; its last words: " + e.Stderr
	}
	return text
}

func (e *EndedError) Unwrap() error { return e.Err }

// ProviderError says that a prompt ended in an answer that failed.
type ProviderError struct {
	Answer message.Message
}

func (e *ProviderError) Error() string {
	return "the model gave no answer: " + e.Answer.ErrorMessage
}

// FrameError is about a line of the agent's that the client can't place.
type FrameError struct {
	Line []byte // the beginning of it
	Err  error
}

func (e *FrameError) Error() string { return fmt.Sprintf("unexpected line %q: %v", e.Line, e.Err) }

func (e *FrameError) Unwrap() error { return e.Err }
