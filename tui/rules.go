package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// modeRow marks the rows of modes among those of rules.
const modeRow = "mode "

// openPermissions shows the permission modes and the rules that hold, with
// where each is from. Saved ones can be taken back.
func (a *app) openPermissions() tea.Cmd {
	p := &listPanel{}
	session := a.session
	p.picker = picker.New(picker.Options{
		Title: "Permissions", Styles: a.look.Styles, Ordered: true, Keys: a.o.Keys, Own: keymap.Rules,
		Hint: keysFor(a.o.Keys, hint{keymap.RemoveRule, "takes a saved rule back"}),
	}, nil)
	rules := map[string]permission.Rule{}
	p.items = func() []picker.Item {
		items := modeItems(a.view.Mode)
		for _, r := range sortedRules(session.Rules()) {
			it := ruleItem(r)
			rules[it.ID] = r
			items = append(items, it)
		}
		return items
	}
	p.done = func(r picker.Result) (tea.Cmd, bool) {
		rule, isRule := rules[r.Item.ID]
		switch {
		case r.Cancelled:
			return nil, true
		case r.Action == keymap.RemoveRule && isRule && removable(rule):
			return a.do("take the rule back", func(ctx context.Context) error {
				_, err := session.RemoveRule(ctx, rule)
				return err
			}), false
		case r.Action == keymap.RemoveRule || isRule:
			return nil, false
		}
		return a.run("/permissions " + r.Item.ID[len(modeRow):]), true
	}
	a.panel = p
	p.picker.SetItems(p.items())
	p.picker.Select(modeRow + a.view.Mode)
	return nil
}

func modeItems(now string) []picker.Item {
	about := map[string]string{
		"plan": "reads only, changes nothing",
		"ask":  "reads in the workspace; asks before edits and commands",
		"edit": "edits in the workspace; asks before commands",
		"full": "asks nothing",
	}
	var items []picker.Item
	for _, m := range permission.Modes() {
		name := string(m)
		items = append(items, picker.Item{ID: modeRow + name, Group: "Without asking", Title: name, Detail: about[name], Current: name == now})
	}
	return items
}

// bySource is the order in which rules are listed: first what the user has
// answered, last what can't be changed from here.
var bySource = [...]permission.Source{
	permission.FromSession, permission.FromSaved, permission.FromSettings, permission.FromAgent,
}

func sortedRules(rules []permission.Rule) []permission.Rule {
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b permission.Rule) int {
		return slices.Index(bySource[:], a.Source) - slices.Index(bySource[:], b.Source)
	})
	return rules
}

func removable(r permission.Rule) bool {
	return r.Source == permission.FromSaved || r.Source == permission.FromSession
}

func ruleItem(r permission.Rule) picker.Item {
	group, more := "Rules of "+string(r.Source), "It stands in the "+string(r.Source)+"."
	switch r.Source {
	case permission.FromSaved:
		group, more = `Rules saved by "always"`, "It holds in this folder."
	case permission.FromSession:
		group, more = "Rules for this session", "It holds until the session is closed."
	case permission.FromSettings:
		group, more = "Rules of the settings", "It stands in the settings, yours or the project's."
	}
	return picker.Item{ID: string(r.Source) + " " + string(r.Action) + " " + r.String(), Group: group, Title: r.String(), Cells: []string{string(r.Action)}, More: more}
}
