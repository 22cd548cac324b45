//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// reply is what all protocols have in an answer.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// call sends a JSON-RPC request and reads up to its answer. What the peer asks
// meanwhile it is allowed.
func (s *conn) call(id int, method string, params any) (json.RawMessage, error) {
	err := s.send(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	want := fmt.Sprint(id)
	var r reply
	var failed error
	_, err = s.until(func(line []byte) bool {
		// An update of a stream is told by its beginning: to decode all of them
		// would measure us.
		if isNotice(line) {
			return false
		}
		r = reply{}
		if json.Unmarshal(line, &r) != nil {
			return false
		}
		if r.Method != "" && r.ID != nil {
			failed = s.allow(r)
			return failed != nil
		}
		return string(r.ID) == want
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case r.Error != nil:
		return nil, fmt.Errorf("%s: %s", method, r.Error)
	}
	return r.Result, nil
}

// isNotice reports whether a line is a notice, not a request or an answer. No
// peer's notices have an id at the top level before their method or params.
func isNotice(line []byte) bool {
	head := line[:min(len(line), 60)]
	return bytes.Contains(head, []byte(`"method":`)) && !bytes.Contains(head, []byte(`"id":`)) &&
		bytes.Contains(head, []byte(`/update"`))
}

// allow answers a request of the peer: the permission it asks for.
func (s *conn) allow(r reply) error {
	if r.Method != "session/request_permission" {
		return errors.New("it asked for " + r.Method)
	}
	return s.send(object{"jsonrpc": "2.0", "id": r.ID, "result": object{
		"outcome": object{"outcome": "selected", "optionId": "allow"},
	}})
}

// acp is the Agent Client Protocol.
type acp struct{ session string }

func (a *acp) hello(s *conn) error {
	_, err := s.call(0, "initialize", object{"protocolVersion": 1, "clientCapabilities": object{}})
	return err
}

func (a *acp) open(s *conn, dir string) error {
	result, err := s.call(1, "session/new", object{"cwd": dir, "mcpServers": []any{}})
	if err != nil {
		return err
	}
	var opened struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(result, &opened); err != nil {
		return err
	}
	a.session = opened.SessionID
	return nil
}

func (a *acp) turn(s *conn, prompt string) error {
	_, err := s.call(2, "session/prompt", object{
		"sessionId": a.session, "prompt": []any{object{"type": "text", "text": prompt}},
	})
	return err
}

// piRPC is pi's protocol, which ours speaks too.
type piRPC struct{}

func (piRPC) hello(s *conn) error {
	if err := s.send(object{"id": "first", "type": "get_state"}); err != nil {
		return err
	}
	_, err := s.until(func(line []byte) bool { return bytes.Contains(line[:min(len(line), 200)], []byte(`"id":"first"`)) })
	return err
}

func (piRPC) open(*conn, string) error { return nil }

// settled is how the end of a run begins, in pi's words of now and of before.
var settled = [][]byte{[]byte(`{"type":"agent_settled"`), []byte(`{"type":"agent_end"`)}

func (piRPC) turn(s *conn, prompt string) error {
	if err := s.send(object{"id": "go", "type": "prompt", "message": prompt}); err != nil {
		return err
	}
	_, err := s.until(func(line []byte) bool {
		return bytes.HasPrefix(line, settled[0]) || bytes.HasPrefix(line, settled[1])
	})
	return err
}

// appServer is Codex's protocol for its own clients.
type appServer struct{ thread string }

func (a *appServer) hello(s *conn) error {
	_, err := s.call(0, "initialize", object{"clientInfo": object{"name": "bench", "title": "bench", "version": "1.0.0"}})
	return err
}

func (a *appServer) open(s *conn, dir string) error {
	if err := s.send(object{"method": "initialized"}); err != nil {
		return err
	}
	result, err := s.call(1, "thread/start", object{"cwd": dir})
	if err != nil {
		return err
	}
	var opened struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(result, &opened); err != nil {
		return err
	}
	a.thread = opened.Thread.ID
	return nil
}

func (a *appServer) turn(s *conn, prompt string) error {
	err := s.send(object{"id": 2, "method": "turn/start", "params": object{
		"threadId": a.thread, "input": []any{object{"type": "text", "text": prompt}},
	}})
	if err != nil {
		return err
	}
	_, err = s.until(func(line []byte) bool {
		return bytes.Contains(line[:min(len(line), 60)], []byte(`"method":"turn/completed"`))
	})
	return err
}
