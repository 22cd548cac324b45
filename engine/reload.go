package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/internal/filewatch"
)

// watchQuiet is how long the files of extensions have been at rest before they
// are loaded anew.
const watchQuiet = 200 * time.Millisecond

// errBroken says that a reload has left an extension in its last version.
var errBroken = errors.New("not all extensions could be loaded anew")

// reload looks for the extensions' files again and loads them: all, or those
// whose content has changed. One that can't be loaded goes on as it was. It says
// how many were loaded.
func (x *extensions) reload(ctx context.Context, all bool) (count int, err error) {
	x.start(ctx)
	x.work.Lock()
	defer x.work.Unlock()
	files := x.files()
	old := slices.DeleteFunc(slices.Clone(x.all()), func(e *extension) bool { return e.file.path == "" })
	candidates := x.inspect(ctx, files)
	var kept []*extension
	var fresh []candidate
	for _, c := range candidates {
		i := slices.IndexFunc(old, func(e *extension) bool { return e.file.path == c.path })
		if i >= 0 && !all && old[i].module.Hash == c.module.Hash {
			kept = append(kept, old[i])
		} else {
			fresh = append(fresh, c)
		}
	}
	for _, e := range old { // what can't be read any more, though it is there, stays
		there := slices.ContainsFunc(files, func(f extensionFile) bool { return f.path == e.file.path })
		read := slices.ContainsFunc(candidates, func(c candidate) bool { return c.path == e.file.path })
		if there && !read {
			kept = append(kept, e)
			err = errBroken
			x.s.notify("warning", "The extension "+e.name()+" goes on in its last version.")
		}
	}
	made := x.make(ctx, fresh, old)
	next := slices.Clone(x.all())
	next = slices.DeleteFunc(next, func(e *extension) bool { return e.file.path != "" })
	next = append(next, ordered(files, append(kept, made...))...)
	gone := slices.DeleteFunc(slices.Clone(old), func(e *extension) bool { return slices.Contains(next, e) })
	for _, e := range gone {
		x.s.host.Stop(ctx, e.part)
	}
	x.s.unshow(gone)
	if !x.install(next) {
		x.drop(made)
		return 0, ErrClosed
	}
	x.drop(gone)
	for _, e := range made {
		if slices.Contains(old, e) {
			err = errBroken
			continue
		}
		count++
		x.welcome(ctx, e, "reload")
	}
	x.s.env.forget()
	x.follow()
	return count, err
}

// ordered puts extensions into the order of their files.
func ordered(files []extensionFile, list []*extension) []*extension {
	at := func(e *extension) int {
		return slices.IndexFunc(files, func(f extensionFile) bool { return f.path == e.file.path })
	}
	slices.SortStableFunc(list, func(a, b *extension) int { return at(a) - at(b) })
	return list
}

// watcher follows the files of a session's extensions.
type watcher struct{ files *filewatch.Watcher }

func (w *watcher) close() { w.files.Close() }

// follow watches the files of the extensions as they are now.
func (x *extensions) follow() {
	if !x.s.hasFiles() {
		return
	}
	x.mu.Lock()
	w, closed := x.watch, x.closed
	x.mu.Unlock()
	if closed {
		return
	}
	if w == nil {
		files, err := filewatch.New(filewatch.Options{Quiet: watchQuiet, Changed: x.filesChanged})
		if err != nil {
			x.s.engine.log.Warn("watch the files of extensions", "error", err)
			return
		}
		w = &watcher{files}
		x.mu.Lock()
		if closed = x.closed; !closed {
			x.watch = w
		}
		x.mu.Unlock()
		if closed {
			w.close()
			return
		}
	}
	w.files.Watch(x.watched())
}

// filesChanged loads what has changed.
func (x *extensions) filesChanged([]string) {
	before := len(x.all())
	n, err := x.reload(x.s.ctx, false)
	switch {
	case err != nil: // what failed was told
	case n > 0:
		x.s.notify("info", "Extensions are loaded anew: "+fmt.Sprint(n)+".")
	case len(x.all()) < before:
		x.s.notify("info", "An extension is gone.")
	}
}

// ReloadExtensions loads all extensions of the session anew: each hears the end
// of the session, then its beginning. One that can't be loaded goes on as it was.
// It says how many were loaded. Inside a hook it is noted and done afterwards.
func (s *Session) ReloadExtensions(ctx context.Context) (int, error) {
	if s.extensions == nil {
		return 0, nil
	}
	if ext.Defer(ctx, func() { go func() { _, _ = s.extensions.reload(s.ctx, true) }() }) {
		return 0, nil
	}
	return s.extensions.reload(ctx, true)
}

// flagValue finds an argument of the command line that an extension claims.
func flagValue(args []string, f ext.Flag) any {
	for i, arg := range args {
		name, value, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "--") || name != f.Name {
			continue
		}
		switch {
		case f.Type == "boolean":
			return !has || value != "false"
		case has:
			return value
		case i+1 < len(args) && !strings.HasPrefix(args[i+1], "--"):
			return args[i+1]
		}
	}
	return f.Default
}

// unclaimed tells of arguments that nobody knows, and of tools that were asked
// for and haven't come.
func (s *Session) unclaimed() {
	known := map[string]bool{}
	for _, r := range s.extensions.registrations() {
		for _, f := range r.said.Flags {
			known[f.Name] = true
		}
	}
	for _, name := range s.opts.toolNames() {
		if _, err := s.tools.Find(name); err != nil && !isServed(name) && slices.Contains(s.awaited, name) {
			s.notify("warning", err.Error()+".")
		}
	}
	for _, arg := range s.opts.ExtensionArgs {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "--") && !known[name] {
			s.notify("warning", "No extension knows the flag --"+name+".")
		}
	}
}
