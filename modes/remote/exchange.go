package remote

import (
	"context"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// exchange is one request on its way.
type exchange struct {
	request
	conn   *conn // that asked; it may be gone
	story  *story
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed behind the last frame

	// Under the conversation's lock.

	started     bool // the session has it
	interrupted bool
	asked       *event.Question // the open question of its run
	turn        *turnQuestion
}

// over reports whether the last frame was given out.
func (x *exchange) over() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}

func (x *exchange) stopped(c *conversation) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return x.interrupted
}

// perform carries out one request and returns behind its last frame.
func (c *conversation) perform(x *exchange) {
	defer func() {
		if v := recover(); v != nil {
			c.server.log.Error("remote request failed", "panic", v)
			c.finish(x, failure(fmt.Sprintf("Processing error: internal error: %v", v)))
		}
	}()
	var f frame
	var over bool
	switch in := x.input.(type) {
	case instruction:
		f, over = c.instruct(x, in)
	case unit:
		if in == clearContext {
			f, over = c.clear(x), true
			break
		}
		over = !c.start(x, func() error {
			return c.session.Regenerate(x.ctx, once(x.request), &engine.Ack{Sub: c.sub, Value: began{x}})
		}, &f)
	default:
		f, over = c.chat(x)
	}
	if over {
		c.finish(x, f)
	}
	select {
	case <-x.done:
	case <-c.pumped:
	}
}

// chat runs a prompt. over is true when nothing runs and f ends the request.
func (c *conversation) chat(x *exchange) (f frame, over bool) {
	if text, ok := x.input.(textInput); ok {
		if f, ok := c.command(x, string(text)); ok {
			return f, true
		}
	}
	in, err := promptOf(x.ctx, x.request)
	if err == nil && in.Text != "" {
		in.Text, err = c.server.o.Commands.Expand(x.ctx, c.session, in.Text)
	}
	if err != nil {
		return failure(processing(err.Error())), true
	}
	if f, stop := c.countTurn(x); stop {
		return f, true
	}
	in.Ref = x.id
	in.Ack = &engine.Ack{Sub: c.sub, Value: began{x}}
	return f, !c.start(x, func() error {
		_, err := c.session.Prompt(x.ctx, in)
		return err
	}, &f)
}

// start gives a request to the session when that is free: a run that was begun
// elsewhere comes to its end first. It reports whether the session has it; else
// f ends the request.
func (c *conversation) start(x *exchange, begin func() error, f *frame) bool {
	for {
		if err := c.session.Settled(x.ctx); err != nil && !x.stopped(c) {
			*f = failure(processing(err.Error()))
			return false
		}
		c.mu.Lock()
		if x.interrupted {
			c.mu.Unlock()
			*f = x.interruption()
			return false
		}
		// An interrupt that comes from now on finds the run: both take the road
		// through the session's inbox.
		err := begin()
		x.started = err == nil
		c.mu.Unlock()
		if err == nil {
			return true
		}
		if !errors.Is(err, engine.ErrBusy) {
			*f = failure(processing(err.Error()))
			return false
		}
	}
}

// interruption ends a request that was stopped before anything ran.
func (x *exchange) interruption() frame {
	if x.stream {
		return frame{kind: kindComplete, value: complete{nil, true}}
	}
	return textFrame("")
}
