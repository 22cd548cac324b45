package tui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// openModels lets the user choose the model. Those that can't be used now come
// last, with the reason.
func (a *app) openModels() tea.Cmd {
	p := &listPanel{styles: a.look.Styles, picker: picker.New(picker.Options{
		Title: "Model", Hint: "context, dollars per million tokens in/out", Styles: a.look.Styles, Ordered: true,
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
			Cells: []string{tokens(o.ContextWindow), prices(o.Cost)},
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

// prices are per million tokens, in and out. Both 0 may be an unknown price.
func prices(p llm.Price) string {
	if p.Input == 0 && p.Output == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4g/%.4g", p.Input, p.Output)
}
