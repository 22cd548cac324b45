package loop

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"
)

// sample is a loop for a test, with what its callbacks told.
type sample struct {
	*Loop
	t        *testing.T
	mu       sync.Mutex
	rejected []string
	ended    chan error
	told     chan struct{}
}

func open(t *testing.T, opts Options) *sample {
	t.Helper()
	p := &sample{t: t, ended: make(chan error, 1), told: make(chan struct{}, 100)}
	opts.Name = "sample"
	opts.Rejected = func(err error) {
		p.mu.Lock()
		p.rejected = append(p.rejected, err.Error())
		p.mu.Unlock()
		p.told <- struct{}{}
	}
	opts.Ended = func(err error) { p.ended <- err }
	p.Loop = New(opts)
	t.Cleanup(p.close)
	p.global("setTimeout", func(c sobek.FunctionCall) (sobek.Value, error) {
		id, err := p.SetTimer(c.Argument(0), time.Duration(c.Argument(1).ToInteger())*time.Millisecond, c.Argument(2).ToBoolean())
		return p.rt.ToValue(id), err
	})
	p.global("clearTimeout", func(c sobek.FunctionCall) (sobek.Value, error) {
		p.ClearTimer(c.Argument(0).ToInteger())
		return nil, nil
	})
	return p
}

func (p *sample) close() {
	p.Close()
	select {
	case <-p.Done():
	case <-time.After(20 * time.Second):
		p.t.Error("the loop's goroutine doesn't end")
	}
}

// global makes a Go func known to scripts.
func (p *sample) global(name string, fn func(sobek.FunctionCall) (sobek.Value, error)) {
	p.t.Helper()
	if err := p.Do(p.t.Context(), func(rt *sobek.Runtime) error { return rt.Set(name, p.Func(fn)) }); err != nil {
		p.t.Fatal(err)
	}
}

func (p *sample) eval(ctx context.Context, src string) (string, error) {
	return Await(ctx, p.Loop, func(rt *sobek.Runtime) (sobek.Value, error) {
		return rt.RunScript("sample.js", src)
	}, func(_ *sobek.Runtime, v sobek.Value) (string, error) { return v.String(), nil })
}

func (p *sample) want(src, value, failure string) {
	p.t.Helper()
	got, err := p.eval(p.t.Context(), src)
	switch {
	case failure == "" && err != nil:
		p.t.Errorf("%s: %v", src, err)
	case failure != "" && (err == nil || !strings.Contains(err.Error(), failure)):
		p.t.Errorf("%s: error %v, want one with %q", src, err, failure)
	case got != value:
		p.t.Errorf("%s = %q, want %q", src, got, value)
	}
}

