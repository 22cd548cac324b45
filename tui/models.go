package tui

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// openModels lets the user choose the model. Those that can't be used now come
// last, with the reason.
func (a *app) openModels() tea.Cmd {
	p := &listPanel{picker: picker.New(picker.Options{
		Title: "Model", Hint: "context, dollars per million tokens in and out", Styles: a.look.Styles, Keys: a.o.Keys, Ordered: true, Numbers: []int{0, 1, 2},
	}, nil)}
	missing := map[string]bool{}
	p.done = func(r picker.Result) (tea.Cmd, bool) {
		switch {
		case r.Cancelled:
			return nil, true
		case missing[r.Item.ID]:
			return nil, false // the pane below the list says why
		}
		return a.run("/model " + r.Item.ID), true
	}
	a.panel = p
	session := a.session.Commands()
	return a.fill(p, "list the models", func(context.Context) (func(), error) {
		offers := session.Offers("")
		return func() {
			for _, o := range offers {
				missing[o.Ref()] = o.Err != nil
			}
			now := a.view.Model.Provider + "/" + a.view.Model.ID
			p.picker.SetItems(modelItems(offers, now))
			p.picker.Select(now)
		}, nil
	})
}

// modelItems lists offers by provider.
func modelItems(offers []engine.Offer, now string) []picker.Item {
	items := make([]picker.Item, len(offers))
	for i, o := range offers {
		it := picker.Item{
			ID: o.Ref(), Title: o.ID, Group: o.Provider, Current: o.Ref() == now, More: o.Note,
			Cells: []string{tokens(o.ContextWindow), price(o.Cost.Input), price(o.Cost.Output)},
		}
		if o.Cost.Input == 0 && o.Cost.Output == 0 { // free, or not known
			it.Cells[1], it.Cells[2] = "–", "–"
		}
		if o.Name != o.ID {
			it.Detail = o.Name
		}
		if o.Err != nil {
			it.Group += " · " + o.Missing()
			it.Dim, it.More = true, o.Err.Error()
		}
		items[i] = it
	}
	return items
}

// tokens is a number of tokens in a few columns.
func tokens(n int) string {
	switch {
	case n <= 0:
		return "?"
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.FormatFloat(float64(n/10_000)/100, 'f', -1, 64) + "M"
}

// price is in dollars, with cents; smaller parts only where there are some.
func price(dollars float64) string {
	cents := strconv.FormatFloat(dollars, 'f', 2, 64)
	if whole := strconv.FormatFloat(dollars, 'f', -1, 64); len(whole) > len(cents) {
		return strconv.FormatFloat(dollars, 'g', 3, 64)
	}
	return cents
}
