package event

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// SubagentEvent is an event of a sub-agent that works for a call of the task
// tool. Its life is a session's own: its runs, messages and calls, but not what
// it stores. A sub-agent of its own is nested once more. Questions are the
// session's and don't come this way.
type SubagentEvent struct {
	// CallID is the task call's.
	CallID string `json:"callId"`
	// Agent is the name of its definition.
	Agent string `json:"agent"`
	Event Event  `json:"event"`
}

// MarshalJSON gives the nested event its type.
func (s SubagentEvent) MarshalJSON() ([]byte, error) {
	inner, err := typed(s.Event, nil)
	if err != nil {
		return nil, err
	}
	return jsonl.Value(struct {
		CallID string          `json:"callId"`
		Agent  string          `json:"agent"`
		Event  json.RawMessage `json:"event"`
	}{s.CallID, s.Agent, inner})
}
