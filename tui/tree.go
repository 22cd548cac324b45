package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// treePanel is the session's tree: what was said, on every branch.
type treePanel struct {
	listPanel
	app  *app
	tree branches
}

// openTree lets the user look at the branches of the session and go on from
// any place in it.
func (a *app) openTree() tea.Cmd {
	p := &treePanel{app: a, tree: branches{folded: map[string]bool{}}}
	p.listPanel = listPanel{done: p.chosen, picker: picker.New(picker.Options{
		Title: "Go on from", Styles: a.look.Styles, Ordered: true, Keys: a.o.Keys, Own: keymap.Tree, Numbers: []int{0},
	}, nil)}
	a.panel = p
	p.hint()
	return p.load("")
}

// load reads the tree; the selection goes to an entry, or to where the
// conversation is.
func (p *treePanel) load(selected string) tea.Cmd {
	tree := p.app.session.Commands()
	return p.app.later("read the session's tree", func(ctx context.Context) (func() tea.Cmd, error) {
		roots, leaf, err := tree.Tree(ctx)
		return func() tea.Cmd {
			p.tree.set(roots, leaf)
			p.draw()
			if selected == "" {
				selected = p.tree.here
			}
			p.picker.Select(selected)
			return nil
		}, err
	})
}

func (p *treePanel) hint() {
	keys := p.app.o.Keys
	p.picker.SetHint(keys.Pair(keymap.FoldBranch, keymap.UnfoldBranch) + " fold · " + keysFor(keys, hint{keymap.LabelEntry, "label"}, hint{keymap.ShowEntries, "shows " + p.tree.show.next().name()}))
}

func (p *treePanel) draw() { p.picker.SetItems(p.tree.items(p.app.o.Now())) }

func (p *treePanel) chosen(r picker.Result) (tea.Cmd, bool) {
	id := r.Item.ID
	switch {
	case r.Cancelled:
		return nil, true
	case r.Action == keymap.FoldBranch, r.Action == keymap.UnfoldBranch:
		p.tree.folded[id] = r.Action == keymap.FoldBranch
		p.draw()
		return nil, false
	case r.Action == keymap.ShowEntries:
		p.tree.show = p.tree.show.next()
		p.draw()
		p.hint()
		return nil, false
	case id == "":
		return nil, false
	case r.Action == keymap.LabelEntry:
		p.label(id)
		return nil, false
	case id == p.tree.here:
		return nil, true
	}
	p.goOn(r.Item.ID, r.Item.Title)
	return nil, false
}

func (p *treePanel) label(id string) {
	session := p.app.session
	spec := dialog.Spec{Title: "Label of this place", Why: "Empty takes it away.", Field: dialog.Field{Value: p.tree.labels[id]}}
	p.app.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		return p.app.later("set the label", func(ctx context.Context) (func() tea.Cmd, error) {
			return func() tea.Cmd { return p.load(id) }, session.SetLabel(ctx, id, r.Text)
		})
	})
}

// Ways to go on from an entry.
const (
	withoutSummary = "without"
	withSummary    = "with"
	withFocus      = "focus"
)

func waysOn() []dialog.Choice {
	return []dialog.Choice{
		{ID: withoutSummary, Label: "Yes", Key: "y"},
		{ID: withSummary, Label: "Yes, and tell the model in short what was done since", Key: "s"},
		{ID: withFocus, Label: "Yes, and say what the summary is to keep", Reason: "What matters of it?"},
	}
}

// goOn asks whether what is left is to be summed up, and goes.
func (p *treePanel) goOn(id, title string) {
	spec := dialog.Spec{Title: "Go on from here?", Why: title + "\nWhat followed stays, as another branch.", Choices: waysOn()}
	p.app.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		p.app.panel = nil
		return p.app.goOn(id, engine.MoveOptions{Summarize: r.ID != withoutSummary, Instructions: r.Text})
	})
}

// goOn goes on from an entry of the tree.
func (a *app) goOn(id string, o engine.MoveOptions) tea.Cmd {
	session := a.session
	if o.Summarize {
		a.busy.compact(ofBranch, a.o.Now())
	}
	return func() tea.Msg {
		text, cancelled, err := session.MoveToWith(a.ctx, id, o)
		return laterMsg(func() tea.Cmd {
			a.busy.compacting = ""
			switch {
			case err != nil:
				return func() tea.Msg { return failedMsg{"go on from there", err} }
			case cancelled:
				a.story.notice("info", "The session stays where it is.")
			case text != "":
				a.setDraft(text)
			}
			return nil
		})
	}
}
