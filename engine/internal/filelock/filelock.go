// Package filelock runs a read-change-write of a shared file while no other
// process does the same.
//
// The lock is an advisory lock on a file of its own, never on the data file:
// that one is replaced by rename, and a lock stays with the old inode. Locks
// vanish with their process, so a crash leaves nothing to clean up.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Patience is how long With waits for another process. The work done under
// these locks takes milliseconds, so a longer wait means a hung holder.
const Patience = 5 * time.Second

const retryEvery = 5 * time.Millisecond

// ErrBusy is wrapped by the error of With when another process kept the lock
// past Patience.
var ErrBusy = errors.New("another process holds the lock")

// With calls fn while holding the lock file at path, which it creates with
// its folder (0700) if missing. It waits for other holders until ctx ends or
// Patience is over. The error of fn is returned as it is.
func With(ctx context.Context, path string, fn func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder for locks (check its permissions): %w", err)
	}
	wait, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(wait, retryEvery); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = ErrBusy
		}
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer lock.Close()
	return fn()
}
