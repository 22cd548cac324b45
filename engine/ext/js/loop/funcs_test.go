package loop

import (
	"errors"
	"testing"

	"github.com/grafana/sobek"
)

// An object of funcs is like one that has them all from the start.
func TestFuncs(t *testing.T) {
	l := New(Options{})
	defer l.Close()
	var calls int
	got, err := Await(t.Context(), l, func(rt *sobek.Runtime) (sobek.Value, error) {
		if err := rt.Set("o", l.Funcs(map[string]func(sobek.FunctionCall) (sobek.Value, error){
			"one": func(c sobek.FunctionCall) (sobek.Value, error) { calls++; return c.Argument(0), nil },
			"two": func(sobek.FunctionCall) (sobek.Value, error) { return nil, errors.New("no") },
		})); err != nil {
			return nil, err
		}
		return rt.RunString(`
			const said = [o.one(1), o.one === o.one, typeof o.two, typeof o.three, "one" in o, "three" in o];
			try { o.two() } catch (e) { said.push(e.message) }
			o.three = 3;
			try { (() => { "use strict"; delete o.one })() } catch (e) { said.push(e.name) }
			said.push(o.three, o.one(4), Object.keys(o));
			JSON.stringify(said)`)
	}, func(_ *sobek.Runtime, v sobek.Value) (string, error) { return v.String(), nil })
	if want := `[1,true,"function","undefined",true,false,"no","TypeError",3,4,["one","three","two"]]`; err != nil || got != want || calls != 2 {
		t.Errorf("got %s, %v after %d calls, want %s", got, err, calls, want)
	}
}
