// Package acptest holds what an agent writes against the protocol's schema, for
// tests: a Connection is told what the client sends, looks up what type an answer
// has to have, and says of each line what is wrong with it, stray fields too.
package acptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// Connection knows the requests of a client that have no answer yet. It is safe
// for concurrent use.
type Connection struct {
	schema *schema

	mu   sync.Mutex
	sent map[string]string // method by id
}

// NewConnection returns a connection that nothing was sent on.
func NewConnection() (*Connection, error) {
	s, err := stable()
	if err != nil {
		return nil, fmt.Errorf("read the protocol's schema: %w", err)
	}
	return &Connection{schema: s, sent: map[string]string{}}, nil
}

// Sent keeps a request of the client's, by its id as JSON.
func (c *Connection) Sent(id, method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[id] = method
}

// answers returns the method that an answer is for, once.
func (c *Connection) answers(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer delete(c.sent, id)
	return c.sent[id]
}

// Check says what is wrong with a line of the agent's. A request has a whole
// number for its id, since some clients know no other (case 14), a request of the
// client's is answered once (case 43), and what belongs to a turn or to the
// history of a session comes while a prompt or a load has no answer (case 48).
func (c *Connection) Check(line []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return fmt.Errorf("isn't JSON: %w", err)
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return errors.New(`jsonrpc isn't "2.0"`)
	}
	for k := range members {
		switch k {
		case "jsonrpc", "id", "method", "params", "result", "error":
		default:
			return fmt.Errorf("a member %q", k)
		}
	}
	id := string(members["id"])
	if members["method"] == nil {
		return c.answer(id, members["result"], members["error"])
	}
	var method string
	if err := json.Unmarshal(members["method"], &method); err != nil {
		return fmt.Errorf("the method: %w", err)
	}
	types := c.schema.table["client "+method]
	switch {
	case method == "session/update" && !c.open("session/prompt", "session/load"):
		if kind := kindOf(members["params"]); turnBound[kind] {
			return fmt.Errorf("%s outside of a turn", kind)
		}
		return c.schema.check(types["notification"], members["params"])
	case method == "$/cancel_request":
		return c.schema.check("CancelRequestNotification", members["params"])
	case id == "":
		return c.schema.check(types["notification"], members["params"])
	}
	if _, err := strconv.Atoi(id); err != nil {
		return fmt.Errorf("the id %s is no whole number", id)
	}
	return c.schema.check(types["request"], members["params"])
}

// open reports whether a request by one of the methods has no answer yet.
func (c *Connection) open(methods ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sent := range c.sent {
		if slices.Contains(methods, sent) {
			return true
		}
	}
	return false
}

// turnBound are the updates that a client takes for a part of what is going on.
var turnBound = map[string]bool{
	"user_message_chunk": true, "agent_message_chunk": true, "agent_thought_chunk": true, "tool_call": true, "tool_call_update": true, "plan": true,
}

// kindOf is the kind of an update, "" for what is none.
func kindOf(params json.RawMessage) string {
	var p struct {
		Update struct {
			SessionUpdate string `json:"sessionUpdate"`
		} `json:"update"`
	}
	_ = json.Unmarshal(params, &p) // the schema says what is wrong with it
	return p.Update.SessionUpdate
}

func (c *Connection) answer(id string, result, failed json.RawMessage) error {
	method := c.answers(id)
	if failed != nil {
		return c.schema.check("Error", failed)
	}
	if method == "" {
		return fmt.Errorf("an answer to %s, which nobody asked", id)
	}
	if name := c.schema.table["agent "+method]["response"]; name != "" {
		return c.schema.check(name, result)
	}
	return nil
}
