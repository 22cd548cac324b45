package tui

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

const trustTitle = "This folder has settings, skills, rules, commands or MCP servers of its own. They can change what the agent does and run code. Use them?"

// choice is one way to answer a question.
type choice struct {
	label  string
	answer event.Answer
}

// choices lists the answers to a question; none where text is asked for.
func choices(q event.Question) []choice {
	switch q.Kind {
	case event.AskConfirm:
		return []choice{{"Yes", event.Answer{Confirmed: true}}, {"No", event.Answer{}}}
	case event.AskSelect:
		list := make([]choice, len(q.Options))
		for i, o := range q.Options {
			list[i] = choice{o, event.Answer{Value: o}}
		}
		return list
	case event.AskPermission:
		list := []choice{{"Yes, this once", event.Answer{Choice: event.Once}}}
		if p := q.Permission; p != nil && len(p.Rules) > 0 {
			rules := strings.Join(p.Rules, ", ")
			list = append(list, choice{"Yes, for this session: " + rules, event.Answer{Choice: event.Session}},
				choice{"Always: " + rules, event.Answer{Choice: event.Always}})
		}
		return append(list, choice{"No", event.Answer{Choice: event.Deny}})
	}
	return nil
}

// questionText tells a question in plain lines. Of what is to be approved
// nothing is hidden: control characters are shown.
func questionText(q event.Question) string {
	lines := []string{sanitize.Line(q.Title)}
	if from := asker(q); from != "" {
		lines[0] += " (" + sanitize.Line(from) + ")"
	}
	if q.Message != "" {
		lines = append(lines, sanitize.Text(q.Message))
	}
	p := q.Permission
	if p == nil {
		return strings.Join(lines, "\n")
	}
	switch {
	case p.Command != "":
		lines = append(lines, sanitize.Visible(p.Command))
	case p.Diff != "":
		lines = append(lines, sanitize.Visible(p.Diff))
	case len(p.Arguments) > 0:
		lines = append(lines, sanitize.Visible(indented(p.Arguments)))
	}
	for _, path := range p.Paths {
		lines = append(lines, "path: "+sanitize.Visible(path))
	}
	for _, part := range p.Parts {
		lines = append(lines, "needs approval: "+sanitize.Visible(part.Text)+" ("+sanitize.Line(part.Why)+")")
	}
	return strings.Join(lines, "\n")
}
