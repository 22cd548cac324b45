package themes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long files rest before they are read: editors write in
// several steps.
const settleTime = 100 * time.Millisecond

// Watch calls changed with a new Set whenever files in the set's folders have
// changed, until ctx ends. Folders may come and go. changed is called from
// one goroutine; a broken file keeps the theme that it was, and Set.Problems
// tells file and line. The error says why nothing can be watched.
func Watch(ctx context.Context, s Set, changed func(Set)) error {
	if len(s.dirs) == 0 {
		<-ctx.Done()
		return nil
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the themes: %w", err)
	}
	defer w.Close()
	watched := 0
	for _, dir := range s.dirs {
		if watchNearest(w, dir) {
			watched++
		}
	}
	if watched == 0 {
		return fmt.Errorf("watch the themes: none of %q can be watched", s.dirs)
	}
	s = catchUp(s, changed)

	events := make(chan struct{})
	go forward(ctx, w, s.dirs, events)
	settle(ctx, events, settleTime, func() {
		for _, dir := range s.dirs {
			watchNearest(w, dir)
		}
		s = s.Reload()
		changed(s)
	})
	return nil
}

// catchUp tells of what changed between Open and the first watch.
func catchUp(s Set, changed func(Set)) Set {
	next := s.Reload()
	if next.same(s) {
		return s
	}
	changed(next)
	return next
}

// same reports whether both sets have the same themes.
func (s Set) same(other Set) bool {
	if len(s.entries) != len(other.entries) {
		return false
	}
	for name, e := range s.entries {
		o, ok := other.entries[name]
		if !ok || o.Path != e.Path || o.theme != e.theme || o.good != e.good || fmt.Sprint(o.Err) != fmt.Sprint(e.Err) {
			return false
		}
	}
	return true
}

// watchNearest watches a folder, or what is there of the way to it. To watch
// a folder again does nothing.
func watchNearest(w *fsnotify.Watcher, dir string) bool {
	for watched := ""; ; {
		near := nearestFolder(dir)
		if near == "" || near == watched {
			return near != ""
		}
		if w.Add(near) != nil {
			return false
		}
		watched = near // what was made on the way before that tells nothing: look again
	}
}

// nearestFolder is the folder, or the nearest above it that is there.
func nearestFolder(dir string) string {
	for dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// forward sends a sign for each event that may be about a theme, until ctx
// ends.
func forward(ctx context.Context, w *fsnotify.Watcher, dirs []string, events chan<- struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-w.Errors: // events were lost: look at everything
			if !ok {
				return
			}
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod || !concerns(e.Name, dirs) {
				continue
			}
		}
		select {
		case events <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// concerns holds for theme files in the folders, and for what is on the way to
// a folder that isn't there yet.
func concerns(path string, dirs []string) bool {
	for _, dir := range dirs {
		if filepath.Dir(path) == filepath.Clean(dir) {
			return filepath.Ext(path) == ".json"
		}
		if rest, err := filepath.Rel(path, dir); err == nil && filepath.IsLocal(rest) {
			return true
		}
	}
	return false
}

// settle calls done once events have rested for quiet, until ctx ends.
func settle(ctx context.Context, events <-chan struct{}, quiet time.Duration, done func()) {
	timer := time.NewTimer(quiet)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			timer.Reset(quiet)
		case <-timer.C:
			done()
		}
	}
}
