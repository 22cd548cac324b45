package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Input is a terminal in raw mode whose Read can be ended from another
// goroutine.
type Input interface {
	io.Reader
	// Cancel ends the Read that waits; false if it can't.
	Cancel() bool
}

// ErrSilent is for a terminal that doesn't answer.
var ErrSilent = errors.New("the terminal doesn't answer; what is known of it is a guess")

// Ask sends the queries and takes in the answers until the last one came or
// ctx ends; then the error is ErrSilent. The profile is never worse than the
// guess. Keys are what the user typed meanwhile: they are for whoever reads
// the terminal next.
func Ask(ctx context.Context, in Input, out io.Writer, guess Profile, now func() time.Time) (p Profile, keys []byte, err error) {
	queries := guess.Queries()
	if queries == nil {
		return guess, nil, ErrSilent
	}
	if _, err := out.Write(queries); err != nil {
		return guess, nil, fmt.Errorf("ask the terminal: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { in.Cancel() })
	defer stop()
	var replies Replies
	buf := make([]byte, 4096)
	for !replies.Done() {
		n, err := in.Read(buf)
		replies.Write(buf[:n])
		if err != nil && !replies.Done() {
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				err = ErrSilent
			}
			return guess, replies.Keys(), err
		}
	}
	return replies.Profile(guess, now()), replies.Keys(), nil
}
