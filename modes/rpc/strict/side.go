package strict

import (
	"errors"
	"fmt"
)

// side follows the requests that the server makes of its client.
type side struct {
	ids     map[string]bool   // all ids ever given to a request
	dialogs map[string]bool   // requests that wait for the user
	hosted  map[string]string // open host tool calls by id: the tool call
}

// fresh claims an id.
func (s *side) fresh(o object) error {
	id := o.text("id")
	if s.ids[id] {
		return fmt.Errorf("the id %q was used before", id)
	}
	s.ids[id] = true
	return nil
}

func (s *side) dialog(o object) error {
	if err := s.fresh(o); err != nil {
		return err
	}
	switch o.text("method") {
	case "select", "confirm", "input", "editor":
		s.dialogs[o.text("id")] = true
	case "cancel":
		target := o.text("targetId")
		if !s.dialogs[target] {
			return fmt.Errorf("cancels %q, which is no dialog or was cancelled before", target)
		}
		delete(s.dialogs, target)
	}
	return nil
}

func (s *side) call(o object) error {
	if err := s.fresh(o); err != nil {
		return err
	}
	s.hosted[o.text("id")] = o.text("toolCallId")
	return nil
}

func (s *side) cancel(o object) error {
	if err := s.fresh(o); err != nil {
		return err
	}
	target := o.text("targetId")
	if _, ok := s.hosted[target]; !ok {
		return fmt.Errorf("cancels %q, which is no open call", target)
	}
	delete(s.hosted, target)
	return nil
}

// toolEnded closes the host's calls for a tool call.
func (s *side) toolEnded(o object) error {
	for id, call := range s.hosted {
		if call == o.text("toolCallId") {
			delete(s.hosted, id)
		}
	}
	return nil
}

func (s *side) finished() error {
	if len(s.hosted) > 0 {
		return errors.New("a host tool call is still open")
	}
	return nil
}
