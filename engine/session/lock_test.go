package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// E-1: a session is open once.
func TestLock(t *testing.T) {
	o := testOptions(t)
	o.Locks = filepath.Join(t.TempDir(), "locks")
	d := mustNew(t, o)
	mustAppend(t, d, user("hi"))
	var locked *LockedError
	if _, _, err := Open(d.File(), o); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Fatalf("got %v, want it to be locked by process %d", err, os.Getpid())
	}
	if err := Delete(d.File(), o.Locks); !errors.As(err, &locked) {
		t.Errorf("deleting an open session: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(d.File(), link); err == nil {
		if _, _, err := Open(link, o); !errors.As(err, &locked) {
			t.Errorf("by way of a symbolic link: %v", err)
		}
	}
	fork, _, err := Fork(d.File(), o)
	if err != nil {
		t.Fatalf("forking an open session: %v", err)
	}
	defer fork.Close()
	if got := texts(fork); got != "user:hi" || fork.File() == d.File() || fork.Header().ParentSession != d.File() {
		t.Errorf("fork says %s in %s, parent %s", got, fork.File(), fork.Header().ParentSession)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, d.File(), o)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(o.Locks)
	if err != nil || len(left) != 1 { // the fork's
		t.Errorf("lock files left behind: %v %v", left, err)
	}
}

// The holder may take its lock file away between another's open and lock.
func TestLockTakenOverAndOver(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "s.jsonl")
	const workers, rounds = 4, 200
	held := make(chan struct{}, 1)
	done := make(chan error, workers)
	for range workers {
		go func() {
			for range rounds {
				l, _, err := takeLock(folder, path)
				var locked *LockedError
				if errors.As(err, &locked) {
					continue
				}
				if err != nil {
					done <- err
					return
				}
				select {
				case held <- struct{}{}:
				default:
					done <- errors.New("two hold the lock")
					return
				}
				<-held
				l.release()
			}
			done <- nil
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A process that was killed while it started another leaves its lock to that
// one for a moment.
func TestLockOutlivesItsHolderBriefly(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "s.jsonl")
	l, _, err := takeLock(folder, path)
	if err != nil {
		t.Fatal(err)
	}
	name := l.flock.Path()
	if err := os.WriteFile(name, []byte(" 1073741824\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, func() { l.flock.Close() })
	again, notice, err := takeLock(folder, path)
	if err != nil || notice != "" {
		t.Fatalf("%v, %q", err, notice)
	}
	again.release()
}

func TestNoPlaceForLocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := testOptions(t)
	o.Locks = filepath.Join(file, "locks") // below a file there are no folders
	path := copyOf(t, "pi.jsonl")
	d, notices, err := Open(path, o)
	if err != nil || len(notices) != 1 {
		t.Fatalf("got %v %v, want one notice", err, notices)
	}
	defer d.Close()
	mustAppend(t, d, user("on"))
}
