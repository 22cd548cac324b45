package remote

import (
	"context"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// maxWaiting is how many requests may wait.
const maxWaiting = 8

// receive deals with a message of the client's, never waiting for a run.
func (c *conversation) receive(from *conn, data []byte) {
	r, err := parse(data)
	if err != nil {
		c.post(from, r.id, failure("Failed to parse request: "+err.Error()))
		return
	}
	switch in := r.input.(type) {
	case toolResponse:
		c.answerTool(from, r.id, in)
	case turnResponse:
		c.answerTurn(from, r.id, in)
	case unit:
		switch in {
		case interrupt:
			c.interrupt(from, r.id)
			return
		case getCommands:
			c.post(from, r.id, textFrame(c.listCommands()))
			return
		}
		c.enqueue(from, r)
	default:
		c.enqueue(from, r)
	}
}

func (c *conversation) enqueue(from *conn, r request) {
	x := &exchange{request: r, conn: from, story: newStory(r.stream), done: make(chan struct{})}
	x.ctx, x.cancel = context.WithCancel(c.ctx)
	c.mu.Lock()
	full := len(c.waiting) >= maxWaiting
	if !full {
		c.waiting = append(c.waiting, x)
	}
	c.mu.Unlock()
	if full {
		x.cancel()
		c.post(from, r.id, failure(fmt.Sprintf("busy: %d requests are waiting already; send this one again when one of them is answered", maxWaiting)))
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// work carries out the queue.
func (c *conversation) work() {
	for {
		c.mu.Lock()
		if len(c.waiting) > 0 {
			c.current = c.waiting[0]
			c.waiting = c.waiting[1:]
		}
		x := c.current
		c.mu.Unlock()
		if x != nil {
			c.perform(x)
			x.cancel()
			c.mu.Lock()
			c.current = nil
			c.mu.Unlock()
			if c.ctx.Err() == nil {
				continue
			}
		}
		select {
		case <-c.wake:
		case <-c.ctx.Done():
			return
		}
	}
}

// interrupt stops the request in progress, whatever it waits for. Those behind
// it stay in the queue.
func (c *conversation) interrupt(from *conn, id string) {
	const done = "Model output interrupted successfully"
	f := textFrame(done)
	f.id = id
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.current
	if x != nil && x.over() {
		x = nil // its last frame is out: the client knows that it has ended
	}
	if x == nil && len(c.waiting) > 0 {
		x = c.waiting[0]
	}
	if x == nil {
		f = failure("No active model output to interrupt")
		f.id = id
		c.sub.Post(reply{from, f})
		return
	}
	x.interrupted = true
	if !x.started {
		x.cancel()
		c.sub.Post(reply{from, f})
		return
	}
	if err := c.session.AbortAck(&engine.Ack{Sub: c.sub, Value: reply{from, f}}); err != nil {
		c.sub.Post(reply{from, f})
	}
}
