package remote

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// resources are what a server must give back.
type resources struct{ goroutines, files, children int }

func measure() resources {
	r := resources{goroutines: runtime.NumGoroutine()}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		r.files = len(list)
	}
	out, _ := exec.Command("pgrep", "-P", fmt.Sprint(os.Getpid())).Output()
	r.children = strings.Count(string(out), "\n")
	return r
}

// back waits until the server uses no more than before.
func (p *place) back(before resources) {
	p.t.Helper()
	var now resources
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		now = measure()
		if now.goroutines <= before.goroutines && now.files <= before.files && now.children <= before.children {
			return
		}
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			p.t.Fatalf("before: %+v, now: %+v\n%s", before, now, buf[:runtime.Stack(buf, true)])
		}
	}
}

// W-10: many clients stream at once; each gets its own text, whole and in
// order.
func TestManyConnections(t *testing.T) {
	clients := 200
	if testing.Short() {
		clients = 40 // a session each: under the race detector that is plenty
	}
	p := serve(t, "-- turn --\n-- text piece=3 repeat=40 --\nabcdef 你好 \n")
	http := p.connect("") // the listener's own goroutines are there from now on
	http.ws.CloseNow()
	eventually(t, "nothing is open", func() bool {
		p.server.mu.Lock()
		defer p.server.mu.Unlock()
		return len(p.server.talks) == 0 && p.server.conns == 0
	})
	before := measure()
	var done sync.WaitGroup
	for i := range clients {
		done.Go(func() {
			ws, _, err := p.dial("", nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer ws.CloseNow()
			c := read(t, ws)
			id := fmt.Sprint("r", i)
			c.send(`{"request_id":%q,"input":{"Text":"go"},"stream":true}`, id)
			var text strings.Builder
			for {
				g, ok := c.take()
				if !ok || g.ID != id {
					t.Errorf("%s got %+v", id, g)
					return
				}
				if g.kind() == kindComplete {
					break
				}
				text.WriteString(g.text())
			}
			if want := strings.TrimRight(strings.Repeat("abcdef 你好 ", 40), ""); text.String() != want {
				t.Errorf("%s got %q", id, text.String())
			}
		})
	}
	done.Wait()
	p.back(before)
}

// W-10: a reader may pause through a long answer of tiny pieces: the model isn't
// slowed, nothing is lost, and little is held. The pause is as long as the whole
// answer takes, however fast the machine is: reading begins when the request is
// over on the server's side. What waits then is bounded by the answer's own
// bytes and merged into few frames.
func TestPausedReader(t *testing.T) {
	size := 5 << 20
	if testing.Short() {
		size = 1 << 20 // the race detector makes ten times as much of it
	}
	p := serve(t, fmt.Sprintf("-- turn --\n-- text piece=4 repeat=%d --\nabcdefgh\n", size/8))
	ws, _, err := p.dial("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxFrame)
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(`{"request_id":"a","input":{"Text":"go"},"stream":true}`)); err != nil {
		t.Fatal(err)
	}
	var talk *conversation
	eventually(t, "the model has finished though nobody reads", func() bool {
		for _, c := range p.talks() {
			talk = c
		}
		if talk == nil {
			return false
		}
		v, err := talk.session.View(t.Context())
		return err == nil && len(v.Messages) == 2
	})
	eventually(t, "the request is over, though nobody has read its end", func() bool {
		talk.mu.Lock()
		defer talk.mu.Unlock()
		return talk.current == nil
	})
	var outs []*outbox
	talk.mu.Lock()
	for m := range talk.present {
		outs = append(outs, m.(*conn).out)
	}
	talk.mu.Unlock()
	for _, out := range outs {
		out.mu.Lock()
		if out.weight > 2*size || len(out.frames) > 3*size/maxChunk {
			t.Errorf("%d bytes wait in %d frames", out.weight, len(out.frames))
		}
		out.mu.Unlock()
	}
	c := read(t, ws)
	n := 0
	for {
		g, ok := c.take()
		if !ok {
			t.Fatal("the connection ended")
		}
		if g.kind() == kindComplete {
			break
		}
		text := g.text()
		for i := range len(text) {
			if text[i] != "abcdefgh"[(n+i)%8] {
				t.Fatalf("byte %d is %q", n+i, text[i])
			}
		}
		n += len(text)
	}
	if n != size {
		t.Errorf("%d of %d bytes came", n, size)
	}
}

// talks are the conversations of the connections.
func (p *place) talks() []*conversation {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	var all []*conversation
	for c := range p.server.talks {
		all = append(all, c)
	}
	return all
}

// W-6, anomalyco/opencode#15149: clients that vanish in the middle of an answer
// or a command leave nothing behind.
func TestVanishingClients(t *testing.T) {
	clients := 200
	if testing.Short() {
		clients = 40
	}
	p := serve(t, "-- turn --\n-- text --\nBegun.\n-- call bash --\n{\"command\": \"sleep 300\"}\n", inMode("full"))
	p.connect("").ws.CloseNow()
	eventually(t, "nothing is open", func() bool {
		p.server.mu.Lock()
		defer p.server.mu.Unlock()
		return len(p.server.talks) == 0 && p.server.conns == 0
	})
	before := measure()
	var done sync.WaitGroup
	seats := make(chan struct{}, 20)
	for range clients {
		done.Go(func() {
			seats <- struct{}{}
			defer func() { <-seats }()
			ws, _, err := p.dial("", nil)
			if err != nil {
				t.Error(err)
				return
			}
			_ = ws.Write(t.Context(), websocket.MessageText, []byte(`{"request_id":"a","input":{"Text":"go"},"stream":true}`))
			_, _, err = ws.Read(t.Context())
			if err != nil {
				t.Error(err)
			}
			ws.CloseNow()
		})
	}
	done.Wait()
	p.back(before)
	c := p.connect("")
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	if g := c.end("l"); g.Error != nil {
		t.Errorf("afterwards: %+v", g)
	}
}

// W-10: what waits for a client is bounded, and the bound is the end.
func TestTooSlow(t *testing.T) {
	o := newOutbox(maxPiled)
	for range maxPiled/(1<<20) + 1 {
		o.put(frame{kind: kindText, text: strings.Repeat("x", 1<<20)})
	}
	if _, err := o.take(t.Context()); err != errTooSlow {
		t.Errorf("the outbox ends with %v", err)
	}
	o.put(frame{kind: kindText})
	if len(o.frames) != 0 {
		t.Error("a dead outbox still fills")
	}
}

// W-10: while answers stream, others write too: one writer keeps every frame
// whole and each request's order.
func TestOneWriter(t *testing.T) {
	c := serve(t, "-- turn --\n-- text piece=2 repeat=2000 --\nabcdef\n").connect("")
	c.send(`{"request_id":"s","input":{"Text":"go"},"stream":true}`)
	for i := range 50 {
		c.send(`{"request_id":"l%d","input":"GetCommands"}`, i)
		if err := c.ws.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	lists, text, ended := 0, 0, false
	for lists < 50 || !ended {
		g, ok := c.take()
		switch {
		case !ok:
			t.Fatal("the connection ended")
		case g.ID == "s" && g.kind() == kindStream:
			text += len(g.text())
		case g.ID == "s":
			ended = true
		case g.ID == fmt.Sprint("l", lists):
			lists++
		default:
			t.Fatalf("%+v came out of order", g)
		}
	}
	if text != 12000 {
		t.Errorf("%d bytes came", text)
	}
}
