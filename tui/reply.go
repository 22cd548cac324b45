package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// replied shows what a command has to say and does what it wants done.
func (a *app) replied(sent string, r slash.Result) tea.Cmd {
	switch {
	case r.Reply == "":
	case r.Markdown: // what was asked isn't in the conversation
		a.story.notice("info", sent)
		answer := transcript.NewAnswer(&a.look)
		answer.Set(r.Reply, true)
		a.story.list.Append(answer)
	case r.Diff:
		change, rest, _ := strings.Cut(r.Reply, "\n\n")
		a.story.list.Append(&transcript.Diff{Look: &a.look, Text: change})
		if rest != "" {
			a.story.notice("info", rest)
		}
	default:
		a.story.notice("info", r.Reply)
	}
	if r.Edit != "" {
		a.setDraft(r.Edit)
	}
	if r.Copy == "" {
		return nil
	}
	return a.copied(r.Copy)
}
