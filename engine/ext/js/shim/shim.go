package shim

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// Options say what an extension may reach, and by which way.
type Options struct {
	// Granted are the capabilities: fs, net, exec, env.
	Granted []string
	// Environ is what process.env shows, Home the user's folder, AgentDir the
	// folder of the program's own files; empty is .config/hoopoe below Home.
	Environ        []string
	Home, AgentDir string
	// Cwd is the session's working directory; nil is the root.
	Cwd func() string
	// HTTP is what fetch uses; nil refuses it, and so does Offline.
	HTTP    *http.Client
	Offline bool
	// Exec runs a program; nil refuses it.
	Exec func(context.Context, ext.Exec) (ext.ExecResult, error)
	// Log takes what is written to the console, a line at a time. Level is
	// debug, info, warn or error.
	Log func(level, line string)
	Now func() time.Time // nil: time.Now
}

// modules are the names that require serves, with their file below src and the
// capability that they are there for.
var modules = map[string]struct{ file, needs string }{
	"node:assert":          {"assert", ""},
	"node:assert/strict":   {"assert", ""},
	"node:buffer":          {"buffer", ""},
	"node:child_process":   {"child_process", "exec"},
	"node:console":         {"console", ""},
	"node:crypto":          {"crypto", ""},
	"node:events":          {"events", ""},
	"node:fs":              {"fs", "fs"},
	"node:fs/promises":     {"fs_promises", "fs"},
	"node:os":              {"os", ""},
	"node:path":            {"path", ""},
	"node:path/posix":      {"path", ""},
	"node:perf_hooks":      {"perf_hooks", ""},
	"node:process":         {"process", ""},
	"node:string_decoder":  {"string_decoder", ""},
	"node:timers":          {"timers", ""},
	"node:timers/promises": {"timers_promises", ""},
	"node:url":             {"url", ""},
	"node:util":            {"util", ""},

	"@sinclair/typebox":       {"typebox", ""},
	"@sinclair/typebox/value": {"typebox_value", ""},
	"typebox":                 {"typebox", ""},
	"typebox/value":           {"typebox_value", ""},
}

// family are the packages of the family, under each of its names.
var family = map[string]string{
	"pi-ai": "pi_ai", "pi-agent-core": "pi_agent_core", "pi-coding-agent": "pi_coding_agent", "pi-tui": "pi_tui",
	"pi-utils": "pi_utils",
}

var familyScopes = []string{"@mariozechner/", "@earendil-works/", "@oh-my-pi/"}

func find(name string) (file, needs string, ok bool) {
	if m, ok := modules[name]; ok {
		return m.file, m.needs, true
	}
	if m, ok := modules["node:"+name]; ok {
		return m.file, m.needs, true
	}
	for _, scope := range familyScopes {
		if rest, found := strings.CutPrefix(name, scope); found && family[rest] != "" {
			return family[rest], "", true
		}
	}
	return "", "", false
}

// Known reports whether require serves a module.
func Known(name string) bool {
	_, _, ok := find(name)
	return ok
}

// Needs is the capability without which a module is of no use, or empty.
func Needs(name string) string {
	_, needs, _ := find(name)
	return needs
}

//go:embed src
var sources embed.FS

// programs are compiled once; running one doesn't change it.
var programs = compiler()

func compiler() func(file string) (*sobek.Program, error) {
	var all sync.Map // file → func() (*sobek.Program, error)
	return func(file string) (*sobek.Program, error) {
		compile, _ := all.LoadOrStore(file, sync.OnceValues(func() (*sobek.Program, error) {
			text, err := sources.ReadFile("src/" + file + ".js")
			if err != nil {
				return nil, fmt.Errorf("built-in module: %w", err)
			}
			return sobek.Compile("hoopoe:"+file+".js",
				"(function (module, exports, require, native) {"+string(text)+"\n})", true)
		}))
		return compile.(func() (*sobek.Program, error))()
	}
}

// shims are those of one runtime.
type shims struct {
	*loop.Loop
	rt     *sobek.Runtime
	opts   Options
	native *sobek.Object
	calls  map[string]func(sobek.FunctionCall) (sobek.Value, error) // native's
	loaded map[string]*sobek.Object                                 // module objects by file
	inner  sobek.Value                                              // require of the modules themselves, by file
	start  time.Time
}

