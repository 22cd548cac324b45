package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// branchCommands move about in the session's tree.
func branchCommands() []Command {
	return []Command{
		{Name: "tree", Args: "[entry]", Needs: Replaceable, Source: "builtin",
			Summary: "Show the branches of the session, or go on from an entry", Run: runTree},
		{Name: "rewind", Aliases: []string{"undo"}, Args: "[number]", Needs: Replaceable, Source: "builtin",
			Summary: "Go back to before one of your messages", Run: runRewind},
		{Name: "fork", Aliases: []string{"branch"}, Args: "[number]", Needs: Replaceable, Source: "builtin",
			Summary: "Go back to before one of your messages, in a new session", Run: runFork},
		{Name: "clone", Needs: Replaceable, Source: "builtin",
			Summary: "Go on in a copy of the session", Run: runClone},
	}
}

// runRewind goes on in the same file; what followed stays as another branch.
func runRewind(ctx context.Context, c Call) (Result, error) {
	id, shown, err := pickPrompt(ctx, c, "Go back to before", "rewind")
	if err != nil || id == "" {
		return Result{Handled: true, Reply: shown}, err
	}
	text, err := c.Session.MoveTo(ctx, id)
	return Result{Handled: true, Edit: text}, err
}

func runFork(ctx context.Context, c Call) (Result, error) {
	id, shown, err := pickPrompt(ctx, c, "Begin a new session before", "fork")
	if err != nil || id == "" {
		return Result{Handled: true, Reply: shown}, err
	}
	text, cancelled, err := c.Session.Branch(ctx, id)
	return moved(text, cancelled, err)
}

func runClone(ctx context.Context, c Call) (Result, error) {
	cancelled, err := c.Session.Fork(ctx)
	if errors.Is(err, session.ErrNoEntry) {
		return reply("Nothing has been said yet.")
	}
	return moved("", cancelled, err)
}

func moved(text string, cancelled bool, err error) (Result, error) {
	switch {
	case err != nil:
		return Result{}, err
	case cancelled:
		return reply("An extension kept the session.")
	}
	return Result{Handled: true, Edit: text}, nil
}

// pickPrompt finds one of the user's messages of this branch: the argument is
// its number, counted from the last, or an entry's id. Without a choice there is
// something to show, or nothing.
func pickPrompt(ctx context.Context, c Call, title, name string) (id, shown string, err error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return "", "", err
	}
	var ids, texts []string
	for i := len(v.Messages) - 1; i >= 0; i-- {
		m := v.Messages[i]
		if m.Role == message.User && !m.Synthetic {
			ids = append(ids, m.ID)
			texts = append(texts, brief(sanitize.Line(m.Text())))
		}
	}
	switch {
	case len(ids) == 0:
		return "", "There is no message to go back to.", nil
	case c.Args != "":
		n, err := strconv.Atoi(c.Args)
		if err != nil {
			return c.Args, "", nil
		}
		if n < 1 || n > len(ids) {
			return "", "", fmt.Errorf("there is no message %d: the last is 1, the first %d", n, len(ids))
		}
		return ids[n-1], "", nil
	case !c.Caps.Has(Dialogs):
		var rows strings.Builder
		for i, text := range texts {
			fmt.Fprintf(&rows, "%d  %s\n", i+1, text)
		}
		return "", fmt.Sprintf("%s\nChoose with /%s number.", rows.String(), name), nil
	}
	if i := choose(ctx, c.Session, title, "", numbered(texts)); i >= 0 {
		return ids[i], "", nil
	}
	return "", "", nil
}

// numbered puts a number behind those of the texts that were there before, so
// that an answer says which is meant.
func numbered(texts []string) []string {
	out, before := slices.Clone(texts), map[string]int{}
	for i, text := range texts {
		if before[text]++; before[text] > 1 {
			out[i] = fmt.Sprintf("%s (%d)", text, before[text])
		}
	}
	return out
}

// treeRows bounds what /tree shows; the chat's own panel shows all.
const treeRows = 200

func runTree(ctx context.Context, c Call) (Result, error) {
	if c.Args != "" {
		text, err := c.Session.MoveTo(ctx, c.Args)
		return Result{Handled: true, Edit: text}, err
	}
	roots, leaf, err := c.Session.Tree(ctx)
	if err != nil {
		return Result{}, err
	}
	p := treePrinter{leaf: leaf}
	p.siblings(roots, "")
	switch {
	case len(p.rows) == 0:
		return reply("Nothing has been said yet.")
	case !c.Caps.Has(Dialogs):
		return reply("%s\n\nGo on from an entry with /tree id.", strings.Join(p.rows, "\n"))
	}
	i := choose(ctx, c.Session, "Go on from", "", p.rows)
	if i < 0 {
		return reply("")
	}
	if p.ids[i] == leaf {
		return Result{}, errors.New("the session is there already")
	}
	text, err := c.Session.MoveTo(ctx, p.ids[i])
	return Result{Handled: true, Edit: text}, err
}

// treePrinter lists what was said, a row each. A row is indented where the tree
// branches, not where it goes on.
type treePrinter struct {
	leaf      string
	ids, rows []string
}

func (p *treePrinter) siblings(nodes []*session.TreeNode, indent string) {
	for ; len(nodes) == 1; nodes = nodes[0].Children {
		p.row(nodes[0], indent)
	}
	for _, n := range nodes {
		p.row(n, indent+"├ ")
		p.siblings(n.Children, indent+"│ ")
	}
}

func (p *treePrinter) row(n *session.TreeNode, indent string) {
	said := saidBy(n.Entry)
	if said == "" && n.Label == "" && n.Entry.ID != p.leaf || len(p.rows) >= treeRows {
		return
	}
	row := indent + n.Entry.ID + "  " + brief(sanitize.Line(said))
	if n.Label != "" {
		row += "  [" + sanitize.Line(n.Label) + "]"
	}
	if n.Entry.ID == p.leaf {
		row += "  ← here"
	}
	p.ids, p.rows = append(p.ids, n.Entry.ID), append(p.rows, row)
}

// saidBy is what a person would know an entry by; "" for those that nobody
// would look for.
func saidBy(e session.Entry) string {
	switch {
	case e.Message != nil && e.Message.Role == message.User:
		return "you: " + e.Message.Text()
	case e.Message != nil && e.Message.Role == message.Assistant && e.Message.Text() != "":
		return "model: " + e.Message.Text()
	case e.Compaction != nil:
		return "compacted"
	case e.BranchSummary != nil:
		return "summary: " + e.BranchSummary.Summary
	}
	return ""
}
