package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// statusUnknown closes a page's connection to a session that there isn't: a
// browser doesn't tell a page why a handshake failed.
const statusUnknown websocket.StatusCode = 4404

// eventAbilities are what slash commands find on the page.
const eventAbilities = slash.Replaceable | slash.Dialogs

// browser is a connection of the page: canonical events out, commands in.
type browser struct {
	server *Server
	talk   *conversation
	sub    *engine.Subscription
	ctx    context.Context
	end    context.CancelFunc

	once   sync.Once
	reason string
}

func (b *browser) dismiss(reason string) {
	b.once.Do(func() { b.reason = reason })
	b.sub.Close()
}

// snapshot is the first frame, and the one after the conversation was
// exchanged: the session's view, with the ids that messages have in events.
type snapshot struct {
	Type     string     `json:"type"` // view
	Kept     string     `json:"kept"` // to attach with
	Version  string     `json:"version"`
	IDs      []string   `json:"ids"` // of view.messages
	InFlight string     `json:"inFlightId,omitempty"`
	View     event.View `json:"view"`
}

func (b *browser) snapshot(v event.View) snapshot {
	p := snapshot{Type: "view", Kept: b.talk.id, Version: b.server.o.Version, IDs: make([]string, len(v.Messages)), View: v}
	for i, m := range v.Messages {
		p.IDs[i] = m.ID
	}
	if v.InFlight != nil {
		p.InFlight = v.InFlight.ID
	}
	return p
}

// command is a message of the page's.
type command struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Images  []struct {
		Data string `json:"data"`
	} `json:"images"`
	StreamingBehavior engine.Delivery `json:"streamingBehavior"`
	Name              string          `json:"name"`
	Model             string          `json:"model"`

	// Of extension_ui_response.
	Question  string       `json:"question"`
	Choice    event.Choice `json:"choice"`
	Confirmed bool         `json:"confirmed"`
	Value     string       `json:"value"`
	Cancelled bool         `json:"cancelled"`
	Reason    string       `json:"reason"`
}

// response answers a command.
type response struct {
	Type    string `json:"type"` // response
	ID      string `json:"id,omitempty"`
	Command string `json:"command"`
	Success bool   `json:"success"`
	Data    any    `json:"data,omitempty"`
	Error   string `json:"error,omitempty"`
}

// serveBrowser serves the page until its connection ends.
func (s *Server) serveBrowser(ctx context.Context, ws *websocket.Conn, talk *conversation) {
	b := &browser{server: s, talk: talk}
	b.ctx, b.end = context.WithCancel(ctx)
	defer b.end()
	v, sub, err := talk.session.Attach(b.ctx, engine.Client{Name: "browser", Shows: []event.QuestionKind{
		event.AskPermission, event.AskConfirm, event.AskSelect, event.AskInput, event.AskEditor,
	}})
	if err != nil {
		talk.left(nil)
		return
	}
	b.sub = sub
	talk.mu.Lock()
	talk.present[b] = true
	talk.mu.Unlock()
	defer talk.left(b)
	defer sub.Close()
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer b.end()
		defer s.recovered(nil)
		b.write(ws, v)
	}()
	go s.keepAlive(b.ctx, ws, b.end)
	for {
		_, data, err := ws.Read(b.ctx)
		if err != nil {
			s.log.Info("remote connection ended", "session", talk.id, "why", closing(err))
			break
		}
		b.receive(data)
	}
	b.end()
	<-written
}

// write sends the picture, then everything after it.
func (b *browser) write(ws *websocket.Conn, v event.View) {
	if send(b.ctx, ws, encoded(b.snapshot(v))) != nil {
		return
	}
	for {
		batch, err := b.sub.Batch(b.ctx)
		for _, it := range batch {
			if send(b.ctx, ws, b.message(it)) != nil {
				return
			}
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, engine.ErrTooSlow):
			_ = ws.Close(websocket.StatusTryAgainLater, errTooSlow.Error())
		case errors.Is(err, io.EOF):
			b.once.Do(func() { b.reason = "the session has ended" })
			_ = ws.Close(websocket.StatusGoingAway, b.reason)
		}
		return
	}
}

func (b *browser) message(it engine.Item) []byte {
	if it.Ack != nil {
		return encoded(it.Ack)
	}
	switch e := it.Event.(type) {
	case event.SessionReplaced:
		return encoded(b.snapshot(e.View))
	case event.LeafMoved:
		return encoded(b.snapshot(e.View))
	}
	return encoded(it.Envelope)
}

