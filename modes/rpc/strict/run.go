package strict

import (
	"errors"
	"fmt"
	"reflect"
)

// run follows one run: turns, their messages and tool calls.
type run struct {
	open, turn bool
	added      []any // messages that ended in this run

	message object  // between its start and its end, else nil
	answer  *answer // the open message, when it is the assistant's

	// Of the turn: the assistant's message once it has ended, its tool calls,
	// and their results in the order of their ends.
	said    object
	calls   map[string]*toolRun
	results []any
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// quiet demands that no run goes on.
func (r *run) quiet() error {
	if r.open {
		return errors.New("within a run")
	}
	return nil
}

func (r *run) finished() error {
	switch {
	case r.message != nil:
		return errors.New("the last message has no end")
	case r.open:
		return errors.New("the last run has no agent_end")
	}
	return nil
}

func (r *run) start() error {
	if r.open || r.message != nil {
		return errors.New("the run or message before hasn't ended")
	}
	r.open, r.added = true, []any{}
	return nil
}

func (r *run) end(o object) error {
	switch {
	case !r.open || r.turn:
		return errors.New("no run is open, or its turn hasn't ended")
	case !same(o["messages"], any(r.added)):
		return fmt.Errorf("lists %d messages that are not the %d which ended in this run", len(o.list("messages")), len(r.added))
	}
	r.open = false
	return nil
}

func (r *run) turnStart() error {
	if !r.open || r.turn {
		return errors.New("no run is open, or the turn before hasn't ended")
	}
	r.turn, r.said, r.calls, r.results = true, nil, map[string]*toolRun{}, []any{}
	return nil
}

func (r *run) turnEnd(o object) error {
	switch {
	case !r.turn || r.message != nil:
		return errors.New("no turn is open, or its message hasn't ended")
	case r.said == nil:
		return errors.New("the turn has no assistant message")
	case !same(o["message"], any(r.said)):
		return errors.New("another message than the one that ended")
	case !same(o["toolResults"], any(r.results)):
		return errors.New("other tool results than those which ended, or in another order")
	}
	for id, c := range r.calls {
		if c.state != reported {
			return fmt.Errorf("the call %q has no result", id)
		}
	}
	r.turn = false
	return nil
}

// triggered demands a turn: a rule is broken by what its answer says.
func (r *run) triggered() error {
	if !r.turn {
		return errors.New("no turn is open")
	}
	return nil
}

func (r *run) messageStart(m object) error {
	role := m.text("role")
	switch {
	case r.message != nil:
		return errors.New("the message before hasn't ended")
	case !r.turn && role != "custom":
		return fmt.Errorf("a message of the role %s outside of a turn", role)
	}
	switch role {
	case "assistant":
		if r.said != nil {
			return errors.New("the turn has an assistant message already")
		}
		r.answer = newAnswer(m)
	case "toolResult":
		if err := r.resultStart(m); err != nil {
			return err
		}
	case "user":
		if r.said != nil {
			return errors.New("a user message after the turn's answer: it opens the next turn")
		}
	case "developer", "custom", "fileMention":
	default:
		return fmt.Errorf("no event announces the role %s", role)
	}
	r.message = m
	return nil
}

func (r *run) update(o object) error {
	if r.answer == nil {
		return errors.New("no assistant message is open")
	}
	return r.answer.update(o)
}

func (r *run) messageEnd(m object) error {
	if r.message == nil {
		return errors.New("no message is open")
	}
	if r.answer == nil && !same(r.message, m) {
		return errors.New("another message than the one that started")
	}
	if r.answer != nil {
		if m.text("role") != "assistant" {
			return errors.New("another role than the one that started")
		}
		if err := r.answer.end(m); err != nil {
			return err
		}
		if err := r.announce(m); err != nil {
			return err
		}
	}
	if m.text("role") == "toolResult" {
		r.results = append(r.results, m)
	}
	if r.open {
		r.added = append(r.added, m)
	}
	r.message, r.answer = nil, nil
	return nil
}

// announce notes the calls of the turn's answer.
func (r *run) announce(m object) error {
	r.said = m
	for _, b := range m.list("content") {
		block, _ := b.(object)
		if block.text("type") != "toolCall" {
			continue
		}
		id := block.text("id")
		if r.calls[id] != nil {
			return fmt.Errorf("two calls have the id %q", id)
		}
		r.calls[id] = &toolRun{name: block.text("name")}
	}
	return nil
}
