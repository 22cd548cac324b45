package js

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/bundle"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/shim"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// extension is a module that may be loaded into sessions.
type extension struct {
	modules *Modules
	module  ext.Module
	granted []string
}

// Name is the file's path: the family's extensions are known by it.
func (e *extension) Name() string { return e.module.Path }

// Load runs the module's default export in a runtime of its own.
func (e *extension) Load(ctx context.Context, s ext.Session) (*ext.Instance, error) {
	in, exported, err := e.start(ctx, s)
	if err != nil {
		return nil, err
	}
	if _, err := in.await(ctx, "load", exported); err != nil {
		in.close()
		return nil, err
	}
	return in.loaded(), nil
}

// start evaluates the module; what it exports is known to the loop as a value
// that only a turn may touch.
func (e *extension) start(ctx context.Context, s ext.Session) (*instance, *exports, error) {
	b := e.modules.bundler.Made(e.module.Path, e.module.Hash)
	if b == nil { // what may run is what was looked at
		return nil, nil, fmt.Errorf("%s has changed since it was read; load it again", e.module.Path)
	}
	script, err := b.Program()
	if err != nil {
		return nil, nil, err
	}
	in := newInstance(e, b, s)
	exported := &exports{}
	if err := in.loop.Do(ctx, func(rt *sobek.Runtime) error {
		require, err := in.prepare(rt)
		if err != nil {
			return err
		}
		exported.value, err = evaluate(rt, script, b, require)
		return err
	}); err != nil {
		in.close()
		return nil, nil, in.readable(err)
	}
	return in, exported, nil
}

// exports hold what a module exported. The value belongs to the loop.
type exports struct{ value sobek.Value }

// instance is an extension in one session.
type instance struct {
	of      *extension
	bundle  *bundle.Bundle
	session ext.Session
	loop    *loop.Loop
	bus     *bus
	api     api // the loop's
	told    projection

	mu       sync.Mutex
	ready    bool // loaded: changes are told from now on
	wanted   map[string]bool
	channels map[string]bool
	calls    map[int64]*call
	last     int64
	cancels  map[int64]context.CancelCauseFunc // of what the loop asks for, by token
	listed   registry
}

// call is what a handler works for.
type call struct {
	ctx context.Context

	// Of tools alone.
	tool     string // the tool call's id
	progress func(tool.Result)
	mu       sync.Mutex // guards over
	over     bool
}

func newInstance(e *extension, b *bundle.Bundle, s ext.Session) *instance {
	in := &instance{
		of: e, bundle: b, session: s,
		wanted: map[string]bool{}, channels: map[string]bool{},
		calls: map[int64]*call{}, cancels: map[int64]context.CancelCauseFunc{},
	}
	o := e.modules.options
	in.loop = loop.New(loop.Options{
		Name: b.Name, Memory: o.Memory, Slice: o.Slice,
		Rejected: func(err error) { in.failed("unhandled", err) },
		Ended:    func(err error) { in.failed("ended", err) },
	})
	in.bus = e.modules.buses.join(s.SessionKey(), in)
	return in
}

// prepare fills a fresh runtime.
func (in *instance) prepare(rt *sobek.Runtime) (require sobek.Value, err error) {
	o := in.of.modules.options
	require, err = shim.Install(in.loop, rt, shim.Options{
		Granted: in.of.granted, Environ: o.Environ, Home: o.Home, AgentDir: o.AgentDir, Cwd: in.cwd, HTTP: o.HTTP, Offline: o.Offline, Now: o.Now,
		Exec: in.session.Exec,
		Log:  in.log,
	})
	if err != nil {
		return nil, err
	}
	program, err := apiProgram()
	if err != nil {
		return nil, err
	}
	in.api, err = newAPI(rt, program, in.natives(rt, require))
	return require, err
}

// evaluate runs the script and returns what the module exported.
func evaluate(rt *sobek.Runtime, script *sobek.Program, b *bundle.Bundle, require sobek.Value) (sobek.Value, error) {
	v, err := rt.RunProgram(script)
	if err != nil {
		return nil, err
	}
	run, ok := sobek.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("the script of %s is no function", b.Entry)
	}
	module := rt.NewObject()
	exported := rt.NewObject()
	if err := module.Set("exports", exported); err != nil {
		return nil, err
	}
	if _, err := run(sobek.Undefined(), exported, require, module, rt.ToValue(b.Entry), rt.ToValue(dirOf(b.Entry))); err != nil {
		return nil, err
	}
	return module.Get("exports"), nil
}

// loaded is the instance for the session. Every hook is there, because an
// extension may take up an event at any time.
func (in *instance) loaded() *ext.Instance {
	in.mu.Lock()
	in.ready = true
	in.mu.Unlock()
	return &ext.Instance{Hooks: in.hooks(), Heeds: true, Registered: in.registered, Render: in.render, Close: in.close}
}

func (in *instance) close() {
	in.bus.leave(in)
	in.loop.Close()
}

func (in *instance) log(level, line string) {
	in.of.modules.options.Log(in.of.module.Name, level, line)
}

func (in *instance) failed(point string, err error) { in.session.Failed(point, in.readable(err)) }

// readable gives an error's text the names of files as they are on disk.
func (in *instance) readable(err error) error {
	if err == nil {
		return nil
	}
	if text := in.bundle.Readable(err.Error()); text != err.Error() {
		return &readableError{text, err}
	}
	return err
}

type readableError struct {
	text string
	err  error
}

func (e *readableError) Error() string { return e.text }
func (e *readableError) Unwrap() error { return e.err }

func (in *instance) wants(event string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.wanted[event]
}

func (in *instance) listens(channel string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.channels[channel]
}

// enter gives a call a number by which the JavaScript side refers to it.
func (in *instance) enter(c *call) int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.last++
	in.calls[in.last] = c
	return in.last
}

func (in *instance) leave(id int64) {
	in.mu.Lock()
	c := in.calls[id]
	delete(in.calls, id)
	in.mu.Unlock()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
}

// caller is the call of a number, or one of no hook or tool when that is over.
func (in *instance) caller(id int64) *call {
	in.mu.Lock()
	defer in.mu.Unlock()
	if c := in.calls[id]; c != nil {
		return c
	}
	return &call{ctx: context.Background()}
}

// run calls one of the API's funcs for a call, with the call's number first, and
// waits for the JSON that it answers. The end of the call's context reaches the
// handler's AbortSignal.
func (in *instance) run(c *call, name string, args ...any) (json.RawMessage, error) {
	id := in.enter(c)
	defer in.leave(id)
	raw, err := in.await(c.ctx, name, append([]any{id}, args...)...)
	if c.ctx.Err() != nil { // await returned at once
		reason := context.Cause(c.ctx).Error()
		in.loop.Post(func(rt *sobek.Runtime) error { return in.api.tell(rt, "abort", id, reason) })
	}
	return raw, err
}

// await is run without a number.
func (in *instance) await(ctx context.Context, name string, args ...any) (json.RawMessage, error) {
	raw, err := loop.Await(ctx, in.loop, func(rt *sobek.Runtime) (sobek.Value, error) {
		return in.api.call(rt, name, args...)
	}, func(_ *sobek.Runtime, v sobek.Value) (json.RawMessage, error) {
		if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
			return nil, nil
		}
		return json.RawMessage(v.String()), nil
	})
	return raw, in.readable(err)
}
