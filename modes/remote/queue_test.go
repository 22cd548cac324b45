package remote

import (
	"strings"
	"testing"
)

const slow = "-- turn --\non: slow\ntimes: always\n-- text --\nBegun.\n-- delay 1h --\n-- text --\nnever\n" +

	"-- turn --\ntimes: always\n-- text --\nHello.\n"

// W-6: an Interrupt is answered under its own id and ends the request in its
// mode; the connection works on.
func TestInterrupt(t *testing.T) {
	c := serve(t, slow).connect("")
	c.send(`{"request_id":"i0","input":"Interrupt"}`)
	if g := c.end("i0"); g.err() != "No active model output to interrupt" {
		t.Errorf("idle: %v", g)
	}
	for _, in := range []string{`"Interrupt"`, `{"Interrupt":null}`} {
		c.send(`{"request_id":"s","input":{"Text":"slow"},"stream":true}`)
		c.untilKind(kindStream)
		c.send(`{"request_id":"i","input":%s}`, in)
		seen := map[string]got{}
		for len(seen) < 2 {
			g := c.until("both ends", got.ends)
			seen[g.ID] = g
		}
		if s := seen["s"]; s.kind() != kindComplete || !s.interrupted() {
			t.Errorf("the request ended with %v", s)
		}
		if i := seen["i"]; i.text() != "Model output interrupted successfully" || i.Error != nil {
			t.Errorf("the Interrupt was answered %v", i)
		}
	}
	if g := c.ask("ok", "hi"); g.text() != "Hello." {
		t.Errorf("afterwards %v", g)
	}
}

// W-6: without streaming the text so far is the answer.
func TestInterruptOneFrame(t *testing.T) {
	p := serve(t, slow)
	c := p.connect("?session=new")
	c.send(`{"request_id":"s","input":{"Text":"slow"}}`)
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	id := c.end("l").Session
	eventually(t, "the answer has begun", func() bool {
		v, err := p.conversation(id).session.View(t.Context())
		return err == nil && v.InFlight != nil && v.InFlight.Text() == "Begun."
	})
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	if g := c.end("s"); g.text() != "Begun." || g.Error != nil {
		t.Errorf("the answer %v", g)
	}
}

func (p *place) conversation(id string) *conversation {
	p.t.Helper()
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	c := p.server.kept[id]
	if c == nil {
		p.t.Fatalf("no conversation %s", id)
	}
	return c
}

// W-1: requests wait for each other, in their order, and none is dropped in
// silence.
func TestQueue(t *testing.T) {
	c := serve(t, slow).connect("")
	c.send(`{"request_id":"s","input":{"Text":"slow"},"stream":true}`)
	c.untilKind(kindStream)
	for i := range maxWaiting + 2 {
		c.send(`{"request_id":"q%d","input":{"Text":"hi"}}`, i)
	}
	for _, id := range []string{"q8", "q9"} {
		if g := c.end(id); !strings.HasPrefix(g.err(), "busy: ") {
			t.Errorf("%s: %v", id, g)
		}
	}
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	c.end("l")
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	for _, id := range []string{"s", "i", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"} {
		if g, _ := c.take(); g.ID != id || g.Error != nil {
			t.Errorf("%v came in place of %s", g, id)
		}
	}
}
