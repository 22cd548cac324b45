package rpc

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// The options of a permission question, in the order in which they are shown.
const (
	allowOnce   = "Allow once"
	allowAlways = "Always allow"
	deny        = "Deny"
)

// dialogs matches the host's answers with the session's questions. The
// projection tells it of each question before its frame is written.
type dialogs struct {
	ctx     context.Context
	session *engine.Session

	mu   sync.Mutex
	open map[string]event.QuestionKind
}

func newDialogs(ctx context.Context, s *engine.Session) *dialogs {
	return &dialogs{ctx: ctx, session: s, open: map[string]event.QuestionKind{}}
}

// track follows which questions the host has been shown.
func (d *dialogs) track(e event.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case event.AskOpened:
		d.open[e.Question.ID] = e.Question.Kind
	case event.AskClosed:
		delete(d.open, e.ID)
	}
}

// answered takes a line that answers a dialog. A second answer, or one to a
// dialog that there isn't, is dropped.
func (d *dialogs) answered(r request) bool {
	if r.Type != "extension_ui_response" {
		return false
	}
	var id string
	if json.Unmarshal(r.ID, &id) != nil {
		return true
	}
	d.mu.Lock()
	kind, ok := d.open[id]
	delete(d.open, id)
	d.mu.Unlock()
	if ok {
		_, _ = d.session.Answer(d.ctx, id, answerOf(kind, r)) // closed: nothing to answer
	}
	return true
}

// answerOf reads an answer. One of the wrong shape means the default, like one
// that was cancelled.
func answerOf(kind event.QuestionKind, r request) event.Answer {
	cancelled := event.Answer{Cancelled: true, Choice: event.Deny}
	var yes bool
	if json.Unmarshal(r.fields["cancelled"], &yes) == nil && yes {
		return cancelled
	}
	if kind == event.AskConfirm {
		if !r.has("confirmed") || json.Unmarshal(r.fields["confirmed"], &yes) != nil {
			return cancelled
		}
		return event.Answer{Confirmed: yes}
	}
	var value string
	if !r.has("value") || json.Unmarshal(r.fields["value"], &value) != nil {
		return cancelled
	}
	if kind != event.AskPermission {
		return event.Answer{Value: value}
	}
	switch value {
	case allowOnce:
		return event.Answer{Choice: event.Once}
	case allowAlways:
		return event.Answer{Choice: event.Always}
	}
	return event.Answer{Choice: event.Deny}
}

// uiRequest asks the host to show something. Only the method's own fields are
// there.
type uiRequest struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Method      string   `json:"method"`
	Title       *string  `json:"title,omitempty"`
	Message     *string  `json:"message,omitempty"`
	Options     []string `json:"options,omitzero"` // nil is absent
	Placeholder string   `json:"placeholder,omitempty"`
	Prefill     string   `json:"prefill,omitempty"`
	Timeout     int64    `json:"timeout,omitempty"` // ms
	TargetID    string   `json:"targetId,omitempty"`

	NotifyType      string   `json:"notifyType,omitempty"`
	StatusKey       *string  `json:"statusKey,omitempty"`
	StatusText      *string  `json:"statusText,omitempty"`
	WidgetKey       *string  `json:"widgetKey,omitempty"`
	WidgetLines     []string `json:"widgetLines,omitzero"` // nil is absent
	WidgetPlacement string   `json:"widgetPlacement,omitempty"`
	Text            *string  `json:"text,omitempty"`
}

func newUIRequest(id, method string) uiRequest {
	return uiRequest{Type: "extension_ui_request", ID: id, Method: method}
}

// dialogRequest shows a question. The protocol's select has no message of its
// own, so one stands above the options in the title.
func dialogRequest(q event.Question) uiRequest {
	r := newUIRequest(q.ID, string(q.Kind))
	title := joined(q.Title, q.Message)
	r.Timeout = q.Timeout.Milliseconds()
	switch q.Kind {
	case event.AskPermission:
		r.Method, r.Options = "select", []string{allowOnce, allowAlways, deny}
		title = permissionTitle(q)
	case event.AskSelect:
		r.Options = listed(q.Options)
	case event.AskConfirm:
		title, r.Message = q.Title, &q.Message
	case event.AskInput:
		r.Placeholder = q.Placeholder
	case event.AskEditor:
		r.Prefill, r.Timeout = q.Prefill, 0
	}
	r.Title = &title
	return r
}

// permissionTitle says what is to be allowed and why it asks (the message), and
// holds the command or the diff.
func permissionTitle(q event.Question) string {
	parts := []string{q.Title, q.Message}
	if p := q.Permission; p != nil {
		if p.Command != "" && !strings.Contains(q.Title+q.Message, p.Command) {
			parts = append(parts, p.Command)
		}
		parts = append(parts, p.Diff)
	}
	return joined(parts...)
}

func joined(parts ...string) string {
	var lines []string
	for _, p := range parts {
		if p = strings.Trim(p, "\n"); p != "" {
			lines = append(lines, p)
		}
	}
	return strings.Join(lines, "\n")
}
