package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is a guard: nothing here takes that long unless it hangs.
const patience = 30 * time.Second

// echo answers what it is asked, except for "wait", which it keeps.
type echo struct {
	mu    sync.Mutex
	kept  []*Request
	notes []string
	came  chan struct{}
}

func (e *echo) Request(r *Request) {
	switch r.Method {
	case "wait":
		e.mu.Lock()
		e.kept = append(e.kept, r)
		e.mu.Unlock()
		e.came <- struct{}{}
	case "fail":
		r.Fail(Errorf(MethodNotFound, "no %s", r.Method))
	case "after":
		r.Reply("first", Notify("second", 2), Notify("third", 3))
		r.Reply("again")
	default:
		r.Reply(json.RawMessage(r.Params))
	}
}

func (e *echo) Notification(method string, _ json.RawMessage) {
	e.mu.Lock()
	e.notes = append(e.notes, method)
	e.mu.Unlock()
}

// run gives a peer the input and returns the lines that it wrote.
func run(t testing.TB, input string, h Handler) []string {
	t.Helper()
	var out strings.Builder
	p := NewPeer(func(line []byte) error { out.Write(line); return nil })
	if err := p.Serve(t.Context(), strings.NewReader(input), h); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestReceive(t *testing.T) {
	const parse = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`
	for _, c := range []struct{ name, in, want string }{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{"a text for an id", `{"id":"1","method":"x","params":[]}`, `{"jsonrpc":"2.0","id":"1","result":[]}`},
		{"an id with escapes", `{"id":"\u0041\n","method":"x","params":1}`, `{"jsonrpc":"2.0","id":"\u0041\n","result":1}`},
		{"null for an id", `{"id":null,"method":"fail"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no fail"}}`},
		{"a big id", `{"id":123456789012345678901234567890,"method":"fail"}`, `{"jsonrpc":"2.0","id":123456789012345678901234567890,"error":{"code":-32601,"message":"no fail"}}`},
		{"a broken id", `{"id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"no JSON", `{`, parse},
		{"two values", `{} {}`, parse},
		{"a list", `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"a number", `7`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"no method", `{"id":7}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`},
		{"nothing at all", `{}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"a method in capitals", `{"id":7,"Method":"x"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`},
		{"a notification", `{"method":"note"}`, ""},
		{"an answer to nothing", `{"id":99,"result":{}}`, ""},
		{"an answer to a text", `{"id":"x","error":{"code":1,"message":"m"}}`, ""},
		{"a cancel of nothing", `{"method":"$/cancel_request","params":{"requestId":5}}`, ""},
		{"lines behind an answer", `{"id":1,"method":"after"}`, `{"jsonrpc":"2.0","id":1,"result":"first"}|{"jsonrpc":"2.0","method":"second","params":2}|{"jsonrpc":"2.0","method":"third","params":3}`},
		{"blank lines", "\n \r\n{\"id\":1,\"method\":\"x\",\"params\":1}\r\n\n", `{"jsonrpc":"2.0","id":1,"result":1}`},
		{"no last line end", `{"id":1,"method":"x","params":1}`, `{"jsonrpc":"2.0","id":1,"result":1}`},
		{"a line separator", "{\"id\":1,\"method\":\"x\",\"params\":\"a\u2028b\"}", `{"jsonrpc":"2.0","id":1,"result":"a\u2028b"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(run(t, c.in, &echo{}), "|")
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A line over the limit is refused, and the next is read.
func TestTooLong(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"id":1,"method":"`), io.LimitReader(letters{}, MaxLine), strings.NewReader("\"}\n{\"id\":2,\"method\":\"x\",\"params\":2}\n"))
	var out strings.Builder
	p := NewPeer(func(line []byte) error { out.Write(line); return nil })
	if err := p.Serve(t.Context(), in, &echo{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`) || !strings.HasSuffix(got, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":2}\n") {
		t.Error(got)
	}
}

type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

// A cancel reaches a request that is being answered, and its id is free again
// afterwards; until then it isn't.
func TestCancelRequest(t *testing.T) {
	in, write := io.Pipe()
	lines := make(chan string, 10)
	p := NewPeer(func(line []byte) error { lines <- strings.TrimSpace(string(line)); return nil })
	h := &echo{came: make(chan struct{}, 1)}
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(t.Context(), in, h) }()
	send := func(s string) { fmt.Fprintln(write, s) }
	send(`{"id":"a","method":"wait"}`)
	<-h.came
	send(`{"id":"a","method":"x"}`)
	if got := <-lines; !strings.Contains(got, `"id":"a","error":{"code":-32600`) {
		t.Error(got)
	}
	send(`{"method":"$/cancel_request","params":{"requestId":"a"}}`)
	r := h.kept[0]
	select {
	case <-r.Context().Done():
	case <-time.After(patience):
		t.Fatal("the request isn't cancelled")
	}
	if err := context.Cause(r.Context()); !errors.Is(err, ErrTakenBack) {
		t.Error(err)
	}
	r.Fail(Errorf(Cancelled, "cancelled"))
	if got := <-lines; !strings.Contains(got, `-32800`) {
		t.Error(got)
	}
	send(`{"id":"a","method":"x","params":1}`)
	if got := <-lines; got != `{"jsonrpc":"2.0","id":"a","result":1}` {
		t.Error(got)
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Our requests have whole numbers for ids, are answered once, taken back when
// nobody waits any more, and fail at the end.
func TestCalls(t *testing.T) {
	in, write := io.Pipe()
	lines := make(chan string, 10)
	p := NewPeer(func(line []byte) error { lines <- strings.TrimSpace(string(line)); return nil })
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(t.Context(), in, &echo{}) }()
	first := p.Start("a", map[string]int{"n": 1})
	if got := <-lines; got != `{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1}}` {
		t.Error(got)
	}
	fmt.Fprintln(write, `{"id":1,"result":{"v":7}}`)
	var r struct{ V int }
	if err := first.Wait(t.Context(), &r); err != nil || r.V != 7 {
		t.Error(r, err)
	}
	second := p.Start("b", nil)
	<-lines
	fmt.Fprintln(write, `{"id":2,"error":{"code":-32002,"message":"not there"}}`)
	var e *Error
	if err := second.Wait(t.Context(), nil); !errors.As(err, &e) || e.Code != -32002 || e.Error() != "not there" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	third := p.Start("c", nil)
	<-lines
	cancel()
	if err := third.Wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := <-lines; got != `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}` {
		t.Error(got)
	}
	fmt.Fprintln(write, `{"id":3,"result":{}}`) // too late
	fourth := p.Start("d", nil)
	<-lines
	write.Close()
	if err := fourth.Wait(t.Context(), nil); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := p.Call(t.Context(), "e", nil, nil); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

// Many goroutines write whole lines; who fails to write ends all.
func TestWriter(t *testing.T) {
	var lines []string
	p := NewPeer(func(line []byte) error { lines = append(lines, string(line)); return nil })
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for n := range 100 {
				if err := p.Send(t.Context(), Notify(fmt.Sprint(i), n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for _, l := range lines {
		var n struct {
			Method string
			Params int
		}
		if err := json.Unmarshal([]byte(l), &n); err != nil || n.Params != next[n.Method] {
			t.Fatalf("%s: %v", l, err)
		}
		next[n.Method]++
	}
	if len(lines) != 2000 {
		t.Errorf("%d lines", len(lines))
	}

	broken := errors.New("broken pipe")
	p = NewPeer(func([]byte) error { return broken })
	p.refuse(nullID, Errorf(1, "x"))
	<-p.Broken()
	if err := p.Send(t.Context(), Notify("x", nil)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := p.Close(t.Context()); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// Who can wait does while the other side doesn't read; others don't.
func TestSlowReader(t *testing.T) {
	read := make(chan struct{})
	p := NewPeer(func([]byte) error { <-read; return nil })
	pad := strings.Repeat("x", 1<<19)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var err error
	for n := 0; err == nil && n < 100; n++ {
		err = p.Send(ctx, Notify("x", pad))
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it doesn't wait: %v", err)
	}
	p.refuse(nullID, Errorf(1, "at once"))
	close(read)
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whatever comes in, what goes out are answers in valid JSON.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{`{"id":1,"method":"x","params":{}}`, `{"id":"a","method":"after"}`, `{`, `[]`, `{"id":1e9,"result":1}`, "\x00", `{"method":"$/cancel_request","params":{"requestId":null}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		h := &echo{came: make(chan struct{}, 1<<16)}
		for _, line := range run(t, in, h) {
			if line != "" && !json.Valid([]byte(line)) {
				t.Errorf("wrote %q", line)
			}
		}
	})
}