// Install fills a fresh runtime and returns the extension's require. In a turn
// of l only.
func Install(l *loop.Loop, rt *sobek.Runtime, o Options) (require sobek.Value, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Cwd == nil {
		o.Cwd = func() string { return "/" }
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	s := &shims{
		Loop: l, rt: rt, opts: o, start: o.Now(),
		loaded: map[string]*sobek.Object{}, calls: map[string]func(sobek.FunctionCall) (sobek.Value, error){},
	}
	s.native = l.Funcs(s.calls)
	s.natives()
	s.inner = l.Func(func(c sobek.FunctionCall) (sobek.Value, error) { return s.load(c.Argument(0).String()) })
	err = s.globals()
	if err == nil {
		_, err = s.load("language")
	}
	if err != nil {
		return nil, fmt.Errorf("install the globals: %w", l.Explain(err))
	}
	return l.Func(func(c sobek.FunctionCall) (sobek.Value, error) {
		name := c.Argument(0).String()
		file, _, ok := find(name)
		if !ok {
			return nil, &loop.Error{Message: fmt.Sprintf("can't load the module %q: it is neither one that Hoopoe provides nor in the bundle", name), Code: "MODULE_NOT_FOUND"}
		}
		return s.load(file)
	}), nil
}

// load evaluates a module at its first use.
func (s *shims) load(file string) (sobek.Value, error) {
	if m := s.loaded[file]; m != nil {
		return m.Get("exports"), nil
	}
	program, err := programs(file)
	if err != nil {
		return nil, err
	}
	v, err := s.rt.RunProgram(program)
	if err != nil {
		return nil, err
	}
	run, ok := sobek.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("the built-in module %s is no function", file)
	}
	m, exports := s.rt.NewObject(), s.rt.NewObject()
	_ = m.Set("exports", exports)
	s.loaded[file] = m // before it runs, for modules that need each other
	if _, err := run(sobek.Undefined(), m, exports, s.inner, s.native); err != nil {
		delete(s.loaded, file)
		return nil, err
	}
	return m.Get("exports"), nil
}

// allowed refuses what needs a capability that wasn't granted.
func (s *shims) allowed(capability, what string) error {
	if slices.Contains(s.opts.Granted, capability) {
		return nil
	}
	return &loop.Error{
		Message: fmt.Sprintf("extension %s isn't allowed to use %s: it needs the capability %q, state it in the header comment of its file (// @capabilities %s) or in its package.json", s.Name(), what, capability, capability),
		Code:    "ERR_ACCESS_DENIED",
		Props:   map[string]any{"capability": capability},
	}
}

// set adds one native func.
func (s *shims) set(name string, fn func(c sobek.FunctionCall) (sobek.Value, error)) {
	s.calls[name] = fn
}

// cancellable starts work and gives JavaScript the promise and a way to end it.
func (s *shims) cancellable(work loop.Work) (sobek.Value, error) {
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop) })
	promise, err := s.Promise(func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
		return work(ctx)
	})
	if err != nil {
		return nil, err
	}
	o := s.rt.NewObject()
	_ = o.Set("promise", promise)
	_ = o.Set("cancel", s.Func(func(sobek.FunctionCall) (sobek.Value, error) { end(); return nil, nil }))
	return o, nil
}

// bytesOf is the content of a buffer, a view of one or a text. It shares memory
// with the script where there is any.
func bytesOf(v sobek.Value) []byte {
	if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
		return nil
	}
	switch b := v.Export().(type) {
	case []byte:
		return b
	case sobek.ArrayBuffer:
		return b.Bytes()
	case string:
		return []byte(b)
	}
	return []byte(v.String())
}

// field is a property of an options object, undefined if there is none.
func field(o sobek.Value, name string) sobek.Value {
	if object, ok := o.(*sobek.Object); ok {
		if v := object.Get(name); v != nil {
			return v
		}
	}
	return sobek.Undefined()
}

// text is a property as a string, empty if it isn't there.
func text(o sobek.Value, name string) string {
	if v := field(o, name); !sobek.IsUndefined(v) && !sobek.IsNull(v) {
		return v.String()
	}
	return ""
}
