package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// call is a command that waits for its response.
type call struct {
	command string
	reply   chan reply // takes one without a reader
	turn    *Turn      // of a prompt
}

type reply struct {
	data json.RawMessage
	err  error
}

// Call sends any command and returns the data of its response, nil if it has
// none. Params are the command's fields: a struct or map that becomes a JSON
// object, or nil. The methods of the Client do this for all commands they know.
// A refusal is a *CommandError.
func (c *Client) Call(ctx context.Context, command string, params any) (json.RawMessage, error) {
	return c.call(ctx, &call{command: command}, params)
}

func (c *Client) call(ctx context.Context, w *call, params any) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", w.command, context.Cause(ctx))
	}
	w.reply = make(chan reply, 1)
	if err := c.request(w, params); err != nil {
		return nil, fmt.Errorf("%s: %w", w.command, err)
	}
	select {
	case r := <-w.reply:
		return r.data, r.err
	case <-ctx.Done():
		// The call stays pending: a failure without id that comes for it later
		// must not be taken for another's.
		return nil, fmt.Errorf("%s: %w", w.command, context.Cause(ctx))
	}
}

// request puts a command on its way. Ids rise in the order of the lines.
func (c *Client) request(w *call, params any) error {
	fields, err := object(params)
	if err != nil {
		return err
	}
	name, err := json.Marshal(w.command)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return c.err
	case c.closed:
		return ErrClosed
	}
	c.lastID++
	id := fmt.Sprintf("req_%d", c.lastID)
	line := fmt.Appendf(nil, `{"id":"%s","type":%s`, id, name)
	if len(fields) > len("{}\n") {
		line = append(append(line, ','), fields[1:]...)
	} else {
		line = append(line, "}\n"...)
	}
	if w.turn != nil {
		w.turn.id = id
		c.early, c.late = nil, true
	}
	c.pending[id] = w
	c.outbox.push(outgoing{line: line})
	return nil
}

// object is the line of params, which are a JSON object or nothing.
func object(params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	line, err := jsonl.Marshal(params)
	if err != nil {
		return nil, err
	}
	if line[0] != '{' {
		return nil, fmt.Errorf("the parameters are no JSON object: %.40s", line)
	}
	return line, nil
}

// ask is Call with the response's data as a T; the zero T for null and none.
func ask[T any](ctx context.Context, c *Client, command string, params any) (T, error) {
	var v T
	data, err := c.Call(ctx, command, params)
	if err == nil && len(data) > 0 {
		if err = json.Unmarshal(data, &v); err != nil {
			err = fmt.Errorf("%s: decode the response: %w", command, err)
		}
	}
	return v, err
}

// respond gives a response to the call that waits for it.
func (c *Client) respond(h header, line []byte) {
	if h.ID == "" {
		c.respondWithoutID(h, line)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w, waits := c.pending[string(h.ID)]
	switch {
	case waits:
		delete(c.pending, string(h.ID))
		c.answer(w, h)
	case !h.Success:
		// A prompt that was accepted and then couldn't start. Any other id is
		// unknown and none of our business.
		c.turns.fail(string(h.ID), &CommandError{h.Command, h.Error})
	}
}

// answer ends a call. It holds the lock.
func (c *Client) answer(w *call, h header) {
	if !h.Success {
		w.reply <- reply{err: &CommandError{w.command, h.Error}}
		return
	}
	if w.turn != nil {
		var data struct {
			Disposition Disposition `json:"disposition"`
		}
		_ = json.Unmarshal(h.Data, &data) // absent in old dialects
		c.turns.accept(w.turn, data.Disposition, c.aborting())
	}
	w.reply <- reply{data: h.Data}
}

// aborting reports whether an abort is on its way. It holds the lock.
func (c *Client) aborting() bool {
	for _, w := range c.pending {
		if w.command == "abort" || w.command == "abort_and_prompt" {
			return true
		}
	}
	return false
}

// respondWithoutID finds the one call that a failure can belong to.
func (c *Client) respondWithoutID(h header, line []byte) {
	c.mu.Lock()
	var found []string
	for id, w := range c.pending {
		if h.Command == w.command || h.Command == "parse" {
			found = append(found, id)
		}
	}
	if !h.Success && len(found) == 1 {
		w := c.pending[found[0]]
		delete(c.pending, found[0])
		c.answer(w, h)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	err := errors.New("a response without id")
	if !h.Success {
		err = fmt.Errorf("a failure without id: %w", &CommandError{h.Command, h.Error})
	}
	c.report(line, err)
}

// report tells the host of a line that can't be placed.
func (c *Client) report(line []byte, err error) {
	const enough = 200
	c.options.ProtocolError(&FrameError{bytes.Clone(line[:min(len(line), enough)]), err})
}
