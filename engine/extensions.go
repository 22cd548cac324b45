package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// extensions are the extensions of a session:
//
//	found files ─▶ inspected ─▶ capabilities allowed ─▶ loaded ─▶ host, taps,
//	tools, commands ─▶ session_start ─▶ (file changed, Reload) ─▶ loaded anew
//
// They are loaded at Start, or at the first prompt that comes before it, off the
// owner. What runs already stays until its next version is loaded.
type extensions struct {
	s     *Session
	begin sync.Once
	ready chan struct{} // closed when the first load is over
	work  sync.Mutex    // held by a load or a reload
	told  []string      // the commands that the faces know of; the owner's

	syncing sync.Mutex // held while registrations are read

	mu     sync.Mutex
	list   []*extension      // in load order; slices that are out never change
	paths  map[string]string // by name, also of those that failed
	closed bool
	watch  *watcher
}

// extension is one that is loaded.
type extension struct {
	part    *ext.Part
	file    extensionFile // the zero value for one of the program's own
	module  ext.Module
	granted []string
	project bool // the project's, not the user's
	tap     *tap
	// registered and found are as the extension last said.
	registered ext.Registrations
	found      ext.Discovered
}

func (e *extension) name() string { return e.part.Name }

// newExtensions makes the parts of the program's own extensions; files come
// later.
func (s *Session) newExtensions(own []ext.Hooks) *extensions {
	x := &extensions{s: s, ready: make(chan struct{}), paths: map[string]string{}}
	var parts []*ext.Part
	for _, h := range own {
		p := &ext.Part{Name: h.Name, Instance: &ext.Instance{Hooks: h}, Session: callback{s: s, name: h.Name}}
		parts = append(parts, p)
		x.list = append(x.list, &extension{part: p})
	}
	s.host.Set(parts)
	return x
}

// open lets those that are there already hear of the session.
func (x *extensions) open() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.list {
		e.tap = x.s.newTap(e.part)
	}
}

// all are the extensions, in load order.
func (x *extensions) all() []*extension {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.list
}

func (x *extensions) named(name string) *extension {
	for _, e := range x.all() {
		if e.name() == name {
			return e
		}
	}
	return nil
}

// start loads the extensions, once, and waits for it as long as ctx does.
func (x *extensions) start(ctx context.Context) {
	if x == nil {
		return
	}
	x.begin.Do(func() {
		go func() {
			defer close(x.ready)
			x.load(x.s.ctx)
		}()
	})
	select {
	case <-x.ready:
	case <-ctx.Done():
	case <-x.s.ended:
	}
}

// pending reports whether a prompt has to wait for extensions.
func (x *extensions) pending() bool {
	if x == nil || !x.s.hasFiles() && len(x.s.opts.With) == 0 {
		return false
	}
	select {
	case <-x.ready:
		return false
	default:
		return true
	}
}

// load is the first load.
func (x *extensions) load(ctx context.Context) {
	x.work.Lock()
	defer x.work.Unlock()
	var given []candidate
	for _, of := range x.s.opts.With {
		given = append(given, candidate{of: of, module: ext.Module{Name: of.Name()}})
	}
	loaded := x.make(ctx, append(given, x.inspect(ctx, x.files())...), nil)
	if !x.install(slices.Concat(x.all(), loaded)) {
		x.drop(loaded)
		return
	}
	x.s.unclaimed()
	for _, e := range x.all() {
		x.welcome(ctx, e, "startup")
	}
	x.follow()
}

// welcome runs the start hook of an extension and hears what it names.
func (x *extensions) welcome(ctx context.Context, e *extension, reason string) {
	x.s.host.Start(ctx, e.part)
	if e.part.Instance.Discover == nil {
		return
	}
	found := x.s.host.Discover(ctx, e.part, reason)
	x.mu.Lock()
	e.found = found
	x.mu.Unlock()
	x.s.env.forget()
	if len(found.Skills)+len(found.Prompts) > 0 {
		x.s.in.do(func() { x.s.publish(event.CommandsChanged{}) })
	}
}

// candidate is an extension that may run: one that came with the options, or a
// file that was inspected.
type candidate struct {
	extensionFile
	module  ext.Module
	granted []string
	of      ext.Extension
}

// inspect reads the files, all at once, and asks about their capabilities one
// after the other. What can't be read or isn't wanted is told and left out.
func (x *extensions) inspect(ctx context.Context, files []extensionFile) []candidate {
	modules := x.s.engine.options.Modules
	all := make([]candidate, len(files))
	errs := make([]error, len(files))
	var reading sync.WaitGroup
	for i, f := range files {
		reading.Go(func() {
			all[i].extensionFile = f
			all[i].module, errs[i] = inspected(ctx, modules, f.path)
		})
	}
	reading.Wait()
	var wanted []candidate
	for i, c := range all {
		if errs[i] != nil {
			if ctx.Err() == nil {
				x.remember(c.label(), c.path)
				x.s.host.Failed(c.label(), "load", errs[i])
			}
			continue
		}
		var ok bool
		if c.granted, ok = x.s.grant(ctx, c); ok {
			c.of = modules.Extension(c.module, c.granted)
			wanted = append(wanted, c)
		}
	}
	return wanted
}

