package themes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// watching runs Watch and returns a func that waits for a set that is as
// wanted.
func watching(t *testing.T, s Set) (await func(what string, ok func(Set) bool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	sets, ended := make(chan Set), make(chan error, 1)
	go func() {
		ended <- Watch(ctx, s, func(s Set) {
			select {
			case sets <- s:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return func(what string, ok func(Set) bool) {
		t.Helper()
		deadline := time.After(30 * time.Second)
		for {
			select {
			case s := <-sets:
				if ok(s) {
					return
				}
			case <-deadline:
				t.Fatalf("nothing told of %s", what)
			}
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func hasAccent(name, color string) func(Set) bool {
	return func(s Set) bool {
		theme, err := s.Find(name)
		return err == nil && theme.Dark.Accent == color
	}
}

// A saved file shows, however an editor saves it; a broken one keeps its theme
// and tells where.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet")
	path := filepath.Join(dir, "mine.json")
	await := watching(t, Open(dir))

	put(t, path, `{"dark": {"accent": "#111111"}}`)
	await("the first file of a new folder", hasAccent("mine", "#111111"))

	put(t, path, `{"dark": {"accent": "#222222"}}`)
	await("a changed file", hasAccent("mine", "#222222"))

	put(t, path, `{"dark": {"accent": "blurple"}}`)
	await("a broken file", func(s Set) bool {
		p := s.Problems()
		return len(p) == 1 && strings.HasPrefix(p[0].Error(), path+":1:21:") && hasAccent("mine", "#222222")(s)
	})

	put(t, path+"~", `{"dark": {"accent": "#333333"}}`)
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	await("a file that took the place of another", hasAccent("mine", "#333333"))

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	await("a deleted folder", func(s Set) bool { _, err := s.Find("mine"); return err != nil })

	put(t, path, `{"dark": {"accent": "#444444"}}`)
	await("a folder that came back", hasAccent("mine", "#444444"))
}

// What changed before the watch began is told too.
func TestWatchCatchesUp(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	put(t, filepath.Join(dir, "mine.json"), `{"dark": {"accent": "#111111"}}`)
	watching(t, s)("a file of before", hasAccent("mine", "#111111"))
}

// Several writes in a row are read once, when they rest.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		events := make(chan struct{})
		var done atomic.Int32
		go settle(ctx, events, settleTime, func() { done.Add(1) })
		for range 5 {
			events <- struct{}{}
			time.Sleep(settleTime / 2)
		}
		synctest.Wait()
		if done.Load() != 0 {
			t.Errorf("read %d times while it was written", done.Load())
		}
		time.Sleep(settleTime)
		synctest.Wait()
		if done.Load() != 1 {
			t.Errorf("read %d times, want once", done.Load())
		}
		time.Sleep(10 * settleTime)
		synctest.Wait()
		if done.Load() != 1 {
			t.Errorf("read %d times though nothing was written", done.Load())
		}
	})
}

func TestConcerns(t *testing.T) {
	dirs := []string{"/home/u/.config/hoopoe/themes"}
	for path, want := range map[string]bool{
		"/home/u/.config/hoopoe/themes/a.json":     true,
		"/home/u/.config/hoopoe/themes/a.json.swp": false,
		"/home/u/.config/hoopoe/themes":            true,
		"/home/u/.config/hoopoe":                   true,
		"/home/u/.config/hoopoe/settings.json":     false,
		"/home/u/Documents":                        false,
	} {
		if got := concerns(path, dirs); got != want {
			t.Errorf("concerns(%s) = %v", path, got)
		}
	}
}