// receive carries out a command. What may wait runs beside the reader.
func (b *browser) receive(data []byte) {
	var c command
	if err := json.Unmarshal(data, &c); err != nil || tooDeep(data) {
		b.sub.Post(response{Type: "response", Command: "parse", Error: "a command is a JSON object with a type"})
		return
	}
	answer := func(data any, err error) {
		r := response{Type: "response", ID: c.ID, Command: c.Type, Success: err == nil, Data: data}
		if err != nil {
			r.Data, r.Error = nil, err.Error()
		}
		b.sub.Post(r)
	}
	s := b.talk.session
	switch c.Type {
	case "prompt", "steer", "follow_up":
		b.prompt(c, answer)
	case "abort":
		answer(nil, s.AbortAck(nil))
	case "extension_ui_response":
		won, err := s.Answer(b.ctx, c.Question, event.Answer{
			Choice: c.Choice, Confirmed: c.Confirmed, Value: c.Value, Cancelled: c.Cancelled, Reason: excerpt(c.Reason, 4<<10),
		})
		answer(map[string]bool{"won": won}, err)
	case "get_commands":
		answer(b.commands(), nil)
	case "set_session_name":
		answer(nil, s.Rename(b.ctx, c.Name))
	case "set_model":
		go func() {
			m, err := s.SetModel(b.ctx, c.Model)
			answer(m.Ref(), err)
		}()
	case "get_available_models":
		go func() {
			names := []string{}
			for _, m := range s.Models() {
				names = append(names, m.Ref())
			}
			answer(names, nil)
		}()
	case "list_sessions":
		go func() { answer(b.server.list(b.ctx), nil) }()
	default:
		answer(nil, fmt.Errorf("unknown command %q", excerpt(c.Type, 100)))
	}
}

// prompt runs a slash command, or gives the session a message: while a run is
// going, as the command says.
func (b *browser) prompt(c command, answer func(any, error)) {
	r := request{input: textInput(c.Message), tools: true}
	if len(c.Images) > 0 {
		parts := multiInput{textInput(c.Message)}
		for _, i := range c.Images {
			parts = append(parts, imageInput{data: i.Data})
		}
		r.input = parts
	} else if name, _, ok := slash.Split(c.Message); ok && !b.talk.hidden(name) {
		go b.command(c, answer)
		return
	}
	in, err := promptOf(b.ctx, r)
	if err != nil {
		answer(nil, err)
		return
	}
	b.send(c, in, answer)
}

func (b *browser) send(c command, in engine.Input, answer func(any, error)) {
	in.Delivery = engine.Steer
	if c.Type == "follow_up" || c.StreamingBehavior == engine.FollowUp {
		in.Delivery = engine.FollowUp
	}
	in.Ack = &engine.Ack{Sub: b.sub, Value: func(d engine.Disposition) any {
		return response{Type: "response", ID: c.ID, Command: c.Type, Success: true, Data: map[string]string{"disposition": string(d)}}
	}}
	if _, err := b.talk.session.Prompt(b.ctx, in); err != nil {
		answer(nil, err)
	}
}

// command runs a slash command; a text that is none goes to the model.
func (b *browser) command(c command, answer func(any, error)) {
	defer b.server.recovered(nil)
	result, err := b.server.o.Commands.Dispatch(b.ctx, b.talk.bounded(), eventAbilities, c.Message)
	if _, unknown := errors.AsType[*slash.UnknownError](err); unknown {
		answer(nil, err)
		return
	}
	switch {
	case err != nil:
		answer(nil, err)
	case !result.Handled:
		b.send(c, engine.Input{Text: result.Text, Source: engine.FromRPC}, answer)
	default:
		answer(map[string]string{"disposition": "handled", "reply": result.Reply}, nil)
	}
}

func (b *browser) commands() []commandRow {
	rows := []commandRow{}
	for _, cmd := range b.server.o.Commands.For(b.ctx, b.talk.session).Catalog(eventAbilities) {
		if !b.talk.hidden(cmd.Name) {
			rows = append(rows, commandRow{cmd.Name, b.server.about(cmd)})
		}
	}
	return rows
}

// sessionRow is a row of the page's list.
type sessionRow struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Open     bool      `json:"open"` // kept, and going on
	Busy     bool      `json:"busy"`
	Modified time.Time `json:"modified,omitzero"`
}

// list are the sessions that a page may attach to: the kept ones, then those
// of this server that were closed, or all of the folder.
func (s *Server) list(ctx context.Context) []sessionRow {
	s.mu.Lock()
	var open []*conversation
	for _, c := range s.kept {
		open = append(open, c)
	}
	files := map[string]string{}
	for id, path := range s.files {
		files[path] = id
	}
	s.mu.Unlock()
	rows, seen := []sessionRow{}, map[string]bool{}
	for _, c := range open {
		v, err := c.session.View(ctx)
		if err != nil {
			continue
		}
		seen[v.File] = true
		rows = append(rows, sessionRow{ID: c.id, Title: title(v), Open: true, Busy: v.Busy})
	}
	if s.o.Library == nil {
		return rows
	}
	saved, err := s.o.Library.Sessions(ctx, s.o.Cwd)
	if err != nil {
		return rows
	}
	for _, one := range saved {
		id, ours := files[one.Path]
		if !ours {
			id = one.ID
		}
		if (ours || s.o.AllSessions) && !seen[one.Path] && len(rows) < maxListed {
			rows = append(rows, sessionRow{ID: id, Title: excerpt(one.Label(), 120), Modified: one.Modified})
		}
	}
	return rows
}

const maxListed = 300

// title is a session's name, or the beginning of its first message.
func title(v event.View) string {
	if v.Name != "" {
		return excerpt(v.Name, 120)
	}
	for _, m := range v.Messages {
		if text := m.Text(); m.Role == "user" && text != "" {
			return excerpt(text, 120)
		}
	}
	return ""
}
