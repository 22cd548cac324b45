package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// The options of a permission request.
const (
	allowOnce    = "allow"
	rejectOnce   = "reject"
	allowAlways  = "allow_always"
	rejectAlways = "reject_always"
)

// shows are the questions that the editor can be asked. A confirmation inside a
// tool call is a permission to ask for; any other gets its default at once where
// there are no forms.
func shows(c clientCapabilities) []event.QuestionKind {
	kinds := []event.QuestionKind{event.AskPermission, event.AskConfirm}
	if c.Elicitation.Form {
		kinds = append(kinds, event.AskSelect, event.AskInput, event.AskEditor)
	}
	return kinds
}

// asked is a question that the editor shows.
type asked struct {
	call    string // that it is about
	resume  *toolCall
	pending *wire.Pending
}

func (a *asked) withdraw() { a.pending.TakeBack() }

// open puts a question to the editor. The teller doesn't wait for the answer.
func (l *live) open(q event.Question) {
	var p *wire.Pending
	var read func() event.Answer
	a := &asked{call: q.CallID}
	switch {
	case q.Kind == event.AskPermission || q.Kind == event.AskConfirm && q.CallID != "" && !bool(l.client.Elicitation.Form):
		p, read = l.askPermission(q, a)
	case !bool(l.client.Elicitation.Form):
		go l.answer(q.ID, event.Answer{Cancelled: true})
		return
	default:
		p, read = l.elicit(q)
	}
	a.pending = p
	l.asking[q.ID] = a
	go func() { l.answer(q.ID, read()) }()
}

func (l *live) answer(id string, a event.Answer) {
	_, _ = l.session.Answer(l.ctx, id, a) // answered or closed before: nothing to do
}

// closed takes a question off the editor's screen.
func (l *live) closed(e event.AskClosed) {
	a := l.asking[e.ID]
	if a == nil {
		return
	}
	delete(l.asking, e.ID)
	a.withdraw()
	if a.resume != nil {
		l.update(*a.resume)
	}
}

// askPermission asks for a call. One that the editor doesn't know yet is made
// known first, and waits.
func (l *live) askPermission(q event.Question, a *asked) (*wire.Pending, func() event.Answer) {
	t, news := l.projection.permission(q)
	for _, u := range news {
		l.update(u)
	}
	if q.Agent != "" { // the call is the caller's, and goes on being called what it was
		a.resume = l.projection.restored(q.CallID)
	}
	pending := l.server.peer.Start("session/request_permission", permissionParams{l.id, t, permissionOptions(q)})
	return pending, func() event.Answer {
		ctx, cancel := l.ctx, context.CancelFunc(func() {})
		if d := l.server.options.Patience; d > 0 {
			ctx, cancel = context.WithTimeout(ctx, d)
		}
		defer cancel()
		var r permissionResult
		err := pending.Wait(ctx, &r)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return event.Answer{Choice: event.Deny, Reason: "(nobody answered in time)"}
		case err != nil || r.Outcome.Outcome != "selected":
			return event.Answer{Cancelled: true, Choice: event.Deny}
		}
		switch r.Outcome.OptionID {
		case allowOnce:
			return event.Answer{Choice: event.Once, Confirmed: true}
		case allowAlways:
			return event.Answer{Choice: event.Always, Confirmed: true}
		case rejectAlways:
			return event.Answer{Choice: event.Never}
		}
		return event.Answer{Choice: event.Deny}
	}
}

// permissionOptions has one option of a kind: some clients know no more.
func permissionOptions(q event.Question) []permissionOption {
	list := []permissionOption{{allowOnce, "Allow", "allow_once"}, {rejectOnce, "Reject", "reject_once"}}
	if q.Permission == nil || len(q.Permission.Rules) == 0 {
		return list
	}
	what := tool.Line(strings.Join(q.Permission.Rules, ", "), 80)
	return append(list,
		permissionOption{allowAlways, "Always allow " + what, "allow_always"},
		permissionOption{rejectAlways, "Always reject " + what, "reject_always"})
}