func (p *sample) wantRejected(texts ...string) {
	p.t.Helper()
	for i := range texts {
		select {
		case <-p.told:
		case <-time.After(10 * time.Second):
			p.t.Fatalf("only %d of %d were told", i, len(texts))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, text := range texts {
		if !strings.Contains(p.rejected[i], text) {
			p.t.Errorf("told %q, want %q", p.rejected[i], text)
		}
	}
	if len(p.rejected) > len(texts) {
		p.t.Errorf("told too much: %q", p.rejected)
	}
	p.rejected = nil
}

func TestAwait(t *testing.T) {
	p := open(t, Options{})
	for _, c := range []struct{ name, src, value, failure string }{
		{"value", `1 + 1`, "2", ""},
		{"promise", `Promise.resolve(3)`, "3", ""},
		{"async function", `(async () => { await 1; await null; return "x" })()`, "x", ""},
		{"timer", `new Promise(ok => setTimeout(() => ok("late"), 3))`, "late", ""},
		{"thenable", `({ then(ok) { ok("thenable") } })`, "thenable", ""},
		{"throw", `throw new TypeError("no")`, "", "TypeError: no (sample.js:1:7)"},
		{"throw of a text", `throw "text"`, "", "text"},
		{"throw of nothing", `throw undefined`, "", "undefined"},
		{"throw of a hostile object", `throw { get message() { throw 1 } }`, "", "an error that can't be read"},
		{"rejection", `(async () => { await 0; throw new RangeError("later") })()`, "", "RangeError: later (sample.js:1:31)"},
		{"rejection after a timer", `new Promise((_, no) => setTimeout(() => no(Error("e")), 1))`, "", "e"},
		{"syntax", `a b`, "", "SyntaxError"},
		{"deep recursion", `(function f() { f() })()`, "", "calls are nested more than 2000 deep"},
		{"deep recursion in a later turn", `(async () => { await new Promise(ok => setTimeout(ok, 1)); (function f() { f() })() })()`, "", "nested more than"},
		{"deep recursion through natives", `(function f() { [1].forEach(f) })()`, "", "nested more than"},
		{"after all that", `"fine"`, "fine", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.want(c.src, c.value, c.failure)
		})
	}
	p.wantRejected()
}

// A call that awaits leaves the loop to others.
func TestCallsInterleave(t *testing.T) {
	p := open(t, Options{})
	p.want(`let go; globalThis.gate = new Promise(ok => { go = ok }); globalThis.open = () => go("opened"); 0`, "0", "")
	first := make(chan string, 1)
	go func() {
		v, _ := p.eval(t.Context(), `(async () => await gate)()`)
		first <- v
	}()
	p.want(`1`, "1", "")
	p.want(`open()`, "undefined", "")
	if v := <-first; v != "opened" {
		t.Errorf("the waiting call got %q", v)
	}
}

// E-1: a loop for ever is stopped, wherever it is, and the next call works.
func TestBusyLoops(t *testing.T) {
	p := open(t, Options{Slice: 40 * time.Millisecond})
	for _, c := range []struct{ name, src string }{
		{"at once", `for (;;);`},
		{"in a promise job", `Promise.resolve().then(() => { for (;;); })`},
		{"after an await", `(async () => { await 0; for (;;); })()`},
		{"after a timer", `(async () => { await new Promise(ok => setTimeout(ok, 1)); for (;;); })()`},
		{"endless promise jobs", `(async () => { for (;;) await 0 })()`},
		{"catching everything", `(function f() { try { for (;;); } catch (e) { f() } finally { f() } })()`},
		{"in a callback of a native", `[1].map(() => { for (;;); })`},
		{"in a thenable", `({ then() { for (;;); } })`},
		{"in a getter of an error", `throw { get message() { for (;;); } }`},
		{"in a toString", `"" + { toString() { for (;;); } }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.want(c.src, "", "ran for more than 40ms without a break")
			p.want(`(async () => { await new Promise(ok => setTimeout(ok, 1)); return "next" })()`, "next", "")
		})
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	gone := errors.New("the hook's deadline")
	for _, c := range []struct{ name, src string }{
		{"busy", `for (;;);`},
		{"busy in a later turn", `(async () => { await new Promise(ok => setTimeout(ok, 1)); for (;;); })()`},
		{"hung", `new Promise(() => {})`},
		{"waiting for Go", `work()`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, Options{Slice: time.Hour})
			cancelled := make(chan error, 1)
			p.global("work", func(sobek.FunctionCall) (sobek.Value, error) {
				return p.Promise(func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error) {
					<-ctx.Done()
					cancelled <- context.Cause(ctx)
					return nil, ctx.Err()
				})
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
			if _, err := p.eval(ctx, c.src); !errors.Is(err, gone) {
				t.Errorf("error %v", err)
			}
			if c.src == `work()` {
				if err := <-cancelled; !errors.Is(err, gone) {
					t.Errorf("the work ended with %v", err)
				}
			}
			p.want(`"next"`, "next", "")
		})
	}
}

// E-2: what nobody handles is told once; what is handled in time isn't.
func TestRejections(t *testing.T) {
	for _, c := range []struct {
		name, src string
		told      []string
	}{
		{"unhandled", `Promise.reject(new Error("alone")); 0`, []string{"alone"}},
		{"handled in the same turn", `let p = Promise.reject(1); (async () => { await 0; p.catch(() => {}) })(); 0`, nil},
		{"awaited by Go", `Promise.reject(new Error("seen")).catch(() => 0)`, nil},
		{"two", `Promise.reject("a"); Promise.reject("b"); 0`, []string{"a", "b"}},
		{"a timer's throw", `setTimeout(() => { throw new Error("timer") }, 0); 0`, []string{"timer"}},
		{"a chain", `Promise.reject(new Error("chain")).then(() => 1).then(() => 2); 0`, []string{"chain"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, Options{})
			p.want(c.src, "0", "")
			p.want(`new Promise(ok => setTimeout(() => ok(1), 5))`, "1", "")
			p.wantRejected(c.told...)
		})
	}
}

func TestTimers(t *testing.T) {
	p := open(t, Options{MaxTasks: 50})
	p.want(`new Promise(ok => { let s = ""; for (const [c, ms] of [["c", 6], ["a", 1], ["b", 1]]) setTimeout(() => { s += c; if (c === "c") ok(s) }, ms) })`, "abc", "")
	p.want(`new Promise(ok => { let n = 0; const id = setTimeout(() => { if (++n === 3) { clearTimeout(id); ok(n) } }, 0, true) })`, "3", "")
	p.want(`clearTimeout(12345); clearTimeout(NaN)`, "undefined", "")
	p.want(`setTimeout("code", 1)`, "", "TypeError: the callback must be a function")
	p.want(`for (let i = 0; i < 100; i++) setTimeout(() => {}, 1e6)`, "", "more than 50 timers")
}

// A timer that comes due again and again doesn't keep calls from running.
func TestTimersDontStarveCalls(t *testing.T) {
	p := open(t, Options{})
	p.want(`(function f() { setTimeout(f, 0) })(); 1`, "1", "")
	for range 20 {
		p.want(`2`, "2", "")
	}
}

func TestGoFuncs(t *testing.T) {
	p := open(t, Options{})
	p.global("nothing", func(sobek.FunctionCall) (sobek.Value, error) { return nil, nil })
	p.global("fails", func(sobek.FunctionCall) (sobek.Value, error) {
		return nil, &Error{Message: "no such file", Code: "ENOENT", Props: map[string]any{"path": "/x"}}
	})
	p.global("panics", func(c sobek.FunctionCall) (sobek.Value, error) {
		return c.Arguments[len(c.Arguments)], nil
	})
	p.global("breaks", func(sobek.FunctionCall) (sobek.Value, error) { panic(errors.New("broken")) })
	work := func(err error, v func(*sobek.Runtime) sobek.Value) func(sobek.FunctionCall) (sobek.Value, error) {
		return func(sobek.FunctionCall) (sobek.Value, error) {
			return p.Promise(func(context.Context) (func(*sobek.Runtime) sobek.Value, error) { return v, err })
		}
	}
	p.global("work", work(nil, func(rt *sobek.Runtime) sobek.Value { return rt.ToValue("done") }))
	p.global("nil", work(nil, nil))
	p.global("workFails", work(errors.New("work failed"), nil))
	p.global("workPanics", func(sobek.FunctionCall) (sobek.Value, error) {
		return p.Promise(func(context.Context) (func(*sobek.Runtime) sobek.Value, error) { panic("oh") })
	})
	p.want(`nothing()`, "undefined", "")
	p.want(`try { fails() } catch (e) { [e instanceof Error, e.code, e.path, e.message].join() }`, "true,ENOENT,/x,no such file", "")
	p.want(`panics()`, "", "internal error")
	p.want(`[1, 2].map(() => { try { panics() } catch { return "caught" } }).join()`, "caught,caught", "")
	p.want(`(async () => await work() + await nil())()`, "doneundefined", "")
	p.want(`workFails()`, "", "work failed")
	p.want(`workPanics()`, "", "internal error: oh")
	p.want(`breaks()`, "", "the JavaScript runtime of sample broke: broken")
	if err := <-p.ended; err == nil {
		t.Error("a broken runtime isn't told")
	}
	p.want(`1`, "", "broke")
}

func TestClose(t *testing.T) {
	p := open(t, Options{})
	waiting := make(chan error, 3)
	for _, src := range []string{`new Promise(() => {})`, `for (;;);`, `1; for (;;);`} {
		go func() {
			_, err := p.eval(t.Context(), src)
			waiting <- err
		}()
	}
	p.close()
	for range 3 {
		if err := <-waiting; !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
	if p.Post(func(*sobek.Runtime) error { return nil }) {
		t.Error("a closed loop takes posts")
	}
	select {
	case err := <-p.ended:
		t.Errorf("Ended was told of Close: %v", err)
	default:
	}
}

// A native call that can't be interrupted costs the extension, not the session.
func TestStuck(t *testing.T) {
	p := open(t, Options{Slice: 20 * time.Millisecond})
	release := make(chan struct{})
	p.global("stuck", func(sobek.FunctionCall) (sobek.Value, error) { <-release; return nil, nil })
	p.want(`stuck()`, "", "hangs in a call that can't be interrupted")
	p.want(`1`, "", "hangs in a call")
	close(release)
}

func TestOutsideDoesntCount(t *testing.T) {
	p := open(t, Options{Slice: 30 * time.Millisecond})
	p.global("outside", func(sobek.FunctionCall) (sobek.Value, error) {
		p.Outside(func() { <-time.After(90 * time.Millisecond) })
		return nil, nil
	})
	p.want(`outside(); "done"`, "done", "")
}

func TestQueueIsBounded(t *testing.T) {
	p := open(t, Options{MaxTasks: 10})
	release := make(chan struct{})
	p.Post(func(*sobek.Runtime) error { <-release; return nil })
	refused := 0
	for range 30 {
		if !p.Post(func(*sobek.Runtime) error { return nil }) {
			refused++
		}
	}
	close(release)
	if refused < 20 || refused > 21 {
		t.Errorf("%d posts were refused", refused)
	}
}

func TestErrorPlace(t *testing.T) {
	for stack, want := range map[string]string{
		"Error: x\n\tat f (a.ts:3:5(12))\n\tat b.ts:1:1(2)":          "a.ts:3:5",
		"Error: x\n\tat a b.ts:7:2(1)":                               "a b.ts:7:2",
		"Error: x\n\tat map (native)\n\tat f (/x (1)/a.ts:3:5(12))":  "/x (1)/a.ts:3:5",
		"Error: x\n\tat on (hoopoe:events:3:5(1))\n\tat f.ts:2:2(1)": "f.ts:2:2",
		"":      "",
		"at ((": "(",
	} {
		if got := (&Error{Stack: stack}).Place(); got != want {
			t.Errorf("%q: %q, want %q", stack, got, want)
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	l := New(Options{})
	defer l.Close()
	hook := make(chan sobek.Callable, 1)
	_ = l.Do(b.Context(), func(rt *sobek.Runtime) error {
		v, err := rt.RunString(`(async (e) => { await 0; return { block: e.n < 0 } })`)
		f, _ := sobek.AssertFunction(v)
		hook <- f
		return err
	})
	call := <-hook
	for b.Loop() {
		_, err := Await(b.Context(), l, func(rt *sobek.Runtime) (sobek.Value, error) {
			o := rt.NewObject()
			_ = o.Set("n", 1)
			return call(nil, o)
		}, func(_ *sobek.Runtime, v sobek.Value) (bool, error) {
			return v.ToObject(l.rt).Get("block").ToBoolean(), nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Options{}).Close()
	}
}
