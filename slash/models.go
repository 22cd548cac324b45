package slash

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

func runModel(ctx context.Context, c Call) (Result, error) {
	if c.Args == "" {
		return pickModel(ctx, c, "")
	}
	m, err := c.Session.SetModel(ctx, c.Args)
	if err == nil {
		return modelChosen(ctx, c, m)
	}
	if usable, _ := parted(c.Session.Offers(c.Args)); len(usable) > 1 && c.Caps.Has(Dialogs) {
		return pickModel(ctx, c, c.Args)
	}
	return Result{}, err
}

// pickModel lets the user choose among the models that can be used, or lists
// them where nothing can be chosen.
func pickModel(ctx context.Context, c Call, search string) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	usable, others := parted(c.Session.Offers(search))
	rows := ModelRows(usable)
	for i, o := range usable {
		if o.Provider == v.Model.Provider && o.ID == v.Model.ID {
			rows[i] += "  (now)"
		}
	}
	rest := lacking(others)
	if !c.Caps.Has(Dialogs) {
		return reply("%s\n\n%sChoose with /model provider/id.", strings.Join(rows, "\n"), rest)
	}
	i := choose(ctx, c.Session, "Model (prices per million tokens)", rest, rows)
	if i < 0 {
		return reply("")
	}
	m, err := c.Session.SetModel(ctx, usable[i].Ref())
	if err != nil {
		return Result{}, err
	}
	return modelChosen(ctx, c, m)
}

// modelChosen says what holds now.
func modelChosen(ctx context.Context, c Call, m llm.Model) (Result, error) {
	name := sanitize.Line(m.Ref())
	if v, err := c.Session.View(ctx); err == nil && len(m.Supported()) > 1 {
		return reply("The model is now %s, thinking %s.", name, v.Thinking)
	}
	return reply("The model is now %s.", name)
}

// parted takes offers apart; those that can be used come first.
func parted(offers []engine.Offer) (usable, others []engine.Offer) {
	for i, o := range offers {
		if o.Err != nil {
			return offers[:i], offers[i:]
		}
	}
	return offers, nil
}

// lacking says how many models can't be used and where that is explained.
func lacking(others []engine.Offer) string {
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("%d more can't be used now; \"hoopoe models\" says why.\n", len(others))
}

func completeModel(_ context.Context, s Session, prefix string) []string {
	usable, _ := parted(s.Offers(prefix))
	refs := make([]string, len(usable))
	for i, o := range usable {
		refs[i] = o.Ref()
	}
	return refs
}

// widestRef bounds the column of the references; a longer one moves its row.
const widestRef = 48

// ModelRows shows each model on one line: reference, window, price, and what
// is missing or to be known.
func ModelRows(offers []engine.Offer) []string {
	refs, prices, wide := make([]string, len(offers)), make([]string, len(offers)), [2]int{}
	for i, o := range offers {
		refs[i], prices[i] = sanitize.Line(o.Ref()), price(o.Cost)
		wide[0] = max(wide[0], min(ansi.StringWidth(refs[i]), widestRef))
		wide[1] = max(wide[1], len(prices[i]))
	}
	rows := make([]string, len(offers))
	for i, o := range offers {
		row := fmt.Sprintf("%s  %5s  %-*s  %s", padded(refs[i], wide[0]), window(o.ContextWindow), wide[1], prices[i], sanitize.Line(o.Missing()+o.Note))
		rows[i] = strings.TrimRight(row, " ")
	}
	return rows
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// price is per million tokens. A price of nothing may be an unknown one.
func price(p llm.Price) string {
	if p.Input == 0 && p.Output == 0 {
		return "no price"
	}
	return fmt.Sprintf("$%s in, $%s out", dollars(p.Input), dollars(p.Output))
}

func dollars(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
}

// window is a number of tokens in at most five columns.
func window(tokens int) string {
	switch {
	case tokens <= 0:
		return "?"
	case tokens < 1000:
		return strconv.Itoa(tokens)
	case tokens < 1_000_000:
		return fmt.Sprintf("%dk", tokens/1000)
	}
	return strconv.FormatFloat(math.Floor(float64(tokens)/1e4)/100, 'f', -1, 64) + "M"
}
