// Package filewatch tells that files have changed, when they have come to rest.
//
//	folders of files, folders ─▶ Watcher ─ events ─▶ those that matter ─▶ quiet time ─▶ Changed
//
// Editors write files in many ways, also by putting another in their place, so
// the folders are watched. What can't be watched isn't: nothing depends on it.
package filewatch

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options say what to watch and whom to tell.
type Options struct {
	// Quiet is how long nothing must have happened before it is told.
	Quiet time.Duration
	// Changed is called in a goroutine of its own, never twice at once, with the
	// paths that have changed.
	Changed func(paths []string)
}

// Watcher watches. Its methods are safe for concurrent use.
type Watcher struct {
	options Options
	notify  *fsnotify.Watcher

	mu      sync.Mutex
	files   map[string]bool
	folders map[string]bool // every change in one counts
	dirs    map[string]bool // watched
}

// New returns a Watcher of nothing.
func New(o Options) (*Watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{options: o, notify: n, dirs: map[string]bool{}}
	go w.follow()
	return w, nil
}

// Watch replaces what is watched: single files, and folders with all that lies
// directly in them. A folder that isn't there is watched for from the one above.
func (w *Watcher) Watch(files, folders []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files, w.folders = map[string]bool{}, map[string]bool{}
	want := map[string]bool{}
	for _, f := range files {
		w.files[f] = true
		want[filepath.Dir(f)] = true
	}
	for _, d := range folders {
		w.folders[d] = true
		want[d], want[filepath.Dir(d)] = true, true
	}
	for dir := range w.dirs {
		if !want[dir] {
			_ = w.notify.Remove(dir) // it may be gone
			delete(w.dirs, dir)
		}
	}
	for dir := range want {
		if !w.dirs[dir] && w.notify.Add(dir) == nil {
			w.dirs[dir] = true
		}
	}
}

// Close ends it. A call of Changed may still be going on.
func (w *Watcher) Close() { _ = w.notify.Close() }

func (w *Watcher) follow() {
	var changed []string
	var quiet <-chan time.Time
	busy := make(chan struct{}, 1)
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if w.matters(e) {
				if !slices.Contains(changed, e.Name) { // a file may be written all the time
					changed = append(changed, e.Name)
				}
				quiet = time.After(w.options.Quiet)
			}
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
		case <-quiet:
			quiet = nil
			select {
			case busy <- struct{}{}:
				paths := changed
				changed = nil
				go func() {
					defer func() { <-busy }()
					w.options.Changed(paths)
				}()
			default: // it is being told of the change before
				quiet = time.After(w.options.Quiet)
			}
		}
	}
}

func (w *Watcher) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[e.Name] || w.folders[e.Name] || w.folders[filepath.Dir(e.Name)]
}
