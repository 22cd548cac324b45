package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// fake is the agent's end of two pipes: a test says what it writes and looks at
// what it was sent.
type fake struct {
	t    *testing.T
	sent chan frame // what the client writes; closed at its end
	out  *io.PipeWriter
}

type frame map[string]any

// connect runs a test against a fake agent in a bubble, where nothing waits in
// real time and no goroutine may be left behind.
func connect(t *testing.T, o client.Options, test func(t *testing.T, c *client.Client, f *fake)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, f := pipes(t)
		f.say(`{"type":"ready","version":"1.2.3"}`)
		c, err := client.New(t.Context(), in, f.stdin(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			for range f.sent { // the client's end of the pipe is closed
			}
		}()
		test(t, c, f)
	})
}

// pipes returns what the client reads, and the fake.
func pipes(t *testing.T) (io.ReadCloser, *fake) {
	in, out := io.Pipe()
	return in, &fake{t: t, sent: make(chan frame, 100), out: out}
}

// stdin returns what the client writes to. At its end the fake leaves too.
func (f *fake) stdin() io.WriteCloser {
	r, w := io.Pipe()
	go func() {
		defer f.out.Close()
		defer close(f.sent)
		lines := jsonl.NewReader(r, 0)
		for {
			line, err := lines.Next()
			if err != nil {
				return
			}
			var got frame
			if err := json.Unmarshal(line.Data, &got); err != nil {
				f.t.Errorf("the client wrote %q: %v", line.Data, err)
			}
			f.sent <- got
		}
	}()
	return w
}

// say writes lines, without waiting for the client.
func (f *fake) say(lines ...string) {
	go func() { _, _ = io.WriteString(f.out, strings.Join(lines, "\n")+"\n") }()
	synctest.Wait() // so that several says keep their order
}

// expect returns the client's next frame, which must be of that type.
func (f *fake) expect(kind string) frame {
	f.t.Helper()
	got, ok := <-f.sent
	if !ok || got["type"] != kind {
		f.t.Fatalf("the client sent %v, want a %s", got, kind)
	}
	return got
}

// silent fails the test if the client has sent anything.
func (f *fake) silent() {
	f.t.Helper()
	synctest.Wait()
	select {
	case got := <-f.sent:
		f.t.Errorf("the client sent %v", got)
	default:
	}
}

// later runs a call that waits, and returns how it ended.
func later[T any](call func() (T, error)) func() (T, error) {
	type outcome struct {
		v   T
		err error
	}
	ch := make(chan outcome, 1)
	go func() {
		v, err := call()
		ch <- outcome{v, err}
	}()
	return func() (T, error) { o := <-ch; return o.v, o.err }
}

// command is what a refusal says.
func command(t *testing.T, err error) string {
	t.Helper()
	refused, ok := errors.AsType[*client.CommandError](err)
	if !ok {
		t.Fatalf("error %v, want a CommandError", err)
	}
	return refused.Command + ": " + refused.Message
}