// inspected is Modules.Inspect, held to the deadline of a hook.
func inspected(ctx context.Context, modules ext.Modules, path string) (m ext.Module, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, ext.DefaultTimeout, errors.New("reading it took too long"))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading it panicked: %v", p)
		}
	}()
	return modules.Inspect(ctx, path)
}

// make loads modules, all at once, in the place of those of the same file among
// old. One that fails is told; its old version stays.
func (x *extensions) make(ctx context.Context, list []candidate, old []*extension) []*extension {
	made := make([]*extension, len(list))
	names := x.names(list)
	var loading sync.WaitGroup
	for i, c := range list {
		x.remember(names[i], c.path)
		loading.Go(func() {
			before := slices.IndexFunc(old, func(e *extension) bool { return c.path != "" && e.file.path == c.path })
			s := callback{s: x.s, name: names[i]}
			p, err := x.s.host.Load(ctx, names[i], c.of, s)
			switch {
			case err == nil:
				made[i] = &extension{part: p, file: c.extensionFile, module: c.module, granted: c.granted, project: c.project}
			case before >= 0:
				made[i] = old[before]
				x.s.notify("warning", "The extension "+names[i]+" goes on in its last version, because the new one can't be loaded.")
			}
		})
	}
	loading.Wait()
	return slices.DeleteFunc(made, func(e *extension) bool { return e == nil })
}

// remember notes whose file it is that a name stands for.
func (x *extensions) remember(name, path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.paths[name] = path
}

func (x *extensions) path(name string) string {
	if x == nil {
		return ""
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.paths[name]
}

// names are the modules' own, with a number where one is taken.
func (x *extensions) names(list []candidate) []string {
	taken := map[string]bool{}
	for _, e := range x.all() {
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.path != "" && c.path == e.file.path }) {
			taken[e.name()] = true
		}
	}
	names := make([]string, len(list))
	for i, c := range list {
		name := c.module.Name
		if name == "" {
			name = c.label()
		}
		names[i] = name
		for n := 2; taken[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s:%d", name, n)
		}
		taken[names[i]] = true
	}
	return names
}

// install makes list the session's extensions. It reports false when the
// session is over.
func (x *extensions) install(list []*extension) bool {
	parts := make([]*ext.Part, len(list))
	for i, e := range list {
		parts[i] = e.part
		// Only what is new gets a tap, before anyone can see it in the list.
		if e.tap == nil && e.part.Instance.Event != nil {
			e.tap = x.s.newTap(e.part)
		}
	}
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return false
	}
	x.list = list
	x.s.host.Set(parts) // before a close can empty it
	x.mu.Unlock()
	x.sync()
	return true
}

// drop lets go of extensions that aren't installed any more, or never were.
func (x *extensions) drop(list []*extension) {
	for _, e := range list {
		e.tap.close()
		e.part.Retire()
	}
}

// sync takes over what the extensions register now and tells what is new.
func (x *extensions) sync() {
	x.syncing.Lock()
	defer x.syncing.Unlock()
	list := x.all()
	said := make([]ext.Registrations, len(list))
	for i, e := range list {
		said[i] = registered(e.part.Instance)
	}
	x.mu.Lock()
	var commands []string
	for i, e := range list {
		e.registered = said[i]
		for _, c := range e.registered.Commands {
			commands = append(commands, c.Name+"\x00"+c.Description)
		}
	}
	x.mu.Unlock()
	tools, told := x.s.collectTools(list)
	x.s.env.say(told)
	changed := x.s.tools.extend(tools)
	if changed {
		x.s.env.forget()
	}
	x.s.in.do(func() {
		if changed {
			x.s.toolsChanged()
		}
		if !slices.Equal(commands, x.told) {
			x.told = commands
			x.s.publish(event.CommandsChanged{})
		}
	})
}

// registered is the instance's own account; one that panics has none.
func registered(i *ext.Instance) (r ext.Registrations) {
	defer func() {
		if recover() != nil {
			r = ext.Registrations{}
		}
	}()
	if i.Registered == nil {
		return r
	}
	return i.Registered()
}

// changed is called by an extension whose registrations are others now.
func (x *extensions) changed(name string) {
	if x.named(name) != nil {
		x.sync()
	}
}

// An ending session waits so long until its extensions have heard of all, and
// then for their shutdown hooks.
const (
	hearTime     = time.Second
	shutdownTime = 3 * time.Second
)

// close ends the extensions: they hear what has happened, then of the end.
func (x *extensions) close(ctx context.Context) {
	if x == nil {
		return
	}
	x.mu.Lock()
	closed := x.closed
	x.closed = true
	list, watch := x.list, x.watch
	x.mu.Unlock()
	if closed {
		return
	}
	if watch != nil {
		watch.close()
	}
	marks, _ := do(ctx, x.s, func() ([]<-chan struct{}, error) { return x.marks(), nil })
	caughtUp(ctx, marks, hearTime)
	ctx, cancel := context.WithTimeoutCause(ctx, shutdownTime, fmt.Errorf("took longer than %v while the session ended", shutdownTime))
	defer cancel()
	x.s.host.SessionShutdown(ctx)
	x.s.host.Set(nil)
	x.drop(list)
}
