package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
)

// skip is the choice that leaves a field empty.
const skip = "(leave empty)"

// elicitTries is how often a value that doesn't fit is asked for again.
const elicitTries = 3

// elicit puts an MCP server's question to the user: field by field, whatever
// the face can show. Where nobody can be asked it is declined.
func (v *servers) elicit(ctx context.Context, e mcp.Elicitation) (mcp.Reply, error) {
	title := "MCP server " + e.Server + " asks"
	if len(e.Fields) == 0 {
		a, action := v.put(ctx, event.Question{Kind: event.AskConfirm, Title: title, Message: e.Message})
		if action == mcp.Accept && !a.Confirmed {
			action = mcp.Decline
		}
		return mcp.Reply{Action: action}, ctx.Err()
	}
	reply := mcp.Reply{Action: mcp.Accept, Values: map[string]any{}}
	for _, f := range e.Fields {
		value, action := v.ask(ctx, title, e.Message, f)
		if action != mcp.Accept {
			return mcp.Reply{Action: action}, ctx.Err()
		}
		reply.Values[f.Name] = value
	}
	return reply, nil
}

// ask puts one field to the user until the answer fits.
func (v *servers) ask(ctx context.Context, title, text string, f mcp.Field) (any, mcp.Action) {
	q := fieldQuestion(title, text, f)
	for range elicitTries {
		a, action := v.put(ctx, q)
		if action != mcp.Accept {
			return nil, action
		}
		answer := a.Value
		switch {
		case q.Kind == event.AskConfirm:
			answer = map[bool]string{true: "yes", false: "no"}[a.Confirmed]
		case answer == skip:
			answer = ""
		}
		value, err := f.Value(answer)
		if err == nil {
			return value, mcp.Accept
		}
		q.Message, q.Prefill = err.Error(), answer
	}
	return nil, mcp.Cancel
}

// put asks and says what became of it.
func (v *servers) put(ctx context.Context, q event.Question) (event.Answer, mcp.Action) {
	r := v.s.ask(ctx, q, nil)
	switch {
	case r.Nobody:
		return r.Answer, mcp.Decline
	case !r.Answered || r.Answer.Cancelled:
		return r.Answer, mcp.Cancel
	}
	return r.Answer, mcp.Accept
}

// fieldQuestion is the question for a field: a yes or no, a choice, or a text
// that starts as the field's default.
func fieldQuestion(title, text string, f mcp.Field) event.Question {
	about := cmp.Or(f.Description, f.Title)
	if f.Description != "" && f.Title != "" {
		about = f.Title + ": " + f.Description
	}
	q := event.Question{Kind: event.AskInput, Title: title + " for " + f.Title, Prefill: f.Default}
	q.Message = strings.TrimSpace(text + "\n" + about)
	var titles []string
	for _, o := range f.Options {
		titles = append(titles, cmp.Or(o.Title, o.Value))
	}
	switch {
	case f.Type == "boolean":
		q.Kind, q.Prefill = event.AskConfirm, ""
	case f.Type == "array" && len(titles) > 0:
		q.Message += "\nSome of: " + strings.Join(titles, ", ")
	case len(titles) > 0:
		q.Kind, q.Prefill, q.Options = event.AskSelect, "", titles
		if !f.Required {
			q.Options = append(q.Options, skip)
		}
	case !f.Required:
		q.Placeholder = "may stay empty"
	}
	return q
}
