package loop

import (
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

// Funcs is an object of Go funcs, each of which becomes JavaScript's at its first
// use: funcs are what most of a fresh runtime is made of. See Func. In a turn
// only.
func (l *Loop) Funcs(named map[string]func(sobek.FunctionCall) (sobek.Value, error)) *sobek.Object {
	return l.rt.NewDynamicObject(&funcs{l: l, named: named, made: map[string]sobek.Value{}})
}

// funcs are those of one object, and what else is put there.
type funcs struct {
	l     *Loop
	named map[string]func(sobek.FunctionCall) (sobek.Value, error)
	made  map[string]sobek.Value
}

func (f *funcs) Get(name string) sobek.Value {
	if v, ok := f.made[name]; ok {
		return v
	}
	fn, ok := f.named[name]
	if !ok {
		return nil
	}
	f.made[name] = f.l.Func(fn)
	return f.made[name]
}

func (f *funcs) Set(name string, v sobek.Value) bool {
	f.made[name] = v
	return true
}

func (f *funcs) Has(name string) bool {
	_, named := f.named[name]
	_, made := f.made[name]
	return named || made
}

// Delete refuses: nobody takes away what others call.
func (f *funcs) Delete(name string) bool { return !f.Has(name) }

func (f *funcs) Keys() []string {
	all := map[string]bool{}
	for name := range f.named {
		all[name] = true
	}
	for name := range f.made {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}
