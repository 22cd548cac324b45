package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// patience is how long a method of the session that answers at once may take.
// The loop stands still meanwhile.
const patience = 10 * time.Second

// natives make the object that api.js knows as host.
func (in *instance) natives(rt *sobek.Runtime, require sobek.Value) *sobek.Object {
	return in.loop.Funcs(map[string]func(sobek.FunctionCall) (sobek.Value, error){
		"get":       func(c sobek.FunctionCall) (sobek.Value, error) { return in.get(rt, c) },
		"ask":       func(c sobek.FunctionCall) (sobek.Value, error) { return in.ask(c) },
		"cancel":    in.cancel,
		"progress":  in.progress,
		"subscribe": in.subscribe,
		"listen":    in.listen,
		"register":  in.register,
		"changed":   func(sobek.FunctionCall) (sobek.Value, error) { in.changed(); return nil, nil },
		"emit": func(c sobek.FunctionCall) (sobek.Value, error) {
			in.bus.emit(in, c.Argument(0).String(), c.Argument(1))
			return nil, nil
		},
		"failed": func(c sobek.FunctionCall) (sobek.Value, error) {
			in.failed(c.Argument(0).String(), errors.New(c.Argument(1).String()))
			return nil, nil
		},
		"log": func(c sobek.FunctionCall) (sobek.Value, error) {
			in.log(c.Argument(0).String(), c.Argument(1).String())
			return nil, nil
		},
		"module": func(c sobek.FunctionCall) (sobek.Value, error) {
			f, ok := sobek.AssertFunction(require)
			if !ok {
				return nil, errors.New("there is no require")
			}
			return f(sobek.Undefined(), c.Argument(0))
		},
	})
}

// arguments are those of get and ask: call, method, JSON.
func arguments(c sobek.FunctionCall) (id int64, name string, args json.RawMessage) {
	if v := c.Argument(2); !sobek.IsUndefined(v) {
		args = json.RawMessage(v.String())
	}
	return c.Argument(0).ToInteger(), c.Argument(1).String(), args
}

// get calls a method of the session that answers at once.
func (in *instance) get(rt *sobek.Runtime, c sobek.FunctionCall) (sobek.Value, error) {
	id, name, args := arguments(c)
	m, ok := instant[name]
	if !ok {
		return nil, fmt.Errorf("there is no method %s", name)
	}
	caller := in.caller(id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(caller.ctx), patience)
	defer cancel()
	var answer any
	var err error
	in.loop.Outside(func() { answer, err = m(in, ctx, caller, args) })
	if err != nil || answer == nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return valueOf(rt, text)
}

// ask calls a method that takes its time, off the loop. Inside a hook those that
// would wait for the run only note what is wanted, and have to do so before the
// hook is over: at once.
func (in *instance) ask(c sobek.FunctionCall) (sobek.Value, error) {
	id, name, args := arguments(c)
	m, ok := lasting[name]
	if !ok {
		return nil, fmt.Errorf("there is no method %s", name)
	}
	caller := in.caller(id)
	token := c.Argument(3).ToInteger()
	if putOff[name] && ext.Inside(caller.ctx) {
		answer, err := m(in, caller.ctx, caller, args)
		return in.loop.Promise(func(context.Context) (func(*sobek.Runtime) sobek.Value, error) { return answered(answer, err) })
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(caller.ctx))
	in.mu.Lock()
	in.cancels[token] = cancel
	in.mu.Unlock()
	promise, err := in.loop.Promise(func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error) {
		stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
		defer stop()
		answer, err := m(in, own, caller, args)
		if err != nil && errors.Is(context.Cause(own), errAborted) {
			err = &loop.Error{Name: "AbortError", Message: errAborted.Error()}
		}
		in.forget(token)
		return answered(answer, err)
	})
	if err != nil { // too many are under way: there is nothing to cancel
		in.forget(token)
	}
	return promise, err
}

// forget takes back the right to cancel what a token stands for.
func (in *instance) forget(token int64) (cancel context.CancelCauseFunc) {
	in.mu.Lock()
	defer in.mu.Unlock()
	cancel = in.cancels[token]
	delete(in.cancels, token)
	return cancel
}

var errAborted = errors.New("the operation was aborted")

// answered makes a promise's value of a method's answer.
func answered(answer any, err error) (func(*sobek.Runtime) sobek.Value, error) {
	if err != nil || answer == nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return func(rt *sobek.Runtime) sobek.Value {
		v, _ := valueOf(rt, text) // Marshal wrote it
		return v
	}, nil
}

func (in *instance) cancel(c sobek.FunctionCall) (sobek.Value, error) {
	if cancel := in.forget(c.Argument(0).ToInteger()); cancel != nil {
		cancel(errAborted)
	}
	return nil, nil
}

func (in *instance) progress(c sobek.FunctionCall) (sobek.Value, error) {
	caller := in.caller(c.Argument(0).ToInteger())
	if caller.progress == nil {
		return nil, nil // the tool has answered already
	}
	r, _, err := decodeResult(json.RawMessage(c.Argument(1).String()))
	if err != nil {
		return nil, err
	}
	caller.mu.Lock()
	defer caller.mu.Unlock()
	if !caller.over {
		caller.progress(r)
	}
	return nil, nil
}

func (in *instance) subscribe(c sobek.FunctionCall) (sobek.Value, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.wanted[c.Argument(0).String()] = true
	return nil, nil
}

func (in *instance) listen(c sobek.FunctionCall) (sobek.Value, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.channels[c.Argument(0).String()] = true
	return nil, nil
}

// changed tells the session of registrations, once it knows the first ones.
func (in *instance) changed() {
	in.mu.Lock()
	ready := in.ready
	in.mu.Unlock()
	if ready {
		in.session.Changed()
	}
}
