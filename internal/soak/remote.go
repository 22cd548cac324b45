//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"syscall"

	"github.com/coder/websocket"
)

// remoteFace is a server, and one client that keeps its connection.
type remoteFace struct {
	child *child
	out   io.ReadCloser
	url   string // ws://
	heard func([]byte)
	guest *guest
}

// guest is a connection. Those of kept sessions know where they are.
type guest struct {
	ws      *websocket.Conn
	number  int
	session string
	seq     int
}

// frame is an answer of the server.
type frame struct {
	RequestID string                     `json:"request_id"`
	Response  map[string]json.RawMessage `json:"response"`
	Error     string                     `json:"error"`
	Seq       int                        `json:"seq"`
	Session   string                     `json:"session"`
}

func (w *worker) remote(heard func([]byte), args ...string) (*remoteFace, error) {
	f := &remoteFace{heard: heard}
	var err error
	f.child, err = w.start("remote", func(cmd *exec.Cmd) error {
		in, out, err := pipes(cmd)
		if err == nil {
			f.out, err = out, in.Close()
		}
		return err
	}, append([]string{"--remote", "127.0.0.1:0", "--remote-grace", "5s", "--permissions", "full"}, args...)...)
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(f.out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if !ok {
		f.child.signal(syscall.SIGKILL)
		return nil, fmt.Errorf("the server says %q, %w: %s", line, err, f.child.stderr.String())
	}
	f.url = address
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f.guest, err = f.visit(ctx, "")
	return f, err
}

// visit connects a client.
func (f *remoteFace) visit(ctx context.Context, query string) (*guest, error) {
	ws, _, err := websocket.Dial(ctx, f.url+"/?"+query, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(1 << 20)
	return &guest{ws: ws}, nil
}

// send gives the agent a prompt, to be answered in pieces.
func (g *guest) send(ctx context.Context, text string) error {
	g.number++
	line, err := json.Marshal(map[string]any{
		"request_id": fmt.Sprint(g.number), "input": map[string]any{"Text": text}, "stream": true,
		"config": map[string]any{"max_context_num": 1_000_000},
	})
	if err == nil {
		err = g.ws.Write(ctx, websocket.MessageText, line)
	}
	return err
}

// next reads a frame.
func (g *guest) next(ctx context.Context) (f frame, err error) {
	_, data, err := g.ws.Read(ctx)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if f.Session != "" {
		g.session = f.Session
	}
	g.seq = max(g.seq, f.Seq)
	return f, err
}

// whole reads an answer to its end.
func (g *guest) whole(ctx context.Context) (string, error) {
	var said strings.Builder
	for {
		f, err := g.next(ctx)
		if err != nil {
			return said.String(), err
		}
		var text string
		for _, name := range []string{"Stream", "Text"} {
			if json.Unmarshal(f.Response[name], &text) == nil {
				said.WriteString(text)
			}
		}
		switch {
		case f.Error != "":
			return said.String(), errors.New(f.Error)
		case f.Response["StreamComplete"] != nil:
			return said.String(), nil
		}
	}
}

func (f *remoteFace) ask(ctx context.Context, text string) (string, error) {
	if f.guest == nil {
		g, err := f.visit(ctx, "")
		if err != nil {
			return "", err
		}
		f.guest = g
	}
	return f.talk(ctx, f.guest, text)
}

// talk asks over a connection. What came with its completion is told as whole.
func (f *remoteFace) talk(ctx context.Context, g *guest, text string) (string, error) {
	if err := g.send(ctx, text); err != nil {
		return "", err
	}
	said, err := g.whole(ctx)
	if err == nil {
		f.heard([]byte(said))
	}
	return said, err
}

func (f *remoteFace) leave() { f.child.signal(syscall.SIGINT) }
func (f *remoteFace) vanish() {
	if f.guest != nil {
		_ = f.guest.ws.CloseNow()
		f.guest = nil
	}
	// A server stays when its clients go.
	f.child.signal(syscall.SIGTERM)
}
func (f *remoteFace) process() *child { return f.child }

func (f *remoteFace) codes(how ending) []int {
	switch how {
	case left:
		return []int{130}
	case vanished:
		return []int{143}
	}
	return signalCodes(how)
}

// serving is the load of the remote worker: one server, whose clients come and
// go.
func (w *worker) serving(ctx context.Context) {
	f, err := w.remote(w.place.hear, w.extension()...)
	if err != nil {
		w.journal.fail(w.name, err)
		return
	}
	w.watcher.watch("remote", f.child)
	w.each(ctx, func(ctx context.Context) error {
		what := pick(w.rand, "guest", "guests", "kept", "kept", "vanish", "noise", "interrupt")
		w.journal.count("remote: " + what)
		ctx, cancel := context.WithTimeout(ctx, 2*patience)
		defer cancel()
		var err error
		switch what {
		case "guest":
			for range 3 {
				err = errors.Join(err, w.question(ctx, f))
			}
			err = errors.Join(err, f.guest.ws.Close(websocket.StatusNormalClosure, ""))
			f.guest = nil
		case "guests":
			err = w.guests(ctx, f)
		case "kept":
			err = w.keptGuest(ctx, f)
		case "vanish":
			err = w.vanishingGuest(ctx, f)
		case "noise":
			err = w.noise(ctx, f)
		case "interrupt":
			err = w.interrupt(ctx, f)
		}
		if err != nil {
			err = fmt.Errorf("remote %s: %w", what, err)
		}
		return err
	})
	if f.guest != nil {
		_ = f.guest.ws.CloseNow()
		f.guest = nil
	}
	w.rested(f, func() (face, error) {
		f, err := w.remote(w.place.hear)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = f.ask(ctx, ask(w.id()))
		_ = f.guest.ws.CloseNow()
		f.guest = nil
		return f, err
	})
}

// guests are several at once, each with a session of its own.
func (w *worker) guests(ctx context.Context, f *remoteFace) error {
	const several = 4
	over := make(chan error, several)
	for range several {
		id := w.id()
		go func() {
			g, err := f.visit(ctx, "")
			if err != nil {
				over <- err
				return
			}
			defer g.ws.CloseNow()
			said, err := f.talk(ctx, g, ask(id, "read", "bash"))
			if err == nil && !strings.Contains(said, "answer-"+id) {
				err = fmt.Errorf("%s was answered with %q", id, said)
			}
			over <- err
		}()
	}
	var err error
	for range several {
		err = errors.Join(err, <-over)
	}
	return err
}

// keptGuest loses its connection in the middle of an answer and comes back for
// the rest of it.
func (w *worker) keptGuest(ctx context.Context, f *remoteFace) error {
	g, err := f.visit(ctx, "session=new")
	if err != nil {
		return err
	}
	first, id := w.id(), w.id()
	said, err := f.talk(ctx, g, ask(first, "read"))
	if err != nil || g.session == "" || !strings.Contains(said, "answer-"+first) {
		return fmt.Errorf("%s was answered with %q in session %q: %w", first, said, g.session, err)
	}
	reached := w.player.expect(id)
	if err := g.send(ctx, ask(id, "bash", "slow")); err != nil {
		return err
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return fmt.Errorf("%s didn't get to the model", id)
	}
	w.rest(ctx, 1, 300e6)
	_ = g.ws.CloseNow()
	back, err := f.visit(ctx, fmt.Sprintf("session=%s&since=%d", g.session, g.seq))
	if err != nil {
		return fmt.Errorf("come back: %w", err)
	}
	defer back.ws.CloseNow()
	said, err = back.whole(ctx)
	if err == nil && !strings.Contains(said, "answer-"+id) {
		err = fmt.Errorf("after coming back %s was answered with %q", id, said)
	}
	if err == nil {
		f.heard([]byte(said))
	}
	return err
}

// vanishingGuest goes in the middle of its run and doesn't come back.
func (w *worker) vanishingGuest(ctx context.Context, f *remoteFace) error {
	g, err := f.visit(ctx, pick(w.rand, "", "session=new", "session=new&wire=events"))
	if err != nil {
		return err
	}
	defer g.ws.CloseNow()
	id := w.id()
	reached := w.player.expect(id)
	text := ask(id, pick(w.rand, "sleep", "bash", "task"), "fault:hang")
	line := fmt.Appendf(nil, `{"id":"1","type":"prompt","message":%q,"request_id":"1","input":{"Text":%q}}`, text, text)
	if err := g.ws.Write(ctx, websocket.MessageText, line); err != nil {
		return err
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return fmt.Errorf("%s didn't get to the model", text)
	}
	w.rest(ctx, 1, 400e6)
	return nil
}

// noise are connections that never say anything sensible.
func (w *worker) noise(ctx context.Context, f *remoteFace) error {
	address := strings.TrimPrefix(f.url, "ws://")
	for _, text := range []string{"", "GET / HTTP/1.1\r\n", "\x16\x03\x01\x00\xff\xff", "GET / HTTP/1.1\r\nHost: example.invalid\r\n\r\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(c, text) // it may have been refused by then
		c.Close()
	}
	g, err := f.visit(ctx, "")
	if err != nil {
		return err
	}
	defer g.ws.CloseNow()
	for _, text := range []string{"{", `{"request_id":7}`, `{"input":{"Nothing":null}}`, `{"request_id":"x","input":{"Instruction":{"command":"nonsense"}}}`} {
		if err := g.ws.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			return err
		}
		if a, err := g.next(ctx); err != nil || a.Error == "" {
			return fmt.Errorf("%s was answered with %+v, %w", text, a, err)
		}
	}
	return nil
}

// interrupt stops an answer.
func (w *worker) interrupt(ctx context.Context, f *remoteFace) error {
	g, err := f.visit(ctx, "")
	if err != nil {
		return err
	}
	defer g.ws.CloseNow()
	id := w.id()
	reached := w.player.expect(id)
	if err := g.send(ctx, ask(id, "sleep")); err != nil {
		return err
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return fmt.Errorf("%s didn't get to the model", id)
	}
	if err := g.ws.Write(ctx, websocket.MessageText, []byte(`{"request_id":"stop","input":"Interrupt"}`)); err != nil {
		return err
	}
	for {
		a, err := g.next(ctx)
		if err != nil || a.RequestID == "stop" {
			return errors.Join(err, mustBe(a.Error == "", "the interrupt: %s", a.Error))
		}
	}
}

// mustBe is an error unless something is so.
func mustBe(so bool, format string, a ...any) error {
	if so {
		return nil
	}
	return fmt.Errorf(format, a...)
}
