package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

func TestWithExcludesOthers(t *testing.T) {
	dir := t.TempDir()
	counter := filepath.Join(dir, "counter")
	if err := os.WriteFile(counter, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	const writers, rounds = 8, 20
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				err := With(t.Context(), filepath.Join(dir, "locks", "counter.lock"), func() error {
					data, err := os.ReadFile(counter)
					if err != nil {
						return err
					}
					n, err := strconv.Atoi(string(data))
					if err != nil {
						return err
					}
					return os.WriteFile(counter, []byte(strconv.Itoa(n+1)), 0o600)
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got, err := os.ReadFile(counter); err != nil || string(got) != strconv.Itoa(writers*rounds) {
		t.Errorf("counter is %q, %v: updates were lost", got, err)
	}
}

func TestWithStopsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	err := With(t.Context(), path, func() error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return With(ctx, path, func() error { return errors.New("entered twice") })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestWithReturnsTheError(t *testing.T) {
	mine := errors.New("mine")
	path := filepath.Join(t.TempDir(), "x.lock")
	for range 2 { // the second round shows that the first let go
		if err := With(t.Context(), path, func() error { return mine }); err != mine {
			t.Errorf("got %v", err)
		}
	}
}