// permission is the call that a question is about, and what makes it known.
func (p *projection) permission(q event.Question) (toolCall, []any) {
	c := p.calls[q.CallID]
	if c == nil { // of no call that was told: it stands for itself
		c = &call{name: "question", title: q.Title, kind: string(tool.Other)}
		p.calls[q.CallID] = c
	}
	var news []any
	if c.announced {
		t := toolCall{ToolCallID: q.CallID, Title: q.Title}
		if q.Permission != nil {
			other := call{arguments: c.arguments}
			p.ask(&other, q)
			p.change(&other, q.Permission.Diff)
			t.Title, t.Kind, t.Content, t.Locations = other.title, other.kind, other.diffs, other.locations
		}
		return t, nil
	}
	p.ask(c, q)
	if q.Permission != nil {
		p.change(c, q.Permission.Diff)
	}
	t := p.announce(q.CallID, c, "pending")
	news = append(news, t)
	t.SessionUpdate, t.Meta = "", nil
	return t, news
}

// ask takes over what a question says of its call.
func (p *projection) ask(c *call, q event.Question) {
	kind := string(tool.Other)
	var places []event.Location
	if r := q.Permission; r != nil {
		kind = r.Kind
		if len(r.Arguments) > 0 {
			c.arguments = r.Arguments
		}
		for _, path := range r.Paths {
			places = append(places, event.Location{Path: path})
		}
		if r.Command != "" {
			places = nil
		}
	}
	p.describe(c, q.Title, kinds(kind), places)
}

// kinds are the protocol's for those of permission.
func kinds(kind string) string {
	switch kind {
	case "read", "edit", "search", "execute", "fetch", "think":
		return kind
	}
	return string(tool.Other)
}

// restored makes a call look again as it was before somebody asked under it.
func (p *projection) restored(id string) *toolCall {
	c := p.calls[id]
	if c == nil || !c.announced {
		return nil
	}
	return &toolCall{SessionUpdate: "tool_call_update", ToolCallID: id, Title: c.title, Kind: c.kind}
}

// The fields of a form.
const (
	formAnswer = "answer"
	formOther  = "answer_other"
)

// elicit shows a form.
func (l *live) elicit(q event.Question) (*wire.Pending, func() event.Answer) {
	text := q.Title
	if q.Message != "" {
		text += "\n\n" + q.Message
	}
	params := elicitationParams{SessionID: l.id, Mode: "form", Message: text, RequestedSchema: formOf(q)}
	if c := l.projection.calls[q.CallID]; c != nil && c.announced {
		params.ToolCallID = q.CallID
	}
	pending := l.server.peer.Start("elicitation/create", params)
	return pending, func() event.Answer {
		var r elicitationResult
		if pending.Wait(l.ctx, &r) != nil || r.Action != "accept" {
			return event.Answer{Cancelled: true}
		}
		return formAnswerOf(q, r.Content)
	}
}

// formOf is the form for a question. A choice may be answered in other words.
func formOf(q event.Question) askedSchema {
	field := askedProperty{Type: "string", Title: "Answer", Description: q.Placeholder}
	switch q.Kind {
	case event.AskConfirm:
		field = askedProperty{Type: "boolean", Title: "Yes", Default: true}
	case event.AskSelect:
		for _, o := range q.Options {
			field.OneOf = append(field.OneOf, askedChoice{o, o})
		}
	}
	if q.Prefill != "" {
		field.Default = q.Prefill
	}
	s := askedSchema{Type: "object", Properties: map[string]askedProperty{formAnswer: field}}
	if q.Kind != event.AskSelect {
		s.Required = []string{formAnswer}
		return s
	}
	s.Properties[formOther] = askedProperty{Type: "string", Title: "Other", Meta: map[string]any{
		"_askUserQuestionCustomAnswer": map[string]any{"questionId": formAnswer, "isCustomAnswer": true},
	}}
	return s
}

func formAnswerOf(q event.Question, content map[string]json.RawMessage) event.Answer {
	var answer, other string
	_ = json.Unmarshal(content[formOther], &other)
	if q.Kind == event.AskConfirm {
		yes := true
		_ = json.Unmarshal(content[formAnswer], &yes)
		return event.Answer{Confirmed: yes}
	}
	if json.Unmarshal(content[formAnswer], &answer) != nil || strings.TrimSpace(other) != "" {
		answer = other
	}
	if answer == "" && q.Kind == event.AskSelect {
		return event.Answer{Cancelled: true}
	}
	return event.Answer{Value: answer}
}
