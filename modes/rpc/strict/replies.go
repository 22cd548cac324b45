package strict

import (
	"errors"
	"fmt"
)

// replies matches responses to commands. Only responses with an id can be
// matched; what the default dialect answers without one is counted.
type replies struct {
	pi        bool
	first     map[string]reply
	sent      map[string]string // command by id; empty when nobody calls Sent
	anonymous int
}

// reply is the first response to an id.
type reply struct {
	command string
	success bool
	more    bool // a later failure has come
}

// expect notes a command with an id.
func (r *replies) expect(line []byte) {
	o, err := decodeObject(line)
	if err != nil {
		return
	}
	switch o.text("type") {
	case "extension_ui_response", "host_tool_update", "host_tool_result":
		return
	}
	if id, ok := o["id"].(string); ok {
		r.sent[id] = o.text("type")
	}
}

func (r *replies) next(o object) error {
	command, success := o.text("command"), o.isTrue("success")
	if err := r.dialect(o, command, success); err != nil {
		return err
	}
	id, ok := o["id"].(string)
	if !ok {
		if !success {
			r.anonymous++
		}
		return nil
	}
	if want, ok := r.sent[id]; len(r.sent) > 0 && (!ok || want != command) {
		return fmt.Errorf("answers %s %q; what was sent with this id is %q", command, id, want)
	}
	before, again := r.first[id]
	switch {
	case !again:
		r.first[id] = reply{command: command, success: success}
		return nil
	case r.pi, command != "prompt" && command != "abort_and_prompt", command != before.command:
		return fmt.Errorf("answers %q a second time", id)
	case !before.success || success || before.more:
		return fmt.Errorf("answers %q again: a success may be followed by one failure and by nothing else", id)
	}
	before.more = true
	r.first[id] = before
	return nil
}

// dialect checks what only one dialect may answer.
func (r *replies) dialect(o object, command string, success bool) error {
	_, known := commands[command]
	if _, hasID := o["id"]; hasID && !known && !r.pi {
		return errors.New("an unknown command is answered without id in this dialect")
	}
	if _, hasData := o["data"]; r.pi && success && !hasData && (command == "prompt" || command == "steer" || command == "follow_up") {
		return errors.New("without data.disposition, which this dialect always has")
	}
	return nil
}

// finished demands an answer to every id that was sent.
func (r *replies) finished() error {
	var silent []string
	for id := range r.sent {
		if _, ok := r.first[id]; !ok {
			silent = append(silent, id)
		}
	}
	if len(silent) > r.anonymous || (r.pi && len(silent) > 0) {
		return fmt.Errorf("no answer to %q", silent)
	}
	return nil
}
