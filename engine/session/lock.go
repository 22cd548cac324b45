package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

// LockedError says that the session is open, in another process or in this one.
type LockedError struct {
	Path string
	PID  int // 0 if it could not be read
}

func (e *LockedError) Error() string {
	if e.PID == os.Getpid() {
		return fmt.Sprintf("session %s is open already", e.Path)
	}
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("session %s is open in %s; close it there or use --fork to go on in a copy", e.Path, who)
}

// lock keeps other processes from the session. It is a file of its own in the
// state folder: the session may be replaced by rename or lie where nothing can
// be created. It ends with the process that holds it.
type lock struct {
	flock *flock.Flock
}

// takeLock locks path. Where no lock file can be made the session is opened
// without; the notice then says so.
func takeLock(folder, path string) (l *lock, notice string, err error) {
	if folder == "" {
		return nil, "", nil
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	name := filepath.Join(folder, hex.EncodeToString(sum[:8])+".lock")
	if err := os.MkdirAll(folder, dirMode); err != nil {
		return nil, noLock(err), nil
	}
	for {
		fl := flock.New(name, flock.SetPermissions(fileMode))
		got, err := fl.TryLock()
		if err == nil && !got && readHolder(name) != os.Getpid() {
			got, err = await(fl)
		}
		if err != nil {
			return nil, noLock(err), nil
		}
		if !got {
			_ = fl.Close()
			return nil, "", &LockedError{Path: path, PID: readHolder(name)}
		}
		if !sameFile(fl, name) { // its holder removed it between open and lock
			_ = fl.Close()
			continue
		}
		writeHolder(name)
		return &lock{flock: fl}, "", nil
	}
}

// handover is how long takeLock waits for another process. One that was killed
// while it started a program leaves the lock to that for a moment: until exec
// closes the files that fork had copied.
const handover = time.Second

func await(fl *flock.Flock) (got bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), handover)
	defer cancel()
	got, err = fl.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return got, err
}

func noLock(err error) string {
	return "the session is not locked, do not open it twice: " + cause(err)
}

func sameFile(fl *flock.Flock, name string) bool {
	held, err := fl.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}

// The holder's process id begins at byte 1: Windows lets nobody else read
// byte 0, which is what the lock locks.
const holderAt = 1

func writeHolder(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return // the lock holds without a name on it
	}
	defer f.Close()
	_, _ = fmt.Fprintf(io.NewOffsetWriter(f, holderAt), "%-20d\n", os.Getpid())
}

func readHolder(name string) int {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	buf := make([]byte, 21)
	n, _ := f.ReadAt(buf, holderAt)
	pid, err := strconv.Atoi(string(bytes.TrimSpace(buf[:n])))
	if err != nil {
		return 0
	}
	return pid
}

// release gives the lock back. The file goes first, while nobody else can
// hold it: who opened it meanwhile sees in takeLock that it is gone.
func (l *lock) release() {
	if l == nil {
		return
	}
	os.Remove(l.flock.Path())
	_ = l.flock.Close()
}
