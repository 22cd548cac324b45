package loop

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/grafana/sobek"
)

// guardNatives puts a bound on the native funcs that make much from little in
// one call, which no interrupt reaches.
func (l *Loop) guardNatives() {
	limit := l.opts.Memory / 4
	prototype := func(name string) *sobek.Object {
		return l.rt.Get(name).ToObject(l.rt).Get("prototype").ToObject(l.rt)
	}
	text, list := prototype("String"), prototype("Array")
	length := func(v sobek.Value) int64 {
		if s, ok := v.(sobek.String); ok {
			return int64(s.Length())
		}
		if o, ok := v.(*sobek.Object); ok {
			if n := o.Get("length"); n != nil {
				return n.ToInteger()
			}
		}
		return 0
	}
	l.bound(text, "repeat", limit, func(c sobek.FunctionCall) int64 {
		n, times := max(1, length(c.This)), c.Argument(0).ToInteger()
		if times > limit {
			return limit + 1
		}
		return n * times
	})
	for _, name := range []string{"padStart", "padEnd"} {
		l.bound(text, name, limit, func(c sobek.FunctionCall) int64 { return c.Argument(0).ToInteger() })
	}
	const perElement = 16 // bytes of an element's slot
	for _, name := range []string{"fill", "join", "reverse", "toReversed", "toSorted", "with"} {
		l.bound(list, name, limit, func(c sobek.FunctionCall) int64 {
			return min(length(c.This), limit) * perElement
		})
	}
	l.bound(l.rt.Get("Array").ToObject(l.rt), "from", limit, func(c sobek.FunctionCall) int64 {
		return min(length(c.Argument(0)), limit) * perElement
	})
}

// bound replaces a native func by one that refuses results of more than limit
// bytes.
func (l *Loop) bound(on *sobek.Object, name string, limit int64, size func(sobek.FunctionCall) int64) {
	native, ok := sobek.AssertFunction(on.Get(name))
	if !ok {
		return
	}
	guarded := l.Func(func(c sobek.FunctionCall) (sobek.Value, error) {
		if size(c) > limit {
			return nil, &Error{Name: "RangeError", Message: fmt.Sprintf("%s would make more than %s", name, megabytes(limit))}
		}
		return native(c.This, c.Arguments...)
	})
	_ = on.DefineDataProperty(name, guarded, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
}

// stringData is where a string's bytes are, which tells shared strings apart
// from copies.
func stringData(v reflect.Value) unsafe.Pointer { return unsafe.Pointer(unsafe.StringData(v.String())) }
