package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// labeller is a session whose entries can be named.
type labeller interface {
	SetLabel(ctx context.Context, entryID, text string) error
}

// treePanel is the session's tree: what was said, on every branch.
type treePanel struct {
	listPanel
	app  *app
	tree branches
}

const (
	keyFold   = "left"
	keyUnfold = "right"
	keyShow   = "ctrl+f"
	keyLabel  = "ctrl+b"
)

// openTree lets the user look at the branches of the session and go on from
// any place in it.
func (a *app) openTree() tea.Cmd {
	p := &treePanel{app: a, tree: branches{folded: map[string]bool{}}}
	keys := []string{keyFold, keyUnfold, keyShow}
	hint := "←/→ fold · Ctrl+F shows " + p.tree.show.next().name()
	if _, ok := a.session.Commands().(labeller); ok {
		keys, hint = append(keys, keyLabel), hint+" · Ctrl+B label"
	}
	p.listPanel = listPanel{styles: a.look.Styles, done: p.chosen, picker: picker.New(picker.Options{
		Title: "Go on from", Styles: a.look.Styles, Keys: keys, Hint: hint, Ordered: true,
	}, nil)}
	a.panel = p
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

func (p *treePanel) draw() { p.picker.SetItems(p.tree.items(p.app.o.Now())) }

func (p *treePanel) chosen(r picker.Result) (tea.Cmd, bool) {
	id := r.Item.ID
	switch {
	case r.Cancelled:
		return nil, true
	case r.Key == keyFold, r.Key == keyUnfold:
		p.tree.folded[id] = r.Key == keyFold
		p.draw()
		return nil, false
	case r.Key == keyShow:
		p.tree.show = p.tree.show.next()
		p.draw()
		p.picker.SetHint("Shown: " + p.tree.show.name() + " · Ctrl+F shows " + p.tree.show.next().name())
		return nil, false
	case id == "":
		return nil, false
	case r.Key == keyLabel:
		p.label(id)
		return nil, false
	case id == p.tree.here:
		return nil, true
	}
	return p.app.run("/tree " + id), true
}

func (p *treePanel) label(id string) {
	names, ok := p.app.session.Commands().(labeller)
	if !ok {
		return
	}
	spec := dialog.Spec{Title: "Label of this place", Why: "Empty takes it away.", Field: dialog.Field{Value: p.tree.labels[id]}}
	p.app.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		return p.app.later("set the label", func(ctx context.Context) (func() tea.Cmd, error) {
			return func() tea.Cmd { return p.load(id) }, names.SetLabel(ctx, id, r.Text)
		})
	})
}
