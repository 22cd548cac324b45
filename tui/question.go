package tui

import (
	"slices"
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
func questionText(q event.Question, cwd, home string) string {
	lines := []string{sanitize.Line(q.Title)}
	if from := asker(q); from != "" {
		lines[0] += " (" + sanitize.Line(from) + ")"
	}
	p := q.Permission
	if q.Message != "" && (p == nil || len(p.Parts) == 0) { // else it says what the parts do
		lines = append(lines, sanitize.Text(q.Message))
	}
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
		if !slices.ContainsFunc(p.Parts, func(part event.PermissionPart) bool { return part.Text == path }) {
			lines = append(lines, "path: "+shortPath(path, cwd, home))
		}
	}
	for _, part := range p.Parts {
		text := sanitize.Visible(part.Text)
		if slices.Contains(p.Paths, part.Text) {
			text = shortPath(part.Text, cwd, home)
		}
		lines = append(lines, "needs approval: "+text+" ("+sanitize.Line(part.Why)+")")
	}
	return strings.Join(lines, "\n")
}
