package shim

import "github.com/grafana/sobek"

// globals are those that come from modules, each of which is evaluated when one
// of its names is first used.
var globals = []struct {
	file  string
	names []string
}{
	{"timers", []string{"setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask"}},
	{"url", []string{"URL", "URLSearchParams"}},
	{"encoding", []string{"TextEncoder", "TextDecoder"}},
	{"eventtarget", []string{"Event", "CustomEvent", "EventTarget", "AbortController", "AbortSignal", "DOMException"}},
	{"clone", []string{"structuredClone"}},
	{"buffer", []string{"Buffer", "atob", "btoa"}},
	{"fetch", []string{"fetch", "Headers", "Request", "Response"}},
	{"perf_hooks", []string{"performance"}},
	{"weak", []string{"WeakRef", "FinalizationRegistry"}},
}

// globals defines them, and what is a module as a whole or goes by another name
// in it.
func (s *shims) globals() error {
	for _, g := range globals {
		for _, name := range g.names {
			if err := s.global(name, g.file, name); err != nil {
				return err
			}
		}
	}
	if err := s.global("crypto", "crypto", "webcrypto"); err != nil {
		return err
	}
	for _, name := range []string{"console", "process"} {
		if err := s.global(name, name, ""); err != nil {
			return err
		}
	}
	return nil
}

// global defines a global by an export of a module, or by all of them. Until it
// is used or overwritten it is one func that both gets and sets: funcs are what
// most of a fresh runtime is made of.
func (s *shims) global(name, file, export string) error {
	all := s.rt.GlobalObject()
	access := s.Func(func(c sobek.FunctionCall) (sobek.Value, error) {
		v := c.Argument(0)
		if len(c.Arguments) == 0 {
			exports, err := s.load(file)
			if err != nil {
				return nil, err
			}
			v = exports
			if export != "" {
				v = field(exports, export)
			}
		}
		return v, all.DefineDataProperty(name, v, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
	})
	return all.DefineAccessorProperty(name, access, access, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
}
