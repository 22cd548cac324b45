package js

import (
	"encoding/json"
	"fmt"

	"github.com/grafana/sobek"
)

// api are the funcs that api.js gives the Go side. Only a turn may call them.
type api map[string]sobek.Callable

func newAPI(rt *sobek.Runtime, program *sobek.Program, host *sobek.Object) (api, error) {
	v, err := rt.RunProgram(program)
	if err != nil {
		return nil, err
	}
	open, ok := sobek.AssertFunction(v)
	if !ok {
		return nil, fmt.Errorf("api.js is no function")
	}
	v, err = open(sobek.Undefined(), host)
	if err != nil {
		return nil, err
	}
	object := v.ToObject(rt)
	a := api{}
	for _, name := range object.Keys() {
		if f, ok := sobek.AssertFunction(object.Get(name)); ok {
			a[name] = f
		}
	}
	return a, nil
}

// call calls a func. Arguments are texts, numbers, JSON, values of the loop, and
// what a module exported.
func (a api) call(rt *sobek.Runtime, name string, args ...any) (sobek.Value, error) {
	f := a[name]
	if f == nil {
		return nil, fmt.Errorf("api.js has no %s", name)
	}
	values := make([]sobek.Value, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case sobek.Value:
			values[i] = arg
		case *exports:
			values[i] = arg.value
		case json.RawMessage:
			v, err := valueOf(rt, arg)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			values[i] = v
		default:
			values[i] = rt.ToValue(arg)
		}
	}
	return f(sobek.Undefined(), values...)
}

// tell is call for what answers nothing.
func (a api) tell(rt *sobek.Runtime, name string, args ...any) error {
	_, err := a.call(rt, name, args...)
	return err
}
