package strict

import (
	"errors"
	"fmt"
)

// toolRun is a tool call of the turn.
type toolRun struct {
	name   string
	state  toolState
	result object // once it has ended
	failed bool
}

// toolState says how far a call has come.
type toolState int

const (
	called   toolState = iota // by the answer
	running                   // tool_execution_start
	ended                     // tool_execution_end
	reported                  // its result is a message
)

func (s toolState) String() string {
	return [...]string{"not started", "started already", "ended already", "ended already"}[s]
}

// callIn finds a frame's call and demands that it is in that state.
func (r *run) callIn(o object, state toolState) (*toolRun, error) {
	id, name := o.text("toolCallId"), o.text("toolName")
	c := r.calls[id]
	switch {
	case !r.turn || r.message != nil:
		return nil, errors.New("no turn is open, or its message hasn't ended")
	case c == nil:
		return nil, fmt.Errorf("the turn's answer has no call %q", id)
	case c.name != name:
		return nil, fmt.Errorf("the call %q is one of %s, not %s", id, c.name, name)
	case c.state != state:
		return nil, fmt.Errorf("the call %q is %s", id, c.state)
	}
	return c, nil
}

func (r *run) toolStart(o object) error {
	c, err := r.callIn(o, called)
	if err != nil {
		return err
	}
	c.state = running
	return nil
}

func (r *run) toolUpdate(o object) error {
	_, err := r.callIn(o, running)
	return err
}

func (r *run) toolEnd(o object) error {
	c, err := r.callIn(o, running)
	if err != nil {
		return err
	}
	c.state, c.result, c.failed = ended, o.object("result"), o.isTrue("isError")
	return nil
}

// serving checks a call of the host's tool against the tool call it is for.
func (r *run) serving(o object) error {
	_, err := r.callIn(o, running)
	return err
}

// resultStart checks a result message against the end of its call.
func (r *run) resultStart(m object) error {
	c, err := r.callIn(m, ended)
	switch {
	case err != nil:
		return err
	case !same(c.result["content"], m["content"]) || c.failed != m.isTrue("isError"):
		return errors.New("another result than that of tool_execution_end")
	}
	c.state = reported
	return nil
}
