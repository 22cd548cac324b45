package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// header has the fields that tell where a frame belongs, and those of a
// response.
type header struct {
	Type    string          `json:"type"`
	ID      name            `json:"id"`
	Command string          `json:"command"`
	Success bool            `json:"success"`
	Data    json.RawMessage `json:"data"`
	Error   string          `json:"error"`
}

// name is a string; any other value is as good as none.
type name string

func (n *name) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*n = name(s)
	}
	return nil
}

// dispatch gives a line to whom it concerns. It runs in the reader and waits
// for nobody.
func (c *Client) dispatch(line []byte) {
	var kind struct {
		Type name `json:"type"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		c.unreadable(line, err)
		return
	}
	switch kind.Type {
	case "":
		c.report(line, errors.New("a frame without type"))
	case "response":
		var h header
		if err := json.Unmarshal(line, &h); err != nil {
			c.unreadable(line, err)
			return
		}
		c.respond(h, line)
	case "host_tool_call":
		c.hostCall(line)
	case "host_tool_cancel":
		c.cancel(line)
	default:
		c.event(string(kind.Type), line)
	}
}

// event goes to the subscribers before it ends a turn: who has waited for the
// turn finds all of it there.
func (c *Client) event(kind string, line []byte) {
	c.publish(Event{Type: kind, Raw: line})
	switch kind {
	case "ready":
		c.greeted(line)
	case uiRequest:
		c.dialog(line)
	default:
		c.mu.Lock()
		c.turns.observe(kind, line)
		c.mu.Unlock()
	}
}

func (c *Client) greeted(line []byte) {
	ready, _ := decode[Ready](line).(Ready)
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ready: // once is enough
	default:
		c.version = ready.Version
		close(c.ready)
	}
}

// cancel ends the context of a host tool call or dialog.
func (c *Client) cancel(line []byte) {
	var f struct {
		TargetID string `json:"targetId"`
	}
	if err := json.Unmarshal(line, &f); err != nil {
		c.report(line, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[f.TargetID]; cancel != nil {
		cancel()
	}
}

// unreadable reports a line that can't be decoded. A response among them, whose
// data is nested deeper than the decoder goes, still ends its call.
func (c *Client) unreadable(line []byte, err error) {
	c.report(line, err)
	id := leadingID(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.pending[id]; w != nil {
		delete(c.pending, id)
		w.reply <- reply{err: fmt.Errorf("%s: decode the response: %w", w.command, err)}
	}
}

// leadingID returns the id of a response, if it comes before what is nested.
func leadingID(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	var id string
	response := false
	for key, at := json.Token(nil), 0; ; at++ {
		token, err := d.Token()
		text, isText := token.(string)
		switch {
		case err != nil, at > 0 && !isText && token != true && token != false:
			if response {
				return id
			}
			return ""
		case at%2 == 1:
			key = token
		case key == "id":
			id = text
		case key == "type":
			response = text == "response"
		}
	}
}
