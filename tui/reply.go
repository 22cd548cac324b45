package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// replied shows what a command has to say and does what it wants done.
func (a *app) replied(r slash.Result) tea.Cmd {
	switch {
	case r.Reply == "":
	case r.Markdown:
		answer := transcript.NewAnswer(&a.look)
		answer.Set(r.Reply, true)
		a.story.list.Append(answer)
	case r.Diff:
		change, rest, _ := strings.Cut(r.Reply, "\n\n")
		a.story.list.Append(&changes{look: &a.look, diff: change})
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
	a.hint = fmt.Sprintf("Copied %s", count(len([]rune(r.Copy)), "character", "characters"))
	return tea.SetClipboard(r.Copy)
}

// changes is a diff in the transcript.
type changes struct {
	look *transcript.Look
	diff string
}

// Rows of a diff that are shown when it is folded, and at most.
const (
	changesRows = 60
	changesMost = 5000
)

// Version implements transcript.Item: it doesn't change.
func (c *changes) Version() int { return 0 }

// Lines implements transcript.Item.
func (c *changes) Lines(width int) []string {
	limit, how := changesRows, " · Ctrl+O"
	if c.look.Expanded {
		limit, how = changesMost, ""
	}
	rows := diff.Render(c.diff, diff.Options{Styles: c.look.Styles, Width: width})
	out := append(make([]string, 0, min(len(rows), limit)+2), "")
	if len(rows) <= limit {
		return append(out, rows...)
	}
	out = append(out, rows[:limit]...)
	return append(out, c.look.Muted.Render(style.Cut("… "+count(len(rows)-limit, "more row", "more rows")+how, width)))
}
