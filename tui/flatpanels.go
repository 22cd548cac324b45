package tui

import (
	"context"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// lister finds out what a list holds. It runs off the loop.
type lister func(ctx context.Context) (*menu, error)

// panels are the commands that are lists here, with an argument the registry's.
func (f *flat) panels() []command {
	named := func(open lister, summary string, names ...string) command {
		return command{names: names, summary: summary, lines: open}
	}
	list := []command{
		named(f.models, "Choose the model", "model", "models"),
		named(f.tree, "Show the branches of the session, go back, set labels", "tree"),
		named(f.settings(f.now), "Change the settings of the chat and of this session", "settings"),
		named(f.permissions, "Choose what runs without asking; see the rules", "permissions", "approvals"),
	}
	if f.o.Sessions != nil {
		list = append(list, named(f.saved(false), "Go back to an earlier session, rename and delete them", "resume", "sessions"))
	}
	if f.o.Themes != nil {
		list = append(list, named(f.themes(f.now.theme), "Choose the colours for a terminal that has some", "theme", "themes"))
	}
	return list
}

// panel opens the list that a command asks for by its name alone.
func (f *flat) panel(text string) bool {
	name, args, ok := slash.Split(strings.TrimSpace(text))
	if !ok || args != "" {
		return false
	}
	if name == "help" || name == "?" {
		go func() {
			catalog := f.o.Commands.For(f.ctx, f.session.Commands()).Catalog(Caps)
			f.onLoop(func() { f.say("·", slash.HelpText(withPanels(catalog, f.panels()))) })
		}()
		return true
	}
	for _, c := range f.panels() {
		if slices.Contains(c.names, name) {
			f.openMenu(c.lines)
			return true
		}
	}
	return false
}

// openMenu shows a list as soon as it is known what is in it.
func (f *flat) openMenu(open lister) {
	go func() {
		m, err := open(f.ctx)
		f.onLoop(func() {
			if err != nil {
				f.say("!", capital(err.Error()))
				return
			}
			f.menu = m
			if f.question == nil { // else it waits
				f.print(m.page())
			}
		})
	}()
}

// change does something off the loop and shows a list afterwards; nil is none.
func (f *flat) change(what string, do func(ctx context.Context) error, then lister) {
	go func() {
		f.run(what, do)
		if then != nil {
			f.openMenu(then)
		}
	}()
}

func (f *flat) models(ctx context.Context) (*menu, error) {
	s := f.session.Commands()
	v, err := s.View(ctx)
	if err != nil {
		return nil, err
	}
	m := newMenu("Model", "context, dollars per million tokens in and out", modelItems(s.Offers(""), v.Model.Provider+"/"+v.Model.ID))
	m.chosen = func(it picker.Item, _ string) bool {
		if it.Dim {
			f.print(it.More + "\n> ")
			return false
		}
		f.send("/model " + it.ID)
		return true
	}
	return m, nil
}

// saved lists the saved sessions of this folder, or of all.
func (f *flat) saved(all bool) lister {
	return func(ctx context.Context) (*menu, error) {
		list, err := f.o.Sessions.List(ctx, all)
		if err != nil {
			return nil, err
		}
		v, err := f.session.Commands().View(ctx)
		if err != nil {
			return nil, err
		}
		title, others := "Sessions of this folder", "shows those of all folders"
		if all {
			title, others = "Sessions of all folders", "shows those of this folder"
		}
		m := newMenu(title, "last change, messages", savedItems(list, all, v.File, f.o.home(), f.o.Now()))
		m.chosen = func(it picker.Item, _ string) bool {
			if !it.Current {
				f.send("/resume " + it.ID)
			}
			return true
		}
		m.verbs = []verb{
			{word: "all", form: "all", does: others, list: func() { f.openMenu(f.saved(!all)) }},
			{word: "name", form: "name 3 TEXT", does: "names one", item: func(it picker.Item, name string) {
				f.change("name the session", func(ctx context.Context) error { return f.rename(ctx, it, name) }, f.saved(all))
			}},
			{word: "delete", form: "delete 3", does: "deletes one", item: func(it picker.Item, _ string) { f.remove(it, f.saved(all)) }},
		}
		return m, nil
	}
}

func (f *flat) rename(ctx context.Context, it picker.Item, name string) error {
	switch {
	case name == "":
		return nil
	case it.Current:
		return f.session.Commands().Rename(ctx, name)
	}
	return f.o.Sessions.Rename(ctx, it.ID, name)
}

// remove deletes a session if the user means it.
func (f *flat) remove(it picker.Item, back lister) {
	if it.Current {
		f.print("That is this session; /new leaves it first.\n> ")
		return
	}
	m := newMenu("Delete "+it.Title+"? There is no way back", "", []picker.Item{{ID: "no", Title: "No"}, {ID: "yes", Title: "Yes"}})
	m.chosen = func(answer picker.Item, _ string) bool {
		if answer.ID == "yes" {
			f.change("delete the session", func(ctx context.Context) error { return f.o.Sessions.Delete(ctx, it.ID) }, back)
		}
		return true
	}
	f.menu = m
	f.print(m.page())
}

func (f *flat) tree(ctx context.Context) (*menu, error) { return f.branches(showSaid)(ctx) }

// branches lists the session's tree.
func (f *flat) branches(show showing) lister {
	return func(ctx context.Context) (*menu, error) {
		roots, leaf, err := f.session.Commands().Tree(ctx)
		if err != nil {
			return nil, err
		}
		tree := branches{folded: map[string]bool{}, show: show}
		tree.set(roots, leaf)
		m := newMenu("Go on from: "+show.name(), "", tree.items(f.o.Now()))
		m.chosen = func(it picker.Item, _ string) bool {
			if it.ID != tree.here {
				f.goOn(it)
			}
			return it.ID == tree.here
		}
		m.verbs = []verb{
			{word: "label", form: "label 3 TEXT", does: "labels a place", item: func(it picker.Item, label string) {
				f.change("set the label", func(ctx context.Context) error { return f.session.SetLabel(ctx, it.ID, label) }, f.branches(show))
			}},
			{word: "show", form: "show", does: "lists " + show.next().name(), list: func() { f.openMenu(f.branches(show.next())) }},
		}
		return m, nil
	}
}

// goOn asks whether what is left is to be summed up, and goes.
func (f *flat) goOn(from picker.Item) {
	var items []picker.Item
	for _, c := range waysOn() {
		items = append(items, picker.Item{ID: c.ID, Title: c.Label})
	}
	m := newMenu("Go on from "+from.Title+"? What followed stays, as another branch", "", items)
	m.chosen = func(way picker.Item, rest string) bool {
		if way.ID == withFocus && rest == "" {
			f.print("Write behind the number what matters of it: 3 the names of the files\n> ")
			return false
		}
		f.change("go on from there", func(ctx context.Context) error { return f.move(ctx, from.ID, way.ID, rest) }, nil)
		return true
	}
	f.menu = m
	f.print(m.page())
}

func (f *flat) move(ctx context.Context, id, way, focus string) error {
	text, cancelled, err := f.session.MoveToWith(ctx, id, engine.MoveOptions{Summarize: way != withoutSummary, Instructions: focus})
	if err != nil {
		return err
	}
	f.onLoop(func() {
		switch {
		case cancelled:
			f.say("·", "The session stays where it is.")
		case text != "":
			f.say("·", "To send again, changed or not:\n"+text)
		default:
			f.say("·", "The session goes on from there.")
		}
	})
	return nil
}

func (f *flat) themes(now string) lister {
	return func(context.Context) (*menu, error) {
		var items []picker.Item
		for _, name := range f.o.Themes.Names() {
			items = append(items, picker.Item{ID: name, Title: name, Current: name == now})
		}
		m := newMenu("Theme", "for a terminal with colours, from the next start on", items)
		m.chosen = func(it picker.Item, _ string) bool {
			f.now.theme = it.ID
			s := setting{key: "theme"}
			f.change("save the theme", func(ctx context.Context) error { return s.save(ctx, &f.o, it.ID) }, nil)
			return true
		}
		return m, nil
	}
}

func (f *flat) permissions(ctx context.Context) (*menu, error) {
	v, err := f.session.Commands().View(ctx)
	if err != nil {
		return nil, err
	}
	items, rules := modeItems(v.Mode), map[string]permission.Rule{}
	for _, r := range sortedRules(f.session.Rules()) {
		it := ruleItem(r)
		rules[it.ID] = r
		items = append(items, it)
	}
	m := newMenu("Permissions", "", items)
	m.chosen = func(it picker.Item, _ string) bool {
		if _, isRule := rules[it.ID]; isRule {
			f.print(it.More + "\n> ")
			return false
		}
		f.send("/permissions " + strings.TrimPrefix(it.ID, modeRow))
		return true
	}
	m.verbs = []verb{{word: "remove", form: "remove 5", does: "takes a saved rule back", item: func(it picker.Item, _ string) {
		rule, isRule := rules[it.ID]
		if !isRule || !removable(rule) {
			f.print("Only rules that an answer has made can be taken back.\n> ")
			return
		}
		f.change("take the rule back", func(ctx context.Context) error {
			_, err := f.session.RemoveRule(ctx, rule)
			return err
		}, f.permissions)
	}}}
	return m, nil
}
