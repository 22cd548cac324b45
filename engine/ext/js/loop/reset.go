package loop

import (
	"reflect"
	"unsafe"

	"github.com/grafana/sobek"
)

// vmFields are what the engine's VM changes while it runs.
var vmFields = []string{
	"prg", "pc", "stack", "sp", "sb", "args", "stash", "privEnv",
	"callStack", "iterStack", "refStack", "tryStack", "newTarget", "result",
	"curAsyncRunner",
}

// machine puts a runtime's VM back to how it was before its first script. The
// engine unwinds all that is interrupted but async functions and generators:
// their frames stay, and with frames left it takes every later call for a
// nested one and runs no promise jobs any more. There is no exported way to
// clear them, so this goes by the fields' names.
type machine struct {
	calls  reflect.Value // the call stack
	fields []reflect.Value
	fresh  []reflect.Value
}

// newMachine looks at a runtime that hasn't run yet. It is nil when the engine
// has other fields than we know.
func newMachine(rt *sobek.Runtime) *machine {
	runtime := reflect.ValueOf(rt).Elem()
	vm := runtime.FieldByName("vm")
	if vm.Kind() != reflect.Pointer {
		return nil
	}
	m := &machine{}
	add := func(of reflect.Value, name string) bool {
		f := of.FieldByName(name)
		if !f.IsValid() {
			return false
		}
		f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem() // settable
		fresh := reflect.New(f.Type()).Elem()
		fresh.Set(f)
		m.fields, m.fresh = append(m.fields, f), append(m.fresh, fresh)
		if name == "callStack" {
			m.calls = f
		}
		return true
	}
	for _, name := range vmFields {
		if !add(vm.Elem(), name) {
			return nil
		}
	}
	if !add(runtime, "jobQueue") {
		return nil
	}
	return m
}

// dirty reports whether frames are left of what was interrupted.
func (m *machine) dirty() bool { return m != nil && m.calls.Len() > 0 }

func (m *machine) reset() {
	for i, f := range m.fields {
		f.Set(m.fresh[i])
	}
}
