package print

import (
	"bufio"
	"encoding/json"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// lines writes the canonical JSON of each event on a line of its own.
type lines struct {
	out     *bufio.Writer
	now     func() time.Time
	session string
	seq     uint64
}

// header is the first line: which session the events belong to.
type header struct {
	Type     string      `json:"type"`
	Seq      uint64      `json:"seq"`
	Session  string      `json:"session"`
	At       string      `json:"at"`
	File     string      `json:"file,omitempty"`
	Name     string      `json:"name,omitempty"`
	Cwd      string      `json:"cwd"`
	Model    event.Model `json:"model"`
	Thinking string      `json:"thinking"`
	Mode     string      `json:"mode"`
	Messages int         `json:"messages"`
}

func (l *lines) opened(v event.View) {
	l.session, l.seq = v.SessionID, v.Seq
	enc := json.NewEncoder(l.out)
	enc.SetEscapeHTML(false)
	// Nothing in a header can fail to encode; write errors stick in out.
	_ = enc.Encode(header{
		Type: "session_opened", Seq: v.Seq, Session: v.SessionID, At: l.now().UTC().Format(time.RFC3339Nano),
		File: v.File, Name: v.Name, Cwd: v.Cwd, Model: v.Model, Thinking: v.Thinking, Mode: v.Mode,
		Messages: len(v.Messages),
	})
}

func (l *lines) put(e event.Envelope) {
	l.session, l.seq = e.Session, e.Seq
	line, err := e.MarshalJSON()
	if err != nil { // raw JSON from a tool that isn't JSON: say so in its place
		line, _ = event.Envelope{Seq: e.Seq, Session: e.Session, At: e.At,
			Event: event.Notice{Level: "error", Text: err.Error()}}.MarshalJSON()
	}
	l.out.Write(line)
	l.out.WriteByte('\n')
}

// reply of a command is a notice; it has the number of the event before it.
func (l *lines) reply(s string) {
	if s != "" {
		l.put(event.Envelope{Seq: l.seq, Session: l.session, At: l.now(), Event: event.Notice{Level: "info", Text: s}})
	}
}

func (l *lines) finish() {}
