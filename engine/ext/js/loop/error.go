package loop

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grafana/sobek"
)

// maxErrorText bounds what is taken over of an error's message or stack, in
// bytes.
const maxErrorText = 8 << 10

// Error is a JavaScript error on either side of the loop: what a script threw,
// or what a Go func wants thrown.
type Error struct {
	Name    string // Error, TypeError, AbortError ...; empty is Error
	Message string
	Code    string         // as Node has it: ENOENT; empty if it has none
	Stack   string         // with the places in the source; empty for Go's own
	Props   map[string]any // more properties of the thrown object
}

// Error is the name and the message, and where it was thrown if that is known.
func (e *Error) Error() string {
	text := e.Message
	if e.Name != "" && e.Name != "Error" {
		text = e.Name + ": " + e.Message
	}
	if at := e.Place(); at != "" {
		text += " (" + at + ")"
	}
	return text
}

// Place is the file, line and column where it was thrown, empty if unknown.
func (e *Error) Place() string {
	for line := range strings.Lines(e.Stack) {
		line = strings.TrimSpace(line)
		at, ok := strings.CutPrefix(line, "at ")
		if !ok || strings.Contains(at, "hoopoe:") || strings.Contains(at, "(native)") {
			continue
		}
		if open := strings.IndexByte(at, ' '); open >= 0 && strings.HasPrefix(at[open+1:], "(") {
			at = at[open+2:] // at name (file:line:column(instruction))
		}
		at = strings.TrimSuffix(at, ")")
		if open := strings.LastIndexByte(at, '('); open > 0 {
			at = at[:open]
		}
		return at
	}
	return ""
}

// Explain turns what the engine reports into an Error, or into the reason of an
// interrupt. Other errors stay as they are. In a turn only.
func (l *Loop) Explain(err error) error {
	var (
		thrown      *sobek.Exception
		interrupted *sobek.InterruptedError
		deep        *sobek.StackOverflowError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &interrupted):
		if reason, ok := interrupted.Value().(error); ok {
			return reason
		}
		return fmt.Errorf("interrupted: %v", interrupted.Value())
	case errors.As(err, &deep):
		return &Error{Name: "RangeError", Message: fmt.Sprintf("calls are nested more than %d deep", l.opts.MaxCallStack), Stack: cut(stackOf(deep.Stack()))}
	case errors.As(err, &thrown):
		e := l.ErrorOf(thrown.Value())
		if own, ok := e.(*Error); ok && own.Stack == "" {
			own.Stack = cut(stackOf(thrown.Stack()))
		}
		return e
	}
	return err
}

// ErrorOf turns a thrown value into an error. In a turn only.
func (l *Loop) ErrorOf(v sobek.Value) error {
	o, ok := v.(*sobek.Object)
	if !ok {
		if v == nil {
			v = sobek.Undefined()
		}
		return &Error{Message: cut(v.String())}
	}
	e := &Error{}
	read := func(name string) string {
		if v := o.Get(name); v != nil && !sobek.IsUndefined(v) && !sobek.IsNull(v) {
			return cut(v.String())
		}
		return ""
	}
	if err := l.try(func() {
		e.Name, e.Message, e.Code, e.Stack = read("name"), read("message"), read("code"), read("stack")
		if e.Message == "" && e.Stack == "" {
			e.Message = cut(o.String())
		}
	}); err != nil {
		if uncatchable(err) {
			return l.Explain(err)
		}
		e.Message = "an error that can't be read"
	}
	return e
}

// try runs what may enter JavaScript by a getter, and returns what is thrown.
func (l *Loop) try(fn func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(error)
			if !ok || !uncatchable(e) {
				panic(p)
			}
			err = e
		}
	}()
	if ex := l.rt.Try(fn); ex != nil {
		return ex
	}
	return nil
}

// Throwable is the JavaScript object for a Go error. In a turn only.
func (l *Loop) Throwable(err error) sobek.Value {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{Message: err.Error()}
	}
	constructor := l.errors[e.Name]
	if constructor == nil {
		constructor = l.errors["Error"]
	}
	o, failed := l.rt.New(constructor, l.rt.ToValue(e.Message))
	if failed != nil {
		return l.rt.NewGoError(err)
	}
	set := func(name string, value any) {
		_ = o.DefineDataProperty(name, l.rt.ToValue(value), sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
	}
	if e.Name != "" && l.errors[e.Name] == nil {
		set("name", e.Name)
	}
	if e.Code != "" {
		set("code", e.Code)
	}
	for name, value := range e.Props {
		set(name, value)
	}
	return o
}

// Func is a Go func for JavaScript: an error is thrown, a nil value is
// undefined, and a panic of Go's becomes an error instead of the loop's end. In
// a turn only.
func (l *Loop) Func(fn func(sobek.FunctionCall) (sobek.Value, error)) sobek.Value {
	return l.rt.ToValue(func(c sobek.FunctionCall) sobek.Value {
		v, err := safely(fn, c)
		if err != nil {
			if isEngines(err) {
				panic(err)
			}
			panic(l.Throwable(err))
		}
		if v == nil {
			return sobek.Undefined()
		}
		return v
	})
}

func safely(fn func(sobek.FunctionCall) (sobek.Value, error), c sobek.FunctionCall) (v sobek.Value, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface {
			error
			RuntimeError()
		}:
			err = fmt.Errorf("internal error: %w", p)
		case string: // of our own and of libraries; the engine throws other types
			err = fmt.Errorf("internal error: %s", p)
		default:
			panic(p)
		}
	}()
	return fn(c)
}

// isEngines reports whether err came out of the engine, which wants it back as
// it is.
func isEngines(err error) bool {
	_, thrown := err.(*sobek.Exception)
	return thrown || uncatchable(err)
}

// uncatchable reports whether err ends a script whatever it catches.
func uncatchable(err error) bool {
	switch err.(type) {
	case *sobek.InterruptedError, *sobek.StackOverflowError:
		return true
	}
	return false
}

func stackOf(frames []sobek.StackFrame) string {
	var text strings.Builder
	for _, f := range frames[:min(len(frames), 50)] {
		fmt.Fprintf(&text, "at %s (%s)\n", f.FuncName(), f.Position())
	}
	return text.String()
}

func cut(s string) string {
	if len(s) > maxErrorText {
		return strings.ToValidUTF8(s[:maxErrorText], "") + "…"
	}
	return s
}
