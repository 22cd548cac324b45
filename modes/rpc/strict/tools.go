package strict

import (
	"errors"
	"fmt"
)

// callIn finds a frame's call and demands that it is in that state.
func (r *run) callIn(o object, state int) (*toolRun, error) {
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
		return nil, fmt.Errorf("the call %q is %s", id, [...]string{"not started", "started already", "ended already", "ended already"}[c.state])
	}
	return c, nil
}

func (r *run) toolStart(o object) error {
	c, err := r.callIn(o, 0)
	if err != nil {
		return err
	}
	c.state = 1
	return nil
}

func (r *run) toolUpdate(o object) error {
	_, err := r.callIn(o, 1)
	return err
}

func (r *run) toolEnd(o object) error {
	c, err := r.callIn(o, 1)
	if err != nil {
		return err
	}
	c.state, c.result, c.hasError = 2, o.object("result"), o.isTrue("isError")
	return nil
}

// serving checks a call of the host's tool against the tool call it is for.
func (r *run) serving(o object) error {
	_, err := r.callIn(o, 1)
	return err
}

// resultStart checks a result message against the end of its call.
func (r *run) resultStart(m object) error {
	c, err := r.callIn(m, 2)
	switch {
	case err != nil:
		return err
	case !same(c.result["content"], m["content"]) || c.hasError != m.isTrue("isError"):
		return errors.New("another result than that of tool_execution_end")
	}
	c.state = 3
	return nil
}
