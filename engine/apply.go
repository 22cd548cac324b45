package engine

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// apply takes one event of the run into the session's state and publishes it.
// What must survive a crash is on disk before anybody hears of it.
func (s *Session) apply(ev event.Event) {
	switch e := ev.(type) {
	case event.MessageDelta:
		if s.inflight != nil {
			s.inflight.add(e)
		}
		s.publish(ev)
	case event.MessageStarted:
		if e.Message.Role == message.Assistant {
			s.inflight = &inflight{start: e.Message}
		}
		s.publish(ev)
	case event.MessageEnded:
		s.keep(e.Message)
	case event.ToolRunning:
		s.running = append(s.running, e)
		s.publish(ev)
	case event.ToolEnded:
		s.running = slices.DeleteFunc(s.running, func(r event.ToolRunning) bool { return r.CallID == e.CallID })
		s.publish(ev)
	default:
		s.publish(ev)
	}
}

// keep stores a finished message and tells of it.
func (s *Session) keep(m message.Message) {
	entry := entryOf(m)
	s.append(entry)
	s.messages = append(s.messages, m)
	if m.Role == message.Assistant {
		s.inflight = nil
	}
	s.publish(event.MessageEnded{ID: m.ID, Message: m})
	kind := session.TypeMessage
	if entry.CustomMessage != nil {
		kind = session.TypeCustomMessage
	}
	s.publish(event.EntryAppended{ID: m.ID, Type: string(kind)})
	switch m.Role {
	case message.Assistant:
		s.usage = s.usage.Add(m.Usage)
		s.limits.turns++
		s.limits.bill(m.Usage)
		s.publish(s.usageEvent())
		s.charge(m.Usage)
		if s.attempt > 0 && m.StopReason != message.Error && m.StopReason != message.Aborted {
			s.publish(event.RetryEnded{Success: true, Attempt: s.attempt})
			s.attempt = 0
		}
	case message.User:
		s.todos.reminded = 0
		s.delivered(m.ID)
	case message.Custom:
		if m.CustomType == injectionType {
			s.rulesTold(m)
		}
		s.delivered(m.ID)
	}
}

// append adds an entry to the document. One that can't be written is kept in
// memory and written with the next one that succeeds.
func (s *Session) append(e session.Entry) {
	_, err := s.doc.Append(e)
	s.saved(err)
}

// saved tells once that saving fails, and once that it works again.
func (s *Session) saved(err error) {
	text := ""
	var save *session.SaveError
	switch {
	case errors.As(err, &save):
		text = "The session can't be saved: " + save.Err.Error() + ". It goes on in memory; free some space or fix the folder, and it will be written."
	case err != nil:
		text = err.Error()
	}
	if text == s.saveErr {
		return
	}
	s.saveErr = text
	if text == "" {
		s.publish(event.Notice{Level: "info", Text: "The session is saved again."})
		return
	}
	s.publish(event.Notice{Level: "error", Text: text})
}

// queueEntry is the custom entry that holds the queue after each change, so
// that waiting messages come back after a crash.
const queueEntry = "hoopoe.queue"

type storedQueue struct {
	Queue []event.Queued `json:"queue"`
}

// queueChanged stores and publishes the queue.
func (s *Session) queueChanged() {
	data, err := json.Marshal(storedQueue{Queue: s.queue})
	if err == nil {
		s.append(session.Entry{Custom: &session.Custom{CustomType: queueEntry, Data: data}})
	}
	s.publish(event.QueueChanged{Queue: slices.Clone(s.queue)})
}

// delivered takes an announced message out of the queue. Its entry, with the
// same id, is already written: after a crash between the two the id tells
// that it was delivered.
func (s *Session) delivered(id string) {
	delete(s.taken, id)
	n := len(s.queue)
	s.queue = slices.DeleteFunc(s.queue, func(q event.Queued) bool { return q.ID == id })
	if len(s.queue) != n {
		s.queueChanged()
	}
}

// restoreQueue brings back what waited when the session was last closed.
func restoreQueue(d *session.Document) []event.Queued {
	e, ok := d.LastCustom(queueEntry)
	if !ok {
		return nil
	}
	var stored storedQueue
	if json.Unmarshal(e.Custom.Data, &stored) != nil {
		return nil
	}
	return slices.DeleteFunc(stored.Queue, func(q event.Queued) bool {
		_, delivered := d.Entry(q.ID)
		return delivered || q.ID == ""
	})
}
